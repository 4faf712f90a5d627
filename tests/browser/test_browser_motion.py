"""Motion in a real browser: what is animated, that only opacity and transform are, frames per second, and stillness."""

import json

import pytest
from support.web_site import CHROMIUM, open_browser

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")

WATCH = """window.seen = []; const animate = Element.prototype.animate;
Element.prototype.animate = function (frames, timing) {
    window.seen.push([Object.keys(Object.assign({}, ...frames)), timing.duration ?? timing]);
    return animate.call(this, frames, timing);
};"""
ALLOWED = {"opacity", "transform", "offset", "easing"}
# A veil over 64 squares is lifted, as at the end of a game; the frames of the browser are counted meanwhile.
LIFT = """async () => {
    const { fogLayer, liftFog } = await import("/static/fog.js");
    const place = document.createElement("div");
    place.className = "chessboard";
    place.style.setProperty("width", "640px");
    document.querySelector("main").replaceChildren(place);
    const layer = fogLayer(8, 8, () => 1);
    place.append(layer);
    await new Promise(requestAnimationFrame);
    performance.mark("lift");
    await liftFog(layer, [6, 0]);
    performance.mark("lifted");
}"""


@pytest.fixture(scope="module")
def browser():
    with open_browser(playwright) as browser:
        yield browser


def begin(page, game, against="uniform"):
    key = page.request.post("/api/play", data={"game": game, "against": against}).json()["key"]
    page.goto(f"/play/{key}")
    page.locator("#state.turn, #state.over").wait_for()


@pytest.mark.parametrize("still", [False, True])
def test_only_opacity_and_transform_move_and_nothing_does_when_motion_is_not_wanted(browser, site, still):
    context = browser.new_context(base_url=site, reduced_motion="reduce" if still else "no-preference")
    page = context.new_page()
    page.add_init_script(WATCH)
    for game in ("leduc", "phantom-ttt"):
        begin(page, game)
        for _ in range(4):
            page.locator("#state.turn, #state.over").wait_for()
            page.evaluate("document.querySelector('#picture button, #buttons .choices button')?.click()")
            page.wait_for_timeout(200)
    seen = page.evaluate("window.seen")
    page.evaluate(LIFT)
    seen += page.evaluate("window.seen")
    context.close()
    assert bool(seen) != still
    assert all(set(keys) <= ALLOWED for keys, _ in seen), seen


@pytest.mark.slow
def test_the_fog_lifts_at_sixty_frames_per_second(browser, site, tmp_path):
    """Not a limit of time: frames that were dropped are counted in the trace of the browser, among those it wanted."""
    page = browser.new_context(base_url=site, viewport={"width": 1280, "height": 800}).new_page()
    page.goto("/about")
    page.evaluate(LIFT)  # once to load everything
    wanted = ["blink.user_timing", "devtools.timeline", "disabled-by-default-devtools.timeline.frame"]
    browser.start_tracing(page=page, categories=wanted)
    page.evaluate(LIFT)
    events = json.loads(browser.stop_tracing())["traceEvents"]
    marks = {event["name"]: event["ts"] for event in events if event["name"] in ("lift", "lifted")}
    during = [event for event in events if marks["lift"] <= event.get("ts", 0) <= marks["lifted"]]
    drawn = sum(event["name"] == "DrawFrame" for event in during)
    seconds = (marks["lifted"] - marks["lift"]) / 1e6
    (tmp_path / "frames.txt").write_text(f"{drawn} frames in {seconds:.3f} s: {drawn / seconds:.1f} per second")
    print(f"{drawn} frames in {seconds:.3f} s: {drawn / seconds:.1f} per second")
    assert drawn > 0
