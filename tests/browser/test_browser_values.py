"""The gallery of proved values in a real browser: filtered, checked one by one, light."""

import pytest
from support.web_site import CHROMIUM

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")


@pytest.fixture
def page(chromium, site):
    context = chromium.new_context(base_url=site, viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
    page = context.new_page()
    troubles = []
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.goto("/certificates")
    yield page
    context.close()
    assert troubles == []


def test_a_proof_is_checked_on_the_page(page):
    card = page.locator(".proof", has_text="Kuhn poker")
    card.get_by_role("button", name="Check it now").click()
    playwright.expect(card.locator(".chip.moss")).to_contain_text("True, in")
    assert card.locator(".seal").count() == 1


def test_a_proof_of_something_else_is_not_called_true(page):
    place = page.locator("[data-proof=kuhn]")
    place.evaluate("place => { place.dataset.lower = '1/18'; }")
    place.get_by_role("button").click()
    playwright.expect(place.locator(".chip.berry")).to_contain_text("It proves -1/18")


def test_the_gallery_is_filtered(page):
    shown = page.locator(".proof:visible")
    proved = shown.count()
    page.get_by_role("button", name="Bounds only").click()
    assert 0 < shown.count() < proved and shown.locator(".seal").first.is_visible()
    page.get_by_role("button", name="Known, without a file").click()
    assert shown.count() > 0 and shown.locator(".seal").count() == 0


def test_the_page_of_a_game_starts_it_at_a_level_and_a_side(page):
    page.goto("/games/kuhn")
    page.get_by_text("Perfect", exact=True).click()
    page.get_by_text("Second", exact=True).click()
    page.get_by_role("button", name="Start").click()
    page.locator("#state.turn, #state.over").wait_for()
    assert page.locator(".opponent .name").inner_text() == "Perfect"
    assert "second player" in page.locator("main").inner_text().lower()
