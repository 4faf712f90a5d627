"""A chess engine without any chess in it, for tests of those that use engines: it plays a list, or misbehaves.

`fake_uci.py WORD ..` where a word is `moves=e2e4,e7e5,..` (the move of each ply), `scores=cp 30,mate -2,..`,
`seconds=0.2` (per move), `options=NAME type spin ..|..`, `log=FILE` (of all lines that it hears), or what goes wrong:
`at=uci` (or isready, go) with `fault=die` (or hang, flood, close, garbage), and `count=FILE` (the fault ends when the
file has as many letters as `lives`).
"""

import os
import sys
import time

GIVEN = dict(word.split("=", 1) for word in sys.argv[1:])


def say(text: str) -> None:
    print(text, flush=True)


def fail(where: str) -> None:
    """Misbehave, if this is the place and the time for it."""
    if GIVEN.get("at") != where:
        return
    if "count" in GIVEN:
        with open(GIVEN["count"], "a+") as file:
            file.seek(0)
            if len(file.read()) >= int(GIVEN["lives"]):
                return
            file.write("x")
    fault = GIVEN["fault"]
    if fault == "die":
        raise SystemExit(7)
    if fault == "close":
        os.close(1)
    if fault == "garbage":
        say("bestmove xyzzy" if where == "go" else "\x00\xff nonsense")
        return
    while True:
        if fault == "flood":
            say("info string la la la")
        else:
            time.sleep(0.1)


def main() -> None:
    made = 0
    for line in sys.stdin:
        if "log" in GIVEN:
            with open(GIVEN["log"], "a") as log:
                log.write(line)
        word = line.split()[0]
        if word == "quit":
            return
        if word == "uci":
            fail("uci")
            say(
                "id name Fake\n"
                + "".join(f"option name {o}\n" for o in GIVEN.get("options", "").split("|") if o)
                + "uciok"
            )
        elif word == "isready":
            fail("isready")
            say("readyok")
        elif word == "position":
            made = len(line.partition(" moves ")[2].split())
        elif word == "go":
            fail("go")
            time.sleep(float(GIVEN.get("seconds", "0")))
            scores, moves = GIVEN.get("scores", "").split(","), GIVEN.get("moves", "").split(",")
            if made < len(scores) and scores[made]:
                say(f"info depth 1 score {scores[made]} pv a1a1")
            say(f"bestmove {moves[made]}" if made < len(moves) else "bestmove (none)")


if __name__ == "__main__":
    main()
