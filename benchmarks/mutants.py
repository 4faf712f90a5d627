"""Mutation testing: change one thing in a file at a time, and see whether a test notices.

    make mutants                             every file of TARGETS, then docs/results/mutants.md
    benchmarks/mutants.py race tree          some of them
    benchmarks/mutants.py --seed 36 race     another draw of mutants, for which no test was written yet
    benchmarks/mutants.py --again race       the survivors alone, with the tests that there are now
    benchmarks/mutants.py --report           the page alone, of what is recorded

The tests of a file are collected once, in a process that runs none of them. A first child runs them all and notes which
lines of the file each test reaches. Then, for every mutant, a child gets the changed code in place of the old, runs
the tests that reach the changed line, the fastest first, and ends at the first that fails. A child that takes too
long counts as noticed, since every check has a limit of work. What is known of a mutant of the same file and the same
tests is not tried again, so the work may be stopped at any time.

Mutants: comparisons, operators and numbers changed; conditions turned round, their parts left out; calls that stand
alone, such as `demand(..)`, left out. Texts, annotations and defaults of arguments are left as they are. Kernels are
run by the interpreter where `interpreted` says so. Survivors that change nothing, or nothing that a test should
notice, are in `mutants.toml`, each with the reason.
"""

import argparse
import ast
import functools
import gc
import hashlib
import importlib
import itertools
import json
import os
import random
import resource
import signal
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FrameType, FunctionType
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
REASONS, PAGE = ROOT / "benchmarks" / "mutants.toml", ROOT / "docs" / "results" / "mutants.md"
SEED = 35  # of the first draw
CASES = 30  # of one parametrized test, drawn once, that are run for a mutant
LONGEST = 0.5  # CPU seconds of a test that may be run for a mutant
PATIENT_EVENTS = 3000  # of a trace in one function without a new line, after which it is not traced on
PATIENT_CALLS = 50_000  # of a test, after which nothing is traced
PATIENCE = 8.0  # CPU seconds of all tests of a mutant together
PROOFS = "fogspiel/solving/proofs/checkers"


@dataclass(frozen=True)
class Target:
    """A file, the tests that are to notice its mutants, and how many of these are drawn (all without a number)."""

    path: str
    tests: tuple[str, ...]
    interpreted: bool = False
    sample: int | None = 30
    group: str = "others"
    marks: str = "not slow and not thorough"

    @property
    def name(self) -> str:
        return Path(self.path).stem if not self.path.endswith("__init__.py") else Path(self.path).parent.name


COUNT, BRUTE = "tests/solve/test_checks_count.py", "tests/solve/test_checkers_by_brute_force.py"
TEAMS = "tests/solve/test_team_checkers_by_brute_force.py"
FIGURES = "tests/stats/test_figures.py"
PLAIN = "tests/solve/test_board_checkers_by_brute_force.py"
VERIFY = "tests/solve/test_verify.py", COUNT
CHECKERS, STATISTICS = "checkers", "statistics"
TARGETS = [
    Target(f"{PROOFS}/tree.py", (*VERIFY, BRUTE), group=CHECKERS),
    Target(f"{PROOFS}/primitives.py", (COUNT, PLAIN, "tests/phantom/test_own_boards.py"), group=CHECKERS),
    Target(f"{PROOFS}/refined.py", (COUNT, BRUTE, "tests/solve/test_refinement.py", "tests/solve/test_locks.py",
        "tests/solve/test_quasi_perfect.py"),
        group=CHECKERS),
    Target(f"{PROOFS}/quasi_perfect.py", (COUNT, BRUTE, "tests/solve/test_quasi_perfect.py"), group=CHECKERS),
    Target(f"{PROOFS}/phantom.py", (COUNT, PLAIN), group=CHECKERS),
    Target(f"{PROOFS}/phantom_bounds.py", (COUNT, "tests/phantom/test_point_based.py",
        "tests/phantom/test_phantom_bounds.py"), group=CHECKERS),
    Target(f"{PROOFS}/pure_strategies.py", (COUNT, PLAIN, "tests/solve/test_plans_tampering.py"), group=CHECKERS),
    Target(f"{PROOFS}/permutation.py", (COUNT,), group=CHECKERS),
    Target(f"{PROOFS}/refutation.py", (COUNT, "tests/phantom/test_refutation.py"), group=CHECKERS),
    Target(f"{PROOFS}/table_bounds.py", ("tests/solve/test_bounds_any_game.py",), True, group=CHECKERS),
    Target("fogspiel/resistance/checkers/resistance.py", (COUNT, TEAMS), group=CHECKERS),
    Target("fogspiel/resistance/checkers/lone_spies.py", (COUNT, TEAMS), group=CHECKERS),
    Target("fogspiel/stats/race.py", ("tests/stats/test_race.py", FIGURES), True, group=STATISTICS),
    Target("fogspiel/stats/sprt.py", ("tests/stats/test_gsprt.py", FIGURES), True, group=STATISTICS),
    Target("fogspiel/stats/round_robin.py", ("tests/stats/test_ranking.py", FIGURES), True, group=STATISTICS),
    Target("fogspiel/stats/evaluate.py",
        ("tests/stats/test_evaluate.py", FIGURES, "tests/stats/test_gsprt.py"), group=STATISTICS),
    Target("fogspiel/stats/linear_programs.py", ("tests/stats/test_nash.py", FIGURES), True, group=STATISTICS),
    Target("fogspiel/solving/proofs/__init__.py", (*VERIFY, "tests/solve/test_hostile_certificates.py",
        "tests/solve/test_locks.py", "tests/solve/test_large_certificates.py", "tests/cli/test_cli_solve.py")),
    Target("fogspiel/solving/policies/best_response.py",
        ("tests/solve/test_response.py", "tests/solve/test_exploit.py"), True),
    Target("fogspiel/core/simulate.py", ("tests/core/test_chance_weights.py", "tests/core/test_smallest_game.py",
        "tests/tune/test_proof.py"), True),
    Target("fogspiel/kriegspiel/referee.py", ("tests/kriegspiel/test_kriegspiel_referee.py",
        "tests/kriegspiel/test_kriegspiel_umpire.py", "tests/kriegspiel/test_kriegspiel_time.py",
        "tests/web/test_web_draw_offer.py")),
    Target("fogspiel/runs/store/rows.py", ("tests/runs/test_hostile_store.py", "tests/runs/test_upkeep.py")),
    Target("fogspiel/runs/store/faults.py", ("tests/runs/test_hostile_store.py", "tests/runs/test_upkeep.py")),
    Target("fogspiel/runs/store/file.py",
        ("tests/runs/test_hostile_store.py", "tests/runs/test_upkeep.py", "tests/runs/test_old_store.py")),
]  # fmt: skip


# Mutants of a syntax tree


COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
OPERATED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.BitXor: ast.BitOr,
    ast.LShift: ast.RShift, ast.RShift: ast.LShift, ast.Pow: ast.Mult,
}  # fmt: skip
NAMED = {"min": "max", "max": "min", "any": "all", "all": "any", "floor": "ceil"}
SPEAKING = {
    "demand",
    "refusal",
    "quoted",
    "ValueError",
    "BadInput",
    "NotFound",
    "TypeVar",
}  # calls whose texts are kept
Place = tuple[ast.AST, str, int | None]  # a node's parent, the field, and the index where that is a list


@dataclass(frozen=True)
class Mutant:
    """A node in a place, and what stands there instead; the names are those of the function that holds it."""

    place: Place
    before: ast.AST
    after: ast.AST
    scope: str
    lines: range  # of that function

    @property
    def line(self) -> int:
        return int(getattr(self.before, "lineno", 0))

    @property
    def name(self) -> str:
        return f"{self.line}:{getattr(self.before, 'col_offset', 0)} {self.scope}: {self.text}"

    @property
    def text(self) -> str:
        old, new = (" ".join(ast.unparse(node).split()) for node in (self.before, self.after))
        return f"{old[:70]} -> {new[:70] if not isinstance(self.after, ast.Pass) else 'nothing'}"

    def put(self, node: ast.AST) -> None:
        parent, name, index = self.place
        if index is None:
            setattr(parent, name, node)
        else:
            getattr(parent, name)[index] = node


def mutants_of(tree: ast.Module) -> list[Mutant]:
    return [
        Mutant(place, node, ast.fix_missing_locations(ast.copy_location(other, node)), scope, lines)
        for place, node, scope, lines in _nodes(tree, "", range(0))
        for other in _others(node)
        if scope or isinstance(node, ast.expr)
    ]


def _nodes(parent: ast.AST, scope: str, lines: range) -> Iterator[tuple[Place, ast.AST, str, range]]:
    """Yield the nodes below one that may be changed, each with its place and the function around it."""
    inner = isinstance(parent, ast.FunctionDef | ast.ClassDef)
    for name, value in ast.iter_fields(parent):
        kept = {
            "annotation",
            "returns",
            "decorator_list",
            "bases",
            "keywords" if inner else "",
            "args" if inner else "",
        }
        if name in kept or isinstance(parent, ast.JoinedStr | ast.Raise):
            continue
        for index, node in enumerate(value) if isinstance(value, list) else [(None, value)]:
            if not isinstance(node, ast.AST) or (isinstance(parent, ast.Call) and _speaks(parent, name, index)):
                continue
            around, within = scope, lines
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                around = f"{scope}.{node.name}".strip(".")
                first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
                within = range(first, (node.end_lineno or first) + 1)
            yield (parent, name, index), node, around, within
            yield from _nodes(node, around, within)


def _speaks(call: ast.Call, name: str, index: int | None) -> bool:
    """True if an argument of a call is a text for people."""
    called = call.func.id if isinstance(call.func, ast.Name) else ""
    return called in SPEAKING and name == "args" and (called != "demand" or index == 1)


def _others(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what may stand in place of a node."""
    match node:
        case ast.Compare():
            for number, operator in enumerate(node.ops):
                ops = [*node.ops]
                ops[number] = COMPARED[type(operator)]()
                yield ast.Compare(node.left, ops, node.comparators)
        case ast.BoolOp():
            for number in range(len(node.values)):
                rest = node.values[:number] + node.values[number + 1 :]
                yield rest[0] if len(rest) == 1 else ast.BoolOp(node.op, rest)
        case ast.UnaryOp(op=ast.Not() | ast.USub() | ast.Invert()):
            yield node.operand
        case ast.BinOp() if type(node.op) in OPERATED and not any(
            isinstance(side, ast.JoinedStr) or _is_text(side) for side in (node.left, node.right)
        ):
            yield ast.BinOp(node.left, OPERATED[type(node.op)](), node.right)
        case ast.Constant(value=bool() as value):
            yield ast.Constant(not value)
        case ast.Constant(value=int() | float() as value):
            yield ast.Constant(value + 1)
        case ast.Name(id=name, ctx=ast.Load()) if name in NAMED:
            yield ast.Name(NAMED[name], ast.Load())
        case ast.If(test=ast.Name() | ast.Call() | ast.Attribute()) | ast.IfExp(test=ast.Name() | ast.Call()):
            other = ast.UnaryOp(ast.Not(), node.test)
            yield type(node)(other, node.body, node.orelse)
        case ast.AugAssign():
            yield ast.Pass()
            yield ast.AugAssign(node.target, OPERATED[type(node.op)](), node.value)
        case ast.Expr(value=ast.Call()) | ast.Raise():
            yield ast.Pass()
        case ast.Continue():
            yield ast.Break()
        case ast.Break():
            yield ast.Continue()


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


# Changed code in place of the old


def install(path: str, tree: ast.Module, mutant: Mutant) -> bool:
    """Put a mutant into the functions of this process, or into the constants of its modules; False if it has none."""
    mutant.put(mutant.after)
    try:
        fresh = {(code.co_qualname, code.co_firstlineno): code for code in _codes(compile(tree, path, "exec"))}
        found = False
        for thing in gc.get_objects():
            if type(thing) is FunctionType and thing.__code__.co_filename == path:
                code = fresh.get((thing.__code__.co_qualname, thing.__code__.co_firstlineno))
                if code is not None and code != thing.__code__:
                    thing.__code__ = code
                    found = True
        forget_results(path)
        return found if mutant.scope else _install_constant(path, tree, mutant)
    except (SyntaxError, ValueError):  # no code: another set of outer names, for example
        return False
    finally:
        mutant.put(mutant.before)


def forget_results(path: str) -> None:
    """Empty the caches of a file's functions."""
    for thing in gc.get_objects():
        if type(thing) is functools._lru_cache_wrapper:
            inner = getattr(thing, "__wrapped__", None)
            if getattr(getattr(inner, "__code__", None), "co_filename", None) == path:
                thing.cache_clear()


def _codes(code: CodeType) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _codes(constant)


def _install_constant(path: str, tree: ast.Module, mutant: Mutant) -> bool:
    """Give a constant of the module its changed value, wherever it was imported to."""
    home = next((module for module in list(sys.modules.values()) if getattr(module, "__file__", None) == path), None)
    for statement in tree.body:
        if isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value and home is not None:
            if not any(node is mutant.after for node in ast.walk(statement)):
                continue
            before = dict(vars(home))
            exec(compile(ast.Module([statement], []), path, "exec"), before)
            names = [name for name, value in before.items() if vars(home).get(name) is not value and name[0] != "_"]
            for name in names:
                old = vars(home).get(name)
                for module in [m for m in list(sys.modules.values()) if getattr(m, name, None) is old]:
                    setattr(module, name, before[name])
            return bool(names)
    return False


# Tests in children of one process


class Trial:
    """A plug-in of pytest that tries the mutants of a file instead of running the tests."""

    def __init__(self, target: Target, out: Path, seed: int, again: bool) -> None:
        self.target, self.out, self.path, self.seed, self.again = target, out, str(ROOT / target.path), seed, again
        self.failed = False
        self.tree = ast.parse((ROOT / target.path).read_text(encoding="utf-8"))

    def pytest_runtest_logreport(self, report: Any) -> None:
        self.failed |= report.failed

    def pytest_runtestloop(self, session: Any) -> bool:
        gc.unfreeze()  # functions that are frozen are not listed
        every = mutants_of(self.tree)
        chosen = every
        if self.target.sample is not None and self.target.sample < len(every):
            chosen = random.Random(self.seed).sample(every, self.target.sample)
        done = {row["mutant"] for row in read_rows(self.out, self.key(session)) if seed_of(row) == self.seed}
        waiting = [(self.seed, mutant.name, mutant) for mutant in chosen if mutant.name not in done]
        if self.again:
            own = [row for row in read_rows(self.out) if row["file"] == self.target.path]
            latest = {(row["seed"], row["mutant"]): row["outcome"] for row in own}
            alive = {found for found, outcome in latest.items() if outcome == "survived"}
            waiting = [(seed, one.name, one) for seed, name in sorted(alive) for one in every if one.name == name]
        if waiting:
            entered, seconds = self.baseline(session)
            for self.seed, name, mutant in waiting:
                self.attempt(session, name, mutant, entered, seconds)
        return True

    def cases(self, session: Any) -> list[Any]:
        """Return the tests that count: of those with many parameters a few."""
        by_name: dict[str, list[Any]] = {}
        for item in session.items:
            by_name.setdefault(item.nodeid.partition("[")[0], []).append(item)
        draw = random.Random(SEED)
        return [item for own in by_name.values() for item in (own if len(own) <= CASES else draw.sample(own, CASES))]

    def key(self, session: Any) -> str:
        """Return a digest of the file and of its tests: what is recorded of others does not count."""
        files = [self.path, *sorted({str(item.path) for item in session.items})]
        return hashlib.sha256(b"".join(Path(name).read_bytes() for name in files)).hexdigest()[:16]

    def baseline(self, session: Any) -> tuple[dict[str, set[int]], dict[str, float]]:
        """Run all tests; return the lines of the file that each reaches, and its CPU seconds.

        Tests that fail or take long are left out; those that took long are noted, and not run again.
        """
        notes, known = self.out.with_suffix(f".{os.getpid()}"), self.out.with_suffix(".slow")

        def too_long(*_: object) -> None:
            raise TimeoutError

        def run() -> int:
            signal.signal(signal.SIGPROF, too_long)
            entered: dict[str, list[int]] = {}
            seconds: dict[str, float] = {}
            slow = set(known.read_text(encoding="utf-8").split("\n")) if known.exists() else set()
            for item in self.cases(session):
                if item.nodeid in slow:
                    continue
                lines: set[int] = set()
                self.failed, begin = False, time.process_time()
                forget_results(self.path)
                signal.setitimer(signal.ITIMER_PROF, 2 * LONGEST)
                sys.settrace(self.tracer(lines))
                try:
                    item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
                finally:
                    sys.settrace(None)
                    signal.setitimer(signal.ITIMER_PROF, 0)
                spent = time.process_time() - begin
                if spent > LONGEST:
                    with known.open("a", encoding="utf-8") as file:
                        file.write(f"{item.nodeid}\n")
                elif not self.failed and lines:
                    entered[item.nodeid], seconds[item.nodeid] = sorted(lines), spent
            notes.write_text(json.dumps([entered, seconds]), encoding="utf-8")
            return 0

        in_child(run, 1200)
        entered, seconds = json.loads(notes.read_text(encoding="utf-8"))
        notes.unlink()
        return {name: set(lines) for name, lines in entered.items()}, seconds

    def tracer(self, lines: set[int]) -> Any:
        """Return a trace function that notes lines of the file, in each function until it brings nothing new."""
        path = self.path
        idle: dict[CodeType, int] = {}
        left = itertools.count(PATIENT_CALLS, -1)

        def enter(frame: FrameType, event: str, argument: Any) -> Any:
            if next(left) < 0:
                sys.settrace(None)
            if frame.f_code.co_filename == path:
                lines.add(frame.f_code.co_firstlineno)
                return look if idle.get(frame.f_code, 0) < PATIENT_EVENTS else None
            return None

        def look(frame: FrameType, event: str, argument: Any) -> Any:
            code = frame.f_code
            if frame.f_lineno in lines:
                idle[code] = idle.get(code, 0) + 1
                return look if idle[code] < PATIENT_EVENTS else None
            lines.add(frame.f_lineno)
            idle[code] = 0
            return look

        return enter

    def reaching(self, mutant: Mutant, entered: dict[str, set[int]]) -> set[str]:
        """Return the tests that reach a mutant: its lines, or its function where none is seen to do so."""
        if not mutant.scope:
            return set(entered)
        first, last = mutant.line, getattr(mutant.before, "end_lineno", None) or mutant.line
        near = {name for name, lines in entered.items() if not lines.isdisjoint(range(first, last + 1))}
        return near or {name for name, lines in entered.items() if not lines.isdisjoint(mutant.lines)}

    def attempt(
        self, session: Any, name: str, mutant: Mutant, entered: dict[str, set[int]], seconds: dict[str, float]
    ) -> None:
        reaching = self.reaching(mutant, entered)
        items = [item for item in self.cases(session) if item.nodeid in reaching]
        items.sort(key=lambda item: seconds[item.nodeid])
        spent = list(itertools.accumulate(seconds[item.nodeid] for item in items))
        patience = PATIENCE if mutant.scope else 2 * PATIENCE  # every test may notice a constant
        items = [item for item, until in zip(items, spent, strict=True) if until <= patience]

        def run() -> int:
            if not install(self.path, self.tree, mutant):
                return 3
            for item in items:
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
                if self.failed:
                    return 1
            return 0

        begin = time.perf_counter()
        code = in_child(run, 1.5 + 2 * sum(seconds[item.nodeid] for item in items))
        outcome = {0: "survived", 1: "killed", 3: "none"}.get(code, "killed")
        row = {"key": self.key(session), "seed": self.seed, "file": self.target.path, "mutant": name,
               "outcome": outcome, "tests": len(items), "code": code,
               "seconds": round(time.perf_counter() - begin, 2)}  # fmt: skip
        with self.out.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")


def in_child(run: Any, seconds: float) -> int:
    """Run a function in a child; return its answer, or a number below 0 if it had to be ended."""
    number = os.fork()
    if number == 0:
        os.setpgid(0, 0)
        nothing = os.open(os.devnull, os.O_RDWR)
        for stream in range(3):
            os.dup2(nothing, stream)
        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1, int(seconds) + 2))
        resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
        code = 2
        try:
            code = run()
        finally:
            os._exit(code)
    deadline = time.monotonic() + 6 * seconds
    while time.monotonic() < deadline:
        ended, status = os.waitpid(number, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.002)
    os.killpg(number, signal.SIGKILL)
    os.waitpid(number, 0)
    return -1


def read_rows(out: Path, key: str | None = None) -> list[dict[str, Any]]:
    if not out.exists():
        return []
    rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    return [row for row in rows if key in (None, row["key"])]


def seed_of(row: dict[str, Any]) -> int:
    return int(row.get("seed", SEED))


def try_target(target: Target, out: Path, seed: int, again: bool) -> None:
    """Try the mutants of a file, in this process, which imports it and its tests."""
    import pytest
    from hypothesis import Phase, settings

    settings.register_profile("mutants", database=None, derandomize=True, phases=[Phase.explicit, Phase.generate])
    settings.load_profile("mutants")
    words = ["-o", "addopts=", "-m", target.marks, "-p", "no:cacheprovider", "-p", "no:xdist", "-q"]
    importlib.import_module(target.path.removesuffix(".py").removesuffix("/__init__").replace("/", "."))
    tests = [test for test in target.tests if (ROOT / test).exists()]
    pytest.main([*words, *tests], plugins=[Trial(target, out, seed, again)])


# The page


def report(rows: list[dict[str, Any]]) -> str:
    """Return the page: a line per file and draw, and the survivors with their reasons.

    The shares are those of the first look, of the file as it was then; what another run notices is no survivor.
    """
    reasons = tomllib.loads(REASONS.read_text(encoding="utf-8"))
    lines, left = [], []
    for target, seed in itertools.product(TARGETS, sorted({seed_of(row) for row in rows})):
        own = [row for row in rows if row["file"] == target.path and row["outcome"] != "none" and seed_of(row) == seed]
        if not own:
            continue
        first, latest = ({row["mutant"]: row for row in order} for order in (own[::-1], own))
        known = reasons.get(target.path, {})
        survivors = {name.partition(" ")[2]: name for name, row in first.items() if row["outcome"] == "survived"}
        same = {name for text, name in survivors.items() if known.get(text, "").startswith("same")}
        counts = [f"`{target.path}`", target.group, seed, len(first), len(same), share(first, same)]
        lines.append(f"| {' | '.join(map(str, counts))} |")
        alive = [name.partition(" ")[2] for name, row in latest.items() if row["outcome"] == "survived"]
        left += [
            f"| `{target.name}` | {cell(mutant)} | {cell(known.get(mutant, 'no test at that look'))} |"
            for mutant in alive
        ]
    head = (ROOT / "benchmarks" / "mutants.md").read_text(encoding="utf-8")
    return head.format(lines="\n".join(lines), left="\n".join(dict.fromkeys(left)))


def share(rows: dict[str, dict[str, Any]], same: set[str]) -> str:
    """Return how many mutants were killed, of those that change something that counts."""
    killed = sum(row["outcome"] == "killed" for row in rows.values())
    return f"{killed}: {100 * killed / max(len(rows.keys() - same), 1):.1f} %"


def cell(text: str) -> str:
    return text.replace("|", "\\|")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="files of TARGETS by name; by default all")
    parser.add_argument("--report", action="store_true", help="write the page alone")
    parser.add_argument("--record", type=Path, default=ROOT / "build" / "mutants.jsonl", help="where outcomes are kept")
    parser.add_argument("--seed", type=int, default=SEED, help=f"of the draw of mutants; {SEED} by default")
    parser.add_argument("--again", action="store_true", help="only the survivors of all draws, with the tests of now")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.record.parent.mkdir(exist_ok=True)
    chosen = [target for target in TARGETS if not options.names or target.name in options.names]
    for target in [] if options.report else chosen:
        if options.here:
            try_target(target, options.record, options.seed, options.again)
            continue
        words = [sys.executable, __file__, target.name, "--here", "--record", str(options.record)]
        words += ["--seed", str(options.seed), *(["--again"] if options.again else [])]
        more = {"NUMBA_DISABLE_JIT": "1"} if target.interpreted else {}
        subprocess.run(words, cwd=ROOT, env={**os.environ, **more}, check=False, stdout=subprocess.DEVNULL)
        own = [row for row in read_rows(options.record) if row["file"] == target.path]
        alive = [row["mutant"] for row in own if row["outcome"] == "survived" and row["key"] == own[-1]["key"]]
        print(f"{target.path}: {len(own)} recorded, {len(alive)} survive", flush=True)
    if options.report or not options.names:
        PAGE.write_text(report(read_rows(options.record)), encoding="utf-8")


if __name__ == "__main__":
    main()
