"""The first page in a real browser: a game with one click, a live board, families, proved values."""

import re

import pytest
from support.web_site import CHROMIUM, open_site

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")

WORK = 300_000


@pytest.fixture
def page(chromium, site):
    context = chromium.new_context(base_url=site, viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
    page = context.new_page()
    page.set_default_timeout(WORK)
    troubles = []
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.goto("/")
    yield page
    context.close()
    assert troubles == []


def test_one_click_begins_a_game_at_the_chosen_level(page):
    page.get_by_text("Novice").click()
    page.get_by_role("button", name="Play Kriegspiel").click()
    page.wait_for_url(re.compile(r"/play/[\w-]{24}$"))
    page.locator("#state.turn").wait_for()
    assert page.locator(".opponent .name").inner_text() == "Novice"


def test_a_picture_begins_its_game(page):
    page.locator(".tile").first.click()
    page.wait_for_url(re.compile(r"/play/[\w-]{24}$"))
    page.locator("#state.turn, #state.over").wait_for()
    assert page.locator(".opponent .name").inner_text() == "Club"


def test_the_board_shows_a_stored_game_as_one_side_saw_it(page):
    page.locator(".live-board .chessboard .man.white").nth(5).wait_for()
    assert page.locator(".live-board .man.black").count() == 0
    assert page.locator(".live-board .puff").count() > 20
    assert "Move 9" in page.locator("#live-move").inner_text()


def test_families_and_proved_values_lead_to_their_games(page):
    assert page.locator(".family").count() == 10
    assert page.locator(".values .card").count() == 3
    page.locator(".values a").first.click()
    page.wait_for_url(re.compile("/games/"))
    assert page.locator("#value").is_visible()


def test_the_first_page_is_small(page):
    sent = page.evaluate("""() => performance.getEntriesByType("resource").filter((one) => !one.name.includes("/api/"))
        .reduce((sum, one) => sum + one.transferSize, 0)""")
    assert sent < 120_000


@pytest.mark.slow
def test_on_a_new_machine_a_bar_tells_of_the_preparation_and_a_simple_game_begins(tmp_path, chromium, monkeypatch):
    monkeypatch.setenv("FOGSPIEL_CACHE", str(tmp_path / "cache"))
    with open_site(tmp_path) as address:
        page = chromium.new_context(base_url=address).new_page()
        page.goto("/about")  # nothing is prepared from here
        simple = page.request.post("/api/play", data={"game": "kuhn", "against": "uniform"}, timeout=300_000).json()
        assert simple["choices"] or simple["thinking"] or simple["over"]
        status = page.request.post("/api/games/leduc/prepare", data={"against": "solved"}).json()
        assert not status["ready"] and status["about"] > 0
        page.goto("/games/leduc")
        page.locator("[data-begin]").click()
        page.locator("#passing progress").wait_for(timeout=60_000)
        assert "compiled for this machine" in page.locator("#passing").inner_text()
        page.wait_for_url(re.compile("/play/"), timeout=600_000)
        page.locator("#state.turn, #state.over").wait_for(timeout=60_000)
