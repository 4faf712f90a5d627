"""Builder of `verify.pyz`, one file that checks certificates by the standard library alone: make checker.

It holds the checkers of the package as they are, and for each small game of the catalogue a function that returns its
kernels: their sources without compiler, each in a function of its own with the constants and functions that it uses.
Arrays are `standalone/game.py`. A game is left out if its kernels need more than that, which a random game of each
shows: the two must agree at every position.
"""

import argparse
import ast
import inspect
import random
import sys
import textwrap
import types
import zipfile
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from fogspiel.core.compile.kernel import interpreted
from fogspiel.core.game import CHANCE, OVER, Game, list_games

ROOT = Path(__file__).resolve().parent.parent
PARTS = ROOT / "benchmarks" / "standalone"
PROOFS = "fogspiel/solving/proofs/checkers"
FOLDERS = [PROOFS, "fogspiel/resistance/checkers"]
COPIED = ["fogspiel/core/__init__.py", "fogspiel/core/untrusted_input.py", "fogspiel/resistance/game/__init__.py"]
PACKAGES = ["fogspiel", "fogspiel/solving", "fogspiel/solving/proofs", *FOLDERS, "fogspiel/resistance"]
PACKAGES += ["fogspiel/games", "fogspiel/games/boards", "fogspiel/games/phantom"]
EMPTY = {"fogspiel/games/boards/board.py": "BOARDS = {}\n", "fogspiel/games/phantom/look.py": "OWN = {}\n"}
KERNELS = ("start", "mover", "legal", "apply", "view", "score", "weights")
LARGEST_STATE = 400  # cells of a game whose tree could be small
DATE = (2020, 1, 1, 0, 0, 0)  # of every file in the archive, so that the same sources give the same bytes


class UnknownPartError(ValueError):
    """Something in a kernel that has no plain form."""


class ModuleNames(ast.NodeTransformer):
    """Names in place of attributes of the modules that a kernel uses, but for NumPy."""

    def __init__(self, known: dict[str, Any]) -> None:
        modules = {name for name, value in known.items() if isinstance(value, types.ModuleType) and value is not np}
        self.known, self.modules = known, modules

    def resolve(self, node: ast.AST) -> dict[str, Any]:
        """Change a kernel's source; return the values of its names."""
        self.visit(node)
        return {name: value for name, value in self.known.items() if name not in self.modules}

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        if not isinstance(node.value, ast.Name) or node.value.id not in self.modules:
            return self.generic_visit(node)
        name = f"{node.value.id}_{node.attr}"
        self.known[name] = getattr(self.known[node.value.id], node.attr)
        return ast.copy_location(ast.Name(name, node.ctx), node)


class Writer:
    """Source of functions that return kernels; one function for each kernel and its outer values."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.names: dict[str, str] = {}  # of what was written, by its text

    def function(self, function: Callable[..., Any]) -> str:
        """Write a function with all that it uses; return the name by which it is known."""
        plain = getattr(function, "py_func", function)
        if not isinstance(plain, types.FunctionType):
            raise UnknownPartError(f"{function} has no source")
        node = ast.parse(textwrap.dedent(inspect.getsource(plain))).body[0]
        if not isinstance(node, ast.FunctionDef):
            raise UnknownPartError(f"{plain.__name__} is no function")
        node.decorator_list, node.returns = [], None
        for argument in node.args.args:
            argument.annotation = None
        if ast.get_docstring(node) is not None:
            node.body = node.body[1:] or [ast.Pass()]
        outer = inspect.getclosurevars(plain)
        known = ModuleNames({**outer.globals, **outer.nonlocals}).resolve(node)
        texts = {name: self.value(name, value) for name, value in sorted(known.items())}
        uses = [f"{name} = {text}" for name, text in texts.items() if text != name]
        body = "\n".join([*uses, ast.unparse(node), f"return {node.name}"])
        if body not in self.names:
            name = f"f{len(self.names)}"
            self.lines += [f"def {name}():", *textwrap.indent(body, " ").splitlines(), f"{name} = {name}()"]
            self.names[body] = name
        return self.names[body]

    def value(self, name: str, value: Any) -> str:
        if value is np:
            return "Numbers"
        if isinstance(value, np.ndarray):
            if value.dtype.kind not in "iub":
                raise UnknownPartError(f"{name} is no array of whole numbers")
            return cells_text(value.tolist())
        if isinstance(value, bool | int | np.integer):
            return repr(int(value))
        if isinstance(value, tuple) and all(isinstance(part, int | np.integer) for part in value):
            return repr(tuple(map(int, value)))
        if callable(value) and not isinstance(value, type):
            special = {"ones": "int.bit_count", "trailing_zeros": "trailing_zeros", "leading_zeros": "leading_zeros"}
            return special.get(getattr(value, "__name__", ""), "") or self.function(value)
        raise UnknownPartError(f"{name} is {value!r:.60}")


def cells_text(rows: list[Any]) -> str:
    if rows and isinstance(rows[0], list):
        return f"[{', '.join(map(cells_text, rows))}]"
    return f"Cells({[int(cell) for cell in rows]})"


HEAD = '''"""Kernels of games as plain functions."""
from fogspiel.core.game import Cells, Numbers
def trailing_zeros(word):
 return (word & -word).bit_length() - 1 if word else 64
def leading_zeros(word):
 return 64 - (word & 2 ** 64 - 1).bit_length()
'''


def write_game(writer: Writer, game: Game) -> str:
    """Write the kernels of a game; return the expression that makes its record."""
    kernels = [getattr(game.rules, name) for name in KERNELS]
    listed = ", ".join("None" if one is None else writer.function(one) for one in kernels)
    payoffs = [str(payoff) for payoff in game.payoffs]
    return f"lambda: ({game.version!r}, ({listed}), {tuple(game.sizes)!r}, {payoffs!r})"


def agree(game: Game, source: str, seed: int = 1, games: int = 2) -> bool:
    """True if the plain kernels and those of the package say the same in random games."""
    home = dict(runpy_globals())
    exec(source, home)
    version, kernels, sizes, payoffs = home["GAMES"][game.name]()
    plain = home["Rules"](*kernels)
    draw = random.Random(seed)
    with interpreted():
        for _ in range(games):
            state, other = np.zeros(game.sizes.state, np.int64), home["new_cells"](sizes[0])
            game.rules.start(state)
            plain.start(other)
            for _ in range(400):
                who = int(game.rules.mover(state))
                if state.tolist() != list(other) or who != plain.mover(other):
                    return False
                if who == OVER:
                    if game.payoffs[int(game.rules.score(state))] != Fraction(payoffs[plain.score(other)]):
                        return False
                    break
                out, room = np.zeros(game.sizes.actions, np.int64), home["new_cells"](sizes[2])
                count = int(game.rules.legal(state, out))
                if count != plain.legal(other, room) or out[:count].tolist() != list(room)[:count]:
                    return False
                for player in range(2):
                    seen, same = np.zeros(game.sizes.view, np.int64), home["new_cells"](sizes[1])
                    game.rules.view(state, player, seen)
                    plain.view(other, player, same)
                    if seen.tolist() != list(same):
                        return False
                if who == CHANCE and game.rules.weights is not None:
                    odds, likely = np.zeros(game.sizes.actions, np.int64), home["new_cells"](sizes[2])
                    game.rules.weights(state, odds)
                    plain.weights(other, likely)
                    if odds[:count].tolist() != list(likely)[:count]:
                        return False
                action = int(out[draw.randrange(count)])
                game.rules.apply(state, action)
                plain.apply(other, action)
    return version == game.version


def runpy_globals() -> dict[str, Any]:
    """Return the names of the stand-in for arrays and games."""
    home: dict[str, Any] = {"__name__": "fogspiel.core.game"}
    exec(compile((PARTS / "game.py").read_text(encoding="utf-8"), "game.py", "exec"), home)
    return home


def alone(game: Game) -> str | None:
    """Return the source of a game's kernels, if it has a plain form that agrees."""
    writer = Writer()
    try:
        record = write_game(writer, game)
        source = "\n".join([HEAD.replace("from fogspiel.core.game import Cells, Numbers\n", ""), *writer.lines])
        return source if agree(game, f"{source}\nGAMES = {{{game.name!r}: {record}}}\n") else None
    except (UnknownPartError, OSError, TypeError, AttributeError, NameError, ValueError, IndexError) as problem:
        print(f"without {game.name}: {type(problem).__name__}: {problem}", file=sys.stderr)
        return None


def kernels_source() -> str:
    writer, records = Writer(), []
    for game in sorted(list_games().values(), key=lambda game: game.name):
        if game.sizes.state <= LARGEST_STATE and isinstance(game.version, int) and alone(game) is not None:
            records.append(f"{game.name!r}: {write_game(writer, game)}")
    return "\n".join([HEAD, *writer.lines, f"GAMES = {{{', '.join(records)}}}", ""])


def texts(folders: list[str]) -> dict[str, str]:
    paths = [path for folder in folders for path in sorted((ROOT / folder).glob("*.py"))]
    return {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in paths}


def files() -> dict[str, str]:
    """Return the files of the archive by name."""
    found = {f"{name}/__init__.py": "" for name in PACKAGES} | EMPTY
    checkers = {path: text for path, text in texts(FOLDERS).items() if "import numpy" not in text}
    found |= checkers | {path: (ROOT / path).read_text(encoding="utf-8") for path in COPIED}
    found["fogspiel/core/game.py"] = (PARTS / "game.py").read_text(encoding="utf-8")
    found["fogspiel/kernels.py"] = kernels_source()
    named = [path for path, text in checkers.items() if "\nFORMAT" in text]
    modules = tuple(path.removesuffix(".py").replace("/", ".") for path in sorted(named))
    main = (PARTS / "main.py").read_text(encoding="utf-8")
    found["__main__.py"] = main.replace("MODULES: tuple[str, ...] = ()", f"MODULES: tuple[str, ...] = {modules!r}")
    return found


def build(out: Path) -> int:
    """Write the archive, the same bytes from the same sources; return its size."""
    with out.open("wb") as file:
        file.write(b"#!/usr/bin/env python3\n")
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
            for name, text in sorted(files().items()):
                info = zipfile.ZipInfo(name, DATE)
                info.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(info, text)
    return out.stat().st_size


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", nargs="?", type=Path, default=ROOT / "dist" / "verify.pyz")
    chosen = parser.parse_args().out
    chosen.parent.mkdir(parents=True, exist_ok=True)
    print(f"{chosen}: {build(chosen):,} bytes")
