"""A page is one file: dropped into a plug-in folder it is served, and linked in the header if it has a title."""

import re
import sys

import pytest
from support.web_client import begin, open_client

from fogspiel.core import plugins
from fogspiel.web.app import PACKAGE

PAGE = '''"""Says <what> it is told."""

from fastapi import Request
from markupsafe import Markup

from ..app import Site

PATH, TITLE = "/echo", "Echo"


def add_to(site: Site) -> None:
    @site.routes.get("/api/echo/{words}", tags=["echo"])
    def echo(words: str) -> dict[str, str]:
        return {"said": words}

    @site.routes.get(PATH, include_in_schema=False)
    def page(request: Request, words: str = ""):
        return site.plain_page(request, TITLE, words or Markup("<p id='own'>own words</p>"))

    @site.routes.get(PATH + "/template", include_in_schema=False)
    def template(request: Request):
        return site.page(request, "echo.html", words="<b>")
'''
TEMPLATE = '{% extends "base.html" %}{% block main %}<p>from a template: {{ words }}</p>{% endblock %}'


@pytest.fixture
def pages(tmp_path, monkeypatch):
    """The folder for pages of a plug-in folder that the user has named."""
    folder = tmp_path / "plugins" / "web" / "pages"
    folder.mkdir(parents=True)
    monkeypatch.setenv("FOGSPIEL_PLUGINS", str(tmp_path / "plugins"))
    return folder


def test_a_page_in_a_plug_in_folder_is_served_in_the_frame_of_the_site_and_linked_on_every_page(pages, tmp_path):
    (pages / "echo.py").write_text(PAGE)
    (pages.parent / "templates").mkdir()
    (pages.parent / "templates" / "echo.html").write_text(TEMPLATE)
    with open_client(tmp_path) as client:
        assert client.get("/api/echo/hello").json() == {"said": "hello"}
        assert "/api/echo/{words}" in client.get("/openapi.json").json()["paths"]
        own = client.get("/echo").text
        assert "<p id='own'>own words</p>" in own and "<h1>Echo</h1>" in own and "Nothing leaves this machine" in own
        assert 'href="/echo" title="Says &lt;what&gt; it is told." aria-current="page"' in own
        assert "&lt;script&gt;" in client.get("/echo?words=<script>").text
        assert "from a template: &lt;b&gt;" in client.get("/echo/template").text
        for path in ("/", "/runs", "/nowhere"):
            page = client.get(path).text
            assert page.index('href="/strategies"') < page.index('href="/echo"')


def test_a_page_that_cannot_be_used_is_named_in_a_sentence(pages, tmp_path):
    (pages / "empty_page.py").write_text('"""Nothing."""\n')
    with pytest.raises(ValueError, match=r"empty_page\.py is no page: it has no function `register\(site\)`"):
        open_client(tmp_path)
    (pages / "empty_page.py").unlink()
    (pages / "broken_page.py").write_text("1 / 0\n")
    with pytest.raises(ValueError, match=r"broken_page\.py cannot be loaded: ZeroDivisionError"):
        open_client(tmp_path)


def test_a_page_of_a_plug_in_cannot_take_the_place_of_one_of_the_package(pages, tmp_path):
    (pages / "home.py").write_text(PAGE)
    with pytest.raises(ValueError, match="two files are called web/pages/home"):
        open_client(tmp_path)


def test_a_page_of_a_plug_in_may_have_the_name_of_one_that_the_package_had(pages, tmp_path):
    (pages / "games.py").write_text(PAGE)
    try:
        with open_client(tmp_path) as client:
            assert client.get("/api/echo/hello").json() == {"said": "hello"}
    finally:
        sys.modules.pop("fogspiel.web.pages.games", None)


@pytest.fixture
def no_slices(monkeypatch):
    """A package whose slices were taken away."""
    monkeypatch.setitem(plugins.ROOMS, "web.pages", plugins.ROOMS["web.pages"]._replace(in_slice="none"))
    monkeypatch.setattr("fogspiel.web.app.slice_folders", lambda name: [PACKAGE / "web" / name])
    plugins._extras.cache_clear()
    yield
    plugins._extras.cache_clear()


def test_pages_of_a_slice_are_found_with_their_templates_scripts_and_links(tmp_path):
    with open_client(tmp_path) as client:
        home = client.get("/").text
        assert 'href="/problems"' in home and "/kriegspiel.css" in home and "Play Kriegspiel" in home
        assert client.get("/problems").status_code == client.get("/static/problems.js").status_code == 200
        assert 'href="/resistance"' in client.get("/results").text
        assert 'href="/resistance/5"' in client.get("/games/resistance5").text


def test_the_other_pages_work_without_any_slice(no_slices, tmp_path):
    with open_client(tmp_path) as client:
        for path in ("/", "/play", "/games/resistance5", "/results", "/strategies", "/runs"):
            page = client.get(path)
            assert page.status_code == 200 and "/problems" not in page.text and 'href="/resistance' not in page.text
        assert client.get("/problems").status_code == client.get("/static/problems.js").status_code == 404
        session = begin(client, game="phantom-ttt", against="uniform", side=1)
        answer = client.post(
            f"/api/play/{session['key']}", json={"action": session["choices"][0]["action"], "moment": 1, "draw": True}
        )
        assert answer.status_code == 422 and "a draw is offered in" in answer.json()["error"]


def test_the_web_interface_names_no_slice():
    forms = ("requests.py", "run_forms.py", "new_run.html")
    for path in (PACKAGE / "web").rglob("*.*"):
        if path.suffix in (".py", ".html") and path.name not in forms:
            assert not re.search("kriegspiel|resistance", path.read_text(), re.IGNORECASE), path
