"""Two checkers that were written apart agree on shipped and on tampered certificates."""

import copy
import json
import random
from fractions import Fraction

import pytest
from support.certificates import tampered, uniform_certificate
from support.second_checker import Answerer, Cells, DisprovedError, Table, bits_of, cells_in, judge, phantom_strategy

from fogspiel.core.game import known_game
from fogspiel.core.untrusted_input import parse_json
from fogspiel.solving.known_values import known_values
from fogspiel.solving.proofs import verify
from fogspiel.solving.proofs.checkers import phantom, pure_strategies

KNOWN = known_values()
TRIALS = 1000  # for each format


def shipped(name):
    return json.loads(KNOWN[name].shipped.read_text(encoding="utf-8"))


CERTIFICATES = {
    "fogspiel certificate 1": lambda: copy.deepcopy(uniform_certificate("kuhn")),
    "fogspiel certificate 2": lambda: shipped("kuhn"),
    "fogspiel phantom certificate 1": lambda: shipped("dark-hex-3x3"),
}


def outcome(check, text):
    """The bounds that a checker finds proved, or None."""
    try:
        return check(text)
    except (DisprovedError, ValueError):
        return None


def first(text):
    return verify(parse_json(text))


def second(text):
    return judge(text)[1:]


def compare(form, trials, seed):
    draw, body, accepted = random.Random(seed), CERTIFICATES[form](), 0
    for trial in range(trials):
        text = json.dumps(tampered(body, draw))
        one, other = outcome(first, text), outcome(second, text)
        assert one == other, (trial, text)
        accepted += one is not None
    return accepted


@pytest.mark.parametrize("name", ["kuhn", "rps-half", "morra", "tic-tac-toe", "dark-hex-3x3", "phantom-ponnuki-2x2"])
def test_both_prove_the_same_of_a_shipped_certificate(name):
    text = KNOWN[name].shipped.read_text(encoding="utf-8")
    assert first(text) == second(text) == (KNOWN[name].lower, KNOWN[name].upper)


@pytest.mark.parametrize("form", CERTIFICATES)
def test_both_say_the_same_of_tampered_files(form):
    compare(form, 30 if form != "fogspiel phantom certificate 1" else 8, seed=2)


# Random strategies of phantom games, which meet positions that optimal ones avoid.

CROWDED = "phantom-ttt-2x3-3"  # where most games go on to the end
BOARDS = {"phantom-ttt-2x2-2": (2, 2), "phantom-ttt-2x3-2": (2, 3), CROWDED: (2, 3), "dark-hex-2x2": (2, 2),
          "dark-hex-2x3": (3, 2), "dark-hex-3x2": (2, 3)}  # fmt: skip


def random_rows(name, player, draw, most=40):
    """Rows of a random strategy, as a certificate has them."""
    cells = Cells(*BOARDS[name], half_turn=name.startswith("dark-hex"))
    count, rows, waiting, done = len(cells.names), [], [((0, -1),)], set()

    def image(history, moves):
        return tuple((bits_of(moves[c] for c in cells_in(failed)), moves[s] if s >= 0 else -1) for failed, s in history)

    def words(cells_):
        return ",".join(cells.names[cell] for cell in cells_)

    while waiting and len(rows) < most:
        history = waiting.pop(draw.randrange(len(waiting)))
        images = [image(history, moves) for moves in cells.symmetries]
        named = {cell for failed, stone in history for cell in [*cells_in(failed), *([stone] if stone >= 0 else [])]}
        free = [cell for cell in range(count) if cell not in named]
        if min(images) != history or not free or history in done:
            continue
        done.add(history)
        weights = dict.fromkeys(free, 0)
        for cell in draw.sample(free, draw.randint(1, len(free))):
            weight = draw.randint(1, 4)
            for moves, other in zip(cells.symmetries, images, strict=True):
                if other == history:
                    weights[moves[cell]] += weight
        shares = {cells.names[c]: str(Fraction(w, sum(weights.values()))) for c, w in weights.items() if w}
        turns = [f"{words(cells_in(f))}:{cells.names[s]}" if f else cells.names[s] for f, s in history[:-1]]
        rows.append([" ".join(turns), words(cells_in(history[-1][0])), shares])
        failures = sum(failed.bit_count() for failed, _ in history)
        for cell in [c for c in weights if weights[c]]:
            failed = history[-1][0]
            if failures < len(history) - 1 + player:
                waiting.append((*history[:-1], (failed | 1 << cell, -1)))
            if len(history) < count // 2:
                waiting.append((*history[:-1], (failed, cell), (0, -1)))
    return rows


def both_guarantees(name, player, rows):
    """What a strategy of a phantom game guarantees, for black, by both checkers."""
    board, (height, width) = phantom.board_of(name), BOARDS[name]
    own = phantom.strategy_of(board, player, rows)
    one = phantom.guaranteed_value(board, player, own, set(range(height * width)))
    cells = Cells(height, width, half_turn=name.startswith("dark-hex"))
    aim = [[(Fraction(1), phantom_strategy(rows, cells, player))]]
    (other,) = Answerer(Table(known_game(name)), 1 - player, aim).best()
    return one, -other if player == 0 else other


@pytest.mark.parametrize("player", [0, 1])
@pytest.mark.parametrize("name", BOARDS)
def test_both_find_the_same_best_answer_to_random_strategies(name, player):
    draw = random.Random(f"{name} {player}")
    found = {both_guarantees(name, player, random_rows(name, player, draw)) for _ in range(1 if name == CROWDED else 2)}
    assert all(one == other for one, other in found)


@pytest.mark.slow
@pytest.mark.parametrize("form", CERTIFICATES)
def test_both_say_the_same_of_a_thousand_tampered_files(form):
    assert compare(form, TRIALS, seed=1) < TRIALS / 4  # some changes change nothing that is claimed


@pytest.mark.slow
@pytest.mark.parametrize("name", ["leduc", "goofspiel-5", "liars-dice-4", "phantom-ttt-2x4-3", "phantom-ttt"])
def test_both_prove_the_same_of_a_larger_certificate(name):
    text = KNOWN[name].shipped.read_text(encoding="utf-8")
    assert first(text) == second(text) == (KNOWN[name].lower, KNOWN[name].upper)


# Random plans of the classical and the abrupt variant.


def random_plan(board, abrupt, player, draw, own=0, known=0):
    """A pure strategy as a text: the cell, the plan after a failure, the plan after the stone."""
    stones, failures = own.bit_count(), known.bit_count()
    enemies = stones + player
    if not (stones + failures < board.cells if abrupt else failures <= enemies and stones + enemies < board.cells):
        return ""
    cell = draw.choice([cell for cell in range(board.cells) if not (own | known) >> cell & 1])
    text, bit = chr(ord("a") + cell), 1 << cell
    text += random_plan(board, abrupt, player, draw, own, known | bit)
    won = board.won[player][own | bit]
    return text if won else text + random_plan(board, abrupt, player, draw, own | bit, known)


def plan_choices(node, moved):
    """A plan as the second checker plays it: it is followed through all tries that the view shows."""

    def choices(memory, seen, actions):
        plan, turn = node, int(seen[5]) // 2
        for number in range(turn + 1):
            stone, failed = int(seen[8 + 2 * number]), int(seen[9 + 2 * number])
            while failed:
                failed &= ~(1 << moved[plan.cell])
                plan = plan.after[0]
            plan = plan.after[1] if stone >= 0 else plan
        return [(action, Fraction(int(action == moved[plan.cell])), None) for action in actions]

    return choices


@pytest.mark.parametrize("player", [0, 1])
@pytest.mark.parametrize("name", ["phantom-ttt-2x2-2", "phantom-ttt-2x2-2-abrupt", "dark-hex-2x2-abrupt"])
def test_both_find_the_same_best_answer_to_random_plans(name, player):
    draw, rules = random.Random(f"{name} {player}"), pure_strategies.rules_of(name)
    for _ in range(3):
        plans = {random_plan(rules.board, rules.variant == "abrupt", player, draw): str(k + 1) for k in range(3)}
        worlds = pure_strategies.worlds_of(rules, player, plans)
        one = pure_strategies.best_score(rules, 1 - player, worlds)
        whole = sum(world.weight for world in worlds)
        mixture = [(Fraction(world.weight, whole), plan_choices(world.plan, world.moved)) for world in worlds]
        (other,) = Answerer(Table(known_game(name)), 1 - player, [mixture]).best()
        assert one == (1 + other if player == 0 else other)
