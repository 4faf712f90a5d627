"""fogspiel kriegspiel problems, problem and make-problems: forced mates of a king on an unknown square."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...cli.app import INTERRUPTED, AsJson, Processes, StorePath, announce_compilation, asking
from ...cli.console import print_json, write_text
from ...cli.execute import RunOptions, start_run
from ..requests import ProblemsRequest
from .games import group

if TYPE_CHECKING:
    from ..problems import Problem

DEFAULT_NODES = 2_000_000
LENGTHS = (2, 2, 2, 2, 3, 3, 3, 3, 3, 4, 4, 4)  # mate lengths of the generated problems
Limit = Annotated[int, typer.Option("--nodes", min=1, help="Give up after so many nodes.")]


@group.command("problems")
def show_problems(
    number: Annotated[int | None, typer.Argument(help="The number of one of them (all).")] = None,
    solution: Annotated[bool, typer.Option("--solution", help="Print the solution as a tree.")] = False,
    play: Annotated[bool, typer.Option("--play", help="Solve it here, against the worst answers.")] = False,
    as_json: AsJson = False,
) -> None:
    """List the problems, show one or its solution, or solve it against a referee who gives the worst answers."""
    from ...cli import console
    from ..problems import find_problem, shipped_problems

    if solution and play:
        raise ValueError("--solution and --play exclude each other: solve it, then look at the solution")
    if number is not None:
        problem = find_problem(number)
        return _play(problem, as_json) if play else _show(problem, solution, DEFAULT_NODES, as_json)
    if solution or play:
        raise ValueError("say which problem, as in `fogspiel kriegspiel problems 3 --play`")
    problems = shipped_problems()
    if as_json:
        listed = [{"number": place} | problem.to_json() for place, problem in enumerate(problems, 1)]
        return print_json({"problems": listed})
    rows = [(str(place), p.title, f"mate in {p.mate_in}", " ".join(p.kings)) for place, p in enumerate(problems, 1)]
    return console.table("Kriegspiel problems", ("number", "White's men", "White to move", "the king may be on"), rows)


@group.command("problem")
def solve_problem(
    file: Annotated[Path | None, typer.Argument(help="A JSON file with the problem, instead of words.")] = None,
    white: Annotated[str, typer.Option(help="White's men, as Kc3,Qd4,e4.")] = "",
    black: Annotated[str, typer.Option(help="Black's other men, if there are any: White knows them.")] = "",
    kings: Annotated[str, typer.Option(help="The squares on which Black's king may be, as a8,b8,a7.")] = "",
    mate_in: Annotated[int, typer.Option(help="In at most so many moves.")] = 3,
    play: Annotated[bool, typer.Option("--play", help="Solve it yourself, against the worst answers.")] = False,
    nodes: Limit = DEFAULT_NODES,
    as_json: AsJson = False,
) -> None:
    """Solve a problem of your own: the shortest forced mate as a tree, or that there is none in so many moves."""
    from ...core.untrusted_input import read_text
    from ..problems import MAX_BYTES, Problem, men_from_words, put_kings, read_problems

    if (file is None) == (not (white and kings)) or (file is not None and (white or black or kings)):
        raise ValueError("name a file, or --white and --kings, as in --white Kc3,Qd4 --kings a8,b8 --mate-in 3")
    if file is None:
        squares = [word.strip() for word in kings.split(",")]
        problem = Problem(put_kings(men_from_words(white, black), squares), mate_in, source="your words")
    else:
        found = read_problems(read_text(file, "the problem file", MAX_BYTES, "keep one problem in a file"))
        if len(found) > 1:
            raise ValueError(f"{file} has {len(found)} problems: keep one of them in a file of its own")
        problem = found[0]
    return _play(problem, as_json) if play else _show(problem, True, nodes, as_json)


@group.command("make-problems")
@asking(ProblemsRequest)
def make_problems(
    asked: dict[str, Any],
    output: Annotated[Path, typer.Option(help="The file for the problems.")] = Path("problems.json"),
    processes: Processes = None,
    store: StorePath = None,
    as_json: AsJson = False,
) -> None:
    """Make a dozen problems by search: unique keys, no shorter mates, graded from mate in 2 to mate in 4.

    Every ten candidates are stored at once; the same command goes on after an interruption, to the same file.
    """
    import json
    import shlex
    import sys

    from ...cli import console
    from ..kinds import candidates_of
    from ..problems.generator import choose

    request, again = ProblemsRequest(**asked), shlex.join(["fogspiel", *sys.argv[1:]])
    run = start_run(request.to_json(), RunOptions(store, as_json, processes, again=again), once=True)
    found = candidates_of(run)
    problems = choose(found, LENGTHS)
    listed = {"recipe": request.command, "problems": [problem.to_json() for problem in problems]}
    write_text(json.dumps(listed, indent=1) + "\n", output)
    if as_json:
        facts = {"run": run.name, "output": str(output), "seed": request.seed, "candidates": request.candidates}
        return print_json(facts | {"found": len(found)})
    return console.out.print(f"{output}: {len(problems)} problems of {len(found)} that were found")


def _show(problem: "Problem", solution: bool, nodes: int, as_json: bool) -> None:
    from ...cli import console
    from ..problems.solution import known_men, solve, tree_lines
    from ..problems.solver import Solver

    announce_compilation()
    found = solve(problem, Solver(nodes)) if solution else None
    if as_json:
        facts = {} if found is None else {"moves": found.moves, "keys": list(found.keys), "nodes": found.nodes}
        tree = {} if found is None else {"tree": found.tree and found.tree.to_json()}
        return print_json(problem.to_json() | facts | tree)
    many = "1 move" if problem.mate_in == 1 else f"{problem.mate_in} moves"
    lines = [
        f"{problem.title} ({problem.source})",
        known_men(problem.positions).text,
        f"Black's king may be on {' '.join(problem.kings)}. White mates in {many} at most, wherever it is.",
    ]
    if found and found.tree:
        also = f" (also {', '.join(found.keys[1:])})" if found.keys[1:] else ""
        lines += [f"Mate in {found.moves}: {found.keys[0]}{also}, {found.nodes:,} nodes", *tree_lines(found.tree)]
    elif found:
        lines.append(f"There is no forced mate in {many} ({found.nodes:,} nodes).")
    return console.out.print("\n".join(lines))


def _play(problem: "Problem", as_json: bool) -> None:
    from ...cli.terminal import ask_person
    from ._terminal import ProblemTerminal

    announce_compilation()
    lines, tell = ask_person(as_json)
    terminal = ProblemTerminal(problem, lines, tell)
    played = terminal.play()
    if as_json:
        attempts = [heard.attempt for heard in terminal.known.heard]
        print_json({"title": problem.title, "solved": terminal.known.solved, "attempts": attempts})
    if played.interrupted:
        raise typer.Exit(INTERRUPTED)
