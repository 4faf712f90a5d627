"""The documentation is built as a site without a warning, and leaves nothing out."""

import re
import subprocess
import sys
from importlib.util import find_spec

import pytest
from support.pages import ROOT

import fogspiel

pytestmark = [
    pytest.mark.thorough,
    pytest.mark.skipif(find_spec("material") is None, reason="the extra `docs` is not installed"),
]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The built site; warnings, dead links and dead anchors among them, are errors."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    outcome = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert outcome.returncode == 0, outcome.stderr
    return folder


def test_the_reference_has_every_public_name(site):
    page = (site / "reference-python.html").read_text(encoding="utf-8")
    missing = [name for name in fogspiel.__all__ if f'id="fogspiel.{name}"' not in page]
    assert not missing


def test_the_reference_has_every_command(site):
    from fogspiel.cli.app import EXAMPLES

    page = (site / "reference-commands.html").read_text(encoding="utf-8")
    for words in EXAMPLES:
        assert f'id="fogspiel-{words.replace(" ", "-")}"' in page, words


def test_the_rules_of_every_game_are_on_one_page(site):
    page = (site / "rules.html").read_text(encoding="utf-8")
    for game in fogspiel.list_games():
        assert f">fogspiel play {game}<" in page or f">{game}<" in page, game


def test_pages_fetch_nothing_from_elsewhere(site):
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        fetched = re.findall(r"<(?:script|img|iframe)[^>]* src=\"?(https?:[^\"\s>]+)", text)
        fetched += re.findall(r"<link[^>]* rel=\"?(?:stylesheet|preconnect)[^>]* href=\"?(https?:[^\"\s>]+)", text)
        assert not fetched, page.name
