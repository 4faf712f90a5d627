"""Linear programs in files: HiGHS reads them again and finds the value of the game."""

from fractions import Fraction

import pytest

from fogspiel.solving.known_values import find_known
from fogspiel.solving.methods.lp import program_text
from fogspiel.solving.reduce import presolve_tree
from fogspiel.solving.sources import find_source
from fogspiel.solving.tree import sequence_form

SMALL = [("kuhn", player, ending, reduced) for player in (0, 1) for ending in (".mps", ".lp") for reduced in (0, 1)]
LARGER = [(name, player, ".mps", 0) for name in ("leduc", "liars-dice-6") for player in (0, 1)]


def optimum_of(file):
    highspy = pytest.importorskip("highspy")
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    assert solver.readModel(str(file)) == highspy.HighsStatus.kOk
    solver.run()
    return solver.getInfo().objective_function_value


@pytest.mark.parametrize(
    ("name", "player", "ending", "reduced"),
    [*SMALL, *(pytest.param(*one, marks=pytest.mark.thorough) for one in LARGER)],
)
def test_a_program_that_is_read_again_has_the_value_of_the_game(name, player, ending, reduced, tmp_path):
    tree = find_source(name).tree(1.0)
    form = presolve_tree(tree).form if reduced else sequence_form(tree)
    file = tmp_path / f"program{ending}"
    file.write_text(program_text(form, player, ending, name))
    value = float(Fraction(find_known(name).lower))
    assert optimum_of(file) == pytest.approx(value if player else -value, abs=1e-9)


def test_the_command_writes_either_players_program(tmp_path, answer, refused):
    for player in ("1", "2"):
        file = tmp_path / "kuhn.lp"
        assert answer("export-game", "kuhn", "--output", file, "--player", player)["bytes"] > 0
        assert file.read_text().startswith(f"\\ kuhn: player {player}'s linear program")
    refused("export-game", "kuhn", "--output", tmp_path / "kuhn.efg", "--reduced", because="FILE.mps or FILE.lp")
