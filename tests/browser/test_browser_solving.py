"""A game is solved from its own page in a real browser; the solution is the first opponent and the usual one."""

import re

import pytest
from support.own_game import OWN_RPS
from support.web_site import CHROMIUM, open_browser, running

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")

WORK = 180_000
PHONE = {"width": 375, "height": 740}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A site to which the user has brought a small game."""
    folder = tmp_path_factory.mktemp("site")
    (folder / "mine.py").write_text(OWN_RPS, encoding="utf-8")
    with running(folder, "--game", f"{folder / 'mine.py'}:own-rps-half") as (_, address):
        yield address.rstrip("/")


@pytest.fixture(scope="module")
def page(site):
    with open_browser(playwright) as browser:
        page = browser.new_context(base_url=site, viewport=PHONE).new_page()
        page.set_default_timeout(WORK)
        yield page


def test_a_game_is_solved_from_its_page_and_its_solution_is_the_usual_opponent(page):
    page.goto("/games/own-rps-half")
    page.locator("#solving-words", has_text="about 13 histories").wait_for()
    playwright.expect(page.locator("#opponents .badge", has_text="perfect")).to_have_count(0)
    page.get_by_role("button", name="Solve it").click()
    page.locator("#opponents .badge", has_text="perfect").wait_for()
    playwright.expect(page.locator("#solving")).to_have_count(0)
    first = page.locator("#opponents li a").first
    assert first.inner_text() == "exact solution (own-rps-half-1)"
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    page.goto("/play?game=own-rps-half")
    page.locator("#against option").first.wait_for(state="attached")
    assert page.locator("#against").input_value() == "own-rps-half-1"
    page.get_by_role("button", name="Begin").click()
    page.wait_for_url(re.compile(r"/play/[^?]+$"))
    page.locator("#state.turn").wait_for()


def test_a_game_that_is_too_large_says_so_and_has_no_button(page):
    page.goto("/games/war4")
    page.locator("#solving-words", has_text="too many").wait_for()
    assert not page.get_by_role("button", name="Solve it").is_visible()
