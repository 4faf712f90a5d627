"""What people who cannot see or point need: axe finds nothing serious on any kind of page, light or dark."""

import pytest
from support.web_site import CHROMIUM, open_browser

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
axe = pytest.importorskip("axe_core_python.sync_playwright", reason="axe is not installed")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")

PAGES = [
    "/", "/play?game=leduc", "/games/kuhn", "/games/goofspiel-6", "/games/kriegspiel", "/games/resistance7", "/runs",
    "/runs/new", "/runs/new?kind=solve", "/explore/leduc",
    "/problems/1", "/nothing", "/certificates", "/results", "/strategies", "/problems", "/resistance",
]  # fmt: skip
GAMES = ["kuhn", "phantom-ttt", "battleship", "war", "pig", "kriegspiel", "dark-hex-3x3"]


@pytest.fixture(scope="module", params=["light", "dark"])
def page(request, site):
    with open_browser(playwright) as browser:
        yield browser.new_context(base_url=site, color_scheme=request.param).new_page()


def serious(page):
    """What axe finds that is serious or critical: the rule, and the first place."""
    found = axe.Axe().run(page)["violations"]
    return [(one["id"], one["nodes"][0]["html"][:120]) for one in found if one["impact"] in ("serious", "critical")]


@pytest.mark.parametrize("address", PAGES)
def test_pages_have_no_serious_faults(page, address):
    answer = page.goto(address)
    assert answer.status == (404 if address == "/nothing" else 200)
    assert serious(page) == []


@pytest.mark.parametrize("game", GAMES)
def test_games_have_no_serious_faults(page, game):
    page.goto("/")
    asked = {"game": game, "against": "uniform", "side": 0}
    key = page.request.post("/api/play", data=asked).json()["key"]
    page.goto(f"/play/{key}")
    page.locator("#state.turn, #state.over").wait_for()
    assert serious(page) == []


def test_the_list_of_own_games_has_no_serious_faults(page):
    page.goto("/play?game=nim")
    page.locator("#against option").first.wait_for(state="attached")
    page.get_by_role("button", name="Begin").click()
    page.locator("#state.turn").wait_for()
    for address in ("/play", "/games/nim"):
        page.goto(address)
        page.locator("#games-list li").first.wait_for()
        assert serious(page) == []
