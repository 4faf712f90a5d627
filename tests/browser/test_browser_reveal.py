"""The end of a game, the log and the bar of a phone, and the player's rating, in a real browser."""

import re

import pytest
from support.web_site import CHROMIUM

from fogspiel.core.game import known_game
from fogspiel.kriegspiel.referee import Referee
from fogspiel.web.session_store import SessionStore

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")

PATIENCE = 120_000
"""Milliseconds: kernels may be compiled."""
MATE = ("e2e4", "e7e5", "d1h5", "b8c6", "f1c4", "g8f6", "h5f7")
SQUARES = {name: "abcdefgh".index(name[0]) + 8 * (int(name[1]) - 1) for name in ("e8", "a8", "c6")}
SHIFTS = """window.shifted = 0;
new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifted += entry.value;
}).observe({ type: "layout-shift", buffered: true });"""
ESTIMATE = """async (results) => (await import("/static/rating.js")).estimate(results)"""


def stored_game(folder, moves, against="hs@0.1s"):
    """The key of a game in which White is the person."""
    umpire = Referee()
    for move in moves:
        umpire.attempt(move)
    store = SessionStore(folder / "runs.games.db", folder / "runs.db")
    stored = store.create(known_game("kriegspiel"), against, 0)
    stored.session.record = umpire.record
    store.save(stored)
    store.close()
    return stored.key


@pytest.fixture
def visit(chromium, site):
    contexts, troubles = [], []

    def visit(width=1280, height=800, **manner):
        context = chromium.new_context(base_url=site, viewport={"width": width, "height": height}, **manner)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.set_default_timeout(PATIENCE)
        return page

    yield visit
    for context in contexts:
        context.close()
    assert troubles == []


@pytest.mark.parametrize("width", [1280, 390])
def test_a_mate_is_told_in_large_words_beside_the_guesses_and_the_certainty(visit, folder, width):
    key, page = stored_game(folder, MATE), visit(width)
    page.goto("/about")
    men = [[SQUARES["e8"], "k"], [SQUARES["a8"], "n"]]
    page.evaluate(
        "([key, men]) => sessionStorage.setItem(`fogspiel.phantoms./play/${key}`, JSON.stringify({ men }))", [key, men]
    )
    page.goto(f"/play/{key}")
    page.get_by_role("heading", name="You won by checkmate in 4").wait_for()
    assert page.locator("#score").inner_text() == "1 : 0"
    assert page.locator("#guesses-right").inner_text() == "1 of 2 guesses right"
    playwright.expect(page.locator("#picture .right-guess")).to_have_count(1)
    playwright.expect(page.locator("#picture .belief-line")).to_have_count(1)  # the knight stood elsewhere
    playwright.expect(page.locator("#certainty-chart .line")).to_have_count(1, timeout=PATIENCE)
    playwright.expect(page.locator("#rating")).to_have_text(re.compile(r"You 1,[45]\d\d"))
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.get_by_role("link", name="See the whole game").click()
    page.wait_for_url(re.compile("/replay#analyse$"))
    playwright.expect(page.locator("#record .tag").first).to_be_visible(timeout=PATIENCE)


def test_the_reveal_moves_nothing(visit, folder):
    key, page = stored_game(folder, MATE[:-1]), visit()
    page.add_init_script(SHIFTS)
    page.goto(f"/play/{key}")
    page.locator("#state.turn").wait_for()
    page.wait_for_timeout(1000)
    page.evaluate("window.shifted = 0")
    page.locator("input[name=move]").fill("h5f7")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="You won by checkmate in 4").wait_for()
    page.locator("#certainty-chart .line").wait_for(state="attached")
    assert page.evaluate("window.shifted") < 0.02


def test_the_log_has_two_columns_and_refusals(visit, folder):
    key, page = stored_game(folder, (*MATE[:4], "h5h8")), visit()
    page.goto(f"/play/{key}")
    page.locator("#transcript .turn-pair").nth(2).wait_for()
    assert page.locator("#transcript .turn-pair .mine").first.inner_text() == "e2 – e4"
    assert page.locator("#transcript .turn-pair .theirs").first.inner_text() == "moved"
    assert "refused" in page.locator("#transcript .turn-pair").last.inner_text()


def test_a_phone_has_its_actions_at_the_bottom_and_the_board_at_the_top(visit, folder):
    key, page = stored_game(folder, MATE[:4]), visit(390, 844, has_touch=True)
    page.goto(f"/play/{key}")
    page.locator("#state.turn").wait_for()
    assert page.locator(".chessboard").bounding_box()["y"] < 200
    bar = page.get_by_role("navigation", name="Actions")
    assert bar.bounding_box()["y"] + bar.bounding_box()["height"] == 844
    assert not page.locator("#transcript").is_visible()
    bar.get_by_role("button", name="Log").click()
    page.locator("#transcript .turn-pair").first.wait_for()
    bar.get_by_role("button", name="Log").click()
    bar.get_by_role("button", name="Draw").click()
    assert page.locator("#draw").is_checked()
    bar.get_by_role("button", name="Resign").click()
    bar.get_by_role("button", name="Sure?").click()
    page.get_by_role("heading", name="You resigned").wait_for()


def test_a_rating_is_the_most_probable_one(visit):
    page = visit()
    page.goto("/about")
    even = [{"rating": 1500, "share": share} for share in (0, 1) * 20]
    assert page.evaluate(ESTIMATE, even)["value"] == 1500
    good = page.evaluate(ESTIMATE, [{"rating": 1500, "share": share} for share in (0, 1, 1, 1) * 50])
    assert abs(good["value"] - (1500 + 191)) < 12 and good["games"] == 200  # Elo of three wins in four
    one = page.evaluate(ESTIMATE, [{"rating": 1500, "share": 1}])
    assert one["error"] > 200 > good["error"] and page.evaluate(ESTIMATE, []) is None
    assert not page.locator("#rating").is_visible()
