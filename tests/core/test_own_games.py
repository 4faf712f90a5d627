"""Games of the user's own: one resolver for all words, kernels by content, entry points of installed packages."""

import os
import subprocess
import sys
from hashlib import sha256
from uuid import uuid4

import numpy as np
import pytest

import fogspiel
from fogspiel.core import plugins
from fogspiel.core.find import command_spec, is_code, is_tree, load_game, spec_of, write_template
from fogspiel.core.game import known_game, list_games
from fogspiel.core.user_code import place_of


@pytest.fixture
def mine(tmp_path):
    write_template(tmp_path / "mine.py")
    return tmp_path / "mine.py"


def test_a_game_that_was_brought_is_found_by_its_name(mine):
    with pytest.raises(ValueError, match="there is no game 'mine'"):
        known_game("mine")
    game = load_game(str(mine))
    assert known_game("mine") is game and list_games()["mine"] is game and load_game("mine") is game
    assert game.version.startswith("sha256 ") and len(game.version) == len("sha256 ") + 64
    assert command_spec("mine") == str(mine) and spec_of("mine").absolute == f"{mine}:mine"
    assert command_spec("kuhn") == "kuhn" and spec_of("kuhn") is None


def test_a_file_is_run_once_and_again_when_it_has_changed(mine):
    mine.write_text(mine.read_text() + f"\nopen({str(mine.parent / 'trace')!r}, 'a').write('x')\n")
    first = load_game(mine)
    assert load_game(f"{mine}:mine").rules is first.rules
    assert (mine.parent / "trace").read_text() == "x"
    mine.write_text(mine.read_text() + "\n")
    assert load_game(mine).version != first.version
    assert (mine.parent / "trace").read_text() == "xx"


def test_python_calls_take_the_words_of_the_command_line(mine):
    assert fogspiel.find_game(str(mine)).name == "mine"
    assert fogspiel.solve_game(str(mine)).value == "1/3"
    assert fogspiel.solve_game(fogspiel.find_game(mine)).value == "1/3"
    assert fogspiel.tune_strategy(str(mine), games=2000).policy.strategy.name == "bluffer"


@pytest.mark.parametrize(
    ("words", "code", "tree"),
    [
        ("mine.py", True, False),
        ("a/mine.py:mine", True, False),
        ("C:\\games\\mine.py", True, False),
        ("C:\\games\\mine.py:mine", True, False),
        ("x.py:y.efg", True, False),
        ("tree.efg", False, True),
        ("table.nfg", False, True),
        ("openspiel:leduc_poker(suit_isomorphism=True)", False, True),
        ("openspiel:evil.py", False, True),
        ("kuhn", False, False),
    ],
)
def test_words_say_what_they_are(words, code, tree):
    assert (is_code(words), is_tree(words)) == (code, tree)


@pytest.mark.parametrize(
    ("old", "new", "because"),
    [
        ('name="mine"', 'name="kuhn"', "is called kuhn, as a game of the catalogue is: rename it"),
        ('name="mine"', 'name="My Game"', "small letters, digits and single hyphens"),
        ("GAMES = [", "raise SystemExit(3)\nGAMES = [", "SystemExit: 3"),
        ("GAMES = [", "GAMES = [1, ", "has no GAMES"),
    ],
)
def test_what_is_wrong_with_a_file_is_one_sentence(mine, old, new, because):
    mine.write_text(mine.read_text().replace(old, new))
    with pytest.raises(ValueError, match=because):
        load_game(str(mine))
    assert known_game("kuhn").family == "kuhn"


# Kernels are cached by content

IMPORTS = "from fogspiel import *; from fogspiel.core.simulate import PolicyMatch"
PLAY = IMPORTS + "; g = {}; u = find_policy(g, 'uniform'); print(PolicyMatch(g, u, u).scores(1, 0, 400)[:, 0].sum())"
AS_MODULE, AS_FILE = PLAY.format("__import__('mine').GAMES[0]"), PLAY.format("load_game('mine.py')")


def run(folder, code):
    environment = os.environ | {"PYTHONDONTWRITEBYTECODE": "1"}
    outcome = subprocess.run([sys.executable, "-c", code], cwd=folder, env=environment, capture_output=True, text=True)
    assert outcome.returncode == 0, outcome.stderr
    return float(outcome.stdout)


@pytest.mark.thorough
@pytest.mark.parametrize("order", [(AS_FILE, AS_MODULE), (AS_MODULE, AS_FILE)])
def test_a_file_can_be_imported_before_or_after_it_is_named(mine, order):
    mine.write_text(mine.read_text() + f"# {uuid4()}\n")  # whose kernels are in no cache yet
    assert len({run(mine.parent, code) for code in order}) == 1


@pytest.mark.thorough
def test_two_files_of_one_name_do_not_mix(tmp_path):
    new, scores = uuid4(), []
    for folder, payoff in (("a", "return 3"), ("b", "return 4")):
        (tmp_path / folder).mkdir()
        write_template(tmp_path / folder / "mine.py")
        text = (tmp_path / folder / "mine.py").read_text().replace("        return 3\n", f"        {payoff}\n")
        (tmp_path / folder / "mine.py").write_text(f"{text}# {new}\n")
        scores.append(run(tmp_path / folder, AS_FILE))
    assert scores[0] < scores[1]
    words = "[load_game(f'{folder}/mine.py') for folder in 'aba']"
    code = f"{IMPORTS}\nfor g in {words}:\n    u = find_policy(g, 'uniform')\n"
    code += "    print(PolicyMatch(g, u, u).scores(1, 0, 400)[:, 0].sum(), end='')\n"
    assert run(tmp_path, code) == float(f"{scores[0]:.0f}{scores[1]:.0f}{scores[0]:.0f}")


# Installed packages


def install(folder, name, points, **modules):
    """What pip leaves behind of a small package."""
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    lines = [f"[{group}]\n{point}" for group, point in points.items()]
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n")
    for module, text in modules.items():
        (folder / f"{module}.py").write_text(text)
    plugins._collect.cache_clear()


@pytest.fixture
def site(tmp_path, monkeypatch):
    """A folder of installed packages."""
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(folder)
    yield folder
    plugins._collect.cache_clear()


def template(tmp_path, name):
    path = tmp_path / f"{name}.py"
    write_template(path)
    text = path.read_text()
    path.unlink()
    return text


def test_an_installed_package_offers_games_and_methods(tmp_path, site):
    from fogspiel.tuning.methods import find_tune_method

    method = "def nothing(arena):\n    yield from ()\nOWN = {'nothing': nothing}\n"
    points = {"fogspiel.games": "bluff = offered_game", "fogspiel.methods": "nothing = offered_method:OWN"}
    install(site, "offer", points, offered_game=template(tmp_path, "offered"), offered_method=method)
    assert known_game("kuhn") and "offered_game" not in sys.modules
    game = known_game("offered")
    assert game.version == 1 and game is sys.modules["offered_game"].GAMES[0] and "offered" in list_games()
    assert find_tune_method("nothing").__name__ == "nothing"


@pytest.mark.parametrize(
    ("text", "because"),
    [
        ("1 / 0\n", "bad_game, which the installed package offer offers as fogspiel.games, cannot be loaded: Zero"),
        ("", "has no GAMES"),
        ("GAMES = [1]\n", "neither a dictionary nor a list"),
    ],
)
def test_a_broken_package_is_named_in_one_sentence(site, monkeypatch, text, because):
    install(site, "offer", {"fogspiel.games": "x = bad_game"}, bad_game=text)
    monkeypatch.delitem(sys.modules, "bad_game", raising=False)
    with pytest.raises(ValueError, match=because):
        known_game("no such game")
    assert known_game("kuhn").name == "kuhn"


def test_a_package_may_not_take_the_name_of_a_game(tmp_path, site):
    text = template(tmp_path, "twin").replace('name="twin"', 'name="rps"')
    install(site, "offer", {"fogspiel.games": "x = twin_game"}, twin_game=text)
    with pytest.raises(ValueError, match="two games are called rps, one of them of the installed package offer"):
        list_games()


def test_a_file_may_import_from_its_folder_and_its_digest_covers_what_it_imports(mine):
    (mine.parent / "payoffs.py").write_text("from stakes import PAYOFFS\n")
    (mine.parent / "stakes.py").write_text(
        "from fractions import Fraction\nPAYOFFS = [Fraction(n) for n in range(-2, 3)]\n"
    )
    alone = load_game(mine)
    mine.write_text(mine.read_text().replace("import math\n", "import math\nimport payoffs\n", 1))
    first = load_game(f"{mine}:mine")
    (mine.parent / "stakes.py").write_text(
        "from fractions import Fraction\nPAYOFFS = [2 * Fraction(n) for n in range(-2, 3)]\n"
    )
    second = load_game(mine)
    assert len({alone.version, first.version, second.version}) == 3 and load_game(mine).version == second.version


def test_a_changed_neighbour_is_executed_again_and_two_folders_do_not_mix(tmp_path, monkeypatch):
    for folder, bet in (("one", 1), ("two", 2)):
        write_template(tmp_path / f"{folder}.py")
        (tmp_path / folder).mkdir()
        text = (tmp_path / f"{folder}.py").read_text().replace("import math\n", "import math\nimport beside\n", 1)
        (tmp_path / folder / f"{folder}.py").write_text(text)
        (tmp_path / folder / "beside.py").write_text(f"TITLE = {bet}\n")
        load_game(tmp_path / folder / f"{folder}.py")
        assert bet == sys.modules["beside"].TITLE
    (tmp_path / "two" / "beside.py").write_text("TITLE = 3\n")
    monkeypatch.chdir(tmp_path / "two")
    load_game("two.py")
    assert sys.modules["beside"].TITLE == 3


def test_a_package_beside_a_file_is_part_of_its_digest(mine):
    (mine.parent / "deck").mkdir()
    (mine.parent / "deck" / "__init__.py").write_text("from .cards import RANKS\n")
    (mine.parent / "deck" / "cards.py").write_text("RANKS = 2\n")
    mine.write_text(mine.read_text().replace("import math\n", "import math\nfrom deck import RANKS\n", 1))
    before = load_game(mine).version
    (mine.parent / "deck" / "cards.py").write_text("RANKS = 3\n")
    assert load_game(mine).version != before and sys.modules["deck"].RANKS == 3


def test_the_digest_of_a_file_alone_is_that_of_its_content(mine):
    assert load_game(mine).version == f"sha256 {sha256(mine.read_bytes()).hexdigest()}"


@pytest.mark.parametrize("kernels", ["compiled", "interpreted"])
def test_an_error_of_a_file_is_located_where_it_arises(mine, kernels):
    mine.write_text(mine.read_text().replace("state[BET] < 0", "state[BETT] < 0", 1))
    line = next(k for k, text in enumerate(mine.read_text().splitlines(), 1) if "BETT" in text)
    rule = load_game(mine).rules.mover
    with pytest.raises(Exception, match="'BETT' is not defined") as found:
        (rule if kernels == "compiled" else rule.py_func)(np.ones(3, np.int64))
    assert place_of(found.value) == f"mine.py, line {line}"


def test_an_error_elsewhere_has_no_place_in_a_file_of_the_user(mine):
    load_game(mine)
    with pytest.raises(ValueError, match="there is no game") as found:
        load_game("mine2")
    assert place_of(found.value) is None and place_of(ValueError()) is None
