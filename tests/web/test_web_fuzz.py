"""Whatever is sent to the API, it answers, and never with an error of its own."""

import tempfile
from pathlib import Path

import httpx
import pytest

schemathesis = pytest.importorskip("schemathesis", reason="schemathesis is not installed")

from hypothesis import HealthCheck, settings  # noqa: E402
from schemathesis.checks import not_a_server_error  # noqa: E402
from schemathesis.specs.openapi.checks import response_schema_conformance  # noqa: E402
from support.web_site import open_site  # noqa: E402

from fogspiel.web.app import application  # noqa: E402

pytestmark = pytest.mark.thorough

FOLDER = tempfile.TemporaryDirectory()
SCHEMA = schemathesis.openapi.from_dict(application(Path(FOLDER.name) / "a.db", Path(FOLDER.name) / "b.db").openapi())


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    with open_site(tmp_path_factory.mktemp("site")) as address:
        yield address
        for run in httpx.get(f"{address}/api/runs").json()["runs"]:  # some requests begin runs, which outlive the page
            httpx.post(f"{address}/api/runs/{run['name']}/stop", timeout=60)


def demand_an_answer(case, site):
    answer = case.call(base_url=site)
    case.validate_response(answer, checks=(not_a_server_error, response_schema_conformance))
    if answer.status_code >= 400:
        assert isinstance(answer.json()["error"], str)


LONG = ["/api/resistance/{players}/spies", "/api/runs"]
"""Paths that start seconds of work: thorough."""
MANNER = settings(deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)


@SCHEMA.exclude(path=LONG).parametrize()
@settings(MANNER, max_examples=3)
def test_no_request_breaks_the_server(case, site):
    demand_an_answer(case, site)


@pytest.mark.thorough
@SCHEMA.parametrize()
@settings(MANNER, max_examples=12)
def test_no_request_of_some_breaks_the_server(case, site):
    demand_an_answer(case, site)


@pytest.mark.slow
@SCHEMA.parametrize()
@settings(MANNER, max_examples=200)
def test_no_request_of_many_breaks_the_server(case, site):
    demand_an_answer(case, site)
