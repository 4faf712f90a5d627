"""The umpire as people and programs meet it: answers as text and data, and one clear sentence for every mistake."""

import numpy as np
import pytest

from fogspiel.core.game import DRAW, LOSS, WIN
from fogspiel.kriegspiel.referee import WILD_16, HouseRules, Message, Referee, play_game


def after(*moves, fen=None):
    """The umpire after these moves, all of which must be accepted."""
    umpire = Referee(fen)
    for move in moves:
        assert umpire.attempt(move).accepted, move
    return umpire


def test_a_game_begins_with_twenty_attempts_and_white_to_move():
    umpire = Referee()
    assert umpire.mover == 0 and not umpire.over and umpire.ending is None and umpire.payoff_index == DRAW
    assert len(umpire.attempts()) == 20 and "e2e4" in umpire.attempts()
    assert umpire.message.text == "White begins"


def test_an_accepted_move_is_answered_with_a_message_as_text_and_data():
    umpire = after("e2e4", "d7d5")
    assert umpire.message.tries == 1
    answer = umpire.attempt("e4d5")
    assert answer.accepted and answer.text == "White moved, pawn taken on d5"
    assert answer.message == Message(0, "pawn", "d5", (), 0, "White moved, pawn taken on d5")
    answer = umpire.attempt("d8d5")
    assert answer.message == Message(1, "pawn", "d5", (), 0, "Black moved, pawn taken on d5")


def test_a_refusal_says_nothing_else_and_leaves_the_turn():
    umpire = after("e2e4", "e7e5")
    answer = umpire.attempt("e4e5")
    assert not answer.accepted and answer.message is None and answer.text == "illegal move"
    assert umpire.mover == 0 and umpire.plies == 2 and "e4e5" not in umpire.attempts()
    assert after("e2e4", "e7e5").fen == umpire.fen


def test_checks_come_in_words_and_as_data():
    umpire = Referee("4k3/8/8/8/4N3/8/8/K3R3 w - - 0 1")
    answer = umpire.attempt("e4f6")
    assert answer.message.checks == ("file", "knight")
    assert answer.text == "White moved, check on the file, check by a knight"


def test_a_mate_ends_the_game_and_says_who_won():
    umpire = after("f2f3", "e7e5", "g2g4")
    answer = umpire.attempt("d8h4")
    assert answer.text == "Black moved, check on the short diagonal; checkmate"
    assert umpire.over and umpire.ending == "checkmate" and umpire.score == LOSS and umpire.attempts() == []
    assert after("a1a8", fen="7k/8/6K1/8/8/8/8/R7 w - - 0 1").score == WIN


def test_a_game_that_begins_in_the_middle_tells_what_its_mover_must_know():
    umpire = Referee("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 20")
    assert umpire.message.text == "White begins, 1 pawn try"
    assert Referee("4k3/8/8/8/8/8/4r3/4K3 w - - 0 20").message.text == "White begins, check on the file"


START = ()
MISTAKES = [
    (START, "e5", "'e5' is not a move: write the squares it leaves and goes to, as e2e4 or e7e8q"),
    (START, "", "'' is not a move: write the squares it leaves and goes to, as e2e4 or e7e8q"),
    (START, "O-O", "'O-O' is not a move: write the squares it leaves and goes to, as e2e4 or e7e8q"),
    (START, "e2e9", "'e2e9' is not a move: write the squares it leaves and goes to, as e2e4 or e7e8q"),
    (START, -1, "-1 is not the number of a move: they are 0 to 20479"),
    (START, 10**9, "1000000000 is not the number of a move: they are 0 to 20479"),
    (START, "e4e5", "e4e5: White has no man on e4"),
    (START, "e7e5", "e7e5: White has no man on e7"),
    (START, "a1a2", "a1a2: an own man stands on a2"),
    (START, "a1a3", "a1a3: an own man is in the way"),
    (START, "d1h5", "d1h5: an own man is in the way"),
    (START, "b1b3", "b1b3 is not how a knight moves"),
    (START, "e2e5", "e2e5 is not how a pawn moves"),
    (START, "e2e1", "e2e1: an own man stands on e1"),
    (START, "e2e2", "e2e2: an own man stands on e2"),
    (START, "e2d3", "e2d3: the referee has announced no pawn tries, so no pawn can take"),
    (START, "e2e4q", "e2e4q: no pawn promotes by this move, so write e2e4"),
    (START, "e1g1", "e1g1: an own man stands on g1"),
    (("g1f3", "a7a6"), "e1g1", "e1g1: an own man is in the way"),
    (
        ("e2e4", "a7a6", "e1e2", "a6a5", "e2e1", "a5a4", "g1f3", "a4a3", "f1e2", "h7h6"),
        "e1g1",
        "e1g1: White has no right to castle there",
    ),
    (("e2e4", "a7a6"), "e1g3", "e1g3 is not how a king moves"),
]


@pytest.mark.parametrize(("before", "move", "sentence"), MISTAKES, ids=[str(move) for _, move, _ in MISTAKES])
def test_a_mistake_is_explained_in_one_sentence_and_changes_nothing(before, move, sentence):
    umpire = after(*before)
    state = umpire.state.copy()
    with pytest.raises(ValueError) as refusal:
        umpire.attempt(move)
    assert str(refusal.value) == sentence
    assert (umpire.state == state).all() and len(umpire.record) == len(before)


def test_a_promotion_must_say_what_the_pawn_becomes():
    fen = "8/P6k/8/8/8/8/8/K7 w - - 0 1"
    with pytest.raises(ValueError, match="a7a8: say what the pawn becomes, as in a7a8q"):
        Referee(fen).attempt("a7a8")
    for letter in "qrbn":
        assert Referee(fen).attempt(f"a7a8{letter}").accepted
    with pytest.raises(ValueError, match="'a7a8k' is not a move"):
        Referee(fen).attempt("a7a8k")


def test_a_refused_attempt_is_not_taken_twice_in_a_turn_but_again_in_the_next():
    umpire = after("e2e4", "e7e5")
    umpire.attempt("e4e5")
    with pytest.raises(ValueError, match="e4e5 was refused already in this turn: try something else"):
        umpire.attempt("e4e5")
    umpire.attempt("a2a3")
    umpire.attempt("a7a6")
    assert not umpire.attempt("e4e5").accepted


def test_nothing_can_be_tried_after_the_end():
    umpire = after("f2f3", "e7e5", "g2g4", "d8h4")
    with pytest.raises(ValueError, match=r"the game is over \(checkmate\): nothing can be tried any more"):
        umpire.attempt("e2e4")


def test_numbers_are_as_good_as_text():
    umpire = Referee()
    for action in (12 + 64 * 28, np.int64(52 + 64 * 36)):
        assert umpire.attempt(action).accepted
    assert umpire.fen == after("e2e4", "e7e5").fen


@pytest.mark.parametrize(
    ("chosen", "sentence"),
    [
        ({"promotion_tries": "twice"}, "promotion_tries is 'twice': it must be once or per_piece"),
        ({"passant_square": "e4"}, "passant_square is 'e4': it must be victim or arrival"),
        ({"fifty": "no"}, "fifty is 'no': it must be true or false"),
    ],
)
def test_a_rule_that_nobody_knows_is_refused(chosen, sentence):
    with pytest.raises(ValueError, match=sentence):
        HouseRules(**chosen)


def test_switches_come_back_from_their_names():
    house = HouseRules(promotion_tries="per_piece", passant_square="arrival", fifty=False)
    assert HouseRules(**house.to_json()) == house != WILD_16 and WILD_16.bits == 0
    assert (
        len({HouseRules(**chosen).bits for chosen in ({"fifty": False}, {"repetition": False}, {"material": False})})
        == 3
    )


def test_there_are_two_sides():
    with pytest.raises(ValueError, match="there is no side 2: 0 is White and 1 is Black"):
        Referee().view(2)


class First:
    """Tries the attempts in the order of the list."""

    def begin(self, side):
        self.side = side

    def choose(self, seen, actions):
        return actions[0]


def replay_game(record, switches=WILD_16):
    referee = Referee(switches=switches)
    for action in record:
        referee.attempt(action)
    return referee


def test_a_game_is_played_to_its_end_or_to_a_limit_and_replays():
    short = play_game((First(), First()), Referee(), 11)
    assert short.plies == 11 and not short.over and short.payoff_index == DRAW
    whole = play_game((First(), First()), Referee())
    assert whole.over
    again = replay_game(whole.record)
    assert (again.state == whole.state).all() and again.ending == whole.ending
    assert replay_game(whole.record, HouseRules(repetition=False)).fen == whole.fen


def test_a_record_that_goes_on_after_the_end_is_refused():
    whole = play_game((First(), First()), Referee())
    with pytest.raises(ValueError, match="the game is over"):
        replay_game([*whole.record, 0])


def test_the_true_position_comes_as_a_fen():
    assert after("e2e4").fen == "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1"


def test_a_number_beyond_all_moves_is_no_move():
    umpire = Referee()
    for number in (-1, 30_000):
        with pytest.raises(ValueError, match=f"^{number} is not the number of a move: they are 0 to 20479$"):
            umpire.attempt(number)


def test_pawns_that_can_take_are_named_and_count_as_one_announcement():
    """RAND: Black's refusals are heard too."""
    umpire = Referee(
        "4k3/8/8/3p1p2/3P4/4P1P1/8/4K3 b - - 0 20", HouseRules(rules="rand", fifty=False, repetition=False)
    )
    assert not umpire.attempt("d5d4").accepted
    message = umpire.attempt("f5f4").message
    assert (message.colour, message.tries, message.squares, message.refused) == (1, 1, ("e3", "g3"), (1, 0))
    message = umpire.attempt("e1e2").message
    assert (message.colour, message.tries, message.squares, message.refused) == (0, 1, ("f4",), (0, 0))
