"""The games of this browser in a real one: listed with their results on the play page and on the page of their game."""

import re

import pytest
from support.web_site import CHROMIUM

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")

WORK = 300_000
PHONE = {"width": 375, "height": 740}


def open_page(chromium, site):
    page = chromium.new_context(base_url=site, viewport=PHONE).new_page()
    page.set_default_timeout(WORK)
    return page


def begin(page, game):
    """Begin a game by the form."""
    page.goto(f"/play?game={game}&against=uniform")
    page.locator("#against option").first.wait_for(state="attached")
    page.get_by_role("button", name="Begin").click()
    page.wait_for_url(re.compile(r"/play/[^?]+$"))
    page.locator("#state.turn, #state.over").wait_for()


def resign(page):
    page.get_by_role("button", name="Resign").click()
    page.get_by_role("button", name="are you sure").click()
    page.locator("#state.over").wait_for()


def test_own_games_are_listed_with_results_scores_and_replays(chromium, site):
    page = open_page(chromium, site)
    for _ in range(2):
        begin(page, "nim")
        resign(page)
    begin(page, "phantom-ttt")
    page.goto("/play")
    lines = page.locator("#games-list li")
    playwright.expect(lines).to_have_count(3)
    assert "going on" in lines.first.inner_text()
    assert "You resigned" in lines.nth(1).inner_text() and "against uniform" in lines.nth(1).inner_text()
    assert re.search(r"Nim.*2 games, 0.00 per game", page.locator("#scores").inner_text())
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    page.goto("/games/nim")
    playwright.expect(lines).to_have_count(2)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    lines.first.get_by_role("link").click()
    page.wait_for_url(re.compile("/replay$"))
    page.get_by_role("button", name="The truth").click()
    page.locator("#truth .part").first.wait_for()


def test_another_browser_has_no_games_and_one_that_forgets_has_none_either(chromium, site):
    page = open_page(chromium, site)
    begin(page, "nim")
    page.goto("/play")
    page.locator("#games-list li").first.wait_for()
    other = open_page(chromium, site)
    with other.expect_response(re.compile("/opponents")):
        other.goto("/play")
    assert not other.locator("#games").is_visible()
    page.get_by_role("button", name="Forget them").click()
    assert not page.locator("#games").is_visible()
    assert page.evaluate("localStorage.getItem('fogspiel.games')") == "[]"
