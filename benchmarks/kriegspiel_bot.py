"""A bot of kriegspiel.org as an engine-protocol program: an external yardstick.

    git clone https://github.com/Kriegspiel/bot-simple-heuristics CHECKOUT
    fogspiel kriegspiel match C "program:python benchmarks/kriegspiel_bot.py CHECKOUT" --games 20 --move-seconds 0.1

CHECKOUT is the folder with the bot's `bot.py`, or that file: another version of it is then another player. Such a bot
plays by `maybe_play_game(game_id)`, which queries its site by `get_json` and `post_json`. Both are replaced here: the
site becomes our referee, and each choice remains the bot's. The bot needs only the standard library and cannot open
connections; it draws from the seed of the game.
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
"""Identifier of the only game of the simulated site."""
POLLS = 100
"""Polls without an attempt after which the bot counts as having none."""
OTHER = {"white": "black", "black": "white"}
REFUSED = {"move_done": False, "announcement": "ILLEGAL_MOVE"}


def main() -> None:
    """Play for the referee at stdin and stdout; the bot's output goes to stderr."""
    if len(sys.argv) != 2:
        sys.exit("give one argument: the folder with the bot's bot.py")
    given, out = Path(sys.argv[1]), sys.stdout
    sys.stdout = sys.stderr
    Site(load_bot(given / "bot.py" if given.is_dir() else given), sys.stdin, out).play()


def load_bot(path: Path) -> ModuleType:
    """Load the bot of a checkout, without the network and without its pauses."""
    if not path.is_file():
        sys.exit(f"there is no {path}: give the folder with the bot's bot.py")
    sys.addaudithook(refuse_network)
    sys.dont_write_bytecode = True
    sys.modules["requests"] = ModuleType("requests")  # the bot's HTTP library
    time.sleep = lambda seconds: None
    spec = importlib.util.spec_from_file_location("bot", path)
    assert spec is not None and spec.loader is not None
    bot = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(bot)
    return bot


def refuse_network(event: str, given: tuple[Any, ...]) -> None:
    """Audit hook that blocks all connections of this process."""
    if event.startswith("socket."):
        raise PermissionError(f"a bot here plays without the network ({event})")


class Site:
    """A stand-in for kriegspiel.org: it relays the referee's messages to the bot, and its attempts to the referee."""

    def __init__(self, bot: ModuleType, lines: TextIO, out: TextIO):
        self.bot, self.lines, self.out = bot, lines, out
        bot.get_json, bot.post_json = self.get_json, self.post_json  # type: ignore[attr-defined]
        self.side, self.men, self.castling, self.ply = "white", "", "-", 0
        self.moves: list[str] = []
        self.log: list[dict[str, Any]] = []
        self.answer: dict[str, Any] | None = None
        """What the bot is to hear of its attempt, or None if it has not made one since the last `go`."""

    def play(self) -> None:
        """Let the bot make attempts until the referee sends `quit` or closes the input."""
        self.hear()
        while True:
            self.answer = None
            for _ in range(POLLS):
                self.bot.maybe_play_game(GAME)
                if self.answer is not None:
                    break
            else:
                sys.exit(f"the bot has made no attempt when it was asked {POLLS} times")

    # Requests of the bot

    def get_json(self, path: str) -> dict[str, Any]:
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
        """Make an attempt, and return once it is illegal or the bot's next turn has come."""
        move = str((payload or {}).get("uci", "")).lower()
        if move not in self.moves:  # the site rejects impossible attempts, at no cost to the bot
            return dict(REFUSED)
        print(f"attempt {move}", file=self.out, flush=True)
        self.answer = {"move_done": True, "announcement": "REGULAR_MOVE"}  # in case a new game starts
        self.hear()
        return self.answer

    # Messages of the referee

    def hear(self) -> None:
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
        """Log the announcements of a side's move: White's plies are the odd ones."""
        self.ply += 1 + (self.ply % 2 == (side == "white"))
        said = message(iter(words))
        self.log.append({"ply": self.ply, **said})
        return said


def pairs(words: list[str]) -> dict[str, str]:
    return dict(zip(words[::2], words[1::2], strict=False))


def message(words: Iterator[str]) -> dict[str, Any]:
    """Translate a protocol message to the site's vocabulary, which is that of the `kriegspiel` package."""
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
