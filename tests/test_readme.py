"""The README is true: its examples run and give what it says."""

import doctest
import tomllib
from pathlib import Path

import fogspiel

ROOT = Path(__file__).parent.parent


def test_the_examples_of_the_readme_run():
    outcome = doctest.testfile(str(ROOT / "README.md"), module_relative=False)
    assert outcome.attempted >= 5 and outcome.failed == 0


def test_the_example_of_kriegspiel_from_python_runs(capsys):
    block = (ROOT / "docs" / "kriegspiel.md").read_text().partition("## From Python")[2]
    exec(block.split("```python\n")[1].split("```")[0], {})
    said = capsys.readouterr().out
    assert '[Game "Kriegspiel"]' in said and '[White "greedy"]' in said and "fog would try" in said


def test_the_links_of_the_documentation_lead_somewhere():
    import re

    for page in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]:
        for link in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
            assert (page.parent / link).exists(), f"{page.name} links to {link}"


def test_the_version_is_the_same_everywhere():
    assert tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"] == fogspiel.__version__


def test_every_public_name_can_be_imported():
    assert dir(fogspiel) == sorted(fogspiel.__all__)
    for name in (*fogspiel.__all__, "WIN", "DRAW", "LOSS", "below", "unit", "inlined", "variant"):
        assert getattr(fogspiel, name) is not None
