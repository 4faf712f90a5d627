"""The contract, over every registered game."""

import json
import os
import subprocess
import sys
from itertools import pairwise, permutations
from pathlib import Path

import numpy as np
import pytest
from support.golden_records import FOLDER, GAMES, SEED, sample_records

from fogspiel.core.agents import find_policy, fixed_baseline, policy_names, redrawn_baseline
from fogspiel.core.game import OVER, UNIFORM, Strategy, find_game
from fogspiel.core.session import record_game, replay, view_of
from fogspiel.core.simulate import Match
from fogspiel.games.war import rules as war

TUNABLE = [game for game in GAMES if game.strategy]
TESTS = Path(__file__).parents[1]


def by_name(game):
    return game.name


every_game = pytest.mark.parametrize("game", GAMES, ids=by_name)
every_tunable_game = pytest.mark.parametrize("game", TUNABLE, ids=by_name)


def uniform_records(game, count=5):
    uniform = find_policy(game, UNIFORM.name)
    return [record_game(game, uniform, uniform, 11, number) for number in range(count)]


@every_game
def test_a_record_replays_to_its_end_and_score(game):
    for record, score in uniform_records(game):
        last = list(replay(game, record))[-1]
        assert last.mover == OVER
        assert game.rules.score(last.state) == score
        assert 0 <= score < len(game.payoffs)


@every_game
def test_actions_are_never_missing_and_never_repeated(game):
    for record, _ in uniform_records(game):
        for position in list(replay(game, record))[:-1]:
            assert position.actions
            assert len(set(position.actions)) == len(position.actions) <= game.sizes.actions


@every_game
def test_rules_ask_but_only_apply_changes_the_state(game):
    record, _ = uniform_records(game, 1)[0]
    for position in list(replay(game, record))[:200]:
        before = position.state.copy()
        view_of(game, position.state, 0)
        view_of(game, position.state, 1)
        game.rules.mover(position.state)
        if position.mover != OVER:
            game.rules.legal(position.state, np.zeros(game.sizes.actions, np.int64))
        assert (position.state == before).all()


@every_game
def test_what_may_be_tried_follows_from_the_view(game):
    known: dict[tuple, list[int]] = {}
    for record, _ in uniform_records(game, 20):
        for position in replay(game, record):
            if position.mover in (0, 1):
                seen = view_of(game, position.state, position.mover).tobytes()
                assert known.setdefault((position.mover, seen), position.actions) == position.actions


def reshuffled_decks(state, player, rng):
    """War: nobody knows a card of either deck."""
    cards = [war.slot(state, p, i) for p in (0, 1) for i in range(state[war.HELD + p])]
    state[cards] = rng.permutation(state[cards])


def other_throw(state, player, rng):
    """Morra: the second player does not know the first one's throw."""
    from fogspiel.games.morra import rules as morra

    if player == 1 and state[morra.FIRST] >= 0:
        state[morra.FIRST] = rng.integers(66)


def other_choice(state, player, rng):
    """Rock-paper-scissors: the second player does not know the first one's choice."""
    from fogspiel.games.rps import rules as rps

    if player == 1 and state[rps.FIRST] >= 0:
        state[rps.FIRST] = rng.integers(3)


def other_bit(state, player, rng):
    """Binary poker: the other's card is 0 or 1 until it is shown."""
    from fogspiel.games.binary_poker import rules

    if state[rules.CARD] >= 0 and rules.last(state) not in (rules.PASS, rules.CALL):
        state[rules.CARD + 1 - player] = rng.integers(2)


def other_kuhn_card(state, player, rng):
    """Kuhn poker: the other's card is any but the own one until it is shown."""
    from fogspiel.games.kuhn import rules as kuhn

    if state[kuhn.CARD] >= 0 and not kuhn.shown(state):
        state[kuhn.CARD + 1 - player] = rng.choice([card for card in range(3) if card != state[kuhn.CARD + player]])


def other_leduc_cards(state, player, rng):
    """Leduc: the other's card is any that is left until it is shown; without suits, so are the suits of all cards."""
    from fogspiel.games.leduc import rules as leduc

    if state[leduc.PHASE] == leduc.DEALING:
        return
    cells = [cell for cell in (leduc.CARD + player, leduc.CARD + 1 - player, leduc.PUBLIC) if state[cell] >= 0]
    alike = 1 if state[leduc.SUITED] else 2
    known = np.array([cell != leduc.CARD + 1 - player or state[leduc.PHASE] == leduc.SHOWN for cell in cells])
    dealt = np.array(list(permutations(range(6), len(cells))))
    possible = dealt[((dealt // alike == state[cells] // alike) | ~known).all(axis=1)]
    state[cells] = rng.choice(possible)


def other_die(state, player, rng):
    """Liar's dice: the other's die shows any face until somebody calls."""
    from fogspiel.games.liars_dice import rules

    if state[rules.ROLLED] and rules.last(state) != rules.LIAR:
        state[rules.ROLLED + 1 - player] = 1 + rng.integers(state[rules.SIDES])


def other_bids(state, player, rng):
    """Goofspiel: the other may have bid any cards that give the known results."""
    from fogspiel.games.goofspiel import rules

    cards, decided, results = state[rules.CARDS], state[rules.ROUND], state[rules.RESULT :]
    own, other = (rules.bids_of(seat) for seat in (player, 1 - player))
    sign = 1 if player == 0 else -1
    possible = [
        bids
        for bids in permutations(range(1, cards + 1))
        if all(np.sign(state[own + i] - bids[i]) * sign == results[i] - 1 for i in range(decided))
    ]
    made = np.count_nonzero(state[other : other + cards])
    state[other : other + made] = possible[rng.integers(len(possible))][:made]


def other_spies(state, player, rng):
    """The Resistance: the resistance does not know the spies."""
    from fogspiel.games.resistance import rules as resistance

    if player == 0 and state[resistance.SECRET] > 0:
        chosen = rng.choice(state[resistance.PLAYERS], state[resistance.SPIES], replace=False)
        state[resistance.SECRET] = sum(1 << int(spy) for spy in chosen)


def moved_stones(state, player, rng):
    """Phantom games: an enemy stone that the player never met may be on any cell that he never tried."""
    from fogspiel.games.phantom import rules

    turns, other = range(state[rules.TURNS]), 1 - player
    tried = state[rules.STONES + player]
    for turn in turns:
        tried |= state[rules.record_of(state, player, turn) + 1]
    cells = [cell for cell in range(state[rules.ROWS] * state[rules.COLUMNS]) if not tried >> cell & 1]
    places = [rules.record_of(state, other, turn) for turn in turns]
    hidden = [place for place in places if state[place] in cells]
    state[hidden] = rng.choice(cells, len(hidden), replace=False)
    state[rules.STONES + other] = sum(1 << int(state[place]) for place in places if state[place] >= 0)


def reshuffled_stacks(state, player, rng):
    """Flip: nobody knows the order of the two stacks, nor which card is in which."""
    from fogspiel.games.flip import rules as flip

    cards = list(range(flip.CARDS, flip.CARDS + flip.DECK))
    if state[flip.PHASE] != flip.DEALING:
        ends = [flip.STACKS + flip.STACK * (i + 1) for i in range(2)]
        cards = [end - 1 - i for who, end in enumerate(ends) for i in range(state[flip.HELD + who] - flip.ROW)]
    state[cards] = rng.permutation(state[cards])


def other_fleet(state, player, rng):
    """Battleship: each of the other's ships may lie anywhere else that gives the same hits and misses."""
    from fogspiel.games.battleship import rules

    other = 1 - player
    sea = state[rules.SEA + rules.SQUARES * other : rules.SEA + rules.SQUARES * (other + 1)]
    for ship in range(rules.SHIPS):
        cell = rules.SHIP + rules.SHIPS * other + ship
        if state[cell] < 0:
            return
        here = rules.PLACEMENTS[state[cell]]
        hits = {square for square in here if sea[square] == rules.WRECK}
        sea[here] -= rules.AFLOAT
        possible = [
            placement
            for placement in range(rules.FIRST[ship], rules.FIRST[ship + 1])
            if {square for square in rules.PLACEMENTS[placement] if sea[square] != rules.WATER} == hits
            and not any(sea[square] & rules.AFLOAT for square in rules.PLACEMENTS[placement])
        ]
        state[cell] = rng.choice(possible)
        sea[rules.PLACEMENTS[state[cell]]] += rules.AFLOAT


def other_order(state, player, rng):
    """Permutation tic-tac-toe: the other's order is hidden until both are written."""
    from fogspiel.games.permutation import rules

    written = state[rules.WRITTEN + 1 - player]
    if state[rules.RESULT] < 0:
        at = rules.ORDER + rules.CELLS * (1 - player)
        state[at : at + written] = rng.permutation(rules.CELLS)[:written]


def other_orders(state, player, rng):
    """Permutation four in a row: the other's orders and all stones are hidden until the end."""
    from fogspiel.games.permutation_four import rules

    if state[rules.RESULT] < 0:
        state[rules.STONES : rules.STONES + 2] = rng.integers(2**30, size=2)
        for turn in range(1 - player, rules.PLACES, 2):
            written = len(f"{state[rules.ORDER + turn]:o}") if state[rules.ORDER + turn] else 0
            digits = rng.permutation(rules.COLUMNS)[:written] + 1
            state[rules.ORDER + turn] = int("0" + "".join(map(str, digits)), 8)


def other_cards(state, player, rng):
    """Cheat: the other's cards in his hand and in the pile are any of those left, but the first of a pile is known."""
    from fogspiel.games.cheat import rules

    other = rules.COLOURS * (1 - player)
    hand, laid = (slice(at + other, at + other + rules.COLOURS) for at in (rules.HAND, rules.LAID))
    known = np.zeros(rules.COLOURS, np.int64)
    if state[rules.COLOUR] >= 0 and state[rules.OPENER] != player:
        known[state[rules.COLOUR]] = 1
    if state[rules.DEALT] < rules.HALF:
        left = np.repeat(np.arange(rules.COLOURS), rules.RANKS)
    else:
        left = np.repeat(np.arange(rules.COLOURS), state[hand] + state[laid] - known)
    left, held = rng.permutation(left), state[hand].sum()
    hidden = left[held : held + state[laid].sum() - known.sum()]
    state[hand] = np.bincount(left[:held], minlength=rules.COLOURS)
    state[laid] = known + np.bincount(hidden, minlength=rules.COLOURS)
    if len(hidden) and state[rules.TURN] == player:
        state[rules.LAST] = rng.choice(hidden)


def other_men(state, player, rng):
    """Kriegspiel: the other's men may stand anywhere, and how they came there is unknown."""
    from fogspiel.games.chess.position import CLOCK, KINDS, MEN, MOVER, NO_SQUARE, PASSANT, RIGHTS
    from fogspiel.games.kriegspiel import rules

    own, other = state[MEN + player], state[MEN + 1 - player]
    men = [kind for square in range(64) for kind in range(KINDS) if state[kind] & other & np.int64(1) << square]
    squares = rng.choice([square for square in range(64) if not own >> square & 1], len(men), replace=False)
    state[:KINDS] &= own
    for kind, square in zip(men, squares, strict=True):
        state[kind] |= np.int64(1) << square
    state[MEN + 1 - player] = np.bitwise_or.reduce(np.int64(1) << squares)
    state[RIGHTS] ^= rng.integers(4) << 2 * (1 - player)
    state[PASSANT], state[CLOCK] = rng.choice([NO_SQUARE, *range(16, 24), *range(40, 48)]), rng.integers(100)
    for first, cells in ((rules.LIMITED, rules.KEYS - rules.LIMITED), (rules.KEYS, rules.STATE - rules.KEYS)):
        state[first : first + cells] = rng.integers(-(2**63), 2**63 - 1, cells)
    if state[MOVER] != player:
        state[rules.REFUSED : rules.REFUSED + 64] = rng.integers(-(2**63), 2**63 - 1, 64)


def other_sum(state, player, rng):
    """Sums: the other's card and addition are hidden until both have decided."""
    from support import five_payoffs as rules

    if state[rules.CARD] >= 0 and not rules.ended(state):
        state[rules.CARD + 1 - player] = rng.integers(2)
        if player == 1 and state[rules.ADDED] >= 0:
            state[rules.ADDED] = rng.integers(2)


def open_information(state, player, rng):
    """Nothing is hidden."""


HIDDEN = {
    "war": reshuffled_decks,
    "guesswho": open_information,
    "morra": other_throw,
    "pig": open_information,
    "nim": open_information,
    "rps": other_choice,
    "binary_poker": other_bit,
    "kuhn": other_kuhn_card,
    "leduc": other_leduc_cards,
    "liars_dice": other_die,
    "goofspiel": other_bids,
    "resistance": other_spies,
    "phantom": moved_stones,
    "permutation": other_order,
    "permutation_four": other_orders,
    "four": open_information,
    "cheat": other_cards,
    "flip": reshuffled_stacks,
    "battleship": other_fleet,
    "kriegspiel": other_men,
    "five_payoffs": other_sum,
}
"""How to change a state in what a player cannot see, by the game's module."""


SLOW = {"battleship", "four"}
"""Modules of games that play hundreds, not thousands of games a second."""


def module_of(game):
    return game.family or game.show.__module__.rsplit(".", 1)[-1]


@every_game
def test_what_a_player_cannot_see_does_not_change_the_view(game):
    assert module_of(game) in HIDDEN, "say in HIDDEN what a player of this game cannot see"
    rng, record = np.random.default_rng(5), uniform_records(game, 1)[0][0]
    for position in list(replay(game, record))[:300]:
        for player in (0, 1):
            other = position.state.copy()
            HIDDEN[module_of(game)](other, player, rng)
            assert (view_of(game, other, player) == view_of(game, position.state, player)).all()
            if position.mover == player:
                out = np.zeros(game.sizes.actions, np.int64)
                assert out[: game.rules.legal(other, out)].tolist() == position.actions


@every_game
def test_views_states_and_actions_have_words(game):
    record, _ = uniform_records(game, 1)[0]
    for position in list(replay(game, record))[:300]:
        assert game.reveal(position.state)
        assert game.show(view_of(game, position.state, 0))
        if position.mover in (0, 1):
            labels = [game.label(action) for action in position.actions]
            assert all(labels) and len(set(labels)) == len(labels)


@every_game
def test_payoffs_ascend_in_even_steps(game):
    """So that sums of indices are sums of payoffs, and swapping seats mirrors an index."""
    steps = {after - before for before, after in pairwise(game.payoffs)}
    assert len(steps) == 1 and min(steps) > 0


@every_game
def test_every_named_strategy_plays_only_what_is_possible(game):
    for name in set(policy_names(game)) - {"fixed", "redrawn"}:
        player = find_policy(game, name)
        record, _ = record_game(game, player, find_policy(game, UNIFORM.name), 3, 0)
        assert list(replay(game, record))[-1].mover == OVER


@every_tunable_game
def test_the_compiled_loop_plays_the_recorded_game(game):
    first, second = fixed_baseline(game, SEED), redrawn_baseline(game)
    scores = Match(game, first, second).scores(9, 0, 4)
    top = len(game.payoffs) - 1
    for number in range(4):
        assert record_game(game, first, second, 9, number)[1] == scores[number, 0]
    # In a swapped game the draws of the first contender still come first.
    first, second = fixed_baseline(game, SEED), fixed_baseline(game, SEED + 1)
    scores = Match(game, first, second).scores(9, 0, 4)
    for number in range(4):
        assert top - record_game(game, second, first, 9, number)[1] == scores[number, 1]


@every_tunable_game
def test_the_fused_kernel_scores_as_the_rules_do(game):
    if game.play is None:
        pytest.skip("this game has no fused kernel")
    pairs = [(fixed_baseline(game, seed), redrawn_baseline(game)) for seed in range(3)]
    pairs += [
        (fixed_baseline(game, 7), find_policy(game, n)) for n, s in game.named.items() if not isinstance(s, Strategy)
    ]
    for first, second in pairs:
        fused, plain = Match(game, first, second), Match(game, first, second, fused=False)
        assert fused.fused and not plain.fused
        assert (fused.scores(21, 0, 60) == plain.scores(21, 0, 60)).all()


@every_tunable_game
def test_threads_and_cuts_do_not_change_scores(game):
    match = Match(game, fixed_baseline(game, 1), redrawn_baseline(game))
    slow = module_of(game) in SLOW
    count = 260 if slow else 600
    for seats in ("alternating",) if slow else ("swapped", "alternating", "coin"):
        whole = match.scores(5, 0, count, seats)
        assert (match.scores(5, 0, count, seats, threads=2) == whole).all()
        assert (np.vstack([match.scores(5, 0, 37, seats), match.scores(5, 37, count - 37, seats)]) == whole).all()


@every_tunable_game
def test_two_equal_players_share_every_pair(game):
    scores = Match(game, fixed_baseline(game, 3), fixed_baseline(game, 3)).scores(5, 0, 200)
    assert (scores.sum(axis=1) == len(game.payoffs) - 1).all()


@every_game
def test_golden_records_replay(game):
    path = FOLDER / f"{game.name}-v{game.version}.json"
    assert path.exists(), "no golden record: run tests/golden_records.py, and raise the version if the rules changed"
    golden = json.loads(path.read_text())
    assert golden == sample_records(game)


def kernels_of(game):
    players = [game.strategy, *(player for player in game.named.values() if isinstance(player, Strategy))]
    yield from game.rules
    yield from (kernel for player in players if player for kernel in (player.prepare, player.choose))
    if game.play:
        yield game.play


def test_kernels_that_differ_have_different_names():
    """Numba may run one of two cached kernels in place of the other if they share a name: see `kernel.variant`."""
    known = {}
    for game in GAMES:
        for kernel in kernels_of(game):
            function = getattr(kernel, "py_func", kernel)
            closed = tuple(cell.cell_contents for cell in function.__closure__ or ())
            same = known.setdefault((function.__module__, function.__qualname__), (function.__code__, closed))
            assert same == (function.__code__, closed), f"{function.__qualname__} means two things: declare a variant"


def records_of_a_process(**environment):
    words = [sys.executable, "-m", "support.golden_records", "print"]
    outcome = subprocess.run(words, cwd=TESTS, env=os.environ | environment, capture_output=True, text=True, check=True)
    return json.loads(outcome.stdout)


def test_games_without_the_compiler_are_the_same_games():
    interpreted = records_of_a_process(NUMBA_DISABLE_JIT="1")
    assert interpreted == {game.name: sample_records(game) for game in GAMES}


@pytest.mark.slow
def test_games_with_bounds_checks_are_the_same_games(tmp_path):
    checked = records_of_a_process(NUMBA_BOUNDSCHECK="1", FOGSPIEL_CACHE=str(tmp_path))
    assert checked == {game.name: sample_records(game) for game in GAMES}


def test_an_unknown_game_is_refused_with_the_names_there_are():
    with pytest.raises(ValueError, match=r"no game 'wra'.*war"):
        find_game("wra")
