"""Endgames against a lone king that sees everything: `python benchmarks/kriegspiel_endings.py [--positions 200]`.

Positions are drawn at random, with White to move, such that White would win with perfect information. White knows its
own pieces and that Black has only a king, which may be on any square that is not attacked. The king sees the board: it
captures a piece if it can, else it goes where mate is farthest by the endgame table, or by a search where there is
none; with `--defence random` it makes any move. The table lists the results, Wilson's 95 % interval of the share of
mates, the number of own moves to mate, and the CPU time of an attempt.

`--bound` prints instead an upper bound on the mean share of mates of any player against the best defence: White's wins
if it saw the board from the moment its first move is accepted.
"""

import argparse
import math
import time
from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from fogspiel.core.rng import random_below, stream_of
from fogspiel.games.chess.bitboards import BISHOP, KING, KNIGHT, PAWN, QUEEN, ROOK, rows_of
from fogspiel.games.chess.moves import LIMITS, MAX_MOVES, legal_moves, restrict
from fogspiel.games.chess.position import MEN, POSITION, make
from fogspiel.games.chess.search import value_of
from fogspiel.kriegspiel.endings import LoneKingPlayer
from fogspiel.kriegspiel.endings.search import MATED, PARTS, REFUSED, SILENT, hear, list_own_moves
from fogspiel.kriegspiel.endings.tablebase import NO_MATE, EndgameTable, endgame_table, kinds_of, placement_of
from fogspiel.kriegspiel.engine import SearchLimit
from fogspiel.kriegspiel.game import rules
from fogspiel.kriegspiel.referee import Referee

ENDINGS = ("KQ", "KR", "KRR", "KP", "KBB", "KBN", "KPP", "KNP")
EFFORT = SearchLimit(nodes=1)
REFUSALS = 3
"""Depth of the bound in consecutive illegal attempts."""
NORMAL_QUANTILE = 1.96
DEPTH = 4
"""Search depth of the king in plies where there is no table."""
TABLES = {(QUEEN,), (ROOK,), (PAWN,), (BISHOP, BISHOP), (BISHOP, KNIGHT), (ROOK, ROOK)}
"""White's pieces, without the king, for which tables are made."""
DRAWS = (rules.FIFTY, rules.REPETITION, rules.STALEMATE, rules.MATERIAL)


@dataclass
class Tally:
    endings: Counter[int] = field(default_factory=Counter)
    moves: list[int] = field(default_factory=list)
    attempts: int = 0
    seconds: float = 0.0
    lost: int = 0


def wilson(wins: int, games: int) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a share."""
    share, square = wins / games, NORMAL_QUANTILE**2 / games
    centre, width = share + square / 2, math.sqrt(share * (1 - share) * square + square * square / 4)
    return (centre - width) / (1 + square), (centre + width) / (1 + square)


def table_of(kinds: tuple[int, ...]) -> EndgameTable | None:
    return endgame_table(*kinds) if kinds in TABLES else None


def defend(position: np.ndarray, stream: np.ndarray) -> int:
    """Return the lone king's move: a capture, or where mate is farthest; ties at random."""
    pos, limits, listed = position[:POSITION].copy(), np.empty(LIMITS, np.int64), np.empty(MAX_MOVES, np.int64)
    restrict(pos, limits)
    moves = listed[: legal_moves(pos, limits, listed)].tolist()
    captures = [move for move in moves if int(pos[MEN]) >> (move >> 6 & 63) & 1]
    if captures:
        return int(captures[random_below(stream, len(captures))])
    men = pos[: KING + 1] & pos[MEN]
    table, number = table_of(kinds_of(men)), int(placement_of(men))
    distances = [int(table.to_mate[number, move >> 6 & 63]) if table else -_value_after(pos, move) for move in moves]
    best = [move for move, distance in zip(moves, distances, strict=True) if distance == max(distances)]
    return int(best[random_below(stream, len(best))])


def _value_after(pos: np.ndarray, move: int) -> int:
    after = pos.copy()
    make(after, move)
    return value_of(after, DEPTH)[0]


def draw_ending(men: str, stream: np.ndarray) -> str:
    """Draw a random position of White's pieces, as letters, against a king, as FEN; White, to move, has a win.

    Two bishops stand on squares of both colours, pawns from their second to their sixth rank.
    """
    while True:
        board = ["."] * 64
        for letter in men + "k":
            free = [s for s in range(64) if board[s] == "." and (letter != "P" or 8 <= s < 48)]
            board[free[random_below(stream, len(free))]] = letter
        fen = "/".join("".join(board[8 * r : 8 * r + 8]).replace(".", "1") for r in range(7, -1, -1)) + " w - - 0 1"
        try:
            umpire = Referee(fen)
        except ValueError:  # the king of the side not to move is in check
            continue
        if not umpire.over and _is_won(umpire.state[:POSITION]):
            return fen


def _is_won(pos: np.ndarray) -> bool:
    """True if White, to move, wins with perfect information and the endgame has a table."""
    men = pos[: KING + 1] & pos[MEN]
    table, number = table_of(kinds_of(men)), int(placement_of(men))
    king = int(np.flatnonzero((pos[KING] & pos[MEN + 1]) >> np.arange(64) & 1)[0])
    return table is None or int(table.to_mate[number, king]) != NO_MATE


def move_at_random(position: np.ndarray, stream: np.ndarray) -> int:
    actions = np.empty(MAX_MOVES, np.int64)
    limits, pos = np.empty(LIMITS, np.int64), position[:POSITION].copy()
    restrict(pos, limits)
    return int(actions[random_below(stream, legal_moves(pos, limits, actions))])


DEFENCES = {"best": defend, "random": move_at_random}


def play(men: str, seed: int, number: int, tally: Tally, defence: str) -> None:
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
    """Return the most king squares from which one choice of attempts wins, if White sees the board afterwards."""
    moves, after, best = np.empty(MAX_MOVES, np.int64), men.copy(), 0
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
    """Return the largest winnable share of the squares from which White wins with perfect information."""
    state = Referee(fen).state
    men = state[: KING + 1] & state[MEN]
    soon = endgame_table(*kinds_of(men)).to_mate[int(placement_of(men))]
    kings = sum(1 << square for square in range(64) if soon[square] != NO_MATE)
    return most_won(men, kings - (kings >> 63 << 64), REFUSALS) / kings.bit_count()


def main() -> None:
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
