"""Plug-in folders lie over the package: a file dropped there is found, and nothing else is looked into."""

import pickle
import subprocess
import sys
from pathlib import Path

import pytest
from support.own_game import OWN_RPS as OWN

import fogspiel
from fogspiel.core import plugins
from fogspiel.core.compile.cache import digest_of, reachable_files
from fogspiel.core.game import known_game, list_games

PACKAGE = Path(fogspiel.__file__).parent


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A plug-in folder that is in use, with a room for games."""
    (tmp_path / "games").mkdir()
    monkeypatch.setenv(plugins.VARIABLE, str(tmp_path))
    return tmp_path


@pytest.mark.slice("kriegspiel")
def test_the_modules_of_a_room_are_found_in_order(monkeypatch):
    monkeypatch.delenv(plugins.VARIABLE, raising=False)
    names = list(plugins.sources("games"))
    assert {"morra", "war", "kriegspiel", "resistance"} < set(names) and plugins.folders() == []
    found = [source.module for source in plugins.sources("games").values()]
    assert [module.__name__ for module in plugins.modules("games")] == found


def test_a_game_in_a_plugin_folder_is_found_by_name(folder):
    (folder / "games" / "own.py").write_text(OWN)
    assert {"own-rps", "own-rps-half", "rps", "war"} < set(list_games())
    game = known_game("own-rps")
    module = sys.modules["fogspiel.games.own"]
    assert module.__file__ == str(folder / "games" / "own.py") and game in module.GAMES
    assert pickle.loads(pickle.dumps(module.start_with)) is module.start_with


def test_another_process_finds_a_plugin_by_its_module_name(folder):
    (folder / "games" / "other.py").write_text("GAMES = []\ndef answer():\n    return 42\n")
    pickled = b"cfogspiel.games.other\nanswer\n."
    code = f"import pickle; print(pickle.loads({pickled!r})())"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "42\n"


def test_private_files_and_the_current_folder_are_left_alone(folder, tmp_path, monkeypatch):
    (folder / "games" / "_draft.py").write_text("1 / 0\n")
    assert not any(source.folder for source in plugins.sources("games").values())
    monkeypatch.delenv(plugins.VARIABLE)
    monkeypatch.chdir(folder)
    (folder / "games" / "here.py").write_text("1 / 0\n")
    assert "here" not in plugins.sources("games")


@pytest.mark.parametrize(
    ("name", "text", "because"),
    [
        ("broken", "GAMES = [\n", "broken.py cannot be loaded: SyntaxError"),
        ("failing", "1 / 0\n", "failing.py cannot be loaded: ZeroDivisionError"),
        ("empty", "", "empty.py has no GAMES"),
        ("morra", "", "two files are called games/morra"),
        ("twin", OWN.replace('"own-rps', '"rps'), "two games are called rps"),
    ],
)
def test_what_is_wrong_in_a_plugin_is_told_in_one_sentence(folder, name, text, because):
    (folder / "games" / f"{name}.py").write_text(text)
    with pytest.raises(ValueError, match=because):
        known_game("no such game")


def test_a_folder_that_does_not_exist_is_refused(tmp_path, monkeypatch):
    monkeypatch.setenv(plugins.VARIABLE, str(tmp_path))
    plugins.use(tmp_path)
    assert plugins.folders() == [tmp_path]
    with pytest.raises(ValueError, match="there is no plug-in folder"):
        plugins.use(tmp_path / "nowhere")


def test_the_help_text_is_the_first_line_of_the_docstring():
    assert plugins.help_of(plugins.help_of) == "The first line of the docstring."
    assert plugins.help_of(plugins).startswith("Plug-in files: a game,")


def test_the_digest_of_a_plugin_covers_what_it_can_use(folder):
    own = folder / "games" / "own.py"
    (folder / "games" / "_shared.py").write_text("from ..core.rng import below\n")
    own.write_text("from ._shared import below\n")
    assert reachable_files(own) >= {own, folder / "games" / "_shared.py", PACKAGE / "core" / "rng.py"}
    assert PACKAGE / "core" / "game.py" not in reachable_files(own)
    alone = folder / "alone.py"
    alone.write_text("import numpy as np\nfrom fogspiel import Game, kernel\nimport beside\n")
    (folder / "beside.py").write_text("import fogspiel.stats.race\n")
    assert reachable_files(alone) >= {folder / "beside.py", *(PACKAGE / "core").glob("*.py")}
    assert PACKAGE / "stats" / "race.py" in reachable_files(alone)
    assert digest_of(alone) != digest_of(own)
