"""Questions in processes of their own: answered once, within limits, and whatever goes wrong is a sentence."""

import sys
import time

import pytest
from fastapi import HTTPException

from fogspiel.web import questions
from fogspiel.web.questions import MOST_WAITING, Question, Questions


@pytest.fixture
def asked(monkeypatch):
    """Questions whose words are Python code."""
    monkeypatch.setattr(questions, "COMMAND", (sys.executable, "-S", "-c"))
    site = Questions()
    yield site
    site.close()


def answer_to(asked, code, enclosed=None):
    """The answer to a question when it has ended."""
    answer = asked.answer(asked.begin(Question((code,), enclosed)))
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
    monkeypatch.setattr(questions, "MOST_LETTERS", 50)
    monkeypatch.setattr(questions, "MOST_SECONDS", 2.0)
    answer = answer_to(asked, code)
    assert answer.state == "refused" and words in answer.sentence and "\n" not in answer.sentence


def test_only_some_may_wait_and_closing_ends_the_work(asked):
    keys = [asked.begin(Question((f"import time; time.sleep(60 + {n})",))) for n in range(MOST_WAITING)]
    with pytest.raises(HTTPException, match="waiting already"):
        asked.begin(Question(("one more",)))
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
