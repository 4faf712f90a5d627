"""The referee of Kriegspiel says in random games what two others say."""

import random
from collections import Counter

import chess
import pytest
from joblib import Parallel, delayed
from support.kriegspiel_referees import SlowReferee, attempt_everywhere, of_the_package, questions

from fogspiel.games.chess.fen import parse_square
from fogspiel.kriegspiel.game import ENDINGS, rules
from fogspiel.kriegspiel.referee import Referee, play_game


def middle(seed, most=500):
    """A position from somewhere in a random game."""
    rng, umpire = random.Random(seed), Referee()
    for _ in range(rng.randrange(most)):
        umpire.attempt(rng.choice(umpire.actions))
        if umpire.over:
            return middle(seed + 1_000_003, most)
    return umpire.fen


def compared(seed, fen, longest, lists=True):
    """Play a random game before three referees; what happened in it."""
    rng, umpire, slow, game = random.Random(seed), Referee(fen), SlowReferee(fen), of_the_package(fen)
    told = Counter()
    for _ in range(longest):
        if umpire.over:
            break
        offered = umpire.attempts()
        assert len(set(offered)) == len(offered)
        if lists:
            assert set(offered) == slow.attempts(), umpire.fen
            assert {text for text in questions(game) if text[:4] not in slow.refused} == set(offered), umpire.fen
        text = rng.choice(offered)
        castles = "K" in umpire.fen.split()[2].upper() and text in ("e1g1", "e1c1", "e8g8", "e8c8")
        message = attempt_everywhere(text, umpire, slow, game)
        told["refused" if message is None else "accepted"] += 1
        if message is not None:
            assert int(umpire.state[rules.END]) == slow.ending(), umpire.fen
            told["pawn"] += message[0] == 1
            told["piece"] += message[0] == 2
            told["en passant"] += message[0] == 1 and message[1] != parse_square(text[2:4])
            told["promotion"] += len(text) == 5
            told["castling"] += castles
            told["double check"] += message[2].bit_count() == 2
            told["tries"] += message[3] > 0
            for place in range(5):
                told[f"check {place}"] += message[2] >> place & 1
    told[umpire.ending or "unfinished"] += 1
    return told


def test_three_referees_say_the_same_in_random_games():
    told = sum((compared(seed, middle(seed), 30) for seed in range(100)), Counter())
    common = ["accepted", "refused", "pawn", "piece", "promotion", "tries", *(f"check {place}" for place in range(5))]
    assert min(told[name] for name in common) > 5, told


@pytest.mark.slow
def test_three_referees_say_the_same_in_ten_thousand_random_games():
    games = (delayed(compared)(seed, chess.STARTING_FEN, 10_000, seed % 10 == 0) for seed in range(10_000))
    told = sum(Parallel(n_jobs=-1, batch_size=50)(games), Counter())
    assert min(told[name] for name in ("en passant", "castling", "double check", *ENDINGS.values())) > 5, told
    assert told["unfinished"] == 0


class FirstOfTheList:
    """A player who tries what is first on the list."""

    def begin(self, side):
        """Nothing to prepare."""

    def choose(self, seen, actions):
        return actions[0]


@pytest.mark.parametrize("longest", [1, 2, 7])
def test_a_game_is_broken_off_after_so_many_plies_and_not_one_more(longest):
    assert play_game((FirstOfTheList(), FirstOfTheList()), Referee(), longest).plies == longest
