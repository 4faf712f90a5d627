"""Endings against a lone king that sees everything: `python benchmarks/kriegspiel_endings.py [--positions 200]`.

Positions are drawn at random, with White to move, such that White would win if it saw the board. White knows its own
men and that the other side has only its king, which may be on any square that is not attacked. The king sees the
board: it takes a man if it can, else it goes where mate is farthest by the table of the ending, or by a search where
there is none. Printed is how the games ended, how many own moves the mates took, and the CPU time of an attempt.
"""

import argparse
import time
from collections import Counter
from dataclasses import dataclass, field

from fogspiel.core.rng import stream_of
from fogspiel.games.chess.bits import rows_of
from fogspiel.games.chess.position import MEN
from fogspiel.games.kriegspiel import rules
from fogspiel.kriegspiel.engine import Effort
from fogspiel.kriegspiel.referee import Referee
from fogspiel.kriegspiel.search.lone_king_defence import defend, draw_ending
from fogspiel.kriegspiel.search.lone_king_player import LoneKingPlayer

ENDINGS = ("KQ", "KR", "KRR", "KP", "KBB", "KBN", "KPP", "KNP")
EFFORT = Effort(nodes=1)
DRAWS = (rules.FIFTY, rules.REPETITION, rules.STALEMATE, rules.MATERIAL)


@dataclass
class Tally:
    """How the games of an ending went."""

    endings: Counter[int] = field(default_factory=Counter)
    moves: list[int] = field(default_factory=list)
    attempts: int = 0
    seconds: float = 0.0
    lost: int = 0


def play(men: str, seed: int, number: int, tally: Tally) -> None:
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
            umpire.attempt(defend(umpire.state, stream))
    ending = int(umpire.state[rules.END])
    tally.endings[ending] += 1
    tally.lost += int(rows_of(umpire.state[MEN : MEN + 1]).sum()) < len(men)
    if ending == rules.CHECKMATE:
        tally.moves.append((umpire.plies + 1) // 2)


def main() -> None:
    """Play the positions of every ending, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--positions", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--endings", nargs="+", default=ENDINGS, metavar="MEN", help="White's men, such as KBN")
    asked = parser.parse_args()
    print("| men | mates | fifty moves | repetition | stalemate | too few men | man lost | moves | ms |")
    print("|---" * 9 + "|")
    for men in asked.endings:
        tally = Tally()
        play(men, asked.seed, asked.positions, Tally())  # compiles
        for number in range(asked.positions):
            play(men, asked.seed, number, tally)
        drawn = [str(tally.endings[end]) for end in DRAWS]
        share = tally.endings[rules.CHECKMATE] / asked.positions
        mean = sum(tally.moves) / max(1, len(tally.moves))
        times = f"{mean:.1f} | {1000 * tally.seconds / tally.attempts:.1f}"
        print(f"| {men}K | {100 * share:.1f} % | {' | '.join(drawn)} | {tally.lost} | {times} |", flush=True)


if __name__ == "__main__":
    main()
