"""Records of games that must replay for ever.

In `tests`, `python -m support.golden_records` adds missing records.
"""

import json
import sys
from contextlib import suppress
from pathlib import Path

from fogspiel.core.agents import find_policy, fixed_baseline, policy_names
from fogspiel.core.game import UNIFORM, Game, list_games
from fogspiel.core.session import record_game
from fogspiel.runs.agent_parser import SOLVED, find_agent
from support import five_payoffs, tree_games

FOLDER = Path(__file__).parents[1] / "golden"
SEED = 2018
GAMES = [*list_games().values(), *five_payoffs.GAMES, *tree_games.GAMES]


def sample_records(game: Game) -> list[dict]:
    """Three games of the parametric strategy and three of uniform players, as lists of actions."""
    uniform = find_policy(game, UNIFORM.name)
    pairs = [(fixed_baseline(game, SEED), fixed_baseline(game, SEED + 1))] if game.strategy else []
    found = []
    for first, second in [*pairs, (uniform, uniform)]:
        for number in range(3):
            record, score = record_game(game, first, second, SEED, number)
            found.append({"players": [first.name, second.name], "number": number, "score": score, "record": record})
    return found


def player_names(game: Game) -> list[str]:
    """Everybody who can be named as a player of a game and comes with the package, without engines."""
    names = policy_names(game)
    with suppress(ValueError):  # bounds prove something, but nobody plays by them
        names += [SOLVED] if find_agent(game, SOLVED) else []
    return names


def main() -> None:
    """Write missing records; with an argument only print those of every game, to compare two ways to run."""
    if len(sys.argv) > 1:
        print(json.dumps({game.name: sample_records(game) for game in GAMES}))
        return
    FOLDER.mkdir(exist_ok=True)
    for game in GAMES:
        path = FOLDER / f"{game.name}-v{game.version}.json"
        if not path.exists():
            path.write_text(json.dumps(sample_records(game), separators=(",", ":")) + "\n")
            print("wrote", path.name)


if __name__ == "__main__":
    main()
