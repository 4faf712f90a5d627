"""Generator of the opening book fogspiel/tuning/programs/openings.txt, evaluated by a strong chess engine.

Lines of eight plies are drawn: each ply from those that the engine finds almost as good as the best. A line stays if
its end is balanced at a greater depth, and if no other line ends in the same position.

    python benchmarks/opening_book.py /usr/games/stockfish > openings.txt
"""

import random
import re
import sys

from fogspiel.games.chess.fen import fen_of, move_name, parse_move
from fogspiel.games.chess.game import ChessGame, UciEngine

LINES, PLIES, SEED = 250, 8, 1
DEPTH, ALMOST, WIDTH = 6, 40, 10
"""The search that proposes plies: its depth, the margin to the best in hundredths of a pawn, and the plies ranked."""
JUDGE_DEPTH, BALANCED = 12, 60
RANKED = re.compile(r"\bmultipv (\d+) score cp (-?\d+)\b.*\bpv (\S+)")
HEADER = """# Openings of eight plies in UCI, drawn from good moves and balanced within {balanced} hundredths of a pawn
# ({judge}, depth {depth}); written by benchmarks/opening_book.py."""


def ranked(engine: UciEngine, game: ChessGame, depth: int, width: int) -> dict[str, int]:
    engine.say(f"setoption name MultiPV value {width}", "ucinewgame")
    engine.ready()
    engine.say(game.uci_position, f"go depth {depth}")
    found: dict[int, tuple[str, int]] = {}
    for line in engine.answer(f"go depth {depth}", "bestmove", 60.0):
        if told := RANKED.search(line):
            found[int(told[1])] = told[3], int(told[2])
    return dict(found.values())


def main(command: str) -> None:
    engine, rng = UciEngine(command), random.Random(SEED)
    lines: dict[str, str] = {}
    while len(lines) < LINES:
        game = ChessGame()
        for _ in range(PLIES):
            values = ranked(engine, game, DEPTH, WIDTH)
            good = [move for move, value in values.items() if value >= max(values.values()) - ALMOST]
            game.make(parse_move(rng.choice(good)))
        place = " ".join(fen_of(game.position).split()[:4])
        values = ranked(engine, game, JUDGE_DEPTH, 1)
        if place not in lines and values and abs(max(values.values())) <= BALANCED:
            lines[place] = " ".join(map(move_name, game.moves))
    judge = next(line.removeprefix("id name ") for line in engine.handshake if line.startswith("id name "))
    engine.close()
    print(HEADER.format(balanced=BALANCED, judge=judge, depth=JUDGE_DEPTH), *sorted(lines.values()), sep="\n")


if __name__ == "__main__":
    main(sys.argv[1])
