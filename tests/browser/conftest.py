"""A page with a store of its own and a browser, both for the tests of one file; all of them are thorough or slow."""

from pathlib import Path

import pytest
from support.web_site import open_browser, open_site


def pytest_collection_modifyitems(items):
    for item in items:
        if Path(__file__).parent in item.path.parents and not item.get_closest_marker("slow"):
            item.add_marker("thorough")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("site")


@pytest.fixture(scope="module")
def site(folder):
    with open_site(folder) as address:
        yield address


@pytest.fixture(scope="module")
def chromium():
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    playwright.expect.set_options(timeout=30_000)  # as long as every other wait
    with open_browser(playwright) as browser:
        yield browser
