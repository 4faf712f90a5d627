"""Every rule set says in random games, attempt by attempt, what the `kriegspiel` package says."""

import random
from collections import Counter

import chess
import pytest
from joblib import Parallel, delayed
from support.levels import default_cases
from support.rule_set_oracle import Oracle, agree

from fogspiel.core.game import DRAW, WIN
from fogspiel.kriegspiel.game import RULE_SETS, find_rule_set, rule_set_of, rules
from fogspiel.kriegspiel.game.attempts import MAY_ASK, TRIES_HIDDEN
from fogspiel.kriegspiel.referee import WILD_16, HouseRules, Referee

GAMES, SLOW_GAMES = 40, 10_000
LONGEST, ATTEMPTS = 60, 700
SPARSE = (
    "8/P6k/8/3pP3/8/8/1p5K/R7 w - d6 0 9",
    "4k3/1P4P1/8/8/8/8/1p4p1/R3K2R w KQ - 0 1",
    "r3k2r/pPp2ppp/8/3pP3/4p3/8/PPPP1PpP/R3K2R w KQkq d6 0 9",
    "4k3/8/8/8/1pPpPp2/8/P2P2P1/4K3 b - c3 0 20",
    "7k/5Q2/5K2/8/8/8/6p1/8 w - - 0 1",
)
"""Positions from which promotions, captures en passant, castlings and stalemates come soon."""
COMMON = ("accepted", "refused", "captures", "checks", "promotions", "en passant", "ended")
ASKING = ("any yes", "any no")
"""What must have happened in the games of a rule set."""


def middle(rng):
    """A position from somewhere in a random game."""
    umpire = Referee()
    for _ in range(rng.randrange(400)):
        umpire.attempt(rng.choice(umpire.actions))
        if umpire.over:
            return middle(rng)
    return umpire.fen


def opening(seed, rng):
    """Where a game begins: at home, in the middle of another one, or with few men."""
    return (chess.STARTING_FEN, middle(rng), SPARSE[seed // 3 % len(SPARSE)])[seed % 3]


def drawn(rng, offered, pawns):
    """An attempt: now and then one by a pawn or the question, so that their rules are met."""
    eager = [text for text in offered if text == "any" or text[:2] in pawns]
    return rng.choice(eager if eager and rng.random() < 0.3 else offered)


def same_lists(oracle, umpire):
    """What can be tried is the same, and each side has heard the same of the other's turn."""
    offered = umpire.attempts()
    assert len(set(offered)) == len(offered) and set(offered) == oracle.attempts(), umpire.fen
    return offered


def same_hearing(oracle, umpire, mover):
    """Both sides know of each other's turns what the package has on their score sheets."""
    heard = umpire.view(1 - mover)[rules.SEEN_OTHER_TURN :].tolist()
    assert heard == oracle.heard(1 - mover), umpire.fen


def compared(name, seed):
    """Play a random game before both referees; what happened in it."""
    rng, told = random.Random(f"{name} {seed}"), Counter()
    fen = opening(seed, rng)
    umpire, oracle = Referee(fen, HouseRules.usual(name)), Oracle(name, fen)
    first = umpire.plies
    for _ in range(ATTEMPTS):
        if umpire.over or umpire.plies - first >= LONGEST:
            break
        offered, mover = same_lists(oracle, umpire), umpire.turn
        board = oracle.game._board
        text = drawn(rng, offered, {chess.square_name(place) for place in board.pieces(chess.PAWN, board.turn)})
        passant = text != "any" and board.is_en_passant(chess.Move.from_uci(text))
        answer = umpire.attempt(text)
        agree(oracle, umpire, text, answer)
        same_hearing(oracle, umpire, mover)
        if text == "any":
            told[f"any {answer.text}"] += 1
            continue
        told["accepted" if answer.accepted else "refused"] += 1
        if answer.message is not None:
            told["captures"] += answer.message.taken is not None
            told["checks"] += bool(answer.message.checks)
            told["promotions"] += len(text) == 5
            told["en passant"] += passant
            told["tries"] += answer.message.tries > 0
            told["promotion said"] += answer.message.promoted
            told["en passant said"] += answer.message.en_passant
    told[umpire.ending or "unfinished"] += 1
    told["ended"] += umpire.over
    return told


def demand_events(name, told, least):
    """All that a rule set is about has happened often enough to be tested."""
    bits = RULE_SETS[name].bits
    wanted = [*COMMON, *(ASKING if bits & MAY_ASK else ())]
    wanted += ["tries"] if not bits & TRIES_HIDDEN else []
    wanted += {"rand": ["promotion said", "stalemate, which loses"], "english": ["en passant said"]}.get(name, [])
    assert min(told[event] for event in wanted) >= least, told
    assert told["en passant said"] == (told["en passant"] if name == "english" else 0)
    assert told["promotion said"] == (told["promotions"] if name == "rand" else 0)
    assert not bits & TRIES_HIDDEN or not told["tries"]


@pytest.mark.thorough
@pytest.mark.parametrize("name", default_cases(["english"], RULE_SETS))
def test_the_package_says_the_same_in_random_games(name):
    demand_events(name, sum((compared(name, seed) for seed in range(GAMES)), Counter()), 1)


@pytest.mark.slow
@pytest.mark.parametrize("name", RULE_SETS)
def test_the_package_says_the_same_in_ten_thousand_random_games(name):
    games = Parallel(n_jobs=-1, batch_size=50)(delayed(compared)(name, seed) for seed in range(SLOW_GAMES))
    told = sum(games, Counter())
    print(name, dict(told))
    demand_events(name, told, 20)


# What is said


def said(name, *attempts, fen=None):
    """The referee after these attempts, and its last answer."""
    umpire = Referee(fen, HouseRules.usual(name))
    answers = [umpire.attempt(attempt) for attempt in attempts]
    return umpire, answers[-1]


TAKES_PAWN = ("e2e4", "d7d5", "e4d5")


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("icc", "White moved, pawn taken on d5"),
        ("berkeley", "White moved, man taken on d5"),
        ("cincinnati", "White moved, pawn taken on d5"),
        ("rand", "White moved, pawn taken on d5"),
        ("english", "White moved, man taken on d5"),
    ],
)
def test_a_capture_is_told_by_its_kind_or_by_its_square_alone(name, sentence):
    assert said(name, *TAKES_PAWN)[1].text == sentence


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("icc", "Black moved, 1 pawn try"),
        ("berkeley", "Black moved"),
        ("cincinnati", "Black moved, a pawn can take"),
        ("rand", "Black moved, pawn tries from e4"),
        ("english", "Black moved"),
    ],
)
def test_pawn_captures_are_told_by_number_by_their_being_by_square_or_not_at_all(name, sentence):
    assert said(name, *TAKES_PAWN[:2])[1].text == sentence


PASSANT = "4k3/3p4/8/4P3/8/8/8/4K3 b - - 0 1"


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("berkeley-any", "White moved, man taken on d5"),
        ("rand", "White moved, pawn taken on d5"),
        ("english", "White moved, pawn taken en passant on d6"),
    ],
)
def test_a_capture_en_passant_is_announced_as_such_by_the_english_alone(name, sentence):
    assert said(name, "d7d5", "e5d6", fen=PASSANT)[1].text == sentence


def test_both_sides_hear_of_refusals_and_questions_in_their_order():
    umpire, answer = said("berkeley-any", "e2d3", "any", "e2e4", "d7d5", "e4f5", "any", "e4d5")
    assert answer.text == "White moved, after 1 refusal, asked whether pawns can take: yes, man taken on d5"
    assert answer.message.refused == (1, 0) and answer.message.asked == "yes" and umpire.refused == [2, 0]
    assert said("icc", "e2e4", "e7e5", "e4e5", "a2a3")[1].text == "White moved"


def test_who_was_told_that_a_pawn_can_take_must_take_or_try_once():
    umpire, answer = said("berkeley-any", "e2e4", "d7d5", "any")
    assert answer.text == "yes" and not answer.accepted
    assert {"e4d5", "e4f5", "a2b3"} <= set(umpire.attempts())
    assert all(text[0] != text[2] for text in umpire.attempts())
    assert not umpire.attempt("e4f5").accepted and all(text[0] != text[2] for text in umpire.attempts())
    with pytest.raises(ValueError, match="g1f3: a pawn can take, so one must try it"):
        umpire.attempt("g1f3")
    umpire, _ = said("english", "e2e4", "d7d5", "any", "e4f5")
    assert {"g1f3", "e4d5"} <= set(umpire.attempts()) and not {"any", "e4f5"} & set(umpire.attempts())


def test_who_was_told_that_no_pawn_can_take_need_not_try():
    umpire, answer = said("english", "any")
    assert answer.text == "no" and len(umpire.attempts()) == 20
    with pytest.raises(ValueError, match="any: the referee has answered this in this turn already"):
        umpire.attempt("any")
    with pytest.raises(ValueError, match="e2d3: no pawn can take, as the referee has answered"):
        umpire.attempt("e2d3")
    with pytest.raises(ValueError, match="any: nobody may ask whether pawns can take by the rules rand"):
        Referee(switches=HouseRules.usual("rand")).attempt("any")


def test_rand_names_pawns_and_promotions_and_a_stalemate_loses():
    umpire, answer = said("rand", "g7h8q", fen="k6r/6P1/8/8/8/8/8/4K3 w - - 0 1")
    assert answer.text == "White moved, piece taken on h8, a pawn promoted, check on the rank"
    assert said("rand", "e2e4", "d7d5")[0].attempts().count("e4d5") == 1
    with pytest.raises(ValueError, match="g2h3: the referee has announced no pawn try from g2"):
        said("rand", "e2e4", "d7d5", "g2h3")
    stuck = "7k/5Q2/8/6K1/8/8/8/8 w - - 0 1"
    for name, score, words in (("rand", WIN, "stalemate, which loses"), ("cincinnati", DRAW, "stalemate")):
        umpire, answer = said(name, "g5g6", fen=stuck)
        assert umpire.score == score and umpire.ending == words


def test_berkeley_knows_no_fifty_moves_but_two_thousand_quiet_plies():
    assert not HouseRules.usual("berkeley").fifty and HouseRules.usual("berkeley", {"fifty": True}).fifty
    shuffle = ("a1a2", "h8h7", "a2a1", "h7h8")
    umpire = Referee("7k/8/8/8/8/8/1R6/K7 w - - 1990 1000", HouseRules.usual("berkeley"))
    for number in range(10):
        umpire.attempt(shuffle[number % 4])
    assert umpire.ending == "a draw: a thousand moves without a capture or a pawn move" and umpire.payoff_index == DRAW


# Names


def test_rules_come_back_from_bits_and_json_and_icc_is_stored_as_ever():
    for name in RULE_SETS:
        house = HouseRules.usual(name, {"material": False})
        assert HouseRules.from_bits(house.bits) == HouseRules(**house.to_json()) == house
        assert rule_set_of(house.bits).name == name and house.chosen == {"material": False}
    assert "rules" not in WILD_16.to_json() and WILD_16.bits == 0
    assert find_rule_set("Berkeley + Any").name == find_rule_set("berkeley_any").name == "berkeley-any"


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ("berkly", "there are no Kriegspiel rules 'berkly': did you mean berkeley"),
        (
            "xyz",
            "there are no Kriegspiel rules 'xyz': there are icc, berkeley, berkeley-any, cincinnati, rand, english",
        ),
    ],
)
def test_a_wrong_name_is_one_sentence_with_those_there_are(wrong, sentence):
    with pytest.raises(ValueError, match=sentence):
        HouseRules.usual(wrong)
    with pytest.raises(ValueError, match="promotion_tries is for the rules icc"):
        HouseRules.usual("rand", {"promotion_tries": "per_piece"})
