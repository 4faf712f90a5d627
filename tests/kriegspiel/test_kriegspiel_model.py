"""The opponent's model: how it is learned from stored games, and how engines are told to use one."""

import json

import numpy as np
import pytest
from support.commands import documented_keys

from fogspiel.core.game import known_game
from fogspiel.core.rng import stream_of
from fogspiel.games.chess.bitboards import KING, PAWN
from fogspiel.games.chess.position import MEN
from fogspiel.kriegspiel import match as bouts
from fogspiel.kriegspiel.beliefs.probability_matrices import PAWNS
from fogspiel.kriegspiel.engine import SearchLimit, Straying, find_engine, parse_engine
from fogspiel.kriegspiel.engines.mcts import ApproachA
from fogspiel.kriegspiel.match import code_of
from fogspiel.kriegspiel.parameters import (
    AT_HOME,
    GENERIC,
    LATEST,
    SHAPE,
    attraction_of,
    change_of,
    count_placements,
    find_model,
    habits_of,
    model_of,
    read_model,
    write_model,
)
from fogspiel.kriegspiel.pgn import read_pgn
from fogspiel.kriegspiel.referee import Referee, play_game
from fogspiel.kriegspiel.training import Training, train
from fogspiel.runs import agent_parser

pytestmark = pytest.mark.thorough

E4, E5 = 28, 36
SCHOLAR = "1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# 1-0"
SMALL = ("--engines", "greedy", "--nodes", 1, "--games", 6, "--processes", 1)
TWO = ("--engines", "greedy,random", *SMALL[2:])


@pytest.fixture
def model():
    return model_of(count_placements(read_pgn(SCHOLAR)[0].record))


def test_the_first_move_of_a_model_leads_from_home(model):
    attraction = attraction_of(model, 0, 0, 1.0)
    assert attraction[PAWNS].argmax() == E4 and attraction[PAWNS, E4] > 5 > 1 > attraction[PAWNS, 12]
    assert np.allclose(attraction.mean(axis=1), 1, atol=1e-5)
    assert AT_HOME[0, PAWN].sum() == 8 and AT_HOME[1, KING].argmax() == 60


def test_without_a_model_or_beyond_it_all_squares_are_alike(model):
    assert (attraction_of(None, 0, 0, 1.0) == 1).all() and (attraction_of(model, 0, LATEST, 1.0) == 1).all()
    assert (habits_of(None, 0, 0) == 1).all() and (habits_of(model, 0, LATEST) == 1).all()
    assert habits_of(model, 1, 0)[PAWNS].argmax() == E5 or habits_of(model, 1, 0)[PAWNS, E5] > 1


def test_men_of_one_colour_can_be_counted_alone():
    record = read_pgn(SCHOLAR)[0].record
    white, both = count_placements(record, (0,)), count_placements(record)
    assert (white[0] == both[0]).all() and white[1].sum() == 0 < both[1].sum()


def test_the_change_of_a_model_is_the_share_of_men_that_stand_elsewhere(model):
    other = model.copy()
    other[0, KING, 5] = 0
    other[0, KING, 5, 3] = 1
    assert change_of(model, model) == 0
    assert 0 < change_of(model, other) < 1.1 / model.sum()
    assert change_of(model, model[..., ::-1]) > 0.9


def test_the_model_of_the_package_is_small_and_knows_the_opening():
    generic = read_model(GENERIC)
    assert GENERIC.stat().st_size < 200_000 and generic.shape == SHAPE
    assert np.allclose(generic[:, KING].sum(axis=-1), 1, atol=0.01)
    assert generic[0, KING, 0, 4] > 0.9 > generic[0, KING, 20, 4]
    assert (find_model("generic") == generic).all() and find_model("none") is None


@pytest.mark.parametrize("content", [b"", b"nonsense", b"PK\x03\x04 broken"])
def test_a_bad_file_is_one_sentence(content, tmp_path, refused):
    path = tmp_path / "bad.npz"
    path.write_bytes(content)
    refused("kriegspiel", "match", f"C:{path}", "random", because="is not a model that `fogspiel kriegspiel learn`")
    assert not (tmp_path / "runs.db").exists()


def test_a_file_with_other_numbers_is_refused(model, tmp_path):
    path = tmp_path / "other.npz"
    np.savez_compressed(path, model=model[:1])
    with pytest.raises(ValueError, match="has the shape"):
        read_model(path)
    with pytest.raises(ValueError, match="chances that are none"):
        read_model(write_model(model - 2, path))


def test_words_say_which_model_an_engine_has(model, tmp_path):
    path = write_model(model, tmp_path / "m@1.npz")
    effort = SearchLimit(nodes=1)
    for name in ("A", "B1", "C"):
        assert find_engine(f"{name}:none")(effort, stream_of(1)).model is None
        assert np.allclose(find_engine(f"{name}:{path}")(effort, stream_of(1)).model, model, atol=1e-3)
        assert find_engine(f"stray-{name}:generic")(effort, stream_of(1)).engine.model.shape == SHAPE
    assert parse_engine(f"C:{path}") == (f"C:{path}", SearchLimit(seconds=0.1))
    assert parse_engine(f"C:{path}@5n") == (f"C:{path}", SearchLimit(nodes=5))
    codes = {code_of(words) for words in ("C:none", "C:generic", f"C:{path}")}
    assert len(codes) == 3 and code_of("stray-C:none") in codes


def test_wrong_words_are_one_sentence(refused):
    for words, because in (
        ("C:", "nothing behind its colon"),
        ("greedy:none", "in one way only"),
        ("C:nowhere.npz", "there is no file nowhere.npz"),
        ("C@fast:none", "NAME@0.4s"),
        ("stray-D", "no Kriegspiel engine 'D'"),
        ("hs:stockfish", "hs:uci=COMMAND"),
    ):
        refused("kriegspiel", "match", words, "random", because=because)


def test_whoever_plays_on_a_page_can_neither_open_files_nor_start_programs(tmp_path):
    game = known_game("kriegspiel")
    for words in (
        "hs:uci=touch x",
        "hs:uci=touch x@1n",
        "C:/etc/passwd",
        "fog:/etc/passwd",
        "hs@1n:uci=touch x",
        "hs@1n:uci=x@1n",
    ):
        with pytest.raises(ValueError):
            agent_parser.parse_agent(game, words, tmp_path / "runs.db", 1)


class Steady:
    """Takes the first action, and remembers what it was told to have done."""

    def __init__(self, effort, stream):
        self.told = []

    def begin(self, side):
        self.told.clear()

    def choose(self, seen, actions):
        return actions[0]

    def follow(self, seen, action):
        self.told.append(action)


def test_who_strays_does_so_in_a_fifth_of_the_first_moves_and_remembers_it():
    strayed = 0
    for number in range(40):
        player = Straying(Steady, SearchLimit(nodes=1), stream_of(number))
        umpire = play_game((player, find_engine("random")(SearchLimit(nodes=1), stream_of(number, 1))), Referee(), 60)
        assert umpire.plies
        strayed += bool(player.engine.told)
    assert 25 <= strayed <= 40  # all but 0.8 ** 8, a sixth, stray at least once


def test_a_model_is_learned_in_rounds_of_stored_games(answer, fogspiel, tmp_path):
    output = tmp_path / "model.npz"
    found = answer("kriegspiel", "learn", *SMALL, "--rounds", 2, "--output", output)
    assert found["games"] == 12 and len(found["rounds"]) == 2 and found["bytes"] == output.stat().st_size
    assert found["rounds"][0]["change"] is None and 0 < found["rounds"][1]["change"] < 1
    assert not found["settled"] and found["runs"] == ["kriegspiel-1", "kriegspiel-2"] and found["seed"] == 1
    assert read_model(output).shape == SHAPE
    assert found.keys() | found["rounds"][0].keys() <= documented_keys("kriegspiel learn")
    shown = fogspiel("kriegspiel", "learn", *SMALL, "--rounds", 1, "--output", output)
    assert "round 0: 6 games so far" in shown.stderr and "bytes from 6 games" in shown.stdout


def test_a_model_of_one_opponent_and_one_without_it_recall_the_games_of_all(answer, tmp_path):
    models = {}
    for name, words in {"all": (), "one": ("--against", "random"), "rest": ("--without", "random")}.items():
        output = tmp_path / f"{name}.npz"
        answer("kriegspiel", "learn", *TWO, "--rounds", 1, "--output", output, *words)
        models[name] = read_model(output)
    assert change_of(models["one"], models["rest"]) > change_of(models["one"], models["all"]) > 0


def test_an_interrupted_lesson_says_how_to_go_on_and_ends_with_the_same_bytes(fogspiel, tmp_path, monkeypatch):
    seen, elo_of_pairs = [], bouts.elo_of_pairs

    def interrupt(rows):
        seen.append(rows)
        if len(seen) == 3:
            raise KeyboardInterrupt
        return elo_of_pairs(rows)

    files = [tmp_path / name for name in ("whole.npz", "cut.npz")]
    words = ("kriegspiel", "learn", *SMALL, "--rounds", 1, "--output")
    fogspiel(*words, files[0], "--store", tmp_path / "other.db")
    monkeypatch.setattr(bouts, "elo_of_pairs", interrupt)
    stopped = fogspiel(*words, files[1], "--json")
    body = json.loads(stopped.stdout)
    assert stopped.returncode == 130 and body["state"] == "interrupted"
    assert body["resume"].startswith("fogspiel kriegspiel learn --engines greedy ") and not files[1].exists()
    monkeypatch.setattr(bouts, "elo_of_pairs", elo_of_pairs)
    assert fogspiel(*words, files[1]).returncode == 0
    assert files[0].read_bytes() == files[1].read_bytes()


def test_a_lesson_that_cannot_be_given_is_one_sentence_and_writes_nothing(refused, tmp_path):
    learn = ("kriegspiel", "learn")
    refused(*learn, "--games", 0, because="--games is 0")
    refused(*learn, "--rounds", 0, because="--rounds is 0")
    refused(*learn, "--output", "model.txt", because="ends with .npz")
    refused(*learn, "--output", tmp_path / "nowhere" / "m.npz", because="there is no folder")
    refused(*learn, "--against", "hs", because="must be one of minimax")
    refused(*learn, "--without", "hs", because="must be one of minimax")
    refused(*learn, "--against", "C", "--without", "C", because="nobody to count")
    refused(*learn, "--engines", "C,,minimax", because="no Kriegspiel engine ''")
    assert not (tmp_path / "runs.db").exists()


@pytest.mark.slow
def test_the_next_round_is_played_with_what_the_last_has_taught(tmp_path):
    training = Training(("greedy", "C"), SearchLimit(nodes=30), 12, 2, tmp_path / "model.npz")
    words = []

    def play(match):
        words.append(match.names)
        return [[job() for job in match.jobs(meeting)] for meeting in match.meetings]

    taught = list(train(training, play))
    assert "C:none (30 nodes)" in words[0] and f"C:{tmp_path / 'model-0.npz'} (30 nodes)" in words[1]
    assert len(taught) == 2 and taught[1].change > 0 and taught[1].games == 24


@pytest.mark.slow
def test_the_model_of_the_package_sharpens_the_belief_in_the_opening():
    """Log-loss of "a man of his stands here" over the squares that are not ours, at White's moves 4 to 20."""
    effort, losses = SearchLimit(nodes=300), {"none": [], "generic": []}
    for number in range(24):
        umpire = Referee()
        players = [find_engine("minimax")(effort, stream_of(900 + number, side)) for side in (0, 1)]
        seers = {name: ApproachA(effort, stream_of(1), model=find_model(name)) for name in losses}
        for side, player in enumerate(players):
            player.begin(side)
        for seer in seers.values():
            seer.begin(0)
        while umpire.plies < 40 and not umpire.over:
            seen = umpire.view(umpire.mover)
            action = players[umpire.mover].choose(seen, umpire.actions)
            if umpire.mover == 0:
                own, his = (int(umpire.state[MEN + colour]) for colour in (0, 1))
                for name, seer in seers.items():
                    seer.follow(seen, action)
                    chances = np.clip(seer.prob.sum(axis=0), 0.01, 0.99)
                    losses[name] += [
                        -np.log(chances[square] if his >> square & 1 else 1 - chances[square])
                        for square in range(64)
                        if umpire.plies >= 8 and not own >> square & 1
                    ]
            umpire.attempt(action)
    assert np.mean(losses["generic"]) < 0.98 * np.mean(losses["none"])
