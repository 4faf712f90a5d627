"""The analysis of a game of Kriegspiel in a real browser: in the replay, and as a coach beside a game."""

import pytest
from support.web_site import CHROMIUM, open_browser, open_site

from fogspiel.core.game import known_game
from fogspiel.kriegspiel.referee import Referee
from fogspiel.web.session_store import SessionStore

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")
PATIENCE = 120_000
"""Milliseconds: kernels may be compiled."""


def stored_game(folder, moves):
    """The key of a game against `random` in which White is the person."""
    umpire = Referee()
    for move in moves:
        umpire.attempt(move)
    store = SessionStore(folder / "runs.games.db", folder / "runs.db")
    stored = store.create(known_game("kriegspiel"), "random", 0)
    stored.session.record = umpire.record
    store.save(stored)
    store.close()
    return stored.key


@pytest.mark.parametrize("width", (1280, 390))
def test_a_game_is_analysed_and_the_coach_speaks(tmp_path, width):
    over = stored_game(tmp_path, ("f2f3", "e7e5", "g2g4", "d7d6", "a2a3", "d8h4"))
    live = stored_game(tmp_path, ("e2e4", "d7d5"))
    with open_site(tmp_path) as address, open_browser(playwright) as browser:
        page = browser.new_context(base_url=address, viewport={"width": width, "height": 900}).new_page()
        troubles = []
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.goto(f"/play/{over}/replay")
        page.get_by_role("button", name="Analyse this game").click()
        first = page.get_by_role("button", name="You: f2f3")  # the replay opens at the end
        playwright.expect(first.locator(".tag")).to_be_visible(timeout=PATIENCE)
        first.click()
        page.get_by_role("heading", name="f2 – f3. The engine would first have tried").wait_for(timeout=PATIENCE)
        page.locator("#analysis-turn .attempts tbody tr").nth(7).wait_for(state="attached")
        playwright.expect(page.locator("#view-0 .arrow")).to_have_count(4)  # the one made, too
        theirs = page.get_by_role("button", name="Your opponent: e7e5")
        playwright.expect(theirs.locator(".tag")).to_be_visible(timeout=PATIENCE)
        playwright.expect(page.locator("#curve .column")).to_have_count(3)
        playwright.expect(page.locator("#curve polyline")).to_have_count(1)
        box = page.locator("#curve .chart-figure").bounding_box()
        page.mouse.click(box["x"] + 0.93 * box["width"], box["y"] + box["height"] / 2)  # the last column
        playwright.expect(page.get_by_role("button", name="You: a2a3")).to_have_attribute("aria-current", "step")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        page.goto(f"/play/{live}")
        page.locator("#coach summary").click()
        page.locator("#coach-moves .attempts").wait_for(timeout=PATIENCE)
        assert "from your own view only" in page.locator("#coach-note").inner_text()
        playwright.expect(page.locator("#picture .arrow")).to_have_count(3)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert troubles == []


def test_the_coach_is_opened_before_the_game_is_there(tmp_path):
    live = stored_game(tmp_path, ("e2e4", "d7d5"))
    with open_site(tmp_path) as address, open_browser(playwright) as browser:
        page = browser.new_context(base_url=address).new_page()
        troubles, held = [], []
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.route(f"**/api/play/{live}", lambda route: held.append(route), times=1)
        with page.expect_request(f"**/api/play/{live}"):
            page.goto(f"/play/{live}")
        asked = []
        page.on("request", lambda request: asked.append(request.url.rpartition("/")[2]))
        page.locator("#coach summary").click()
        page.wait_for_timeout(500)  # an error would come in this time
        assert page.locator("#coach").get_attribute("open") is not None
        assert troubles == []
        assert not {"analysis.js", "advice"} & set(asked)  # nothing is asked about a game that is not there
        held[0].continue_()
        page.locator("#coach-moves .attempts").wait_for(timeout=PATIENCE)
        assert "from your own view only" in page.locator("#coach-note").inner_text()
        assert troubles == []
