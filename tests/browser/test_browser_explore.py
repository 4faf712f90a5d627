"""The explorer of solved games, and what the coach shows in a game, in a real browser."""

import re

import pytest
from support.web_site import CHROMIUM

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")

MOST_BYTES = 120_000  # of a page without charts, as they are sent


@pytest.fixture
def visit(chromium, site):
    contexts, troubles = [], []

    def open_page(**manner):
        context = chromium.new_context(base_url=site, **{"viewport": {"width": 1280, "height": 800}} | manner)
        context.add_init_script("localStorage.setItem('fogspiel-coach', 'yes')")
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: troubles.append(str(error)))
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert troubles == []


def explore(page, game="leduc", place=""):
    page.goto(f"/explore/{game}{place}")
    page.locator("#grid .decision").first.wait_for()


def begin(page, game, against, side=0):
    session = page.request.post("/api/play", data={"game": game, "against": against, "side": side}).json()
    page.goto(f"/play/{session['key']}")
    page.locator("#state.turn").wait_for()
    return session


def test_a_grid_leads_to_its_decisions_and_the_way_back(visit):
    page, expect = visit(), playwright.expect
    explore(page)
    page.get_by_label("Decisions", exact=True).select_option("Round 2: check, bet")
    expect(page.locator("#grid .decision")).to_have_count(45)
    page.locator("#grid .decision").first.click()
    expect(page.locator("#grid [aria-current]")).to_have_count(1)
    expect(page.locator("#detail h2")).not_to_be_empty()
    expect(page.locator("#way .own")).to_have_count(1)
    page.locator("#way .own button").click()
    expect(page.get_by_label("Decisions", exact=True)).to_have_value("0")
    expect(page.locator("#way .own")).to_have_count(0)
    page.locator("#walk-choices details").first.click()
    page.locator("#walk-choices details").first.locator("button").first.click()
    expect(page.locator("#way .own")).to_have_count(1)


def test_arrow_keys_walk_in_the_grid(visit):
    page = visit()
    explore(page)
    page.locator("#grid .decision").first.focus()
    page.keyboard.press("ArrowDown")
    second = page.locator("#grid tr").nth(2).locator(".decision").first
    playwright.expect(second).to_be_focused()
    page.keyboard.press("Enter")
    playwright.expect(second).to_have_attribute("aria-current", "true")


def test_training_scores_an_answer_and_keeps_the_record(visit):
    page, expect = visit(), playwright.expect
    explore(page, "kuhn")
    page.get_by_role("button", name="Train").click()
    page.locator("#answers button").first.wait_for()
    expect(page.locator("#answers .cost")).to_have_count(0)  # nothing is told before the answer
    expect(page.locator("#detail h2")).to_have_count(0)
    page.keyboard.press("1")
    expect(page.locator("#answers .cost")).to_have_count(2)
    expect(page.locator("#verdict h2")).to_have_text(re.compile("Exact|Not the best"))
    expect(page.locator("#training .dots i")).to_have_count(1)
    page.get_by_role("button", name="Next spot").click()
    expect(page.locator("#answers .cost")).to_have_count(0)
    page.reload()
    expect(page.locator("#training .dots i")).to_have_count(1)


def test_a_game_is_played_on_from_a_decision(visit):
    page = visit()
    explore(page, "leduc")
    page.get_by_role("button", name="Second").click()
    page.locator("#grid .decision").last.click()
    seen = page.locator("#way .news").first.inner_text()
    page.get_by_role("button", name="Play on from here").click()
    page.wait_for_url(re.compile("/play/"))
    page.locator("#state.turn").wait_for()
    assert seen.removeprefix("Opponent: ") in page.locator("#transcript").inner_text()


def test_the_explorer_is_small(visit):
    page, sent = visit(), []
    page.on("response", lambda answer: sent.append(answer.request.sizes()["responseBodySize"]))
    explore(page)
    page.wait_for_timeout(300)
    assert sum(sent) < MOST_BYTES


def test_the_coach_marks_choices_and_what_the_opponent_may_hold(visit):
    page, expect = visit(), playwright.expect
    begin(page, "leduc", "solved")
    expect(page.locator("#buttons .cost")).to_have_count(2)
    expect(page.locator(".may-hold [role=listitem]")).to_have_count(3)
    expect(page.locator("#coach-exact")).to_be_visible()
    page.locator("#coach summary").click()
    expect(page.locator("#buttons .cost, .may-hold")).to_have_count(0)


def test_the_boards_that_fit_are_listed_and_a_refusal_narrows_them(visit):
    page, expect = visit(), playwright.expect
    begin(page, "phantom-ttt", "solved")
    expect(page.locator("#picture .belief-mark")).to_have_count(0)  # nothing lies there before the first move
    page.locator("#picture button.cell").nth(4).click()
    expect(page.locator("#picture .belief-mark").first).to_be_visible()
    expect(page.locator(".fitting .mini").first).to_be_visible()


def test_pig_and_guess_who_have_exact_costs_on_their_choices(visit):
    page, expect = visit(), playwright.expect
    begin(page, "pig", "optimal")
    expect(page.locator("#buttons .cost")).to_have_count(2)
    expect(page.locator(".race")).to_have_count(2)
    begin(page, "guesswho24", "God")
    expect(page.locator("#picture .on-cell").first).to_be_visible()


def test_the_fleet_is_listed_while_it_is_placed(visit):
    page, expect = visit(), playwright.expect
    begin(page, "battleship", "border")
    expect(page.locator(".fleet-row")).to_have_count(4)
    page.locator("#picture button.cell").first.click()
    expect(page.locator(".fleet-row.placed")).to_have_count(1)


def test_a_server_that_is_away_is_named_and_the_game_goes_on(visit):
    page, expect = visit(), playwright.expect
    begin(page, "leduc", "uniform")
    page.route("**/api/play/**", lambda route: route.abort())
    page.locator("#buttons button").first.click()
    expect(page.locator("#offline")).to_be_visible()
    page.unroute("**/api/play/**")
    expect(page.locator("#offline")).to_be_hidden()


def test_an_empty_list_of_runs_says_what_to_do(visit):
    page = visit()
    page.goto("/runs")
    page.get_by_role("heading", name="No runs of your own yet").wait_for()
    page.get_by_role("link", name="New run").last.click()
    playwright.expect(page.locator("#seconds")).to_have_value("60")
