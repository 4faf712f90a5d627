"""A problem in a real browser: tried by mouse, keys and letters, taken back, and solved by the hints."""

import pytest
from support.web_site import CHROMIUM, open_browser, open_site

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")
COMPILING = 120_000  # milliseconds


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    with open_site(tmp_path_factory.mktemp("site")) as address, open_browser(playwright) as browser:
        page = browser.new_context(base_url=address, viewport={"width": 1100, "height": 900}).new_page()
        page.troubles = []
        page.on("pageerror", lambda error: page.troubles.append(str(error)))
        yield page


@pytest.fixture
def page(site):
    site.goto("/problems/1")
    site.locator(".chessboard").wait_for(timeout=COMPILING)
    yield site
    assert site.troubles == []


def take_hint(page):
    """The attempt that the page suggests."""
    page.get_by_role("button", name="A hint").click()
    page.locator("#help:not([hidden])").wait_for(timeout=COMPILING)
    return page.locator("#help").inner_text().removeprefix("Try ").removesuffix(".")


def square(page, name):
    return page.locator(f'[data-square="{"abcdefgh".index(name[0]) + 8 * (int(name[1]) - 1)}"]')


def await_attempts(page, count):
    page.locator(f"#heard .you >> nth={count - 1}").wait_for(timeout=COMPILING)
    playwright.expect(page.locator("#heard .you")).to_have_count(count)


def test_the_list_shows_boards_and_leads_to_a_problem(site):
    site.goto("/problems")
    playwright.expect(site.locator(".problems .chessboard")).to_have_count(12)
    site.get_by_role("link", name="1. Mate in").first.click()
    site.locator("#picture .possible").first.wait_for(timeout=COMPILING)
    assert site.get_by_role("heading", level=1).inner_text().startswith("Mate in")
    site.locator(".possible").nth(1).wait_for(state="attached")
    playwright.expect(site.locator("[aria-label*='perhaps the king']")).to_have_count(site.locator(".possible").count())


def test_the_hints_solve_a_problem_by_clicks_and_letters(page):
    count = 0
    while "solved" not in page.locator("#state").inner_text():
        hint = take_hint(page)
        if count % 2:
            page.locator("input[name=move]").fill(hint)
            page.keyboard.press("Enter")
        else:
            square(page, hint[:2]).click()
            square(page, hint[2:4]).click()
        count += 1
        await_attempts(page, count)
    playwright.expect(page.locator(".state.solved")).to_have_count(1)


def test_an_attempt_is_made_with_the_keyboard_and_taken_back(page):
    hint = take_hint(page)
    square(page, hint[:2]).focus()
    page.keyboard.press("Enter")
    square(page, hint[2:4]).focus()
    page.keyboard.press("Enter")
    await_attempts(page, 1)
    square(page, "a1").focus()
    page.keyboard.press("u")
    page.locator("#heard .you").wait_for(state="detached", timeout=COMPILING)
    assert page.get_by_role("button", name="Take it back").is_disabled()


def test_the_solution_is_not_on_the_page_before_it_is_asked_for(page):
    assert page.locator("#tree").inner_text() == "" and page.locator("#solution").is_hidden()
    page.get_by_role("button", name="Solution").click()
    page.locator("#tree .attempt").first.wait_for(timeout=COMPILING)
    assert page.locator("#tree .attempt").first.inner_text().startswith("1. ")


def test_a_wrong_move_has_a_verdict_with_the_way_back_first(page):
    expect = playwright.expect
    page.locator("input[name=move]").fill("e3e1")
    page.keyboard.press("Enter")
    expect(page.locator("#state")).to_have_text("Not the move", timeout=COMPILING)
    expect(page.locator("#why")).to_contain_text("nothing forces mate now")
    expect(page.locator("#back")).to_be_focused()
    expect(page.locator("#failed .chip")).to_have_count(1)
    page.keyboard.press("Enter")
    expect(page.locator("#heard .you")).to_have_count(0)
    expect(page.locator("#verdict-card.wrong-way")).to_have_count(0)


def test_what_was_solved_is_kept_in_the_browser(page):
    page.evaluate("localStorage.setItem('fogspiel-problems', JSON.stringify({ 1: 1, 2: 3 }))")
    page.reload()
    expect = playwright.expect
    expect(page.locator("#solved-words")).to_have_text("2 of 12 solved")
    expect(page.locator("#first-words")).to_have_text("first try: 1")
    expect(page.locator("#dots .done")).to_have_count(2)
    page.evaluate("localStorage.clear()")
