"""A plug-in with studies of Ciancarini and Favini (2010): calibration, hybrid, progressive strategies, ablation."""

import math
from pathlib import Path

import numpy as np
import pytest
from plugins.papers.kriegspiel_studies import ablation, calibration, future_work
from plugins.papers.kriegspiel_studies.calibration import BANDS, MESSAGES, bias, bias_limits, inaccuracy, observe
from plugins.papers.kriegspiel_studies.engines import (
    FIRST_VISITS,
    GROWTH,
    PLAIN,
    Progressive,
    objective,
    offered,
    uct_selection,
)

from fogspiel.core.rng import random_below, stream_of
from fogspiel.games.chess.position import end_of
from fogspiel.kriegspiel.engine import SearchLimit, engine_file, find_engine
from fogspiel.kriegspiel.game import rules
from fogspiel.kriegspiel.match import code_of
from fogspiel.kriegspiel.referee import Referee, play_game
from fogspiel.kriegspiel.search.perception_search import best_by_uct, root_attempts
from fogspiel.papers.ciancarini2010.abstract_model import FITTED_B
from fogspiel.papers.ciancarini2010.engines import PrintedC
from fogspiel.papers.claims import Clause, Verdict, error_per_clause
from fogspiel.papers.kinds import find_experiment
from fogspiel.runs.requests import PaperRequest

LIMIT = SearchLimit(nodes=40)
PLUGINS = Path(__file__).parents[2] / "benchmarks" / "plugins"


@pytest.fixture(autouse=True)
def plugged_in(monkeypatch):
    monkeypatch.setenv("FOGSPIEL_PLUGINS", str(PLUGINS))


def random_game(seed, plies=40):
    """A record of random attempts, and per colour the numbers of accepted and refused ones."""
    referee, stream, made = Referee(), stream_of(seed), [[0, 0], [0, 0]]
    while not referee.over and referee.plies < plies:
        side = referee.mover
        actions = [action for action in referee.actions if action != rules.ANY]
        accepted = referee.attempt(actions[random_below(stream, len(actions))]).message is not None
        made[side][accepted] += 1
    return referee.record, made


def rooted(name):
    """An engine of this name that has made its first choice."""
    engine = find_engine(name)(LIMIT, stream_of(1))
    engine.begin(0)
    referee = Referee()
    assert engine.choose(referee.view(0), referee.actions) in referee.actions
    return engine


# Calibration.


@pytest.mark.thorough
def test_observers_count_every_attempt_and_every_message_once():
    record, made = random_game(3)
    found = list(observe(record))
    for side in (0, 1):
        names = [name for colour, (name, _, _) in found if colour == side]
        refused, accepted = made[side]
        assert names.count("pawn") == names.count("piece") == accepted
        assert 0 < names.count("legal") <= accepted + refused
        heard = sum(happened for colour, (name, _, happened) in found if (colour, name) == (side, "legal"))
        assert heard <= accepted
        replies = sum(names.count(name) for name in ("retaliation", "checker", "capture"))
        assert accepted - 1 <= replies <= accepted
    assert all(0 <= chance <= 1 + 1e-6 for _, (_, chance, _) in found)


@pytest.mark.thorough
def test_captures_are_those_of_the_game():
    record, _ = random_game(5, 80)
    referee, taken = Referee(), 0
    for action in record:
        message = referee.attempt(action).message
        taken += message is not None and message.taken is not None
    heard = sum(happened for _, (name, _, happened) in observe(record) if name in ("pawn", "piece"))
    assert heard == taken > 0


def planted(difference, pairs=400, attempts=20, seed=1):
    """Tables of game pairs whose messages differ in frequency from their probability of one half by this much."""
    draws = np.random.default_rng(seed).binomial(attempts, 0.5 + difference, pairs)
    tables = np.zeros((pairs, len(BANDS) - 1, 3))
    tables[:, 5] = np.stack([np.full(pairs, attempts), np.full(pairs, attempts / 2), draws], axis=1)
    return list(tables)


def test_a_planted_bias_is_found_and_its_absence_too():
    for difference, verdict in ((0.2, Verdict.HOLDS), (-0.2, Verdict.HOLDS), (0.0, Verdict.FAILS)):
        tables = planted(difference)
        low, high = bias_limits(tables, 0.001)
        assert low < difference < high and bias(tables)[0] == pytest.approx(difference, abs=0.03)
        assert Clause("x", inaccuracy(tables), least=calibration.RELEVANT).verdict(0.01) is verdict
    for few in ([], planted(0.2)[:1], planted(0.06, pairs=5)):
        assert Clause("x", inaccuracy(few), least=calibration.RELEVANT).verdict(0.01) is Verdict.OPEN


def test_the_error_of_the_bias_is_that_of_repeated_samples():
    means, errors = zip(*(bias(planted(0.1, 50, seed=seed)) for seed in range(200)), strict=True)
    assert np.std(means) == pytest.approx(np.mean(errors), rel=0.2)


@pytest.mark.thorough
def test_the_parts_have_rows_reports_and_claims():
    for part, size in ((calibration, len(MESSAGES)), (future_work, len(future_work.PAIRINGS))):
        (experiment,) = part.EXPERIMENTS
        request = PaperRequest(name=experiment.name, quick=True, scale=0.25)
        jobs = next(experiment.batches(request))
        rows = [jobs[0](), jobs[-1]()]
        assert rows[0] == jobs[0]()
        assert all(table.rows for table in experiment.report(request, rows).tables)
        assert len(experiment.claims(request, rows)) == len(experiment.claims(request, [])) == size
        assert experiment.report(request, []).tables


# The hybrid and the progressive strategies.


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["BC3:paper", "BC1:paper", "C:bias", "C:unprune"])
def test_every_engine_plays_the_same_game_twice(name):
    records = []
    for _ in range(2):
        players = [find_engine(engine)(LIMIT, stream_of(2, side)) for side, engine in enumerate((name, "C:paper"))]
        records.append(play_game(tuple(players), Referee(), 20).record)
    assert records[0] == records[1] and engine_file(name).parent.name == "kriegspiel_studies" and code_of(name)


@pytest.mark.thorough
def test_the_hybrid_explores_the_first_move_as_c_does():
    hybrid = rooted("BC3:paper")
    plain = PrintedC(LIMIT, stream_of(1), FITTED_B[0])  # with the constants of B, as the hybrid has
    plain.begin(0)
    plain._hear(Referee().view(0))
    seen, moves = Referee().view(0), [int(move) for move in Referee().actions if move != rules.ANY]
    for engine in (plain, hybrid):
        engine.plant(seen, moves)
    known = {int(row["move"]): row for row in root_attempts(plain.trees[0])}
    board = float(plain.trees[0].nodes[0].board)
    for row in root_attempts(hybrid.trees[0]):
        twin = known[int(row["move"])]
        assert row["visits"] == twin["visits"] == 1
        assert board + twin["legal"] * (row["value"] - board) == pytest.approx(twin["value"], abs=1e-4)


@pytest.mark.thorough
def test_without_a_strategy_the_selection_is_that_of_figure_8():
    tree = rooted("C:paper").trees[0]
    node = tree.nodes[0]
    for c in (0.0, 0.4, 2.0):
        plain = best_by_uct(tree.attempts, node.first, node.first + node.listed, node.visits, c)
        assert uct_selection(tree, 0, c, PLAIN) == plain


@pytest.mark.thorough
def test_a_bias_selects_objectives_first_and_fades_with_visits():
    tree = rooted("C:paper").trees[0]
    node, strategy = tree.nodes[0], Progressive(bias=1000.0)
    attempts = root_attempts(tree)
    attempts["visits"] = 1
    chosen = attempts[uct_selection(tree, 0, 0.0, strategy) - int(node.first)]
    assert (
        objective(node, chosen["move"]) == max(objective(node, row["move"]) for row in attempts) == pytest.approx(1 / 3)
    )
    assert end_of(int(chosen["move"])) // 8 == 3  # a double step
    chosen["visits"] = 10**9
    assert attempts[uct_selection(tree, 0, 0.0, strategy) - int(node.first)]["move"] != chosen["move"]


@pytest.mark.thorough
def test_attempts_join_after_a_times_b_to_the_j_selections():
    tree = rooted("C:paper").trees[0]
    node, strategy = tree.nodes[0], Progressive(unpruned=5)
    listed = int(node.listed)
    for selected in (0, 49, 50, 64, 65, 66, 84, 85, 200, 10**6):
        node.visits = listed + selected
        joined = sum(FIRST_VISITS * GROWTH**j <= selected for j in range(100))
        assert offered(node, strategy) == min(listed, 5 + joined)
    assert offered(node, PLAIN) == listed and math.isclose(FIRST_VISITS * GROWTH, 65)


@pytest.mark.thorough
def test_unpruning_offers_the_most_promising_attempts_first():
    engine = rooted("C:unprune")
    tree, strategy = engine.trees[0], engine.strategy
    engine.plant(Referee().view(0), [int(move) for move in Referee().actions if move != rules.ANY])
    node = tree.nodes[0]
    found = [float(row["value"]) + strategy.bias * objective(node, row["move"]) for row in root_attempts(tree)]
    assert found == sorted(found, reverse=True)


# The ablation.


@pytest.mark.parametrize(
    "name",
    [
        "C:step1",
        "C:step4",
        "A:boards",
        "A:replies",
        "A:progress",
        "A:anywhere",
    ],
)
@pytest.mark.thorough
def test_the_engines_of_the_ablation_play_the_same_game_twice(name):
    def record():
        players = [
            find_engine(engine)(SearchLimit(nodes=20), stream_of(7, side))
            for side, engine in enumerate((name, "random"))
        ]
        return play_game(tuple(players), Referee(), 24).record

    assert record() == record()


def test_a_step_of_the_ablation_knows_what_it_says():
    none, values = (find_engine(f"C:step{step}")(SearchLimit(nodes=1), stream_of(1)) for step in (1, 2))
    assert none.chosen.value_queen == none.chosen.value_pawn == 1 and none.chosen.mobility == 0
    assert values.chosen.value_queen > 5 and values.chosen.mobility == 0
    with pytest.raises(ValueError, match="no file step5"):
        find_engine("C:step5")


def test_a_short_ablation_leaves_every_claim_open():
    request = PaperRequest(name="ablation", scale=0.005)
    rows = [
        {"first": match.names[0], "second": match.names[1], "seats": [seat.to_json() for seat in match.seats],
         "games": [{"result": 2}, {"result": 0}]}
        for match in ablation.matches(request)
    ]  # fmt: skip
    found = ablation.claims(request, rows)
    verdicts = {claim.verdict(error_per_clause(found)) for claim in found}
    assert verdicts == {Verdict.OPEN, Verdict.NEW}
    assert len(found) == len(ablation.LADDER) + 2 * len(ablation.APPROACHES_A) - 1


def test_an_ablation_plays_the_chosen_engines_with_the_nodes_and_games_of_the_request():
    request = PaperRequest(name="ablation", only="C:step2, A:boards", nodes=1000, games=6)
    find_experiment("ablation").check(request)
    found = [(*match.names, match.games) for match in ablation.matches(request)]
    assert found == [
        ("C:step2 (1,000 nodes)", "minimax (1,000 nodes)", 6),
        ("A:boards (10 nodes)", "minimax (1,000 nodes)", 3),
        ("A:boards (10 nodes)", "A:paper (10 nodes)", 3),
    ]
    assert PaperRequest.from_json(request.to_json()) == request
    with pytest.raises(ValueError, match="there is no engine of this part 'C:step9'"):
        find_experiment("ablation").check(PaperRequest(name="ablation", only="C:step9"))
