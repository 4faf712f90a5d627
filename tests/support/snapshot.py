"""What the command line answers, recorded: `python tests/support/snapshot.py --write FOLDER`, `--compare FOLDER`.

Each group of commands runs in its own empty folder with its own store; its record is one JSON file. Only the public
command line is used, so that a record made by one version of the package judges another one, whatever is renamed
inside. Long texts and lists are kept as a digest and a length; what differs from run to run becomes the word VOLATILE.
"""

import argparse
import hashlib
import io
import json
import os
import re
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple
from unittest.mock import patch

VOLATILE = "VOLATILE"
PASSING_KEYS = {"cpu_seconds", "seconds", "created", "seen", "last_seen", "peak_megabytes", "fogspiel"}
"""Keys of what depends on the machine, the hour or the version."""
LONG_TEXT, LONG_LIST = 300, 400
"""Characters of a text, or of a list as JSON, from which on only its digest is kept."""
DIGITS = 10
"""Of a real number; those that follow may depend on the processor."""
EXACT = rf"(?<![\w.])-?\d+\.\d{{{DIGITS},}}(e[-+]?\d+)?(?![\w.])"
"""Real numbers in texts that have more digits."""
PAGES = (".html", ".svg", ".png")
"""Pictures and pages, which depend on the versions of the libraries that draw them."""
PASSING = r"""\d+(\.\d+)?( CPU)? (s|seconds)\b|(?<=\[Date ")[^"]*|(?<="fogspiel": ")[^"]*|(?<=")[0-9a-f]{20}(?=\\?")"""
PASSING += r"|(?<=lists all )\d+"
"""In texts and files: seconds, the date of a game, the version, digests of engines' sources, the number of games."""
LATER_METHODS = r"(?<=reply, psro, portfolio)(, [\w+-]+)+"
"""In a list of the methods of tuning: those that are added to the recorded ones, which come last."""
GROWING = "games --json > json > games"
"""A dictionary of digests by name to which names may be added: another game changes no record."""
ABOUT_COMPILATION = "compiling kernels"
"""How lines begin that depend on the cache and on who else uses it."""
INTERRUPTED = 130
SIGNALS = [getattr(signal, name) for name in ("SIGTERM", "SIGINT", "SIGALRM") if hasattr(signal, name)]


class Command(NamedTuple):
    """A command line, what is typed into it, and the parts of its answer that are kept (all, if none is named)."""

    line: str
    typed: str = ""
    keep: Callable[[Any], Any] | None = None


class Group(NamedTuple):
    """Commands that share a folder, the files they find there, and the patterns of the files they write."""

    commands: list[Command | str]
    files: Mapping[str, str] = MappingProxyType({})
    written: tuple[str, ...] = ()
    thorough: bool = False
    slow: bool = False


OWN_GAME = '''"""Matching pennies: the first player wins a unit with equal coins; two heads are worth two."""

from fractions import Fraction

from fogspiel import OVER, Game, Rules, Sizes, kernel


@kernel
def start(state):
    state[0] = -1
    state[1] = -1


@kernel
def mover(state):
    return 0 if state[0] < 0 else 1 if state[1] < 0 else OVER


@kernel
def legal(state, out):
    out[0] = 0
    out[1] = 1
    return 2


@kernel
def apply(state, action):
    state[0 if state[0] < 0 else 1] = action


@kernel
def view(state, player, out):
    out[0] = state[player]


@kernel
def score(state):
    return 0 if state[0] != state[1] else 2 if state[0] == 0 else 1


GAMES = (
    Game(
        name="pennies",
        title="Matching pennies",
        version=3,
        rules=Rules(start, mover, legal, apply, view, score),
        sizes=Sizes(2, 1, 2),
        show=lambda seen: f"your coin: {int(seen[0])}",
        reveal=lambda state: f"coins: {int(state[0])} {int(state[1])}",
        label=lambda action: ("heads", "tails")[action],
        source="Folklore.",
        payoffs=(Fraction(-1), Fraction(1), Fraction(2)),
    ),
)
'''
TREE = """EFG 2 R "A card of two" { "first" "second" }
""
c "" 1 "deal" { "high" 1/3 "low" 2/3 } 0
p "" 1 1 "high" { "bet" "check" } 0
p "" 2 1 "bet" { "call" "fold" } 0
t "" 1 "" { 2, -2 }
t "" 2 "" { 1, -1 }
t "" 3 "" { 1, -1 }
p "" 1 2 "low" { "bet" "check" } 0
p "" 2 1 "bet" { "call" "fold" } 0
t "" 4 "" { -2, 2 }
t "" 2
t "" 5 "" { -1, 1 }
"""
TABLE = """NFG 1 R "Three by two" { "first" "second" } { 3 2 }
3 -3 -1 1 0 0 -2 2 4 -4 1/2 -1/2
"""
PLAYERS = {
    "list.json": "[0, 0, 50]",
    "object.json": '{"game": "batawaf", "theta": [0.5, -1.25, 3]}',
    "plain.txt": "0 0 50\n",
    "mixture.json": '{"game": "batawaf", "thetas": [[0, 0, 50], [50, 0, 0], [1, 2, 3]], "weights": [0.5, 0.25, 0.25]}',
}
TUNED = "--games 3000 --report-games 400 --seed 7 --race count-mixture"
TUNERS = (
    "naive", "iterative", "real-coevolution", "approximate-coevolution", "seeds", "duel", "spsa", "halving", "reply",
    "psro", "portfolio",
)  # fmt: skip
PAPER = "--quick --seeds 1 --scale 0.001 --processes 1"
CHESS = "--nodes 1 --max-plies 30 --processes 1 --seed 5"


def names_of_checks(answer: Any) -> Any:
    """What the doctor looks at besides the package's dependencies, without what it finds on this machine."""
    fields = {check["what"]: sorted(check) for check in answer["checks"]}
    names = [name for name in fields if not name.startswith("extra ")]
    return {"keys": sorted(answer), "fields": fields["fogspiel"], "checks": [names[0], *names[names.index("SQLite") :]]}


def digests_of_games(answer: Any) -> Any:
    """The digest of each game's entry by name."""
    entries = {game["name"]: json.dumps(steady(game), sort_keys=True) for game in answer["games"]}
    return answer | {"games": {name: digest_of(text.encode()) for name, text in entries.items()}}


GROUPS: dict[str, Group] = {
    "catalogue": Group(
        [
            Command("games --json", keep=digests_of_games),
            *(
                f"show {game} --seed 3 --json"
                for game in (
                    "war",
                    "kuhn",
                    "kriegspiel",
                    "resistance5",
                    "phantom-ttt",
                    "nim",
                    "battleship",
                    "cheat",
                    "flip",
                    "four-in-a-row",
                    "guesswho24",
                    "liars-dice-6",
                    "goofspiel-5",
                    "permutation-ttt",
                    "pig",
                    "morra",
                )
            ),
            "show leduc",
            Command("doctor --json", keep=names_of_checks),
        ]
    ),
    "match": Group(
        [
            "match batawaf descending random --games 2000 --seed 5 --json",
            "match batawaf descending random --games 2000 --seed 5 --seats alternating --json",
            "match batawaf descending random --games 2000 --seed 5 --seats coin --json",
            "match batawaf fixed redrawn --games 2000 --seed 6 --json",
            "match batawaf 0.5,-1.25,3 random --games 2000 --json",
            *(f"match batawaf {name} random --games 2000 --json" for name in PLAYERS),
            "match batawaf mixture.json list.json --games 2000",
            "match nim exact uniform --games 400 --json",
            "match nim exact perfect --exact --json",
            "match guesswho128 OL God --exact --json",
            "match permutation-ttt equilibrium best-vs-random --exact --json",
            "match pig optimal hold20 --exact --json",
            "match morra equilibrium uniform36 --games 2000 --json",
            "match rps-half uniform uniform --games 2000 --json",
            "match guesswho24 OL dichotomy --games 2000 --json",
            "match kriegspiel random greedy --games 2 --json",
        ],
        files=PLAYERS,
    ),
    "tune": Group(
        [
            *(f"tune batawaf --method {method} {TUNED} --json" for method in TUNERS),
            "tune guesswho24 --method iterative --race paper --games 3000 --report-games 400 --baseline redrawn --json",
            "tune nim --method duel --race ebgstop --observation game --games 3000 --report-games 400 --json",
            "runs --json",
            "export batawaf-1 --json",
            "export batawaf-10 --json",
            "export batawaf-1 --format csv --output one.csv",
            "export batawaf-2 --format csv",
            "export batawaf-10 --output mixture.json",
            "explain batawaf-2 --json",
            "explain nim perfect --json",
            "explain batawaf 0,0,50",
            "match batawaf batawaf-10 batawaf-2 --games 1000 --json",
            "match batawaf mixture.json batawaf-2 --games 1000 --json",
            "round-robin batawaf batawaf-1 batawaf-10 descending random --games 2000 --seed 2 --processes 1 "
            "--output tables --json",
            "diagnose batawaf-2 batawaf-10 --games 5000 --report-games 400 --pair-games 200 --output diagnosis --json",
            "resume batawaf-1 --json",
        ],
        written=("*.csv", "mixture.json", "tables/*", "diagnosis/*"),
        thorough=True,
    ),
    "tournament": Group(
        [
            "round-robin rps-half uniform uniform --json",
            "round-robin guesswho24 OL ONL dichotomy uniform --games 2000 --seed 4 --processes 1 --output who --json",
            "round-robin batawaf descending ascending random --games 2000 --processes 1 --output war",
            "runs --json",
            "export guesswho24-1 --json",
        ],
        written=("who/*", "war/*"),
        thorough=True,
    ),
    "solve": Group(
        [
            "solve kuhn --exact --json",
            "solve kuhn",
            *(f"solve kuhn --method {method} --gap 0.001 --json" for method in ("lp", "cfr+", "dcfr", "pcfr+")),
            "solve kuhn --method double-oracle --json",
            "solve leduc --exact --json",
            "solve leduc --method pcfr+ --gap 0.01 --json",
            "solve leduc --method double-oracle --json",
            "solve goofspiel-4 --exact --certificate goofspiel.json --json",
            "solve liars-dice-4 --exact --json",
            "solve rps-half --exact --json",
            "solve binary-poker --exact --json",
            *(f"verify certificates/{run}.json --json" for run in ("kuhn-1", "leduc-1", "liars-dice-4-1")),
            "verify goofspiel.json --json",
            "explain kuhn-1 --json",
            "explain kuhn",
            "explain leduc-1 --all --json",
            "explain goofspiel.json --json",
            "match kuhn kuhn-1 uniform --games 2000 --json",
            "match leduc leduc-1 leduc-2 --games 2000 --json",
            "export kuhn-1 --json",
            "export kuhn-4 --format csv",
            "export leduc-2 --json",
            "runs --json",
        ],
        written=("certificates/*.json", "goofspiel.json"),
        thorough=True,
    ),
    "files": Group(
        [
            "solve tree.efg --exact --json",
            "solve table.nfg --exact --json",
            "solve own.py --exact --json",
            "solve own.py:pennies --method cfr+ --gap 0.001 --certificate pennies.json --json",
            "verify certificates/pennies-1.json --source own.py --json",
            "verify certificates/tree-1.json --source tree.efg --json",
            "explain pennies-1 --source own.py --json",
            "explain certificates/table-1.json --source table.nfg --json",
            "export-game kuhn --output kuhn.efg --json",
            "export-game kuhn --output kuhn.nfg --json",
            "export-game own.py --output pennies.efg --json",
            "export-game tree.efg --output tree.nfg --json",
            "solve kuhn.nfg --json",
            "runs --json",
        ],
        files={"own.py": OWN_GAME, "tree.efg": TREE, "table.nfg": TABLE},
        written=("certificates/*.json", "pennies.json", "*.efg", "*.nfg"),
    ),
    "resistance": Group(
        [
            "solve resistance5 --exact --json",
            "solve resistance5 --method knowledge-trees --json",
            "verify certificates/resistance5-1.json --json",
            "explain resistance5 --json",
            "explain resistance5-1 --all --json",
            "match resistance5 resistance5-1 uniform --games 400 --json",
            "paper resistance --players 6 --full 4 --certificates papers --json",
            "solve resistance5-2-2-3-4x2-3-2spies --json",
            "explain resistance5-2-2-3-4x2-3-2spies --json",
            "balance resistance --players 5 --json",
            "balance resistance --players 5 --nearest 2 --smallest 3 --largest 4",
        ],
        written=("certificates/*.json", "papers/*.json"),
    ),
    "phantom": Group(
        [
            "bounds phantom-ponnuki-2x2 --json",
            "bounds phantom-ponnuki-3x3 --certificate proof.json --json",
            "verify proof.json --json",
            "solve permutation-ttt --exact --json",
            "verify certificates/permutation-ttt-1.json --json",
            "explain permutation-ttt-1 --json",
            "match permutation-ttt permutation-ttt-1 best-vs-random --games 1000 --json",
            "runs --json",
            "export permutation-ttt-1 --json",
        ],
        written=("certificates/*.json", "proof.json"),
        thorough=True,
    ),
    "phantom-large": Group(
        [
            "paper phantom --json",
            "solve phantom-ttt --exact --json",
            "verify certificates/phantom-ttt-1.json --json",
            "explain phantom-ttt-1 --json",
            "match phantom-ttt phantom-ttt-1 uniform --games 400 --json",
            "solve dark-hex-3x3 --exact --json",
            "verify certificates/dark-hex-3x3-1.json --json",
            "explain dark-hex-3x3-1 --json",
        ],
        written=("certificates/*.json",),
        slow=True,
    ),
    "kriegspiel": Group(
        [
            "kriegspiel engines --json",
            f"kriegspiel match greedy random --games 4 {CHESS} --output report --json",
            f"kriegspiel match greedy random --games 2 --no-fifty --promotion-tries per_piece {CHESS} --json",
            "kriegspiel match greedy random --games 10 --nodes 1 --processes 1 --stop-early --json",
            f"kriegspiel match greedy random --games 2 {CHESS}",
            f"kriegspiel round-robin greedy@1n random@1n random@2n --games 2 {CHESS} --output robin --json",
            "kriegspiel export kriegspiel-1 --output umpire.pgn --json",
            "kriegspiel export kriegspiel-1 --side white --output white.pgn --json",
            "kriegspiel export kriegspiel-1 --side black",
            Command(
                "kriegspiel play --against greedy --nodes 1 --seed 3 --output played.pgn --json",
                "e2e4\nd2d4\ntries\nlook\ng1f3\nxyzzy\nb1c3\nf1e2\nresign\n",
            ),
            "kriegspiel export kriegspiel-3 --output stopped.pgn --json",
            "export kriegspiel-3 --json",
            "runs --json",
        ],
        written=("*.pgn", "report/*", "robin/*"),
        thorough=True,
    ),
    "kriegspiel-engines": Group(
        [
            "kriegspiel match minimax@40n C@40n --games 2 --max-plies 16 --processes 1 --json",
            "kriegspiel match hs@40n los@40n --games 2 --max-plies 16 --processes 1 --json",
            "kriegspiel match A@40n B10@40n --games 2 --max-plies 16 --processes 1 --json",
            "kriegspiel match aosp@40n random@1n --games 2 --max-plies 16 --processes 1 --json",
            "kriegspiel export kriegspiel-1 --output games.pgn --json",
        ],
        written=("*.pgn",),
        thorough=True,
    ),
    "papers": Group(
        ["paper figure1 --output figure1 --json", f"paper table2 {PAPER} --output table2 --json"],
        written=("*/*",),
        slow=True,
    ),
    "papers-large": Group(
        [f"paper section5 {PAPER} --score-games 400 --output section5 --json"],
        written=("*/*",),
        slow=True,
    ),
    "play": Group(
        [
            Command("play nim --against perfect --seed 3 --json", "7\n99\nshout\nlook\ntake 1 from heap 1\n1\n1\n1\n"),
            Command("play kuhn --seat second --seed 8 --json", "1\n1\n1\n"),
            Command("play batawaf --against descending --seed 2", "1\n1\n1\nresign\n"),
            Command("play war --seed 2 --json", ""),
        ]
    ),
    "errors": Group(
        [
            "match wra a b --json",
            "match war nobody random",
            "match war 1,2 random",
            "match war random descending --exact",
            "match war random random --games 0",
            "match war random",
            "tune war --method magic",
            "tune war --race horse",
            "solve khun",
            "solve kuhn --method dcfr --exact",
            "solve short.efg",
            "solve broken.py",
            "verify missing.json",
            "verify short.efg",
            "explain kuhn-99",
            "bounds kuhn --informed every",
            "paper poker",
            "resume war-1",
            "export war-1 --format xml",
            "round-robin batawaf random",
            "kriegspiel match greedy rndom",
            "kriegspiel match greedy@fast random",
            "kriegspiel round-robin greedy",
            "play nim --against nobody --json",
            "dance",
        ],
        files={
            "short.efg": 'EFG 2 R "x" { "a" "b" }\n""\np "" 1 1 "" { "l" "r" } 0\nt "" 1 "" { 1, -1 }\n',
            "broken.py": "GAMES = [\n",
        },
    ),
}


def digest_of(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def steady(value: Any, key: str = "") -> Any:
    """A JSON value with VOLATILE for what differs from run to run; None stays, for it says that there is none."""
    if key in PASSING_KEYS and value is not None:
        return VOLATILE
    if isinstance(value, dict):
        return {name: steady(part, name) for name, part in value.items()}
    if isinstance(value, list):
        return [steady(part) for part in value]
    return float(f"{value:.{DIGITS}g}") if isinstance(value, float) else value


def shorten(value: Any) -> Any:
    """A JSON value with digests in place of long texts and lists."""
    if isinstance(value, dict):
        return {name: shorten(part) for name, part in value.items()}
    if isinstance(value, str) and len(value) > LONG_TEXT:
        return {"text": value[:60], "length": len(value), "sha256": digest_of(value.encode())}
    if isinstance(value, list):
        text = json.dumps(value, sort_keys=True)
        if len(text) > LONG_LIST:
            return {"list": shorten(value[0]), "length": len(value), "sha256": digest_of(text.encode())}
        return [shorten(part) for part in value]
    return value


@contextmanager
def _own_folder() -> Iterator[Path]:
    """An empty folder to work in, with a store of its own and a terminal of fixed width."""
    with tempfile.TemporaryDirectory(prefix="fogspiel-snapshot-") as name:
        folder = Path(name).resolve()
        with chdir(folder), patch.dict(os.environ, {"FOGSPIEL_STORE": str(folder / "runs.db"), "COLUMNS": "120"}):
            yield folder


def run(command: Command) -> tuple[int | None, str, str]:
    """The exit code, stdout and stderr of a command, in this process."""
    from fogspiel.cli import main

    out, err = io.StringIO(), io.StringIO()
    handlers, hook, digits = (
        [signal.getsignal(number) for number in SIGNALS],
        sys.unraisablehook,
        sys.get_int_max_str_digits(),
    )
    code: Any = None
    try:
        with (
            patch.object(sys, "argv", ["fogspiel", *command.line.split()]),
            patch.object(sys, "stdin", io.StringIO(command.typed)),
            redirect_stdout(out),
            redirect_stderr(err),
        ):
            main()
    except SystemExit as end:
        code = end.code
    finally:
        for number, handler in zip(SIGNALS, handlers, strict=True):
            signal.signal(number, handler)
        sys.unraisablehook = hook
        sys.set_int_max_str_digits(digits)
    return code, out.getvalue(), err.getvalue()


def answer(command: Command, folder: Path) -> dict[str, Any]:
    """What is kept of a command: exit code, stdout (as JSON, if asked for), and stderr if that is an answer too."""
    code, out, err = run(command)
    if code == INTERRUPTED:
        raise KeyboardInterrupt(f"{command.line} was interrupted")
    out, err = (_steady_text(text, folder) for text in (out, err))
    found: dict[str, Any] = {"exit": code}
    if "--json" in command.line.split() and out.count("\n") == 1:
        body = json.loads(out)
        found["json"] = steady(command.keep(body) if command.keep else body)
    else:
        found["stdout"] = out
    if code or "play" in command.line.split()[:2]:
        found["stderr"] = err
    return found


def _steady_text(text: str, folder: Path) -> str:
    """A text without the name of the folder, times and dates, versions, digests of source files, and last digits."""
    text = text.replace(str(folder), "FOLDER")
    text = "".join(line for line in text.splitlines(True) if not line.startswith(ABOUT_COMPILATION))
    text = re.sub(EXACT, lambda number: f"{float(number[0]):.{DIGITS}g}", text)
    return re.sub(PASSING, VOLATILE, re.sub(LATER_METHODS, "", text))


def record(name: str, tell: Callable[[str], object] = lambda words: None) -> dict[str, Any]:
    """What the commands of a group answer, and the digests of the files that they write."""
    group = GROUPS[name]
    with _own_folder() as folder:
        for file, content in group.files.items():
            Path(file).write_text(content)
        answers = {}
        for asked in group.commands:
            command = asked if isinstance(asked, Command) else Command(asked)
            began = time.monotonic()
            answers[command.line] = answer(command, folder)
            tell(f"{time.monotonic() - began:7.2f} s  {answers[command.line]['exit']}  {command.line}")
        files = {
            str(path): {"length": len(content), "sha256": digest_of(content)}
            for pattern in group.written
            for path in sorted(Path().glob(pattern))
            if str(path) not in group.files and path.suffix not in PAGES
            for content in [_steady_text(path.read_text(), folder).encode()]
        }
    return {"commands": answers, "files": files}


def differences(old: Any, new: Any, where: str = "") -> list[str]:
    """What differs between two records, a line each: where, what it was, what it is."""
    if isinstance(old, dict) and isinstance(new, dict):
        return [
            line
            for key in dict.fromkeys((*old, *(() if where.endswith(GROWING) else new)))
            for line in differences(
                old.get(key, "(none)"), new.get(key, "(none)"), f"{where} > {key}" if where else key
            )
        ]
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        pairs = enumerate(zip(old, new, strict=True))
        return [line for index, (was, now) in pairs for line in differences(was, now, f"{where}[{index}]")]
    return [] if old == new else [f"{where}\n    was {json.dumps(old)}\n    is  {json.dumps(new)}"]


def read_record(name: str, folder: Path) -> Any:
    """The record of a group as it was written."""
    return json.loads((folder / f"{name}.json").read_text())


def write(found: Any, name: str, folder: Path) -> None:
    """Keep the record of a group."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.json").write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n")


def main() -> None:
    """Record all groups or the named ones, or compare them with a record."""
    options = argparse.ArgumentParser(description=__doc__)
    task = options.add_mutually_exclusive_group(required=True)
    task.add_argument("--write", type=Path, metavar="FOLDER", help="record what is answered")
    task.add_argument("--compare", type=Path, metavar="FOLDER", help="print what differs; exit code 1 if anything does")
    options.add_argument("--quick", action="store_true", help="without the groups that take long")
    options.add_argument("--whole", action="store_true", help="keep long texts and lists, to see how they differ")
    options.add_argument("groups", nargs="*", metavar="group", help=f"only these of {', '.join(GROUPS)}")
    chosen = options.parse_args()
    for name in chosen.groups:
        if name not in GROUPS:
            options.error(f"there is no group {name!r}: it is {', '.join(GROUPS)}")
    folder, found = (chosen.write or chosen.compare).resolve(), []
    for name in chosen.groups or [name for name, group in GROUPS.items() if not (chosen.quick and group.slow)]:
        print(name, file=sys.stderr)
        present = record(name, lambda words: print(words, file=sys.stderr, flush=True))
        if not chosen.whole:
            present = shorten(present)
        if chosen.write:
            write(present, name, folder)
        else:
            found += [f"{name}: {line}" for line in differences(read_record(name, folder), present)]
    print("\n".join(found) if found else "recorded" if chosen.write else "no differences")
    raise SystemExit(bool(found))


if __name__ == "__main__":
    main()
