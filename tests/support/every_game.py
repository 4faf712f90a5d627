"""Marks that run a test over games of some sort, those of the tests included: one per family, all in thorough."""

import pytest

from support.golden_records import GAMES
from support.levels import default_cases, one_of_each_family


def by_name(game):
    return game.name


def over(chosen):
    return pytest.mark.parametrize("game", one_of_each_family(chosen), ids=by_name)


every_game = over(GAMES)
every_resampled_game = over([game for game in GAMES if game.resample])
every_fused_game = over([game for game in GAMES if game.play])
TUNABLE = [game for game in GAMES if game.strategy]
every_tunable_game = over(TUNABLE)
LONG = [game for game in TUNABLE if game.family == "battleship"]
OTHERS = [game for game in TUNABLE if game not in LONG]
tunable_games_of_each_family = pytest.mark.parametrize(
    "game", [*one_of_each_family(OTHERS), *default_cases([], LONG)], ids=by_name
)
