"""What a page may name as a player: decided by the words alone, never by what is on the disk."""

import pytest

from fogspiel.core.game import known_game
from fogspiel.web.opponents import demand_page_agent, demand_page_run

ALLOWED = {
    "pig": ("hold20", "uniform", "fixed", "redrawn", "pig-1", "batawaf-12"),
    "batawaf": ("1,2,3", "(0.5, -1, 2e3)", "[1,2]", "descending", "batawaf-2"),
    "kuhn": ("uniform", "kuhn-1"),
    "kriegspiel": ("C", "C@0.4s", "minimax@20000n", "hs", "uniform"),
}
ENGINES = ("C", "C:none", "C:generic@0.5s", "stray-C", "stray-B10:none@20n", "hs@3n", "random", "greedy@.5s")
HIDDEN = (
    "hs:uci=touch x", "los:uci=sh", "aosp:uci=", "hs:uci", "HS:UCI=sh", "hs: uci=sh", " hs:uci=sh", "hs:uci=sh@0.1s",
    "hs@0.1s:uci=sh", "hs@x:uci=sh@0.1s", "hs@1n@1n", "hs:none:uci=sh", "C:none:uci=sh", "hs:none,uci=sh", "uci=sh",
    "stray-hs:uci=sh", "stray-stray-hs:uci=sh", "stray-stray-C", "C:/etc/passwd", "C:/nonexistent", "C:x.npz", "C:..",
    "C:./none", "C:none ", "C: none", "C:model=x", "model=x.npz", "C:", "C:none/", "C:generic.npz", "minimax:none",
    "hs:generic", "random:none", "/etc/passwd", "/nonexistent", "./x", "x.json", "x", "..", ".", "~", "~/x", "@x", "@",
    "@x.json", "C@", "C@x.json", "C@/etc/passwd", "C\n", "C\t", "C\0", "\tC", "", " ", "a\\b", "C:\\x", "\\\\host\\x",
    "file:///etc/passwd", "pig-1.json", "pig-1/", "./pig-1", "pig-1\n", " pig-1", "../pig-1", "openspiel:x", "x.py",
    "program", "program:", "program:sh", "stray-program:sh", "program:sh@0.1s", "program:0123456789abcdef",
    "PROGRAM:sh", "1,2,x", "1;2", "C,hs:uci=sh", "{}", "$(sh)", "`sh`", "|sh", "none", "generic", "C=none", "x" * 4000,
)  # fmt: skip


@pytest.mark.parametrize(("game", "words"), [(game, words) for game in ALLOWED for words in ALLOWED[game]])
def test_names_numbers_runs_and_engines_are_players(game, words):
    demand_page_agent(known_game(game), words)


@pytest.mark.parametrize("words", ENGINES)
def test_engines_have_their_plain_options_where_these_are_known(words):
    demand_page_agent(known_game("kriegspiel"), words, options=True)


@pytest.mark.parametrize("words", HIDDEN)
def test_programs_files_and_paths_are_refused_in_a_sentence(words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, options in (("kriegspiel", True), ("kriegspiel", False), ("pig", False), ("kuhn", False)):
        with pytest.raises(ValueError) as refusal:
            demand_page_agent(known_game(name), words, options=options)
        assert "\n" not in str(refusal.value) and len(str(refusal.value)) < 600


def test_a_file_that_is_there_is_refused_in_the_same_words(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def sentence(words):
        with pytest.raises(ValueError) as refusal:
            demand_page_agent(known_game("kriegspiel"), words, options=True)
        return str(refusal.value)

    before = sentence("C:model.npz")
    (tmp_path / "model.npz").write_text("something")
    assert sentence("C:model.npz") == before and "on the command line only" in before


def test_what_is_wrong_with_an_engine_is_said():
    game = known_game("kriegspiel")
    with pytest.raises(ValueError, match="no Kriegspiel engine 'gredy': did you mean greedy"):
        demand_page_agent(game, "gredy", options=True)
    with pytest.raises(ValueError, match=r"write NAME@0\.4s"):
        demand_page_agent(game, "C@5")


SAFE = (
    {"method": "match", "game": "pig", "first": "hold20", "second": "pig-1", "first_theta": None},
    {"method": "match", "game": "batawaf", "first": "(1,2,3,4,5,6,..)", "second": "fixed", "first_theta": [1.0]},
    {"method": "tournament", "game": "pig", "players": [{"name": "hold20"}, {"name": "1,2", "theta": [1, 2]}]},
    {"method": "kriegspiel", "game": "kriegspiel", "players": [{"engine": "stray-C:generic"}, {"engine": "hs"}]},
    {"method": "iterative", "game": "pig", "baseline": "fixed"},
    {"method": "solve", "game": "kuhn", "source": "kuhn"},
    {"method": "paper", "game": "some-paper"},
)
UNSAFE = (
    {"method": "match", "game": "pig", "first": "hold20", "second": "x.json", "second_theta": None},
    {"method": "match", "game": "pig", "first": "hold20", "second": "x.json", "second_theta": [1.0]},
    {"method": "match", "game": "batawaf", "first": "(1,2,..)", "second": "fixed", "first_theta": None},
    {"method": "tournament", "game": "pig", "players": [{"name": "hold20"}, {"name": "./x"}]},
    {"method": "kriegspiel", "game": "kriegspiel", "players": [{"engine": "hs:uci=sh"}, {"engine": "hs"}]},
    {"method": "kriegspiel", "game": "kriegspiel", "players": [{"engine": "hs"}, {"engine": "C:model.npz"}]},
    {"method": "kriegspiel", "game": "kriegspiel", "players": [{"engine": "program:sh"}, {"engine": "hs"}]},
    {"method": "iterative", "game": "pig", "baseline": "x.json"},
    {"method": "solve", "game": "own", "source": "own.py"},
    {"method": "solve", "game": "own", "source": "own.efg"},
    {"method": "solve", "game": "kuhn", "source": "own.py:kuhn"},
    {"method": "solve", "game": "kuhn"},
    {"method": "match", "game": "pig", "first": ["x.json"], "second": "hold20"},
)


@pytest.mark.parametrize("ask", SAFE)
def test_a_run_of_plain_players_can_be_worked_on(ask):
    demand_page_run("some-1", ask)


@pytest.mark.parametrize("ask", UNSAFE)
def test_a_run_that_names_a_program_or_a_file_is_for_the_command_line(ask):
    with pytest.raises(ValueError, match="`fogspiel resume some-1`"):
        demand_page_run("some-1", ask)
