"""Positions made by hand for what referees of Kriegspiel get wrong, and the rules that houses differ in."""

import pytest
from support.kriegspiel_referees import SlowReferee, attempt_everywhere, cells, of_the_package

from fogspiel.kriegspiel.referee import HouseRules, Referee

BARE = "a draw: neither side has men enough to mate"
THIRD = "a draw: the position stands for the third time"
FIFTY = "a draw: fifty moves without a capture or a pawn move"
HAND_MADE = {
    # en passant
    "a capture en passant that bares the king on the rank is no try": (
        "8/8/8/8/k2p3Q/8/4P3/4K3 w - - 0 1",
        "e2e4: White moved",
        "d4e3: not offered",
    ),
    "a capture en passant is a try, on the square of the victim": (
        "4k3/8/8/8/3p4/8/4P3/4K3 w - - 0 1",
        "e2e4: White moved, 1 pawn try",
        "d4e3: Black moved, pawn taken on e4",
    ),
    "a right to take en passant is gone after a ply": (
        "4k3/8/8/8/3p4/8/4P3/4K3 w - - 0 1",
        "e2e4: White moved, 1 pawn try",
        "e8e7: Black moved",
        "e1e2: White moved",
        "d4e3: not offered",
    ),
    "a capture en passant answers the check of the pawn that it takes": (
        "8/8/8/3k4/5p2/8/4P3/4K3 w - - 0 1",
        "e2e4: White moved, check on the long diagonal, 1 pawn try",
        "f4e3: Black moved, pawn taken on e4",
    ),
    "a capture en passant does not answer the check that the double step discovered": (
        "8/8/k7/8/5p2/8/4P3/4KB2 w - - 0 1",
        "e2e4: White moved, check on the long diagonal",
        "f4e3: not offered",
    ),
    "a capture en passant opens two lines at once": (
        "8/3p4/4k3/4P3/8/1B6/8/K3R3 b - - 0 1",
        "d7d5: Black moved, 1 pawn try",
        "e5d6: White moved, pawn taken on d5, check on the file, check on the long diagonal",
    ),
    "a pawn pinned on a diagonal may not take en passant off it": (
        "7k/8/8/8/3p4/8/4P3/B3K3 w - - 0 1",
        "e2e4: White moved",
        "d4e3: not offered",
    ),
    "a pawn pinned on a diagonal may take en passant along it": (
        "8/B7/8/8/3p4/8/4P3/K5k1 w - - 0 1",
        "e2e4: White moved, 1 pawn try",
        "d4e3: Black moved, pawn taken on e4",
    ),
    # checks
    "double check by discovery, file and diagonal": (
        "4k3/8/8/8/4B3/8/8/K3R3 w - - 0 1",
        "e4c6: White moved, check on the file, check on the long diagonal",
    ),
    "double check by discovery, file and short diagonal": (
        "4k3/8/8/8/4B3/8/8/K3R3 w - - 0 1",
        "e4g6: White moved, check on the file, check on the short diagonal",
    ),
    "double check of knight and file": (
        "4k3/8/8/8/4N3/8/8/K3R3 w - - 0 1",
        "e4f6: White moved, check on the file, check by a knight",
    ),
    "double check of knight and rank": (
        "k3N2R/8/8/8/8/8/8/K7 w - - 0 1",
        "e8c7: White moved, check on the rank, check by a knight",
    ),
    "double check of knight and long diagonal": (
        "k7/8/8/3N4/8/8/6B1/K7 w - - 0 1",
        "d5b6: White moved, check on the long diagonal, check by a knight",
    ),
    "double check of knight and short diagonal": (
        "4k3/5N2/8/7B/8/8/8/K7 w - - 0 1",
        "f7d6: White moved, check on the short diagonal, check by a knight",
    ),
    "a pawn's check is a diagonal, long here": (
        "4k3/8/3P4/8/8/8/8/4K3 w - - 0 1",
        "d6d7: White moved, check on the long diagonal",
    ),
    "a pawn's check is a diagonal, short here": (
        "4k3/8/5P2/8/8/8/8/4K3 w - - 0 1",
        "f6f7: White moved, check on the short diagonal",
    ),
    "a king discovers a check": (
        "4k3/8/8/8/4K3/8/8/4R3 w - - 0 1",
        "e4d4: White moved, check on the file",
    ),
    # tries
    "a pinned pawn has no try off the line": (
        "4k3/8/8/8/1b4n1/8/3P4/4K3 b - - 0 1",
        "g4e3: Black moved",
        "d2e3: not offered",
    ),
    "a pinned pawn may take its pinner": (
        "4k3/8/8/8/1b6/8/3P4/4K3 b - - 0 1",
        "b4c3: Black moved, 1 pawn try",
        "d2c3: White moved, piece taken on c3",
    ),
    "in check only captures that answer it are tries": (
        "k6r/8/8/8/8/7n/6P1/4K3 b - - 0 1",
        "h8e8: Black moved, check on the file",
        "g2h3: not offered",
    ),
    "a pawn that can take the checker has a try": (
        "k7/8/8/8/8/7r/3P4/4K3 b - - 0 1",
        "h3e3: Black moved, check on the file, 1 pawn try",
        "d2e3: White moved, piece taken on e3",
    ),
    "two pawns that can take one man have two tries": (
        "k7/8/8/3n4/2P1P3/8/8/K7 b - - 0 1",
        "a8b8: Black moved, 2 pawn tries",
    ),
    "a pawn that can take two men has two tries": (
        "k7/8/8/3n1n2/4P3/8/8/K7 b - - 0 1",
        "a8b8: Black moved, 2 pawn tries",
    ),
    "tries need not be used, and a wrong one is refused in private": (
        "k7/8/8/3n4/4P3/8/8/K7 b - - 0 1",
        "a8b8: Black moved, 1 pawn try",
        "e4f5: illegal move",
        "e4d5: White moved, piece taken on d5",
    ),
    "a capture that promotes is one try": (
        "1r5k/P7/8/8/8/8/8/K7 b - - 0 1",
        "h8g7: Black moved, 1 pawn try",
    ),
    # promotion
    "a promotion is silent": (
        "8/P5k1/8/8/8/8/8/K7 w - - 0 1",
        "a7a8q: White moved",
    ),
    "a promotion to a knight may leave too few men": (
        "8/P5k1/8/8/8/8/8/K7 w - - 0 1",
        f"a7a8n: White moved; {BARE}",
    ),
    "a promoted pawn is taken as a piece": (
        "1k6/7P/8/8/8/8/K7/7r w - - 0 1",
        "h7h8n: White moved",
        "h1h8: Black moved, piece taken on h8",
    ),
    "mate by promotion": (
        "7k/P7/6K1/8/8/8/8/8 w - - 0 1",
        "a7a8q: White moved, check on the rank; checkmate",
    ),
    "mate by a promotion that takes": (
        "1n5k/P7/6K1/8/8/8/8/8 w - - 0 1",
        "a7b8r: White moved, piece taken on b8, check on the rank; checkmate",
    ),
    "a refused promotion is refused with all its pieces": (
        "r6k/P7/8/8/8/8/8/K7 w - - 0 1",
        "a7a8q: illegal move",
        "a7a8n: not offered",
    ),
    # castling
    "castling is refused through an unseen attack": (
        "4k3/8/8/8/8/5r2/8/R3K2R w KQ - 0 1",
        "e1g1: illegal move",
        "e1c1: White moved",
    ),
    "castling is refused into an unseen attack": (
        "4k3/8/8/8/8/2r3r1/8/R3K2R w KQ - 0 1",
        "e1g1: illegal move",
        "e1c1: illegal move",
        "e1e2: White moved",
    ),
    "castling passes an attacked b1": (
        "4k3/8/8/8/8/1r6/8/R3K2R w KQ - 0 1",
        "e1c1: White moved",
    ),
    "castling is refused over an unseen man": (
        "4k3/8/8/8/8/8/8/Rn2K3 w Q - 0 1",
        "e1c1: illegal move",
        "a1b1: White moved, piece taken on b1",
    ),
    "castling is refused in check": (
        "1k3r2/8/8/8/8/8/8/R3K2R b KQ - 0 1",
        "f8e8: Black moved, check on the file",
        "e1g1: illegal move",
        "e1c1: illegal move",
        "e1f1: White moved",
    ),
    "castling is silent but its check is not": (
        "5k2/8/8/8/8/8/8/4K2R w K - 0 1",
        "e1g1: White moved, check on the file",
    ),
    "castling queen side gives check as well": (
        "3k4/8/8/8/8/8/8/R3K3 w Q - 0 1",
        "e1c1: White moved, check on the file",
    ),
    "the right to castle is lost with the rook": (
        "4k3/8/8/8/8/6n1/8/4K2R b K - 0 1",
        f"g3h1: Black moved, piece taken on h1; {BARE}",
        "e1g1: not offered",
    ),
    # refusals
    "a blocked slider, a blocked pawn and a king next to a king are refused alike": (
        "8/8/8/p7/P7/8/3k4/R4K2 w - - 0 1",
        "a1a5: not offered",
        "a4a5: illegal move",
        "f1e1: illegal move",
        "f1e2: illegal move",
        "a1a2: White moved, check on the rank",
    ),
    "a double step over an unseen man is refused": (
        "4k3/8/8/8/8/4n3/4P3/K7 w - - 0 1",
        "e2e4: illegal move",
        "e2e3: illegal move",
        "a1a2: White moved",
    ),
    "a pinned man is refused": (
        "4r2k/8/8/8/8/8/4N3/4K3 w - - 0 1",
        "e2c3: illegal move",
        "e1d1: White moved",
    ),
    # ends
    "stalemate": (
        "7k/8/5K2/8/6Q1/8/8/8 w - - 0 1",
        "g4g6: White moved; stalemate",
    ),
    "stalemate of a side whose only capture is pinned": (
        "k7/1p6/NP6/8/8/8/4B3/7K w - - 0 1",
        "e2f3: White moved; stalemate",
    ),
    "mate in the hundredth ply is mate": (
        "7k/8/6K1/8/8/8/8/R7 w - - 99 90",
        "a1a8: White moved, check on the rank; checkmate",
    ),
    "the hundredth ply ends the game": (
        "7k/8/6K1/8/8/8/8/R7 w - - 99 90",
        f"a1a2: White moved; {FIFTY}",
    ),
    "a capture in the hundredth ply does not": (
        "7k/8/6K1/8/8/8/p7/R7 w - - 99 90",
        "a1a2: White moved, pawn taken on a2",
    ),
    "a third occurrence ends the game": (
        "7k/8/6K1/8/8/8/8/R7 w - - 0 1",
        "a1a2: White moved",
        "h8g8: Black moved",
        "a2a1: White moved",
        "g8h8: Black moved",
        "a1a2: White moved",
        "h8g8: Black moved",
        "a2a1: White moved",
        f"g8h8: Black moved; {THIRD}",
    ),
    "bishops on squares of one colour end the game": (
        "8/7k/8/8/8/8/1n6/B3K1b1 w - - 0 1",
        f"a1b2: White moved, piece taken on b2; {BARE}",
    ),
    "bishops on squares of two colours do not": (
        "8/7k/8/8/8/8/1n6/B3Kb2 w - - 0 1",
        "a1b2: White moved, piece taken on b2",
    ),
}


@pytest.mark.parametrize("name", HAND_MADE)
def test_a_position_made_by_hand(name):
    fen, *lines = HAND_MADE[name]
    umpire, slow, game = Referee(fen), SlowReferee(fen), of_the_package(fen)
    for line in lines:
        text, answer = line.split(": ", 1)
        if answer == "not offered":
            assert text not in umpire.attempts() and text not in slow.attempts()
        elif attempt_everywhere(text, umpire, slow, game) is None:
            assert answer == "illegal move"
        else:
            assert answer == umpire.message.text + (f"; {umpire.ending}" if umpire.over else "")


def heard(fen, texts, **switches):
    """The answers to attempts in a house with these rules."""
    umpire = Referee(fen, HouseRules(**switches))
    slow = SlowReferee(fen, umpire.switches.promotion_tries == "per_piece", umpire.switches.passant_square == "arrival")
    found = []
    for text in texts.split():
        attempt_everywhere(text, umpire, slow)
        found.append(umpire.message.text + (f"; {umpire.ending}" if umpire.over else ""))
    return found


def test_a_house_may_count_the_four_promotions_of_a_capture():
    fen = "1r1r3k/P1P5/8/8/8/8/5p2/K5N1 b - - 0 1"
    assert heard(fen, "h8h7 c7d8n") == ["Black moved, 3 pawn tries", "White moved, piece taken on d8, 1 pawn try"]
    assert heard(fen, "h8h7 c7d8n", promotion_tries="per_piece") == [
        "Black moved, 12 pawn tries",
        "White moved, piece taken on d8, 4 pawn tries",
    ]


def test_a_house_may_announce_en_passant_where_the_pawn_arrives():
    fen = "4k3/2p5/8/3P4/8/8/8/4K3 b - - 0 1"
    assert heard(fen, "c7c5 d5c6")[1] == "White moved, pawn taken on c5"
    assert heard(fen, "c7c5 d5c6", passant_square="arrival")[1] == "White moved, pawn taken on c6"


def test_a_house_may_play_on_after_fifty_moves():
    umpire = Referee("7k/8/6K1/8/8/8/8/R7 w - - 98 90", HouseRules(fifty=False, repetition=False))
    for _ in range(60):
        for text in ("a1a2", "h8g8", "a2a1", "g8h8"):
            assert umpire.attempt(text).accepted and not umpire.over


def test_repetition_is_found_long_after_the_hundredth_ply():
    fen = "7k/8/6K1/8/8/8/8/R7 w - - 250 190"
    answers = heard(fen, "a1a2 h8g8 a2a3 g8h8 a3a1 h8g8 a1a2 g8h8 a2a1", fifty=False)
    assert answers == ["White moved", "Black moved"] * 4 + ["White moved"]
    tour = "a1a2 h8g8 a2a1 g8h8 " * 2
    assert heard(fen, tour, fifty=False)[-1] == f"Black moved; {THIRD}"


def test_a_house_may_play_on_after_a_third_occurrence():
    tour = "a1a2 h8g8 a2a1 g8h8 " * 4
    assert not any(THIRD in text for text in heard("7k/8/6K1/8/8/8/8/R7 w - - 0 1", tour, repetition=False))


def test_a_house_may_play_on_with_bare_kings():
    assert heard("8/7k/8/8/8/8/1r6/K7 w - - 0 1", "a1b2") == [f"White moved, piece taken on b2; {BARE}"]
    assert heard("8/7k/8/8/8/8/1r6/K7 w - - 0 1", "a1b2", material=False) == ["White moved, piece taken on b2"]


def test_a_position_is_announced_when_a_game_begins_in_it():
    umpire = Referee("4k3/8/8/3p4/4P3/8/4r3/4K3 w - - 0 20")
    assert cells(umpire) == [0, -1, 2, 0]
    assert cells(Referee("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 20")) == [0, -1, 0, 1]
    assert Referee("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1").ending == "stalemate"
