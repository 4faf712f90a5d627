"""Marks that let a test run over every game of some sort, those of the tests included."""

import pytest

from support.golden_records import GAMES
from support.levels import by_default, one_of_each_family


def by_name(game):
    return game.name


every_game = pytest.mark.parametrize("game", GAMES, ids=by_name)
every_resampled_game = pytest.mark.parametrize("game", [game for game in GAMES if game.resample], ids=by_name)
TUNABLE = [game for game in GAMES if game.strategy]
every_tunable_game = pytest.mark.parametrize("game", TUNABLE, ids=by_name)
LONG = [game for game in TUNABLE if game.family == "battleship"]
OTHERS = [game for game in TUNABLE if game not in LONG]
tunable_games_of_each_family = pytest.mark.parametrize(
    "game", [*one_of_each_family(OTHERS), *by_default([], LONG)], ids=by_name
)
