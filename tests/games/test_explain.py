"""Strategies in words: what is said is true, by the rules, by simulated games, and by the exact answers."""

import json
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from support.commands import DOCUMENTED
from support.levels import default_cases, one_of_each_family

from fogspiel.core.agents import (
    exact_score,
    find_policy,
    fixed_baseline,
    mixture_policy,
    policies_in_turn,
    policy_names,
    redrawn_baseline,
    vector_policy,
)
from fogspiel.core.explain import Explanation, choices, explain, heat_map
from fogspiel.core.game import known_game, list_games
from fogspiel.core.session import actions_in, record_game, replay, view_of
from fogspiel.core.simulate import PolicyMatch
from fogspiel.games import morra as morra
from fogspiel.games import nim as nim
from fogspiel.games.battleship import strategy as battleship
from fogspiel.games.battleship.strategy import FLEETS
from fogspiel.games.cheat import rules as cheat
from fogspiel.games.cheat.look import SITUATIONS, opening, position
from fogspiel.games.flip import rules as flip
from fogspiel.games.flip.look import sample
from fogspiel.games.flip.rules import coefficients
from fogspiel.games.guess_who.rules import question
from fogspiel.games.morra import law
from fogspiel.games.permutation_tictactoe.exact import replies
from fogspiel.games.permutation_tictactoe.rules import ranks
from fogspiel.games.pig import rules as pig
from fogspiel.games.pig.exact import rate
from fogspiel.games.war import strategy as war

pytestmark = pytest.mark.thorough


def of(game, player, seed=1):
    """The explanation of a player given by name or by numbers."""
    chosen = known_game(game)
    return explain(
        chosen, find_policy(chosen, player) if isinstance(player, str) else vector_policy(chosen, player), seed
    )


def said(explanation):
    return " ".join(explanation.sentences)


def column(table, name):
    return [row[table.columns.index(name)] for row in table.rows]


QUICK = [
    name for name in list_games() if not name.startswith(("four-in-a-row", "battleship", "guesswho96", "guesswho128"))
]


EXPLAINED = [*QUICK, "four-in-a-row-4x4", "battleship"]
LONGEST = "permutation-ttt"


@pytest.mark.parametrize(
    "name",
    [*one_of_each_family([name for name in EXPLAINED if name != LONGEST]), *default_cases([], [LONGEST], "slow")],
)
def test_every_player_of_every_game_is_explained_the_same_way_twice(name):
    game = known_game(name)
    players = [find_policy(game, word) for word in policy_names(game) if word not in ("fixed", "redrawn")]
    players += [fixed_baseline(game, 3), redrawn_baseline(game)] if game.strategy else []
    for player in players[-3:] if name == "battleship" else players:
        found = explain(game, player, 1)
        assert isinstance(found, Explanation) and found.sentences[0].startswith((player.name, "With", "God"))
        assert all(sentence.endswith(".") for sentence in found.sentences)
        assert all(len(row) == len(table.columns) for table in found.tables for row in table.rows)
        for picture in found.pictures:
            assert len(picture.grid) == len(picture.rows)
            assert all(len(row) == len(picture.columns) for row in picture.grid)
        json.dumps(found.to_json(), allow_nan=False)
    assert explain(game, players[-1], 1) == explain(game, players[-1], 1)


def test_shades_follow_the_numbers():
    picture = heat_map("x", [[0.0, 0.5], [1.0, float("nan")]], ("a", "b"), (8, 16), 1.0)
    assert picture.lines == ("    1", "  8 6", "a   +", "b @ ?", "scale: ' .:-=+*#%@' from 0 to 100.0 %")
    assert picture.grid == ((0.0, 0.5), (1.0, None)) and picture.columns == ("8", "16")


# War


@pytest.mark.parametrize(("name", "theta"), [("batawaf", (0.3, -0.5, 1.2)), ("batawaf4", (0.1, 0.9, -1.0, 0.3))])
def test_the_share_of_best_first_is_that_of_the_kernel(name, theta):
    game = known_game(name)
    player = vector_policy(game, theta)
    seen = np.zeros(game.sizes.view, np.int64)
    seen[war.rules.SEEN_VALUES], seen[war.rules.SEEN_PACKET] = 6, 2
    seen[war.rules.SEEN_WON : war.rules.SEEN_WON + 2] = 1, 4
    plan, stream = player.plan, np.array([5], np.uint64)
    drawn = Counter(int(war.choose(seen, np.arange(13), plan, stream)) for _ in range(20_000))
    # the better card next from the top, the lower one next from the bottom, or shuffled
    best_first = (drawn[4] + drawn[6 + 1] + drawn[12] / 2) / 20_000
    share = float(of(name, theta).sentences[1].split()[-2])
    assert abs(share / 100 - best_first) < 0.012


def test_the_permutation_of_four_parameters_is_shown_for_two_four_and_six_cards():
    game = known_game("war4")
    theta = (0.0, 50.0, 0.0, 0.7)
    player, [table] = vector_policy(game, theta), of("war4", theta).tables
    assert column(table, "won cards") == [2, 4, 6]
    plan, stream = player.plan, np.zeros(1, np.uint64)
    for packet, order, reverse in table.rows:
        seen = np.zeros(game.sizes.view, np.int64)
        seen[war.rules.SEEN_VALUES], seen[war.rules.SEEN_PACKET] = 13, packet
        seen[war.rules.SEEN_WON : war.rules.SEEN_WON + packet] = range(packet)
        placed = []
        for top in range(packet):
            seen[war.rules.SEEN_TOP] = top
            placed.append(int(war.choose(seen, np.arange(27), plan, stream)) + 1)
        assert order == " ".join(map(str, placed)) and reverse == " ".join(map(str, placed[::-1]))


# Guess Who


@pytest.mark.parametrize("theta", [(1.0, 0.0, 0.0, 0.0), (-0.56, -1.58, -0.06, -0.022), (0.4, -2.0, 1.0, -0.7)])
def test_the_questions_are_those_of_the_kernel_and_scores_those_of_truth(theta):
    game = known_game("guesswho24")
    player, found = vector_policy(game, theta), of("guesswho24", theta)
    asked, scores = found.tables
    for n, m, c, _, god in asked.rows:
        assert int(c) == question(np.array(theta), n, m, 0.0)
        seen = np.array([n, m, 24, 1, 0])
        assert int(god) == game.policies["God"].choose(seen, np.arange(1, n), np.zeros(1), np.zeros(1, np.uint64))
    for name, _, fraction in scores.rows:
        assert Fraction(fraction) == exact_score(game, player, find_policy(game, name))
    picture = found.pictures[0]
    for n, row in zip(picture.rows, picture.grid, strict=True):
        assert row == tuple(question(np.array(theta), int(n), int(m), 0.0) / int(n) for m in picture.columns)


def test_optimal_questions_are_counted_and_god_asks_them_all():
    assert "optimal one in" in said(of("guesswho24", "dichotomy")) and "God is optimal" in said(of("guesswho24", "God"))
    assert column(of("guesswho24", "God").tables[1], "as a fraction")[-1] == "1/2"


def test_randomised_questions_are_described_by_their_range_and_mean():
    game = known_game("guesswho24-stochastic")
    player = vector_policy(game, (1.0, 0.0, 0.0, 0.0, 0.3))
    drawn = choices(game, player, next(replay(game, [])).state, 1, 20_000)
    text = column(explain(game, player, 1).tables[0], "it asks about")[0]
    assert text.startswith(f"{min(drawn)} to {max(drawn)}, mean")
    assert abs(float(text.split()[-1]) - sum(c * n for c, n in drawn.items()) / 20_000) < 0.08


# Pig


@pytest.mark.thorough
def test_a_threshold_has_its_exact_scores_and_its_regret():
    game = known_game("pig")
    found = of("pig", (-1.0,))
    scores = dict(found.tables[0].rows)
    assert pig.threshold_of(np.array([-1.0])) == 18 and "18 points" in said(found)
    exact = exact_score(game, vector_policy(game, (-1.0,)), find_policy(game, "hold25"))
    assert scores["hold25"] == f"{float(exact):.6f}" and f"a regret of {0.5 - float(exact):.6f}" in said(found)
    assert "its regret is 0" in said(of("pig", "hold25"))
    assert scores["redrawn"] == f"{rate(vector_policy(game, (-1.0,)), redrawn_baseline(game)):.6f}"
    simulated = (
        PolicyMatch(game, vector_policy(game, (-1.0,)), find_policy(game, "optimal")).scores(3, 0, 20_000).mean() / 2
    )
    assert abs(simulated - float(scores["optimal"])) < 0.01


def test_the_optimum_of_pig_stops_where_the_table_says():
    table, plan, unused = (
        of("pig", "optimal").tables[1],
        find_policy(known_game("pig"), "optimal").plan,
        np.zeros(1, np.uint64),
    )
    for own, *stops in table.rows:
        for other, stop in zip(map(int, table.columns[1:]), stops, strict=True):
            views = {total: np.array([own, other, total, 1, pig.DECIDING]) for total in range(2, 100 - own)}
            does = {total: pig.choose_optimum(seen, np.arange(2), plan, unused) for total, seen in views.items()}
            assert stop == min((total for total, action in does.items() if action == pig.HOLD), default=100 - own)


# Morra


def test_the_marginals_of_morra_are_those_of_many_throws():
    game = known_game("morra")
    player = fixed_baseline(game, 5)
    found = explain(game, player, 1)
    many = 60_000
    throws = choices(game, player, next(replay(game, [])).state, 2, many)
    for fingers, shows, expects in found.tables[0].rows:
        shown = sum(n for action, n in throws.items() if action // 11 == fingers) / many
        expected = sum(n for action, n in throws.items() if action % 11 - action // 11 == fingers) / many
        assert abs(float(shows.split()[0]) / 100 - shown) < 0.01
        assert abs(float(expects.split()[0]) / 100 - expected) < 0.01
    nonsense = sum(n for action, n in throws.items() if not 0 <= action % 11 - action // 11 <= 5) / many
    assert abs(float(found.sentences[1].split()[-2]) / 100 - nonsense) < 0.01
    chances = np.array(law(player.thetas[0]), float)
    scores = [sum(p * morra.result(a, b) / 2 for b, p in enumerate(chances)) for a in range(66)]
    best = int(np.argmax(scores))
    assert f"is to {morra.label(best)}; it scores {scores[best]:.6f}," in found.sentences[2]
    assert "exactly 0" in said(of("morra", "equilibrium"))


# Nim


def test_nim_keeps_wins_and_meets_the_perfect_player_as_in_real_games():
    game = known_game("nim")
    for player in (fixed_baseline(game, 2), find_policy(game, "exact"), find_policy(game, "perfect")):
        found = explain(game, player, 1)
        scores = PolicyMatch(game, player, find_policy(game, "perfect")).scores(1, 0, 1)[0] / 2
        first, second = (f"{100 * score:.1f} % moving" for score in scores)
        assert f"{first} first" in found.sentences[2] and f"{second} second" in found.sentences[2]
        record, _ = record_game(game, player, find_policy(game, "uniform"), 1, 1)
        assert found.sentences[1].endswith(f": {nim.label(record[0])}.")
    theta = fixed_baseline(game, 2).thetas[0]
    assert nim.describe(theta) in said(explain(game, fixed_baseline(game, 2), 1))
    assert "335 of 335" in said(of("nim", "perfect")) and not of("nim", "perfect").tables


# The games of permutations


def test_orders_and_best_replies_are_numbered_boards_with_exact_scores():
    game = known_game("permutation-ttt")
    found = of("permutation-ttt", "best-vs-random")
    assert found.pictures[0].lines == ("8 2 5", "9 1 7", "4 3 6")
    assert column(found.tables[0], "as a fraction") == ["707/768", "611/945", "379121/483840"]
    assert "exploitability 1/2" in said(found) and "draws" not in said(found)
    boards = [np.array(picture.grid).reshape(-1) for picture in found.pictures[2:]]
    challenger = vector_policy(game, np.concatenate(boards))
    assert exact_score(game, challenger, find_policy(game, "best-vs-random")) == 1
    first, second = replies(find_policy(game, "best-vs-random"))
    assert challenger.theta == tuple(rank + 1 for rank in ranks(first.cells, second.cells))
    assert "exploitability 0" in said(of("permutation-ttt", "equilibrium"))


def test_columns_of_permutation_four_are_those_of_a_game_and_scores_those_of_random_players():
    game = known_game("permutation-four")
    player = fixed_baseline(game, 4)
    orders, scores = explain(game, player, 1).tables
    record, _ = record_game(game, player, fixed_baseline(game, 9), 1, 1)
    assert [int(word) for word in orders.rows[0][2].split()][:6] == [action + 1 for action in record[:6]]
    assert orders.rows[0][1] == record[0] + 1
    simulated = PolicyMatch(game, player, redrawn_baseline(game)).scores(77, 0, 20_000).mean(axis=0) / 2
    for (_, _, interval, games_played), mean in zip(scores.rows, simulated, strict=True):
        low, high = map(float, interval.split(" to "))
        assert low < mean < high and games_played == 2000


# Battleship


@pytest.mark.parametrize("name", ["border", "hunter"])
def test_heat_maps_of_battleship_are_those_of_simulated_games(name):
    game, many = known_game("battleship"), 400
    player, found = find_policy(game, name), of("battleship", name)
    covered, shots = np.zeros(81), np.zeros(81)
    for number in range(many):
        record = _opening_of_battleship(game, player, number)
        for action in record[:4]:
            covered[battleship.PLACEMENTS[action - 81]] += 1
        shots[record[8]] += 1
    classes = battleship.CLASS
    for picture, counted in zip(found.pictures, (covered, shots), strict=False):
        drawn = np.array(picture.grid).reshape(-1)
        expected = (np.bincount(classes, counted) / np.bincount(classes))[classes] / many
        assert np.abs(drawn - expected).max() < 0.08 and abs(drawn.sum() - expected.sum()) < 1e-9
    assert abs(np.array(found.pictures[0].grid).sum() - 14) < 1e-9


def _opening_of_battleship(game, player, number):
    """Both fleets and the first shot, by the rules and the player's own choices."""
    plan, stream, record, state = (
        player.plan,
        np.array([1000 + number], np.uint64),
        [],
        next(replay(game, [])).state,
    )
    for _ in range(9):
        seen = view_of(game, state, int(game.rules.mover(state)))
        record.append(int(player.strategy.choose(seen, actions_in(game, state), plan, stream)))
        game.rules.apply(state, record[-1])
    return record


def test_the_placements_of_the_longest_ship_have_their_exact_shares():
    """The first ship is drawn by a softmax over its 90 placements alone."""
    game = known_game("battleship")
    theta = np.array(game.policies["border"])
    weights = np.array([np.exp(theta[battleship.CLASS[squares]].mean()) for squares in battleship.PLACEMENTS[:90]])
    weights /= weights.sum()
    rows = [row for row in of("battleship", "border").tables[0].rows if row[0] == 5]
    for _, place, images, share in rows:
        first = next(i for i in range(90) if battleship.label(81 + i) == f"ship {place}")
        low, high = (float(word) for word in share[share.index("(") + 1 : -1].split(" to "))
        assert low / 100 <= images * weights[first] <= high / 100
    assert FLEETS == 4000 and len(rows) == 3


# Cheat, Flip, four in a row


def test_lies_and_calls_have_the_shares_of_noisy_values():
    """By NumPy's own noise on the values of the kernel."""
    game = known_game("cheat")
    theta = 0.1 * fixed_baseline(game, 8).thetas[0]  # small, so that noise decides
    rng = np.random.default_rng(1)
    table = explain(game, vector_policy(game, theta), 1).tables[0]
    for situation, row in zip(SITUATIONS, table.rows, strict=True):
        state = position(game, situation)
        seen, actions = view_of(game, state, 0), actions_in(game, state)
        assert state[cheat.HAND : cheat.LAID + 8].sum() == 52 and state[cheat.HAND : cheat.LAID + 8].min() >= 0
        values = np.empty(cheat.CALL + 1)
        if seen[cheat.SEEN_COLOUR] >= 0:
            cheat.weigh_round(theta, seen, sum(situation.hand), int(state[cheat.LAID :].sum()), values)
        else:
            cheat.weigh_openings(theta, seen, sum(situation.hand), values)
        best = actions[(values[actions] + 0.1 * rng.standard_normal((40_000, len(actions)))).argmax(axis=1)]
        for text, share in zip(
            row[4:], ((best == 0).mean(), ((best > 0) & (best < 4)).mean(), (best == 4).mean()), strict=True
        ):
            assert abs(float(text.split()[0]) / 100 - share) < 0.03
    assert view_of(game, opening(game), 0)[cheat.SEEN_OTHER] == 26


def test_the_terms_of_cheat_are_the_largest_ones_that_decide_something():
    theta = [0.0] * 28
    theta[cheat.PARAMETERS.index("1 x other's hand")] = 99.0  # the same for every action
    theta[cheat.PARAMETERS.index("pile x call")] = -3.0
    theta[cheat.PARAMETERS.index("own hand x lie")] = 2.0
    text = " ".join(of("cheat", theta).sentences[1:])
    assert "calling: -3 pile x call." in text and "lying: +2 own hand x lie." in text and "99" not in text
    assert "calls cheat" in said(of("cheat", "never_lose"))
    assert column(of("cheat", "never_lose").tables[0], "calls")[-1].startswith("100.0 %")


def test_flip_prefers_what_has_the_highest_value_by_its_own_rules():
    game = known_game("flip")
    player = find_policy(game, "blocking")
    found, state = explain(game, player, 1), sample(game, 1)
    actions = actions_in(game, state)
    assert len(actions) >= 4
    kept = [row for row in found.tables[-1].rows if row[2] == "chosen"]
    chosen = next(int(a) for a in actions if flip.label(int(a)) == kept[0][0])
    who = int(game.rules.mover(state))
    left = {}
    for action in actions.tolist():  # `blocking` leaves the other the fewest plays
        after = state.copy()
        after[flip.PILE + action % 2] = action // 2
        piles = after[flip.PILE : flip.PILE + 2]
        cards = after[flip.OPEN + 8 * (1 - who) : flip.OPEN + 8 * (2 - who)]
        left[action] = sum(int(cards[(pile + step) % 8]) for pile in piles for step in (-1, 1))
    assert left[chosen] == min(left.values())
    assert coefficients(player.thetas[0]) == [("other plays", -1.0)]


def test_the_opening_of_four_in_a_row_is_that_of_its_games():
    game = known_game("four-in-a-row-4x5")
    player = fixed_baseline(game, 6)
    found = explain(game, player, 1)
    first = Counter(record_game(game, player, player, 5, number)[0][0] for number in range(400))
    for move, share, _ in found.tables[0].rows:
        assert abs(float(share.split()[0]) / 100 - first[int(move.split()[1]) - 1] / 400) < 0.09
    theta = player.thetas[0]
    weights = np.exp(theta[:5]) / np.exp(theta[:5]).sum()
    assert np.allclose([row[0] for row in found.pictures[0].grid], weights)
    assert {row[2] for row in of("four-in-a-row-4x5", "even").tables[0].rows} <= {"drawn", "lost"}


# Mixtures


def test_a_mixture_lists_its_members_and_explains_the_heaviest():
    game = known_game("pig")
    mixed = explain(game, mixture_policy(game, np.array([[0.0], [2.5], [1.0]]), (1, 5, 2)), 1)
    assert column(mixed.tables[0], "weight") == ["62.5 %", "25.0 %", "12.5 %"]
    assert "member 2 holds as soon as a turn has 25 points." in mixed.sentences
    turns = explain(game, policies_in_turn(game, np.array([[0.0], [2.5]])), 1)
    assert "in turn" in turns.sentences[0] and "member 1 holds as soon as a turn has 20 points." in turns.sentences


def test_the_exploitability_of_a_mixture_is_that_of_the_whole():
    game = known_game("permutation-ttt")
    thetas = np.vstack([fixed_baseline(game, seed).thetas for seed in range(3)])
    found = explain(game, mixture_policy(game, thetas, (1, 1, 1)), 1)
    assert "not what it draws" in found.sentences[1] and "exploitability 1/2" in found.sentences[-1]


# The command line


def test_the_answer_of_explain_has_the_documented_keys(answer):
    found = answer("explain", "pig", "-1.5")
    assert sorted(found) == ["game", "pictures", "player", "seed", "sentences", "tables", "theta"]
    assert found["theta"] == [-1.5] and "17 points" in found["sentences"][0]
    assert all(f"`{key}`" in DOCUMENTED for key in found)


def test_people_read_sentences_tables_and_pictures(fogspiel):
    told = fogspiel("explain", "morra", "equilibrium")
    assert told.returncode == 0
    assert all(part in told.stdout for part in ("exploitability is exactly 0", "shows them", "scale: ' .:-=+*#%@'"))


def test_a_tuning_run_and_a_parameter_file_are_explained(answer, tmp_path):
    answer("tune", "pig", "--games", 400, "--report-games", 200)
    found = answer("explain", "pig-1")
    assert found["player"] == "pig-1" and found["game"] == "pig"
    assert answer("explain", "pig", "pig-1") == found
    file = tmp_path / "theta.json"
    file.write_text(json.dumps({"game": "pig", "theta": found["theta"]}))
    assert answer("explain", "pig", file)["tables"][0]["rows"] == found["tables"][0]["rows"]


def test_solved_runs_and_games_are_still_explained_by_their_certificates(fogspiel):
    assert fogspiel("solve", "rps-half").returncode == 0
    for words in (("rps-half",), ("rps-half-1",), ("rps-half", "rps-half-1")):
        told = fogspiel("explain", *words)
        assert told.returncode == 0 and "rock 2/5" in told.stdout


def test_what_cannot_be_explained_gets_one_sentence(refused):
    for words, parts in {
        ("cheat",): ("cheat is not solved", "never_lose", "28 numbers"),
        ("pig", "nobody"): ("'nobody' is not a player of pig", "hold20"),
        ("pig", "1,2"): ("pig takes 1 parameters",),
        ("pgi", "hold20"): ("no game 'pgi'", "pig"),
        ("pig-7",): ("pig-7",),
        ("missing.json",): ("cannot be read",),
        ("missing.json", "hold20"): ("give a game before a strategy",),
        ("kuhn", "fixed"): ("kuhn has no parametric strategy",),
    }.items():
        refused("explain", *words, because=parts)
