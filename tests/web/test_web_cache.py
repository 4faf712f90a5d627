"""Answers for every visitor are made once for all who ask at the same time, and once for each change of a run."""

import asyncio

import pytest
from fastapi.responses import HTMLResponse
from support.web_client import open_client

from fogspiel.runs.requests import MatchRequest
from fogspiel.runs.store import Store
from fogspiel.web import cache
from fogspiel.web.cache import AnswerCache, VersionCache
from fogspiel.web.run_reader import RunReader


class Counting:
    """An application that says how often it was asked."""

    def __init__(self):
        self.asked = 0

    async def __call__(self, scope, receive, send):
        self.asked += 1
        number = self.asked
        await asyncio.sleep(0.01)
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": str(number).encode()})


async def ask(app, path, method="GET", query=b""):
    said = []

    async def send(message):
        message["headers"] = "changed by the sender"
        said.append(message)

    await app({"type": "http", "path": path, "method": method, "query_string": query}, None, send)
    return said[-1]["body"]


def answers(*questions):
    """The answers to groups of questions; those of a group are asked at the same time."""
    app = AnswerCache(Counting())

    async def all_of_them():
        return [await asyncio.gather(*(ask(app, *question) for question in group)) for group in questions]

    return asyncio.run(all_of_them())


def test_many_who_ask_at_the_same_time_get_one_answer():
    assert answers([("/api/runs",)] * 20, [("/api/runs",)] * 5) == [[b"1"] * 20, [b"1"] * 5]


def test_an_answer_is_old_as_soon_as_something_was_done():
    assert answers([("/api/runs",)], [("/api/runs/batawaf-1/stop", "POST")], [("/api/runs",)]) == [
        [b"1"],
        [b"2"],
        [b"3"],
    ]


def test_what_is_not_for_everybody_is_made_anew():
    assert answers([("/api/play/key",)], [("/api/play/key",)]) == [[b"1"], [b"2"]]
    assert answers([("/play",)], [("/play", "GET", b"game=nim")]) == [[b"1"], [b"2"]]


def test_who_asks_while_an_answer_is_renewed_gets_the_old_one_and_waits_for_nobody(monkeypatch):
    monkeypatch.setattr(cache, "FRESH_SECONDS", 0.0)
    monkeypatch.setattr(cache, "STALE_SECONDS", 60.0)
    assert answers([("/runs/pig-1",)], [("/runs/pig-1",)] * 4) == [[b"1"], [b"2", b"1", b"1", b"1"]]


@pytest.mark.parametrize("path", ["/runs/pig-1", "/results/pig-1", "/api/runs/pig-1", "/api/results/pig-1"])
def test_pages_of_runs_are_for_everybody(path):
    assert answers([(path,)], [(path,)]) == [[b"1"], [b"1"]]


@pytest.mark.parametrize(
    "path", ["/problems", "/problems/3", "/api/problems", "/api/games/kuhn", "/api/games/kuhn/opponents", "/strategies",
             "/api/strategies"]
)  # fmt: skip
def test_pages_that_list_the_same_for_everybody_are_made_once(path):
    assert answers([(path,)] * 3, [(path,)]) == [[b"1"] * 3, [b"1"]]


@pytest.mark.parametrize("path", ["/api/problems/3/solution", "/api/games/kuhn/picture", "/api/games/kuhn/solving"])
def test_pages_that_change_by_themselves_are_made_anew(path):
    assert answers([(path,)], [(path,)]) == [[b"1"], [b"2"]]


def test_answers_take_a_limited_room(monkeypatch):
    monkeypatch.setattr(cache, "MAX_ANSWERS", 3)
    app = AnswerCache(Counting())

    async def all_of_them():
        for number in range(9):
            await ask(app, f"/runs/pig-{number}")

    asyncio.run(all_of_them())
    assert list(app._answers) == ["/runs/pig-6", "/runs/pig-7", "/runs/pig-8"]
    monkeypatch.setattr(cache, "MAX_BYTES", 25)
    versions = VersionCache()
    for key in "abc":
        versions.respond(key, 1, lambda: HTMLResponse("0123456789"))
    assert list(versions._answers) == ["b", "c"]


def test_an_answer_about_a_run_under_way_serves_for_ten_times_as_long_as_it_took(monkeypatch):
    clock, versions = [0.0], VersionCache()
    monkeypatch.setattr(cache.time, "monotonic", lambda: clock[0])

    def answer(version, state):
        def make():
            clock[0] += 1.0
            return HTMLResponse(f"{version}")

        return versions.respond("run", version, make, state).body

    assert [answer(1, "running"), answer(2, "running")] == [b"1", b"1"]
    clock[0] += 9.9
    assert [answer(3, "running"), answer(3, "finished"), answer(4, "finished")] == [b"1", b"3", b"3"]
    clock[0] += 10.1
    assert answer(5, "finished") == b"5"
    assert [answer(6, None), answer(7, None)] == [b"6", b"7"]


def test_a_run_is_read_and_its_pages_are_made_once_for_each_change(tmp_path, monkeypatch):
    read, reads = RunReader.run, []
    monkeypatch.setattr(cache, "SPARING", 0.0)
    monkeypatch.setattr(cache, "FRESH_SECONDS", 0.0)
    monkeypatch.setattr(cache, "STALE_SECONDS", 0.0)
    monkeypatch.setattr("fogspiel.web.run_reader.FRESH_SECONDS", 0.0)
    monkeypatch.setattr("fogspiel.web.run_list.ago", lambda moment: "now")  # a page says how old its run is
    monkeypatch.setattr(RunReader, "run", lambda reader, name: (reads.append(name), read(reader, name))[1])
    asked = MatchRequest("pig", "hold20", "hold25", games=20).to_json()
    with Store.open(tmp_path / "runs.db", write=True) as store, open_client(tmp_path) as client:
        run = store.create(asked)
        for steps in range(3):
            pages = {client.get(path).text for _ in range(4) for path in (f"/runs/{run.name}",)}
            found = [client.get(f"/api/runs/{run.name}").json()["steps"] for _ in range(4)]
            assert len(pages) == 1 and found == [steps] * 4 and len(reads) == 3 * (steps + 1)  # page, JSON, games
            run.append("step", {"games": 2 * (steps + 1), "score": 0.5, "interval": [0.0, 1.0]})
