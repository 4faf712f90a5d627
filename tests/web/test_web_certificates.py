"""Certificates over the API: downloaded, checked in a process of their own, and refused in a sentence if wrong."""

import json
import random

import pytest
from support.certificates import tampered
from support.levels import default_cases
from support.web_client import checked, open_client

from fogspiel.core.untrusted_input import parse_json
from fogspiel.runs.kind import execute
from fogspiel.runs.kinds.solve import task_of
from fogspiel.runs.requests import SolveRequest
from fogspiel.runs.store import Store
from fogspiel.solving.proofs import verify
from fogspiel.web.security import LARGE


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a store that has a solved game."""
    folder = tmp_path_factory.mktemp("solved")
    with Store.open(folder / "runs.db", write=True) as store:
        execute(store.create(task_of(SolveRequest("kuhn", exact=True)).ask))
    return folder


@pytest.fixture
def client(folder):
    with open_client(folder) as client:
        yield client


@pytest.mark.thorough
def test_the_certificate_of_a_run_is_downloaded_and_holds(client):
    body = client.get("/api/runs/kuhn-1/certificate")
    assert body.json()["value"] == "-1/18" and 'filename="kuhn-1.json"' in body.headers["content-disposition"]
    assert checked(client, client.post("/api/runs/kuhn-1/verify"))["valid"]
    found = checked(client, client.post("/api/certificates", content=body.content))
    assert (
        found["valid"] and found["facts"]["lower"] == "-1/18" and found["words"].startswith("Valid: the value of kuhn")
    )


@pytest.mark.thorough
@pytest.mark.parametrize(
    "content",
    [
        b"not json",
        b'{"game": "../rules.py", "format": "fogspiel certificate 1"}',
        *default_cases(
            [],
            [
                b"[" * 60_000,
                b'{"game": "/etc/passwd", "format": "fogspiel certificate 1"}',
                b'{"game": "kuhn", "format": "' + b"x" * 100_000 + b'"}',
                b'{"game": "kuhn", "lower": 1e999999999}',
            ],
        ),
    ],
)
def test_hostile_files_are_refused_in_a_sentence(client, content):
    found = checked(client, client.post("/api/certificates", content=content))
    assert found["valid"] is False and found["facts"] is None
    assert 10 < len(found["words"]) < 600 and "\n" not in found["words"] and "Traceback" not in found["words"]


@pytest.mark.thorough
def test_a_certificate_that_was_changed_is_refused(client):
    body = client.get("/api/runs/kuhn-1/certificate").json() | {"lower": "1/2"}
    found = checked(client, client.post("/api/certificates", content=json.dumps(body)))
    assert found["valid"] is False and "not valid" in found["words"]


@pytest.mark.parametrize(
    "seed", [pytest.param(seed, marks=pytest.mark.slow if seed > 1 else pytest.mark.thorough) for seed in range(1, 6)]
)
def test_tampered_certificates_get_the_verdict_that_the_checker_gives(client, seed):
    """Eight uploads each, whose digests fit mostly: the answer that the page shows is read, whatever it is."""
    body, draw = client.get("/api/runs/kuhn-1/certificate").json(), random.Random(seed)
    for _ in range(8):
        text = json.dumps(tampered(body, draw))
        try:
            verdict = [str(bound) for bound in verify(parse_json(text))]
        except ValueError:
            verdict = None
        found = checked(client, client.post("/api/certificates", content=text))
        assert found["valid"] is (verdict is not None), (text, found)
        assert verdict is None or [found["facts"]["lower"], found["facts"]["upper"]] == verdict
        assert len(found["words"]) < 600 and "Traceback" not in found["words"] and "/tmp" not in found["words"]


def test_bodies_have_limits_and_only_this_address_takes_large_ones(client):
    most = LARGE["/api/certificates"]
    assert client.post("/api/certificates", content=b" " * (most + 1)).status_code == 413
    assert client.post("/api/runs", content=b" " * 70_000).status_code == 413
    assert client.post("/api/certificates", content=b" ").status_code == 422
    assert client.get("/api/certificates/" + "0" * 32).status_code == 404
    assert client.get("/api/runs/kuhn-9/certificate").status_code == 404
