"""The engine fog: its evaluation and ranking on hand-made cases, its file of weights, and whole games."""

import io
from zipfile import ZIP_DEFLATED, ZipFile

import numpy as np
import pytest

from fogspiel.core.rng import stream_of
from fogspiel.games.chess.fen import parse_move
from fogspiel.games.chess.position import POSITION
from fogspiel.games.chess.search import material_score
from fogspiel.kriegspiel.beliefs.reply_policy import CELLS
from fogspiel.kriegspiel.engine import SearchLimit, find_engine
from fogspiel.kriegspiel.engines.fog import Fog, belief_size
from fogspiel.kriegspiel.engines.sampling import Greedy, Random
from fogspiel.kriegspiel.game import RULE_SETS
from fogspiel.kriegspiel.parameters import (
    MAX_BYTES,
    SHIPPED,
    FogParameters,
    FogWeights,
    read_fog_weights,
    write_fog_weights,
)
from fogspiel.kriegspiel.referee import HouseRules, Referee, play_game
from fogspiel.kriegspiel.search.gain_tables import ILLEGAL, MAX, ThreatEvaluator, rank_attempts

pytestmark = pytest.mark.thorough

LITTLE = SearchLimit(nodes=100)
TINY = FogParameters(boards=300, variants=40)
"""A small belief, so that whole games take moments."""


def make_fog(seed, effort=LITTLE, **given):
    return Fog(effort, stream_of(seed), parameters=TINY, **given)


# Ranking


def rank(gains, weights=None, costs=None, doubt=2.0, probing=0.0):
    """The order of attempts by a table of gains, None where they are illegal, and whether any is known to be legal."""
    table = np.array([[ILLEGAL if gain is None else gain for gain in row] for row in gains], np.int32)
    given = np.full(len(gains), 100.0) if weights is None else np.array(weights, float)
    ranks = np.empty(table.shape[1])
    any_legal = rank_attempts(table, given, np.array(costs or [0] * table.shape[1], float), doubt, probing, ranks)
    return np.argsort(-ranks).tolist(), any_legal


def test_an_attempt_that_is_best_wherever_it_is_legal_comes_first():
    gains = [[-100, -200, -150], [None, 300, 0], [None, 300, 0]]
    means = [np.mean([row[a] for row in gains if row[a] is not None]) for a in range(3)]
    assert means[1] > means[0]
    order, known = rank(gains)
    assert known and order[0] == 0


def test_boards_that_weigh_more_count_more():
    gains = [[100, 0], [0, 50]]
    assert rank(gains)[0] == [0, 1]
    assert rank(gains, [10, 90])[0] == [1, 0]


def test_of_equal_attempts_the_one_that_is_refused_more_often_comes_first():
    gains = [[10, 10, -50], [10, None, -50]]
    assert rank(gains, probing=5.0)[0][0] == 1
    gains = [[10, None, -50], [10, 10, -50], [None, None, 0]]
    assert rank(gains, probing=5.0)[0][0] == 1


def test_what_an_attempt_costs_counts():
    gains = [[30, 20], [30, 20]]
    assert rank(gains)[0] == [0, 1]
    assert rank(gains, costs=[40, 0])[0] == [1, 0]


def test_nothing_is_known_to_be_legal_on_no_board_or_where_everything_is_refused():
    assert not rank([[None, None], [None, None]])[1]
    assert not rank_attempts(np.empty((0, 2), np.int32), np.empty(0), np.zeros(2), 2.0, 5.0, np.empty(2))


# Evaluation


def gains_on(fen, names, **parameters):
    """What attempts gain on a board, and what its men are worth for the mover."""
    learned, board = read_fog_weights(), Referee(fen).state[None, :POSITION].copy()
    evaluator = ThreatEvaluator(FogParameters(**parameters), learned.worths)
    attempts = np.array(sorted(map(parse_move, names), key=lambda move: move % 64), np.int64)
    gains = np.empty((1, len(names)), np.int32)
    evaluator.evaluate(board, attempts, gains)
    men = fen.partition(" ")[0]
    table = evaluator.tables[sum(sum(map(str.isalpha, men)) < most for most in (24, 12))]
    worth = material_score(board[0], table) * (1 if " w " in fen else -1)
    found = dict(zip(attempts.tolist(), gains[0].tolist(), strict=True))
    return {name: found[parse_move(name)] for name in names}, worth


def test_mate_is_the_greatest_gain_and_stalemate_costs_all_that_was_ahead():
    gains, worth = gains_on("7k/8/5KQ1/8/8/8/8/8 w - - 0 1", ["f6f7", "g6g7", "g6b1", "g6h8"])
    assert gains["g6g7"] == MAX
    assert worth > 400 and gains["f6f7"] == -worth
    assert gains["g6h8"] == ILLEGAL
    assert -worth < gains["g6b1"] < MAX


def test_black_is_evaluated_as_white_is():
    names = ["f6f7", "g6g7", "g6b1"]
    turned = [name.translate(str.maketrans("12345678", "87654321")) for name in names]
    white, worth = gains_on("7k/8/5KQ1/8/8/8/8/8 w - - 0 1", names)
    black, same = gains_on("8/8/8/8/8/5kq1/8/7K b - - 0 1", turned)
    assert worth == same and list(black.values()) == list(white.values())


def test_a_queen_that_can_be_taken_costs_what_is_lost():
    fen = "1r1qkb1r/p1pppppp/1pn5/3Q4/8/8/PPPP1PPP/RNB1KBNR w KQk - 0 1"  # a knight can take the queen on e5
    gains, _ = gains_on(fen, ["d5e5", "d5d3"], threat=0.0)
    assert gains["d5e5"] < -300 < gains["d5d3"]


def test_a_threat_counts_as_far_as_the_parameter_says():
    fen = "4k3/8/8/3q4/8/8/8/RN2K3 w - - 0 1"  # the knight attacks the queen
    without, half = (gains_on(fen, ["b1c3"], threat=threat)[0]["b1c3"] for threat in (0.0, 0.5))
    assert half > without + 100


# The file of weights


def zipped(**parts):
    """The bytes of an archive of these parts."""
    made = io.BytesIO()
    with ZipFile(made, "w", ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(f"{name}.npy", content)
    return made.getvalue()


def saved(**arrays):
    """The bytes of a file of arrays."""
    made = io.BytesIO()
    np.savez_compressed(made, **arrays)
    return made.getvalue()


def header(shape):
    """The beginning of an array of this shape, without its numbers."""
    made = io.BytesIO()
    np.lib.format.write_array_header_1_0(made, {"descr": "<f4", "fortran_order": False, "shape": shape})
    return made.getvalue()


def one_array():
    made = io.BytesIO()
    np.save(made, np.zeros(CELLS, np.float32))
    return made.getvalue()


REPLIES, WORTHS = np.zeros(CELLS, np.float32), np.full((3, 6), 100, np.float32)
OVERFLOW = np.full(CELLS, 1000, np.float32)
WRONG = {
    "empty": b"",
    "text": b"replies, worths\n" * 10,
    "broken archive": SHIPPED.read_bytes()[:-40],
    "one array": one_array(),
    "other arrays": saved(model=REPLIES),
    "one is missing": saved(replies=REPLIES),
    "other shapes": saved(replies=REPLIES[:-1], worths=WORTHS),
    "other numbers": saved(replies=REPLIES.astype(int), worths=WORTHS),
    "not a number": saved(replies=REPLIES * np.nan, worths=WORTHS),
    "infinite": saved(replies=REPLIES, worths=WORTHS * np.inf),
    "too great": saved(replies=OVERFLOW, worths=WORTHS),
    "objects": saved(replies=np.array([{}, []], object), worths=WORTHS),
    "too large": saved(replies=REPLIES, worths=WORTHS, more=np.random.default_rng(1).random(MAX_BYTES // 4)),
    "large when unpacked": saved(replies=np.zeros(CELLS * 1000, np.float32), worths=WORTHS),
    "a huge shape": zipped(replies=header((1 << 40,)), worths=header((3, 6))),
    "a broken header": zipped(replies=header((CELLS,)).replace(b"}", b"{"), worths=header((3, 6))),
    "not arrays": zipped(replies=b"numbers", worths=b"numbers"),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_file_is_one_sentence(what, tmp_path):
    path = tmp_path / "wrong.npz"
    path.write_bytes(WRONG[what])
    with pytest.raises(ValueError, match="has no weights of the engine fog: name a file") as error:
        read_fog_weights(path)
    assert "\n" not in str(error.value)


def test_a_wrong_file_is_refused_before_anything_is_written(tmp_path, refused):
    (tmp_path / "wrong.npz").write_bytes(b"nonsense")
    for path, because in (
        (tmp_path / "wrong.npz", "has no weights of the engine fog"),
        (tmp_path / "nowhere.npz", "there is no file"),
        (tmp_path, "there is no file"),
    ):
        refused("kriegspiel", "match", f"fog:{path}", "random", because=because)
    refused("kriegspiel", "match", "fog:", "random", because="nothing behind its colon")
    assert not (tmp_path / "runs.db").exists()


def test_weights_are_written_and_read_again(tmp_path):
    learned, path = read_fog_weights(), tmp_path / "copy.npz"
    write_fog_weights(learned, path)
    found = read_fog_weights(path)
    assert all((one == other).all() for one, other in zip(found, learned, strict=True))
    with np.load(path) as kept:
        assert sorted(kept) == ["replies", "worths"]
    with pytest.raises(ValueError, match="cannot be written"):
        write_fog_weights(learned, tmp_path / "no" / "copy.npz")


def test_the_weights_of_the_package_are_small_and_sensible():
    assert SHIPPED.stat().st_size < 20_000
    worths = read_fog_weights().worths
    assert (worths[:, 0] == 100).all() and (worths[:, 4] > worths[:, 3]).all() and (worths[:, 1:5] > 100).all()


def test_an_engine_has_the_weights_of_a_file(tmp_path, answer):
    learned, path = read_fog_weights(), tmp_path / "other.npz"
    write_fog_weights(FogWeights(learned.replies * 0, learned.worths), path)
    assert (find_engine(f"fog:{path}")(LITTLE, stream_of(1)).belief.policy == 1).all()
    words = ("kriegspiel", "match", f"fog:{path}@50n", "random", "--games", 2, "--max-plies", 12, "--processes", 1)
    assert answer(*words)["games"] == 2


# Games


@pytest.mark.parametrize("effort", [SearchLimit(nodes=300), SearchLimit(nodes=2000)])
def test_a_seed_fixes_the_game_and_threads_do_not_matter(effort):
    def record(threads):
        player = Fog(SearchLimit(nodes=effort.nodes, threads=threads), stream_of(1))
        return play_game((player, Greedy(LITTLE, stream_of(2))), Referee(), 24).record

    assert record(1) == record(1) == record(2)


@pytest.mark.parametrize("name", RULE_SETS)
def test_a_whole_game_is_played_by_every_rule_set(name):
    for seed, turned in enumerate((1, -1)):
        players = (make_fog(seed), Random(LITTLE, stream_of(3, seed)))[::turned]
        umpire = play_game(players, Referee(switches=HouseRules.usual(name)), 600)
        assert umpire.forfeit is None and (umpire.over or umpire.plies == 600)


@pytest.mark.slow
@pytest.mark.parametrize("name", RULE_SETS)
def test_whole_games_with_full_beliefs_are_played_by_every_rule_set(name):
    for seed in range(6):
        players = (Fog(SearchLimit(nodes=3000), stream_of(seed)), Greedy(LITTLE, stream_of(3, seed)))
        umpire = play_game(players[:: -1 if seed % 2 else 1], Referee(switches=HouseRules.usual(name)), 1000)
        assert umpire.forfeit is None and (umpire.over or umpire.plies == 1000)


@pytest.mark.thorough
def test_fog_beats_a_random_player():
    scores = [
        play_game((make_fog(seed), Random(LITTLE, stream_of(4, seed))), Referee(), 600).payoff_index for seed in (0, 1)
    ]
    assert sum(scores) >= 3


@pytest.mark.parametrize(
    "fen",
    [
        "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1",
        "4k3/4p3/8/8/8/8/8/4K2Q b - - 0 1",
        "7k/8/8/8/8/8/R7/1R4K1 w - - 3 40",
        "r3k2r/pPp2ppp/8/3pP3/4p3/8/PPPP1PpP/R3K2R w KQkq d6 0 9",
        "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1",
    ],
)
def test_a_game_may_begin_in_the_middle(fen):
    players = make_fog(1), make_fog(2)
    assert play_game(players, Referee(fen), 30).plies > 1


def test_equal_views_give_equal_attempts():
    """Black's men stand elsewhere, but nothing that White tries or hears tells so."""
    fens = "r3k3/p7/8/8/8/8/PP4PP/4K3 w - - 0 5", "4k2r/7p/8/8/8/8/PP4PP/4K3 w - - 0 5"
    umpires, engines = [Referee(fen) for fen in fens], [make_fog(5) for _ in fens]
    for engine in engines:
        engine.begin(0)
    turns = 0
    while umpires[0].view(0).tobytes() == umpires[1].view(0).tobytes() and turns < 12:
        tried = [engine.choose(umpire.view(0), umpire.actions) for engine, umpire in zip(engines, umpires, strict=True)]
        assert tried[0] == tried[1]
        assert engines[0].belief.boards.tobytes() == engines[1].belief.boards.tobytes()
        answers = [umpire.attempt(tried[0]).accepted for umpire in umpires]
        if not all(answers):
            break
        for umpire in umpires:
            umpire.attempt("e8d8" if umpire.plies % 4 == 1 else "d8e8")
        turns += 1
    assert turns >= 3


def test_under_berkeley_rules_it_does_not_matter_what_was_taken():
    tried = []
    for fen in ("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", "4k3/8/8/3n4/4P3/8/8/4K3 w - - 0 1"):
        umpire, engine = Referee(fen, HouseRules.usual("berkeley")), make_fog(6)
        engine.begin(0)
        engine.follow(umpire.view(0), parse_move("e4d5"))
        umpire.attempt("e4d5")
        umpire.attempt("e8e7")
        tried.append(engine.choose(umpire.view(0), umpire.actions))
    assert tried[0] == tried[1]


def test_nodes_are_counted_and_hardly_exceeded():
    umpire, engine = Referee(), Fog(SearchLimit(nodes=1000), stream_of(1))
    engine.begin(0)
    engine.choose(umpire.view(0), umpire.actions)
    assert 0 < engine.nodes <= 1000 + 480


def test_a_belief_grows_with_the_effort_up_to_a_limit():
    usual, efforts = (
        FogParameters(),
        (SearchLimit(nodes=1), SearchLimit(0.05), SearchLimit(0.1), SearchLimit(0.4), SearchLimit(10.0)),
    )
    sizes = [belief_size(effort, usual) for effort in efforts]
    assert [size.most / usual.boards for size in sizes] == [0.2, 0.5, 1, 4, 4]
    assert max(size.variants for size in sizes) == usual.variants
