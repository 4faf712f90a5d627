"""Games of five payoffs: every event counts what its games were worth, and every method tunes, stores and resumes."""

import json
import random
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
from support import five_payoffs
from support.five_payoffs import (
    CHOICES,
    DEAL_WEIGHTS,
    GUESSES,
    SUMS,
    choices_payoff,
    guess,
    guesses_payoff,
    sums_payoff,
)

import fogspiel.runs.kind
import fogspiel.tuning.arena
from fogspiel.core.agents import fixed_baseline, named_policy, vector_policy
from fogspiel.core.game import known_game
from fogspiel.core.session import record_game
from fogspiel.interop import describe, to_efg
from fogspiel.runs.kind import Context, execute, kind_of
from fogspiel.runs.requests import TuneRequest
from fogspiel.runs.store import Store, canonical
from fogspiel.solving.proofs.checkers.tree import GamePositions, verify
from fogspiel.stats.race import Race
from fogspiel.tuning.arena import Arena, Budget, decode, encode
from fogspiel.tuning.methods import tune_methods

pytestmark = pytest.mark.thorough

EXACT = {SUMS.name: sums_payoff, CHOICES.name: choices_payoff, GUESSES.name: guesses_payoff}
TOP = 4
every_game = pytest.mark.parametrize("game", five_payoffs.GAMES, ids=lambda game: game.name)
LEVELS = {SUMS.name: (), CHOICES.name: pytest.mark.thorough, GUESSES.name: pytest.mark.slow}
SOME = ("auto", "duel", "iterative", "psro")
every_method_and_game = pytest.mark.parametrize(
    ("method", "game"),
    [
        pytest.param(
            method,
            game,
            id=f"{method}-{game.name}",
            marks=LEVELS[game.name] or (() if method in SOME else pytest.mark.thorough),
        )
        for method, game in product(tune_methods(), five_payoffs.GAMES)
    ],
)


@pytest.fixture(autouse=True, scope="module")
def _known(tmp_path_factory):
    """Games of a plug-in folder."""
    folder = tmp_path_factory.mktemp("plugins")
    (folder / "games").mkdir()
    (folder / "games" / "five.py").write_text("from support.five_payoffs import GAMES as GAMES\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FOGSPIEL_PLUGINS", str(folder))
        yield


def arena(game, **more):
    return Arena(game, 1, Race("count-mixture"), budget=Budget(20_000), **more)


def scores_by_hand(game, theta, phi, key, number):
    """The first vector's scores in both games of a pair, played move by move."""
    first, second = vector_policy(game, theta), vector_policy(game, phi)
    return record_game(game, first, second, key, number)[1], TOP - record_game(game, second, first, key, number)[1]


@every_game
@pytest.mark.parametrize("observation", ["pair", "game"])
def test_races_count_the_scores_of_their_games(game, observation):
    place, columns = arena(game, observation=observation), 2 if observation == "pair" else 1
    x, y, z = place.gaussian(), place.gaussian(), fixed_baseline(game, 1).thetas[0]

    def by_hand(one, other, event, number):
        pair = scores_by_hand(game, one, other, place._key(event), number)
        return sum(pair) if observation == "pair" else pair[number % 2]

    race = place.race(x, y)
    sums = [by_hand(x, y, 0, number) for number in range(race.observations)]
    assert race.counts == tuple(np.bincount(sums, minlength=TOP * columns + 1).tolist())
    assert race.games == columns * race.observations
    compared = place.compare(x, y)
    lead = [by_hand(x, z, 1, number) - by_hand(y, z, 1, number) for number in range(compared.observations)]
    assert compared.counts == tuple(np.bincount(np.array(lead) + TOP * columns, minlength=2 * TOP * columns + 1))


@every_game
def test_duels_and_meetings_have_the_scores_of_their_games(game):
    place = arena(game)
    firsts, seconds = place.gaussians(30), place.gaussians(30)
    duels = place.play_newcomer(firsts[0], seconds)
    own, same = place.play_pairs(firsts, seconds, 2), place.play_pairs(firsts, seconds, 2, same_deals=True)
    assert max(own.max(), duels.max()) == TOP and min(own.min(), duels.min()) == 0
    for row in range(30):
        assert tuple(duels[row]) == scores_by_hand(game, firsts[0], seconds[row], place._key(0), row)
        for pair in range(2):
            by_hand = [
                scores_by_hand(game, firsts[row], seconds[row], place._key(event), number)
                for event, number in ((1, row + 30 * pair), (2, pair))
            ]
            assert [tuple(own[row, pair]), tuple(same[row, pair])] == by_hand
    recalled = arena(game, recorded=place.events)
    assert (recalled.play_newcomer(firsts[0], seconds) == duels).all()
    assert (recalled.play_pairs(firsts, seconds, 2) == own).all()
    assert (recalled.play_pairs(firsts, seconds, 2, same_deals=True) == same).all()
    assert recalled.events == place.events


def test_events_of_three_payoffs_keep_a_digit_for_each_score_and_pair():
    batawaf = known_game("batawaf")
    assert encode(batawaf, np.arange(9)) == "012345678" and decode("012345678").tolist() == list(range(9))
    assert encode(SUMS, np.arange(25)) == list(range(25)) and decode(list(range(25))).tolist() == list(range(25))


# Runs


def request(game, method, **more):
    return TuneRequest(game.name, method, "count-mixture", baseline="fixed", games=20_000, report_games=40_000, **more)


def rows_of(path, name):
    with Store.open(path, write=False) as store:
        return [(row.number, row.kind, canonical(row.body)) for row in store.read(name).rows]


def exact_payoff(game, result):
    """What the answer of a run gets against its baseline, without playing."""
    other = named_policy(game, "fixed", 1).thetas[0]
    thetas, weights = result.get("thetas", [result["theta"]]), result.get("weights", [1.0])
    return sum(w * EXACT[game.name](theta, other) for theta, w in zip(thetas, weights, strict=True))


@every_method_and_game
def test_a_method_finds_a_player_whose_score_is_right(game, method, tmp_path):
    with Store.open(tmp_path / "runs.db", write=True) as store, store.create(request(game, method).to_json()) as run:
        result = execute(run)
        points = kind_of(run).points(run)
    exact, report = exact_payoff(game, result), result["report"]
    assert result["interval"][0] <= exact <= result["interval"][1] and result["score"] == pytest.approx(exact, abs=0.04)
    assert report["score"] == pytest.approx(np.array(report["outcomes"]) @ np.array(game.payoffs, float) / 40_000)
    assert len(report["outcomes"]) == TOP + 1 and len(report["observed"]) == 2 * TOP + 1
    assert 0 < result["games"] <= 20_000
    assert all(0 <= point.low <= point.value <= point.high <= 1 for point in points if point.low)
    if game is SUMS:  # the start is the baseline itself, and there is a player that nobody beats
        assert exact > 0.1, "the method found nobody clearly better than the start"


@every_method_and_game
def test_an_interrupted_run_resumes_to_the_same_bytes(game, method, tmp_path, monkeypatch):
    monkeypatch.setattr(fogspiel.runs.kind, "KEEP_SECONDS", -1.0)
    path, dice, left = tmp_path / "runs.db", random.Random(method), 4
    with Store.open(path, write=True) as store:
        for _ in range(2):
            with store.create(request(game, method).to_json()):
                pass
        alone, stopped = store.names()
        with store.acquire(alone) as run:
            execute(run)
        monkeypatch.setattr(fogspiel.tuning.arena, "MAX_BATCH", 100)
        while left >= 0:
            calls = dice.randint(1, 40) if left else 10**9

            def count(*_):
                nonlocal calls
                calls -= 1
                if calls < 0:
                    raise KeyboardInterrupt

            try:
                with store.acquire(stopped) as run:
                    execute(run, Context(path, on_progress=count))
                break
            except KeyboardInterrupt:
                left -= 1
    assert left < 4, "nothing was interrupted"
    assert rows_of(path, alone)[1:] == rows_of(path, stopped)[1:]


def test_the_mixture_of_a_certain_game_is_its_equilibrium(tmp_path):
    ask = request(CHOICES, "psro", final=False).to_json()  # a mixture that is level with its start proves no gain
    with Store.open(tmp_path / "runs.db", write=True) as store, store.create(ask) as run:
        result = execute(run)
    shares = np.zeros(3)
    for theta, weight in zip(result["thetas"], result["weights"], strict=True):
        shares[int(np.argmax(theta))] += weight
    assert shares == pytest.approx([0.4, 0.4, 0.2], abs=1e-9)


# Commands


def test_a_match_scores_in_payoffs(answer):
    found = answer("match", "sums", "best", "worst", "--games", 20_000)
    exact = sums_payoff(*(SUMS.policies[name] for name in ("best", "worst")))
    assert exact == pytest.approx(1)
    assert found["interval"][0] <= exact <= found["interval"][1] and "wins" not in found


@pytest.mark.thorough
def test_a_tournament_scores_in_shares_of_the_highest_payoff(answer, tmp_path):
    found = answer(
        "round-robin", "sums", "worst", "best", "uniform", "--games", 20_000, "--processes", 1, "--output", tmp_path
    )
    exact = sums_payoff(*(SUMS.policies[name] for name in ("worst", "best")))
    assert found["scores"][0][1] == pytest.approx((exact + 2) / 4, abs=0.02) and found["best"] == ["best"]
    assert found["observations"] == 30_000


def guesses_value():
    """The value of Guesses: what the first player's best (p, q), the probabilities of adding 1 by card, is sure of.

    That is a sum of minima of linear functions, so its maximum is where two lines meet on which an answer changes, or
    the borders of the square.
    """

    def expected(other, answer, plan):
        """What the first player gets times the probability that the other one holds this card."""
        chances = ((own, added, plan[own] if added else 1 - plan[own]) for own, added in product((0, 1), repeat=2))
        return sum(p * DEAL_WEIGHTS[2 * own + other] * guess(own, other, added, answer) for own, added, p in chances)

    def sure(plan):
        return sum(min(expected(other, answer, plan) for answer in (0, 1)) for other in (0, 1))

    def change(other):
        """The line a + b p + c q = 0 on which both answers with this card are worth the same."""
        at = [expected(other, 0, plan) - expected(other, 1, plan) for plan in ((0, 0), (1, 0), (0, 1))]
        return at[0], at[1] - at[0], at[2] - at[0]

    lines, meetings = [change(0), change(1), (0, 1, 0), (-1, 1, 0), (0, 0, 1), (-1, 0, 1)], []
    for (a, b, c), (d, e, f) in combinations(lines, 2):
        if b * f != c * e:
            p, q = Fraction(c * d - a * f, b * f - c * e), Fraction(a * e - b * d, b * f - c * e)
            meetings += [(p, q)] if 0 <= p <= 1 and 0 <= q <= 1 else []
    return max(map(sure, meetings)) / sum(DEAL_WEIGHTS)


def test_a_game_of_weighted_deals_is_solved_and_verified(answer, tmp_path):
    path = tmp_path / "guesses.json"
    found = answer("solve", "guesses", "--exact", "--certificate", path)
    value = guesses_value()
    assert found["value"] == str(value) and found["exact"] and value.denominator > 12
    verified = answer("verify", path)
    assert verified["valid"] and verified["lower"] == verified["upper"] == str(value)
    unweighted = replace(GUESSES, rules=GUESSES.rules._replace(weights=None))
    with pytest.raises(ValueError, match="the certificate is not valid"):
        verify(json.loads(path.read_text()), GamePositions(unweighted))


def test_weighted_deals_are_exported_with_their_probabilities():
    deal = to_efg(*describe(GUESSES)).splitlines()[3]
    assert deal == 'c "" 1 "" { "1" 5/12 "2" 1/12 "3" 1/6 "4" 1/3 } 0'


def test_a_tuned_player_is_diagnosed(answer, fogspiel, tmp_path):
    words = ("--method", "iterative", "--race", "count-mixture", "--games", 20_000, "--report-games", 2_000)
    run = answer("tune", "sums", *words)["run"]
    words = ("--games", 20_000, "--report-games", 20_000, "--pair-games", 2_000, "--output", tmp_path)
    (found,) = answer("diagnose", run, *words)["runs"]
    exploiter = found["exploiter"]
    exact = sums_payoff(exploiter["theta"], answer("export", run)["theta"])
    assert exploiter["interval"][0] <= exact <= exploiter["interval"][1]
    assert exploiter["lower_bound"] == exploiter["interval"][0]  # equal players get 0
    assert "share of the way from -2 to 2" in (tmp_path / "diagnosis.md").read_text()
