"""A bot of kriegspiel.org as a program that speaks our engine protocol: an outside yardstick.

    git clone https://github.com/Kriegspiel/bot-simple-heuristics CHECKOUT
    fogspiel kriegspiel match C "program:python benchmarks/kriegspiel_bot.py CHECKOUT" --games 20 --move-seconds 0.1

CHECKOUT is the folder with the bot's `bot.py`, or that file: then another version of it is another player. Such a bot
plays by `maybe_play_game(game_id)`, which asks its site by `get_json` and `post_json`: these two are replaced here, so
that its site is our referee and each choice is its own. It needs nothing but the standard library and can open no
connection; it draws from the seed of the game.
"""

import importlib.util
import random
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, TextIO

GAME = "game"
"""What the site calls the only game that it knows."""
POLLS = 100
"""How often the bot is asked for an attempt before it counts as one that has none."""
OTHER = {"white": "black", "black": "white"}
REFUSED = {"move_done": False, "announcement": "ILLEGAL_MOVE"}


def main() -> None:
    """Play for the referee at stdin and stdout; what the bot prints goes to stderr."""
    if len(sys.argv) != 2:
        sys.exit("give one argument: the folder with the bot's bot.py")
    given, out = Path(sys.argv[1]), sys.stdout
    sys.stdout = sys.stderr
    Site(load_bot(given / "bot.py" if given.is_dir() else given), sys.stdin, out).play()


def load_bot(path: Path) -> ModuleType:
    """The bot of a checkout, without the network and without its pauses."""
    if not path.is_file():
        sys.exit(f"there is no {path}: give the folder with the bot's bot.py")
    sys.addaudithook(refuse_network)
    sys.dont_write_bytecode = True
    sys.modules["requests"] = ModuleType("requests")  # the library by which the bot would ask its site
    time.sleep = lambda seconds: None
    spec = importlib.util.spec_from_file_location("bot", path)
    assert spec is not None and spec.loader is not None
    bot = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(bot)
    return bot


def refuse_network(event: str, given: tuple[Any, ...]) -> None:
    """Let nothing in this process open a connection."""
    if event.startswith("socket."):
        raise PermissionError(f"a bot here plays without the network ({event})")


class Site:
    """What the bot takes for kriegspiel.org: it tells what the referee has said, and hands on attempts."""

    def __init__(self, bot: ModuleType, lines: TextIO, out: TextIO):
        self.bot, self.lines, self.out = bot, lines, out
        bot.get_json, bot.post_json = self.get_json, self.post_json  # type: ignore[attr-defined]
        self.side, self.men, self.castling, self.ply = "white", "", "-", 0
        self.moves: list[str] = []
        self.log: list[dict[str, Any]] = []
        self.answer: dict[str, Any] | None = None
        """What the bot is to hear of its attempt, or None if it has not made one since the last `go`."""

    def play(self) -> None:
        """Let the bot make attempts until the referee says `quit` or nothing more."""
        self.hear()
        while True:
            self.answer = None
            for _ in range(POLLS):
                self.bot.maybe_play_game(GAME)
                if self.answer is not None:
                    break
            else:
                sys.exit(f"the bot has made no attempt when it was asked {POLLS} times")

    # What the bot asks

    def get_json(self, path: str) -> dict[str, Any]:
        """The state of the game as its site shows it."""
        return {
            "game_id": GAME,
            "state": "active",
            "turn": self.side,
            "your_color": self.side,
            "your_fen": f"{self.men} {self.side[0]} {self.castling} - 0 {self.ply // 2 + 1}",
            "move_number": self.ply // 2 + 1,
            "allowed_moves": sorted(self.moves),
            "possible_actions": ["move"],
            "referee_log": [dict(item) for item in self.log],
        }

    def post_json(self, path: str, payload: dict[str, Any] | None = None) -> dict[str, Any]:
        """Make an attempt, and answer as soon as it is refused or the bot's next turn has come."""
        move = str((payload or {}).get("uci", "")).lower()
        if move not in self.moves:  # the site refuses what cannot be asked, and the bot loses nothing by it
            return dict(REFUSED)
        print(f"attempt {move}", file=self.out, flush=True)
        self.answer = {"move_done": True, "announcement": "REGULAR_MOVE"}  # in case that a new game begins
        self.hear()
        return self.answer

    # What the referee says

    def hear(self) -> None:
        """Take in lines up to the next `go`."""
        for line in self.lines:
            word, *rest = line.split() or [""]
            if word == "go":
                return
            if word == "quit":
                break
            if word == "kriegspiel":
                print("id name kriegspiel.org bot\nkriegspielok 1", file=self.out, flush=True)
            elif word == "new":
                self._begin(pairs(rest))
            elif word == "view":
                self.men, self.castling = pairs(rest)["men"], pairs(rest)["castling"]
            elif word == "try":
                self.moves = rest
            elif word == "illegal":
                self.answer = dict(REFUSED)
            elif word == "accepted":
                self.answer = {"move_done": True, **self._note(self.side, rest[1:])}
            elif word in ("moved", "began"):
                self._note(self.side if word == "began" else OTHER[self.side], rest)
        sys.exit(0)

    def _begin(self, given: dict[str, str]) -> None:
        self.side, self.ply, self.log = given["side"], 0, []
        random.seed(int(given.get("seed", 1)))

    def _note(self, side: str, words: list[str]) -> dict[str, Any]:
        """Put what was said of a side's move into the log: White's plies are the odd ones."""
        self.ply += 1 + (self.ply % 2 == (side == "white"))
        said = message(iter(words))
        self.log.append({"ply": self.ply, **said})
        return said


def pairs(words: list[str]) -> dict[str, str]:
    """The values of a line by their names."""
    return dict(zip(words[::2], words[1::2], strict=False))


def message(words: Iterator[str]) -> dict[str, Any]:
    """A message of the protocol in the words of the site, which are those of the `kriegspiel` package."""
    kind, square, checks, tries = None, None, [], 0
    for word in words:
        if word == "taken":
            kind, square = next(words).upper(), next(words)
        elif word == "check":
            checks.append(f"CHECK_{next(words).upper().replace('-', '_')}")
        elif word == "tries":
            tries = int(next(words))
    double = len(checks) == 2
    return {
        "announcement": "CAPTURE_DONE" if square else "REGULAR_MOVE",
        "capture_square": square,
        "captured_piece_announcement": kind,
        "special_announcement": "CHECK_DOUBLE" if double else (*checks, None)[0],
        "checks": checks if double else [],
        "next_turn_pawn_tries": tries,
    }


if __name__ == "__main__":
    main()
