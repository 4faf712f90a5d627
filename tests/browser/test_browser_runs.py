"""Runs in a real browser: solved from a form, certificates checked, runs filtered, noted and deleted; light pages."""

import json
import re

import pytest
from support.web_site import CHROMIUM

from fogspiel.core.game import known_game
from fogspiel.runs.kind import execute
from fogspiel.runs.requests import MatchRequest
from fogspiel.runs.store import Store

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")

PHONE = {"width": 375, "height": 740}
WORK = 300_000
MAX_BYTES = 120_000
"""What a page may load, as it goes over the wire, also one with charts."""
LARGER = {"/certificates": 150_000}  # with the pictures of its games
LONG = "-" + "123456789" * 30 + "/" + "987654321" * 30


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a store that has two short matches."""
    folder = tmp_path_factory.mktemp("site")
    game = known_game("kuhn")
    with Store.open(folder / "runs.db", write=True) as store:
        for seed in (1, 2):
            request = MatchRequest(game.name, "uniform", "uniform", seed, 20)
            execute(store.create(request.to_json()))
    return folder


@pytest.fixture
def visit(chromium, site):
    """A browser of its own, whose scripts must not fail."""
    contexts, troubles = [], []

    def visit(**manner):
        context = chromium.new_context(base_url=site, **manner)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(WORK)
        page.on("pageerror", lambda error: troubles.append(str(error)))
        return page

    yield visit
    for context in contexts:
        context.close()
    assert troubles == []


def solve(page, game="kuhn"):
    """Solve a game by the form; returns the name of its run when it is finished."""
    page.goto(f"/runs/new?kind=solve&game={game}")
    page.get_by_role("button", name="Start").click()
    page.wait_for_url(re.compile(rf"/runs/{game}-\d+$"))
    page.locator("h1 .badge.good").wait_for()
    page.locator("#verify:enabled").wait_for()
    return page.url.rsplit("/", 1)[1]


@pytest.fixture(scope="module")
def solved(chromium, site, tmp_path_factory):
    """A game that was solved by the form, and the file of its certificate."""
    context = chromium.new_context(base_url=site)
    page = context.new_page()
    page.set_default_timeout(WORK)
    name = solve(page)
    with page.expect_download() as download:
        page.get_by_role("link", name="Download the certificate").click()
    file = tmp_path_factory.mktemp("certificates") / "kuhn.json"
    download.value.save_as(file)
    context.close()
    return name, file


def test_a_game_is_solved_from_a_form_and_its_certificate_is_checked(visit, solved):
    name, file = solved
    assert json.loads(file.read_text(encoding="utf-8"))["value"] == "-1/18"
    page = visit()
    page.goto(f"/runs/{name}")
    page.get_by_role("button", name="Check the certificate").click()
    page.locator("#checked.proved").wait_for()
    assert "exactly -1/18" in page.locator("#checked").inner_text()


def test_an_uploaded_certificate_is_proved_and_a_changed_one_refused(visit, solved, tmp_path):
    page = visit()
    page.goto("/certificates")
    page.locator("#file").set_input_files(solved[1])
    page.get_by_role("button", name="Check it", exact=True).click()
    page.locator("#checked.proved").wait_for()
    forged = tmp_path / "forged.json"
    forged.write_text(solved[1].read_text(encoding="utf-8").replace('"-1/18"', '"1/18"'), encoding="utf-8")
    page.locator("#file").set_input_files(forged)
    page.get_by_role("button", name="Check it", exact=True).click()
    page.locator("#checked.trouble").wait_for()
    assert "not valid" in page.locator("#checked").inner_text()


def test_the_decisions_of_a_solution_are_browsed(visit, solved):
    page = visit()
    page.goto(f"/strategies/kuhn?player={solved[0]}")
    page.locator("table.strategy meter").nth(4).wait_for(state="attached")
    page.get_by_role("link", name="Second player").click()
    page.locator("input[name=q]").fill("king queen")
    page.get_by_role("button", name="Show").first.click()
    page.get_by_text("0 of").wait_for()


def test_a_run_is_noted_found_by_its_note_and_deleted(visit):
    page = visit()
    page.goto("/runs?kind=match")
    playwright.expect(page.locator("tr[data-run]")).to_have_count(2)
    page.get_by_role("link", name="kuhn-2", exact=True).click()
    page.locator("#note").fill("the blue one")
    page.get_by_role("button", name="Save note").click()
    page.get_by_text("Saved.").wait_for()
    page.goto("/runs")
    page.locator("input[name=q]").fill("blue")
    page.get_by_role("button", name="Filter").click()
    page.locator("#count", has_text="1 of").wait_for()
    page.get_by_role("button", name="Delete kuhn-2").click()
    page.get_by_role("button", name="Keep it").click()
    playwright.expect(page.locator("tr[data-run]")).to_have_count(1)
    page.get_by_role("button", name="Delete kuhn-2").click()
    page.get_by_role("button", name="Delete it").click()
    page.get_by_text("No run matches the filter").wait_for()
    assert page.goto("/runs/kuhn-2").status == 404


def test_exploitability_is_asked_from_a_form(visit):
    page = visit()
    page.goto("/runs/new?kind=exploit")
    page.get_by_role("button", name="Start").click()
    page.wait_for_url(re.compile("/questions/"))
    page.get_by_text("Exploitability 0.458333 = 11/24").wait_for()


def test_the_experiment_of_a_paper_is_done_again_from_a_form(visit):
    page = visit()
    page.goto("/runs/new?kind=paper")
    page.locator("#advanced summary").click()
    page.get_by_label("Table or figure").select_option("table2")
    page.get_by_label("Training seeds").fill("1")
    page.get_by_label("Scale").fill("-1")
    page.get_by_role("button", name="Start").click()
    page.get_by_text("One field needs another look.").wait_for()
    page.get_by_label("Scale").fill("0.0001")
    page.get_by_role("button", name="Start").click()
    page.wait_for_url(re.compile(r"/runs/table2-\d+$"))
    page.locator("h1 .badge.live, h1 .badge.good").wait_for()
    page.get_by_text(re.compile(r"All \d+ jobs are done\.")).wait_for()
    playwright.expect(page.locator("#lately li")).to_have_count(8)
    page.get_by_role("link", name="Read the result").click()
    page.get_by_role("heading", name="Table II: scores against the baseline").wait_for()
    page.locator("main table tbody tr").nth(20).wait_for(state="attached")


def test_a_comparison_without_a_chart_says_why(visit, solved):
    page = visit()
    page.goto(f"/runs/compare?run=kuhn-1&run={solved[0]}")
    page.get_by_text("There is nothing to draw").wait_for()
    assert page.locator("#figure").is_hidden()


def test_pages_are_light(visit, solved):
    for path in (
        "/runs",
        "/runs/new",
        "/results",
        "/strategies",
        "/certificates",
        f"/runs/{solved[0]}",
        "/runs/kuhn-1",
    ):
        page, sizes = visit(), []
        page.on("requestfinished", lambda request, sizes=sizes: sizes.append(request.sizes()))
        page.goto(path)
        page.wait_for_load_state("networkidle")
        loaded = sum(one["responseBodySize"] + one["responseHeadersSize"] for one in sizes)
        assert 0 < loaded < LARGER.get(path, MAX_BYTES), path


@pytest.mark.parametrize("width", [PHONE["width"], 1200])
def test_long_fractions_stay_inside_the_page(visit, solved, width):
    page = visit(viewport={"width": width, "height": 740})
    for path in (
        "/runs",
        "/certificates",
        f"/runs/{solved[0]}",
        f"/results/{solved[0]}",
        f"/strategies/kuhn?player={solved[0]}",
    ):
        page.goto(path)
        page.evaluate(
            """words => {
                for (const place of document.querySelectorAll("main p, main dd, main li, main td")) {
                    if (!place.children.length && place.textContent.trim()) place.textContent = words;
                }
            }""",
            LONG,
        )
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path


def test_the_form_says_what_will_happen_and_offers_the_players_that_exist(visit):
    page = visit()
    page.goto("/runs/new?kind=match")
    expect = playwright.expect
    expect(page.locator("#command")).to_have_text("fogspiel match batawaf ascending uniform --seed 1 --games 20000")
    expect(page.locator("#first")).to_be_hidden()
    page.locator("#game").select_option("pig")
    expect(page.locator("#command")).to_contain_text("fogspiel match pig optimal")
    assert "ascending" not in page.locator("#command").inner_text()
    page.get_by_label("Second player", exact=True).first.select_option("hold20")
    expect(page.locator("#command")).to_contain_text("pig optimal hold20")
    page.get_by_label("Second player", exact=True).first.select_option(label="Something else: type it")
    page.locator("#second").fill("nobody")
    expect(page.locator("#plan-facts")).to_contain_text("Not yet: ")
    page.goto("/runs/new?kind=tournament")
    page.get_by_role("group", name="Players that exist").wait_for()
    page.locator("#game").select_option("pig")
    expect(page.locator(".player-chips [aria-pressed=true]").first).to_be_visible()
    expect(page.locator("#players")).not_to_have_value(re.compile("ascending"))
