"""A worker that goes wrong as it is told: python line_worker.py WAY FILE, where FILE keeps how often it has."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

way, file, times = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])


def say(text):
    sys.stdout.write(text)
    sys.stdout.flush()


def score(request):
    """A number that depends on all that a game is: mistaken answers would be noticed."""
    return (request["a"]["x"] * 7 + request["b"]["x"] * 3 + request["seed"] + request["swap"]) % 3 / 2


def go_wrong(request):
    if way == "die":
        print("a first line", file=sys.stderr)
        print("out of cheese", file=sys.stderr)
        os._exit(3)
    if way == "hang":
        time.sleep(600)
    if way == "hang-with-child":
        child = subprocess.Popen([sys.executable, "-S", "-c", "import time; time.sleep(600)"])
        file.with_suffix(".child").write_text(str(child.pid))
        time.sleep(600)
    if way == "late":
        time.sleep(3)
        say("0.5\n")
    if way == "flood":
        while True:
            say("x" * 65536)
    say(
        {
            "nonsense": "hello there\n",
            "no-score": '{"points": 1}\n',
            "nan": '{"score": NaN}\n',
            "infinite": "1e999\n",
            "text": '{"score": "1"}\n',
            "true": "true\n",
            "null": "null\n",
            "other": '{"score": 1, "id": -5}\n',
            "range": "1.5\n",
            "deep": "[" * 100_000 + "\n",
            "extra": f"{score(request)}\n0.5\n",
            "binary": "\x00\x01\n",
        }[way]
    )


for line in sys.stdin:
    request = json.loads(line)
    wrong = len(file.read_text()) if file.exists() else 0
    if way != "well" and wrong < times and request["seed"] % 5 == 2:
        with file.open("a") as count:
            count.write("x")
        go_wrong(request)
    else:
        say(f"\n{json.dumps({'score': score(request)})}\n" if request["seed"] % 2 else f"{score(request)}\n")
