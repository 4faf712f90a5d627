"""The page of a game in a real browser: rules, the solution as an opponent, resigning, series, the truth at the end."""

import re

import pytest
from support.web_site import CHROMIUM

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")

WORK = 300_000
PHONE = {"width": 375, "height": 740}
DESK = {"width": 1280, "height": 800}


@pytest.fixture
def visit(chromium, site):
    contexts, troubles = [], []

    def open_page(viewport=DESK):
        context = chromium.new_context(base_url=site, viewport=viewport)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(WORK)
        page.on("pageerror", lambda error: troubles.append(str(error)))
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert troubles == []


def begin(page, game, against="uniform", side=0):
    """Begin a game over the API and open it."""
    answer = page.request.post("/api/play", data={"game": game, "against": against, "side": side})
    page.goto(f"/play/{answer.json()['key']}")
    page.locator("#state.turn, #state.over").wait_for()


def finish(page, most=300):
    """Press the first button until the game is over."""
    for _ in range(most):
        state = page.locator("#state.turn, #state.over")
        state.wait_for()
        if "over" in state.get_attribute("class"):
            return
        page.evaluate("document.querySelector('#buttons .choices button')?.click()")
        page.wait_for_timeout(20)
    pytest.fail("the game does not end")


def resign(page):
    page.get_by_role("button", name="Resign").click()
    page.get_by_role("button", name="are you sure").click()
    page.locator("#state.over").wait_for()


@pytest.mark.thorough
def test_the_replay_shows_what_the_person_could_know(visit):
    page = visit()
    begin(page, "kuhn")
    finish(page)
    page.goto(f"{page.url}/replay")
    page.locator("#record li").first.wait_for()
    page.locator("#could summary").click()
    page.get_by_text("Choose a moment at which you moved.").wait_for()
    page.locator("#record button[aria-label^='You: ']").first.click()
    page.get_by_text("2 states fit your views").wait_for()
    playwright.expect(page.locator("#could-states section")).to_have_count(2)


def width_of(page):
    return page.evaluate("document.documentElement.scrollWidth")


def test_a_game_page_has_rules_a_value_a_picture_and_ranked_opponents(visit):
    page = visit()
    page.goto("/games/kuhn")
    page.locator("#rules li").nth(4).wait_for(state="attached")
    assert "-1/18" in page.locator("#value").inner_text()
    assert page.locator("#opponents li a").first.inner_text() == "exact solution"
    page.locator(".views .playing-card").first.wait_for()
    page.locator("#opponents li a").first.click()
    page.wait_for_url(re.compile("/play"))
    page.locator("#against option").first.wait_for(state="attached")
    assert page.locator("#against").input_value() == "solved"


def test_the_first_page_has_one_tile_for_the_resistance_with_all_sizes(visit):
    page = visit()
    page.goto("/")
    family = page.locator(".family", has_text="The Resistance")
    playwright.expect(family).to_have_count(1)
    family.locator("summary").click()
    family.locator(".sizes a", has_text="7").click()
    page.wait_for_url(re.compile("/games/resistance7$"))
    assert "7 players" in page.locator("#rules").inner_text()


def test_hands_against_the_solution_keep_a_running_score_and_the_sides_change(visit):
    page = visit()
    begin(page, "kuhn", "solved")
    finish(page)
    page.locator("#running", has_text="1 game in a row").wait_for()
    assert page.locator("#truth-bar").is_visible()
    playwright.expect(page.locator("#picture .playing-card:not(.look-face-down)")).to_have_count(2)
    first = page.url
    page.get_by_role("button", name="Next game").click()
    page.wait_for_url(lambda url: url != first)
    page.locator("#state.turn, #state.over").wait_for()
    assert "second player" in page.locator(".heading").inner_text()
    finish(page)
    page.locator("#running", has_text="2 games in a row").wait_for()
    assert not page.locator("#interval-words").is_visible()  # after a few games luck explains all
    page.locator("#interval summary").click()
    assert "95 %" in page.locator("#interval-words").inner_text()


def test_a_game_is_resigned_its_truth_is_shown_and_its_replay_opens_at_the_end(visit):
    page = visit()
    begin(page, "battleship", "uniform", side=1)
    for _ in range(4):
        page.locator("#state.turn").wait_for()
        page.evaluate("document.querySelector('#buttons .choices button').click()")
        page.wait_for_timeout(200)
    page.locator("#state.turn").wait_for()
    resign(page)
    assert "You resigned" in page.locator("#state").inner_text()
    page.locator("#picture .figure-ship").nth(6).wait_for(state="attached")
    page.get_by_role("link", name="See the whole game").click()
    page.locator("#view-1 .cell").first.wait_for()
    assert "you resigned" in page.locator("#now").inner_text()
    page.get_by_role("button", name="The truth").click()
    page.locator("#truth .cell").first.wait_for()
    assert page.locator("#moment").input_value() == page.locator("#moment").get_attribute("max")


def test_a_ship_is_turned_and_put_down_on_one_sea(visit):
    page = visit()
    begin(page, "battleship")
    playwright.expect(page.locator("#picture .grid")).to_have_count(1)
    page.locator("#picture button.cell").first.hover()
    assert (
        page.locator(".sea .in-hand").bounding_box()["width"] > page.locator(".sea .in-hand").bounding_box()["height"]
    )
    page.get_by_role("button", name="Turn it").click()
    page.locator("#picture button.cell").first.click()
    page.locator("#transcript .you", has_text="ship A1-A5").wait_for()
    port, cell = page.locator(".in-port").bounding_box(), page.locator("#picture button.cell").nth(20).bounding_box()
    page.mouse.move(port["x"] + 20, port["y"] + 10)
    page.mouse.down()
    page.mouse.move(cell["x"] + 20, cell["y"] + 20, steps=5)
    page.mouse.up()
    page.locator("#transcript .you").nth(1).wait_for()
    playwright.expect(page.locator(".sea .afloat:not(.in-hand) .figure-ship")).to_have_count(2)


def test_a_resigned_game_stays_resigned_when_it_is_opened_again(visit):
    page = visit()
    begin(page, "kriegspiel", "random")
    resign(page)
    playwright.expect(page.locator(".chessboard .man.black")).to_have_count(16)
    page.reload()
    page.locator("#state.over").wait_for()
    key = page.url.rsplit("/", 1)[1]
    assert "0-1" in page.request.get(f"/api/play/{key}/pgn", timeout=4 * WORK).text()


def test_public_moves_of_the_other_are_in_the_log_and_the_last_one_is_marked(visit):
    page = visit()
    begin(page, "four-in-a-row-4x4")
    page.locator("#picture button.cell").first.click()
    page.locator("#transcript .other", has_text="column").wait_for()
    playwright.expect(page.locator("#picture .cell.latest.look-other")).to_have_count(1)


def test_pig_shows_its_die_and_says_when_a_one_was_rolled(visit):
    page = visit()
    begin(page, "pig", "hold20")
    for _ in range(60):
        if page.locator("#transcript", has_text="shows 1").count():
            break
        page.locator("#state.turn").wait_for()
        page.get_by_role("button", name="roll", exact=False).first.click()
        page.wait_for_timeout(50)
    assert page.locator("#last-roll > .figure-die").is_visible()
    assert "the turn is over" in page.locator("#transcript").inner_text()


def test_war_is_played_on_until_there_is_something_to_decide(visit):
    page = visit()
    begin(page, "batawaf", "descending")
    while not page.get_by_role("button", name="Play on").is_visible():  # a war may be the first thing to decide
        page.evaluate("document.querySelector('#buttons .choices button')?.click()")
        page.wait_for_timeout(50)
    before = page.locator("#transcript .you").count()
    page.get_by_role("button", name="Play on").click()
    page.locator("#play-on-row.resting, #state.over").first.wait_for(state="attached")
    page.locator("#transcript .you").nth(before).wait_for(state="attached")


def test_the_coach_says_what_a_move_cost(visit):
    page = visit()
    begin(page, "kuhn", "solved")
    page.locator("#coach summary").click()
    finish(page)
    page.locator("#coach-moves li").first.wait_for()


@pytest.mark.parametrize(("game", "height"), [("phantom-ttt", 300), ("kriegspiel", 300), ("battleship", 200)])
def test_a_board_is_large_and_fits_the_window(visit, game, height):
    page = visit()
    begin(page, game, "uniform", side=0)
    box = page.locator("#picture .grid, #picture .chessboard").first.bounding_box()
    assert box["height"] >= height
    assert box["y"] + box["height"] <= DESK["height"]


LONG = ("leduc", "liars-dice-6", "goofspiel-5", "resistance13", "kriegspiel")
"""Games with long fractions, tables and names."""


def test_pages_of_games_and_boards_fit_on_a_phone(visit):
    page = visit(PHONE)
    for path in ("/", *(f"/games/{name}" for name in LONG)):
        page.goto(path)
        assert width_of(page) <= PHONE["width"], path
    for game in ("battleship", "guesswho24", "liars-dice-6", "leduc", "cheat", "morra", "resistance13"):
        begin(page, game)
        assert width_of(page) <= PHONE["width"], game


def test_a_game_is_resigned_and_the_next_one_begun_with_the_keyboard_alone(visit):
    page = visit()
    begin(page, "nim", "perfect")
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    page.locator("#transcript .other").first.wait_for()
    page.locator("#state.turn").wait_for()
    for _ in range(60):
        if page.evaluate("document.activeElement.id") == "resign":
            break
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    page.locator("#state.over").wait_for()
    first = page.url
    for _ in range(60):
        if page.evaluate("document.activeElement.id") == "next":
            break
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_url(lambda url: url != first)
