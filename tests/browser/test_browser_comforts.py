"""A clock that can be hidden and sounds that are off until they are wanted, in a real browser."""

import pytest
from support.web_site import CHROMIUM, open_browser

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")

WORK = 300_000
PHONE = {"width": 375, "height": 740}
COUNTED = """const made = AudioContext.prototype.createOscillator; window.tones = 0;
AudioContext.prototype.createOscillator = function () { window.tones += 1; return made.call(this); };"""


@pytest.fixture
def page(site):
    with open_browser(playwright) as browser:
        page = browser.new_context(base_url=site, viewport=PHONE).new_page()
        page.set_default_timeout(WORK)
        page.add_init_script(COUNTED)
        yield page


def begin(page, game):
    key = page.request.post("/api/play", data={"game": game, "against": "uniform", "side": 0}).json()["key"]
    page.goto(f"/play/{key}")
    page.locator("#state.turn").wait_for()


def move(page):
    page.locator("#picture button.cell").first.click()
    page.wait_for_timeout(400)
    page.locator("#state.turn, #state.over").wait_for()


def test_the_clock_runs_outlives_a_reload_and_can_be_hidden(page):
    begin(page, "four-in-a-row")
    assert page.locator("#clock-you").inner_text() == "0:00"
    page.locator("#clock-you", has_text="0:02").wait_for()
    page.reload()
    page.locator("#state.turn").wait_for()
    assert int(page.locator("#clock-you").inner_text().split(":")[1]) >= 2
    page.get_by_label("Clock").uncheck()
    assert not page.locator("[data-clock='you']").is_visible()
    page.reload()
    page.locator("#state.turn").wait_for()
    assert not page.locator("[data-clock='you']").is_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


def test_the_clock_stops_when_the_game_is_over(page):
    begin(page, "nim")
    page.get_by_role("button", name="Resign").click()
    page.get_by_role("button", name="are you sure").click()
    page.locator("#state.over").wait_for()
    before = page.locator("[data-clock='you']").inner_text()
    page.wait_for_timeout(2500)
    assert page.locator("[data-clock='you']").inner_text() == before


def test_sounds_are_off_until_they_are_wanted_and_need_no_file(page):
    begin(page, "four-in-a-row")
    move(page)
    assert page.evaluate("window.tones") == 0
    page.get_by_label("Sound").check()
    heard = page.evaluate("window.tones")
    requests = []
    page.on("request", lambda request: requests.append(request.resource_type))
    move(page)
    assert page.evaluate("window.tones") > heard and "media" not in requests
    page.get_by_label("Sound").uncheck()
    heard = page.evaluate("window.tones")
    move(page)
    assert page.evaluate("window.tones") == heard


def test_a_draw_is_offered_with_a_move_and_declined(page):
    begin(page, "kriegspiel")
    page.get_by_label("Offer a draw with the next move").check()
    page.locator("#buttons summary").click()
    page.get_by_role("button", name="e2e4").click()
    page.locator("#draw-answer", has_text="declines").wait_for()
    assert not page.get_by_label("Offer a draw").is_checked()
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    begin(page, "nim")
    playwright.expect(page.get_by_label("Offer a draw")).to_have_count(0)
