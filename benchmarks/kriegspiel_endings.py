"""Endings against a lone king that sees everything: `python benchmarks/kriegspiel_endings.py [--positions 200]`.

Positions are drawn at random, with White to move, such that White would win if it saw the board. White knows its own
men and that the other side has only its king, which may be on any square that is not attacked. The king sees the
board: it takes a man if it can, else it goes where mate is farthest by the table of the ending, or by a search where
there is none; with `--defence random` it makes any move. Printed is how the games ended, Wilson's 95 %
interval of the share of mates, how many own moves the mates took, and the CPU time of an attempt.

`--bound` prints instead a share of mates that no player exceeds on average against the best defence: what White would
win if it saw the board from the moment on at which its first move is accepted.
"""

import argparse
import math
import time
from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from fogspiel.core.rng import random_below, stream_of
from fogspiel.games.chess.bitboards import KING, rows_of
from fogspiel.games.chess.moves import LIMITS, MOST_MOVES, legal_moves, restrict
from fogspiel.games.chess.position import MEN, POSITION
from fogspiel.kriegspiel.endings.player import LoneKingPlayer
from fogspiel.kriegspiel.endings.search import MATED, PARTS, REFUSED, SILENT, hear, list_own_moves
from fogspiel.kriegspiel.endings.tablebase import NO_MATE, endgame_table, kinds_of, placement_of
from fogspiel.kriegspiel.engine import SearchLimit
from fogspiel.kriegspiel.game import rules
from fogspiel.kriegspiel.referee import Referee
from fogspiel.kriegspiel.search.lone_king_defence import defend, draw_ending

ENDINGS = ("KQ", "KR", "KRR", "KP", "KBB", "KBN", "KPP", "KNP")
EFFORT = SearchLimit(nodes=1)
REFUSALS = 3
"""Attempts in a row whose refusal the bound looks into."""
NORMAL_QUANTILE = 1.96
DRAWS = (rules.FIFTY, rules.REPETITION, rules.STALEMATE, rules.MATERIAL)


@dataclass
class Tally:
    """How the games of an ending went."""

    endings: Counter[int] = field(default_factory=Counter)
    moves: list[int] = field(default_factory=list)
    attempts: int = 0
    seconds: float = 0.0
    lost: int = 0


def wilson(wins: int, games: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a share."""
    share, square = wins / games, NORMAL_QUANTILE**2 / games
    centre, width = share + square / 2, math.sqrt(share * (1 - share) * square + square * square / 4)
    return (centre - width) / (1 + square), (centre + width) / (1 + square)


def move_at_random(position: np.ndarray, stream: np.ndarray) -> int:
    """Any legal move of the lone king."""
    actions = np.empty(MOST_MOVES, np.int64)
    limits, pos = np.empty(LIMITS, np.int64), position[:POSITION].copy()
    restrict(pos, limits)
    return int(actions[random_below(stream, legal_moves(pos, limits, actions))])


DEFENCES = {"best": defend, "random": move_at_random}


def play(men: str, seed: int, number: int, tally: Tally, defence: str) -> None:
    """Play one random position of an ending."""
    stream = stream_of(seed, number)
    umpire, player = Referee(draw_ending(men, stream)), LoneKingPlayer(EFFORT, stream_of(seed, number, 1))
    player.begin(0)
    while not umpire.over:
        if umpire.mover == 0:
            began = time.process_time()
            action = player.choose(umpire.view(0), umpire.actions)
            tally.seconds += time.process_time() - began
            tally.attempts += 1
            umpire.attempt(action)
        else:
            umpire.attempt(DEFENCES[defence](umpire.state, stream))
    ending = int(umpire.state[rules.END])
    tally.endings[ending] += 1
    tally.lost += int(rows_of(umpire.state[MEN : MEN + 1]).sum()) < len(men)
    if ending == rules.CHECKMATE:
        tally.moves.append((umpire.plies + 1) // 2)


def most_won(men: np.ndarray, kings: int, refusals: int) -> int:
    """From how many of these squares at most White wins by one choice of attempts, if it sees the board afterwards."""
    moves, after, best = np.empty(MOST_MOVES, np.int64), men.copy(), 0
    lines, here = np.empty((2, PARTS), np.int64)
    for move in moves[: list_own_moves(men, moves)].tolist():
        hear(men, kings, move, after, lines, here)
        refused = int(here[REFUSED])
        if refused == kings:
            continue
        doomed, number = endgame_table(*kinds_of(after)).to_be_mated, int(placement_of(after))
        legal = np.bitwise_or.reduce(here[[MATED, *range(SILENT, PARTS)]])
        won = int(np.count_nonzero(rows_of(legal).astype(bool) & (doomed[number] != NO_MATE)))
        won += most_won(men, refused, refusals - 1) if refused and refusals else (refused % 2**64).bit_count()
        best = max(best, won)
    return best


def bound_of(fen: str) -> float:
    """The share of the squares, of those from which White would win if it saw, from which it can win at most."""
    state = Referee(fen).state
    men = state[: KING + 1] & state[MEN]
    soon = endgame_table(*kinds_of(men)).to_mate[int(placement_of(men))]
    kings = sum(1 << square for square in range(64) if soon[square] != NO_MATE)
    return most_won(men, kings - (kings >> 63 << 64), REFUSALS) / kings.bit_count()


def main() -> None:
    """Play the positions of every ending, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--positions", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--defence", choices=DEFENCES, default="best")
    parser.add_argument("--bound", action="store_true", help="print how much can be won at most")
    parser.add_argument("--endings", nargs="+", default=ENDINGS, metavar="MEN", help="White's men, such as KBN")
    asked = parser.parse_args()
    if asked.bound:
        for men in asked.endings:
            fens = [draw_ending(men, stream_of(asked.seed, number)) for number in range(asked.positions)]
            print(f"{men}K: at most {100 * sum(map(bound_of, fens)) / len(fens):.1f} %", flush=True)
        return
    print(
        "| men | mates | 95 % interval | fifty moves | repetition | stalemate | too few men | man lost | moves | ms |"
    )
    print("|---" * 10 + "|")
    for men in asked.endings:
        tally = Tally()
        play(men, asked.seed, asked.positions, Tally(), asked.defence)  # compiles
        for number in range(asked.positions):
            play(men, asked.seed, number, tally, asked.defence)
        mates = tally.endings[rules.CHECKMATE]
        low, high = wilson(mates, asked.positions)
        shares = f"{100 * mates / asked.positions:.1f} % | {100 * low:.1f} to {100 * high:.1f}"
        drawn = " | ".join(str(tally.endings[end]) for end in DRAWS)
        mean = sum(tally.moves) / max(1, len(tally.moves))
        times = f"{mean:.1f} | {1000 * tally.seconds / tally.attempts:.1f}"
        print(f"| {men}K | {shares} | {drawn} | {tally.lost} | {times} |", flush=True)


if __name__ == "__main__":
    main()
