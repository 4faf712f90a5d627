"""The queue of the page: results are computed once, within limits; a command that fails is answered by a sentence."""

import sys
import threading
import time

import pytest
from fastapi import HTTPException

from fogspiel.web import job_queue
from fogspiel.web.job_queue import MAX_WAITING, JobQueue, Question, StillWorking


@pytest.fixture
def asked(monkeypatch):
    """Questions whose words are Python code."""
    monkeypatch.setattr(job_queue, "COMMAND", (sys.executable, "-S", "-c"))
    site = JobQueue()
    yield site
    site.close()


def answer_to(asked, code, enclosed=None):
    """The answer to a question when it has ended."""
    answer = asked.answer(asked.ask(Question((code,), enclosed)))
    give_up = time.monotonic() + 30
    while not answer.ended:
        assert time.monotonic() < give_up
        time.sleep(0.02)
    return answer


def test_a_question_reads_its_enclosed_file_in_a_folder_of_its_own(asked):
    code = "import json, os; print(json.dumps([sorted(os.listdir()), open('certificate.json').read()]))"
    assert answer_to(asked, code, b"hello").facts == [["answer", "certificate.json"], "hello"]


def test_the_same_question_is_worked_on_once_and_another_apart(asked):
    code = "import time; print(f'[{time.time_ns()}]'[1:-1])"
    assert answer_to(asked, code).facts == answer_to(asked, code).facts
    assert answer_to(asked, code, b"x").facts != answer_to(asked, code).facts


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("import sys; sys.exit('fogspiel: the certificate is not valid: it is empty')", "not valid: it is empty"),
        ("import os; os.kill(os.getpid(), 9)", "killed by signal 9"),
        ("raise SystemExit(3)", "ended with code 3"),
        ("print('x' * 100)", "too long for a page"),
        ("print('{')", "Expecting"),
        ("import time; time.sleep(60)", "no answer within 2 seconds"),
    ],
)
def test_what_goes_wrong_is_a_sentence(asked, monkeypatch, code, words):
    monkeypatch.setattr(job_queue, "MAX_LETTERS", 50)
    monkeypatch.setattr(job_queue, "MAX_SECONDS", 2.0)
    answer = answer_to(asked, code)
    assert answer.state == "refused" and words in answer.sentence and "\n" not in answer.sentence


def test_only_some_may_wait_and_closing_ends_the_work(asked):
    keys = [asked.ask(Question((f"import time; time.sleep(60 + {n})",))) for n in range(MAX_WAITING)]
    with pytest.raises(HTTPException, match="waiting already"):
        asked.ask(Question(("one more",)))
    with pytest.raises(HTTPException, match="not asked here"):
        asked.answer("0" * 32)
    give_up = time.monotonic() + 30
    while asked.answer(keys[0]).state == "waiting":
        assert time.monotonic() < give_up
        time.sleep(0.02)
    asked.close()
    while not asked.answer(keys[0]).ended:
        assert time.monotonic() < give_up
        time.sleep(0.02)


def test_a_job_that_begins_while_the_server_stops_ends_with_an_error(asked, monkeypatch):
    begun, stop = threading.Event(), threading.Event()
    wanted = asked._is_wanted
    monkeypatch.setattr(asked, "_is_wanted", lambda job: begun.set() or (stop.wait(30) and wanted(job)))
    key = asked.ask(Question(("print(1)",)))
    assert begun.wait(10)
    asked.close()
    stop.set()
    assert asked.answer(key).done.wait(10) and "stopped" in asked.answer(key).sentence


def test_a_result_is_computed_once_and_an_error_is_not_remembered(asked):
    made = []
    assert asked.compute("key", lambda: made.append(1) or 7) == asked.compute("key", lambda: made.append(2)) == 7
    for number in range(2):
        with pytest.raises(KeyError, match=f"fault {number}"):
            asked.compute("wrong", lambda number=number: {}[f"fault {number}"])
    assert made == [1] and asked.compute("wrong", lambda: 8) == 8


def test_a_request_does_not_wait_for_long_and_only_some_may_wait(asked, monkeypatch):
    monkeypatch.setattr(job_queue, "WAIT_SECONDS", 0.01)
    stop = threading.Event()
    for number in range(MAX_WAITING):
        with pytest.raises(StillWorking) as working:
            asked.compute(number, lambda: stop.wait(30))
        assert working.value.status_code == 429 and working.value.headers == {"retry-after": "3"}
    with pytest.raises(HTTPException, match="too many computations are queued: try again in a moment"):
        asked.compute("one more", lambda: 1)
    assert asked.watch("other lane", lambda: [1, 2]).done.wait(10)
    stop.set()
    monkeypatch.setattr(job_queue, "WAIT_SECONDS", 10.0)
    assert asked.compute(MAX_WAITING - 1, lambda: None) is True


def test_the_latest_results_are_remembered_and_those_under_way_are_kept(asked, monkeypatch):
    stop = threading.Event()
    slow = asked.watch("slow", lambda: (stop.wait(30) for _ in range(1)))
    found = [asked.compute(number, lambda number=number: number) for number in range(65)]
    assert (
        found == list(range(65)) and asked.compute(64, lambda: "new") == 64 and asked.compute(0, lambda: "new") == "new"
    )
    assert asked.watch("slow", list) is slow
    stop.set()
