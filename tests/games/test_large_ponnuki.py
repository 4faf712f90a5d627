"""Phantom ponnuki cell by cell: the same game as by bits, and a player by playouts that beats a uniform one."""

import random

import numpy as np
import pytest

from fogspiel.core.agents import find_policy
from fogspiel.core.game import OVER, known_game
from fogspiel.core.rng import stream_of
from fogspiel.core.session import replay, view_of
from fogspiel.games import phantom_ponnuki as by_cells
from fogspiel.games.boards.ponnuki import (
    EMPTY,
    SIDES,
    breathes,
    draw_stones,
    explains,
    fill_neighbours,
    play_out,
    room_to_work,
)
from fogspiel.games.phantom import rules as by_bits
from fogspiel.games.phantom_ponnuki import board
from fogspiel.stats.evaluate import evaluate


def listed(rules, state):
    out = np.zeros(81, np.int64)
    return out[: rules.legal(state, out)].tolist()


@pytest.mark.thorough
@pytest.mark.parametrize("size", [2, 3, 4, 5])
def test_boards_of_cells_are_the_same_game_as_boards_of_bits(size):
    """Random games in both: who moves, what may be tried, what is known, who wins."""
    bits, cells, rng = known_game(f"phantom-ponnuki-{size}x{size}"), board(size, size), random.Random(size)
    proofs = 0
    for _ in range(80):
        one, other = np.zeros(bits.sizes.state, np.int64), np.zeros(cells.sizes.state, np.int64)
        bits.rules.start(one)
        cells.rules.start(other)
        while bits.rules.mover(one) != OVER:
            assert bits.rules.mover(one) == cells.rules.mover(other)
            actions = listed(bits.rules, one)
            assert actions == listed(cells.rules, other)
            for player in (0, 1):
                known = other[int(by_cells.known_of(other, player)) :][: size * size]
                assert one[by_bits.KNOWN + player] == sum(1 << cell for cell in np.flatnonzero(known).tolist())
                proofs += int(known.any())
            action = rng.choice(actions)
            bits.rules.apply(one, action)
            cells.rules.apply(other, action)
        assert cells.rules.mover(other) == OVER and bits.rules.score(one) == cells.rules.score(other)
    assert proofs or size == 2


def test_a_corner_of_the_largest_board_is_captured():
    game = known_game("phantom-ponnuki-9x9")
    cells = {game.label(cell): cell for cell in range(81)}
    last = list(replay(game, [cells[name] for name in ["I8", "I9", "I9", "E5", "H9"]]))[-1]
    assert last.mover == 0, "I9 is White's, and was refused to Black"
    shown = game.show(view_of(game, last.state, 0)).splitlines()
    assert shown[0] == "you are X: your turn" and shown[1] == " 9 . . . . . . . . O"
    assert game.reveal(last.state).splitlines()[1] == " 9 . . . . . . . O O"
    end = list(replay(game, [cells[name] for name in ["I8", "I9", "H9"]]))[-1]
    assert end.mover == OVER and game.rules.score(end.state) == 2


def test_drawn_boards_explain_the_record():
    """Boards of the sampler have the right number of stones, the known ones, and no chain without a liberty."""
    game, stream, rng = known_game("phantom-ponnuki-9x9"), stream_of(4), random.Random(4)
    state, found = np.zeros(game.sizes.state, np.int64), 0
    near, work = np.zeros((81, SIDES), np.int64), room_to_work(81)
    fill_neighbours(9, 9, near)
    stones, before, free = (np.zeros(81, np.int64) for _ in range(3))
    game.rules.start(state)
    while (player := int(game.rules.mover(state))) != OVER:
        put, failed, known = view_of(game, state, player)[by_cells.SEEN_PUT :].reshape(3, 81)
        enemies = int(state[by_cells.TURN]) // 2 + player
        draw_stones(1 + player, enemies, put, failed, known, stones, free, stream)
        assert (stones[put > 0] == 1 + player).all() and (stones[known > 0] == 2 - player).all()
        assert (stones == 2 - player).sum() == enemies
        if explains(1 + player, put, failed, stones, near, before, work):
            found += 1
            assert all(breathes(stones, near, cell, cell, work) for cell in np.flatnonzero(stones != EMPTY))
            assert play_out(stones, near, 1 + player, free, work, stream) in (1, 2)
        game.rules.apply(state, rng.choice(listed(game.rules, state)))
    assert found > 10


def test_the_player_by_playouts_beats_a_uniform_one():
    """60 games, fixed beforehand; the share is far from one half."""
    game = known_game("phantom-ponnuki-4x4")
    score = evaluate(game, find_policy(game, "monte-carlo"), find_policy(game, "uniform"), 5, 60)
    assert score.interval[0] > 0.6
