"""An engine is one file, of the package or of a plug-in folder: every command finds it and shows its docstring."""

import pytest

from fogspiel.core import plugins
from fogspiel.kriegspiel.engine import about_engine, engines, find_engine
from fogspiel.kriegspiel.match import code_of

LAST = '''"""An engine of one\'s own."""

from ..engine import Engine


class Last(Engine):
    """Tries the last attempt of the list."""

    def attempt(self, seen, actions):
        return int(actions[-1])


ENGINES = {"last": Last}
'''


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The room for engines of a plug-in folder that is in use."""
    room = tmp_path / "kriegspiel" / "engines"
    room.mkdir(parents=True)
    monkeypatch.setenv(plugins.VARIABLE, str(tmp_path))
    return room


def test_every_engine_says_what_it_does():
    assert {"random", "greedy", "minimax", "los", "aosp", "hs", "A", "B3", "C"} <= set(engines())
    assert all(about_engine(name).endswith(".") for name in engines())


def test_an_engine_in_a_plugin_folder_is_listed_and_plays_in_matches(folder, answer, tmp_path):
    (folder / "last.py").write_text(LAST)
    assert {"name": "last", "about": "Tries the last attempt of the list."} in answer("kriegspiel", "engines")[
        "engines"
    ]
    words = ("kriegspiel", "match", "last", "random", "--games", 2, "--nodes", 1, "--max-plies", 20)
    found = answer(*words, "--processes", 1, "--store", tmp_path / "runs.db")
    assert found["games"] == 2 and found["first"]["engine"] == "last"


def test_the_code_of_an_engine_in_a_plugin_folder_is_told_apart_by_its_file(folder):
    (folder / "late.py").write_text(LAST.replace("last", "late"))
    assert code_of("late") != code_of("random")


def test_a_file_without_engines_is_one_sentence(folder):
    (folder / "empty.py").write_text("")
    with pytest.raises(ValueError, match=r"empty.py has no ENGINES"):
        find_engine("C")
