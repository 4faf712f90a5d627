"""Answers for every visitor are made once for all who ask at the same time."""

import asyncio

from fogspiel.web.cache import AnswerCache


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
