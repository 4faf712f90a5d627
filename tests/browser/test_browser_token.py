"""A page with a token in a real browser: the token is in the address once, and then in a cookie."""

from urllib.parse import urlsplit

import pytest
from support.web_site import CHROMIUM, open_browser, running

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = [pytest.mark.slow, pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")]


def test_the_token_leaves_the_address_and_all_pages_are_served_after_it(tmp_path):
    with running(tmp_path, "--token") as (_, address), open_browser(playwright) as browser:
        page = browser.new_page()
        page.set_default_timeout(60_000)
        place = urlsplit(address)
        stranger = page.goto(f"http://{place.netloc}/runs")
        assert stranger.status == 401 and "with the token that `fogspiel web` printed" in page.inner_text("main")
        page.goto(address)
        assert page.url == f"http://{place.netloc}/"
        page.get_by_role("link", name="Runs", exact=True).click()
        page.wait_for_url("**/runs")
        assert page.evaluate("fetch('/api/games').then((answer) => answer.status)") == 200
        assert page.evaluate("document.cookie") == ""
