"""Every rule set says in random games, attempt by attempt, what the `kriegspiel` package says."""

import random
from collections import Counter

import chess
import pytest
from joblib import Parallel, delayed
from support.rule_set_oracle import Oracle, agree

from fogspiel.games.kriegspiel import rules
from fogspiel.games.kriegspiel.announcements import MAY_ASK, TRIES_HIDDEN
from fogspiel.games.kriegspiel.rule_sets import RULE_SETS
from fogspiel.kriegspiel.referee import Referee, Switches

GAMES, SLOW_GAMES = 60, 10_000
LONGEST, ATTEMPTS = 60, 700
OTHERS = [name for name in RULE_SETS if name != "icc"]
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
    umpire, oracle = Referee(fen, Switches.usual(name)), Oracle(name, fen)
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


@pytest.mark.parametrize("name", RULE_SETS)
def test_the_package_says_the_same_in_random_games(name):
    demand_events(name, sum((compared(name, seed) for seed in range(GAMES)), Counter()), 1)


@pytest.mark.slow
@pytest.mark.parametrize("name", RULE_SETS)
def test_the_package_says_the_same_in_ten_thousand_random_games(name):
    games = Parallel(n_jobs=-1, batch_size=50)(delayed(compared)(name, seed) for seed in range(SLOW_GAMES))
    told = sum(games, Counter())
    print(name, dict(told))
    demand_events(name, told, 20)
