"""Files of users with one flipped bit or cut short: read or refused in a sentence, never a traceback."""

import json
import random

import pytest

from fogspiel.core.game import known_game
from fogspiel.solving.policies.state_sheets import information_states, question_json

GAME = """EFG 2 R "Coins" { "Ann" "Bob" }
c "" 1 "" { "heads" 1/3 "tails" 2/3 } 0
p "" 1 1 "coin" { "stay" "go" } 0
t "" 1 "" { 1, -1 }
t "" 2 "" { -1/2, 1/2 }
p "" 1 1 "coin" { "stay" "go" } 0
t "" 3 "" { 0, 0 }
p "" 2 1 "" { "left" "right" } 0
t "" 4 "" { 2, -2 }
t "" 5 "" { -2, 2 }
"""


def answers():
    """Answers to every question of Kuhn poker, a line each."""
    questions = [question_json(state) for state in information_states(known_game("kuhn"), 1.0)]
    return "".join(json.dumps({"id": one["id"], "action": one["you may"][0]}) + "\n" for one in questions)


def table(fogspiel, folder):
    assert fogspiel("solve", "kuhn", "--certificate", folder / "whole.json").returncode == 0
    return (folder / "whole.json").read_text()


FILES = {
    "answers.jsonl": (lambda fogspiel, folder: answers(), ("exploit", "kuhn")),
    "game.efg": (lambda fogspiel, folder: GAME, ("solve",)),
    "proof.json": (table, ("exploit", "kuhn")),
    "checked.json": (table, ("verify",)),
}


def damaged(content, draw):
    """The bytes with one bit flipped, a byte left out, or an end cut off."""
    place = draw.randrange(len(content))
    match draw.randrange(4):
        case 0:
            return content[:place]
        case 1:
            return content[:place] + content[place + 1 :]
    return content[:place] + bytes([content[place] ^ 1 << draw.randrange(8)]) + content[place + 1 :]


@pytest.mark.interpreted
@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("trials", [3, pytest.param(100, marks=pytest.mark.slow)])
def test_a_damaged_file_is_read_or_refused_in_a_sentence(name, trials, fogspiel, tmp_path):
    make, words = FILES[name]
    draw, content, file = random.Random(name), make(fogspiel, tmp_path).encode(), tmp_path / name
    file.write_bytes(content)
    assert fogspiel(*words, file).returncode == 0
    ends = []
    for _ in range(trials):
        file.write_bytes(damaged(content, draw))
        outcome = fogspiel(*words, file, *(() if words == ("verify",) else ("--store", tmp_path / "runs.db")))
        ends.append(outcome.returncode)
        assert outcome.returncode in ((0, 1, 2) if words == ("verify",) else (0, 2)), outcome.stderr
        assert "Traceback" not in outcome.stderr and (outcome.returncode == 0) == (outcome.stdout != "")
        assert outcome.returncode == 0 or len(outcome.stderr.strip().splitlines()[-1]) < 600
    print(name, trials, {code: ends.count(code) for code in sorted(set(ends))})
