"""fogspiel solve, verify, export-game, bounds, values and explain."""

import hashlib
import json
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...core.find import is_tree, load_game
from ...core.plugins import extras
from ...runs.request import RUN_NAME, game_of_run
from ...runs.requests import BoundsRequest, SolveRequest, VerifyRequest
from ...runs.store import Store
from .. import console
from ..app import (
    AsJson,
    GameWords,
    Remember,
    RulesFile,
    Seed,
    StorePath,
    announce_compilation,
    app,
    asking,
    check_game,
    complete_games_and_runs,
    listing,
    remembering,
    store_path,
)
from ..console import print_json, write_text
from ..execute import RunOptions, begin_and_show

if TYPE_CHECKING:
    from ...core.agents import ParametricPolicy
    from ...core.behaviour_policy import BehaviourPolicy
    from ...core.game import Game
    from ...solving.known_values import KnownValue

LETTERS_PER_SECOND = 25_000  # characters of a certificate that the interpreter checks per second


@app.command("solve", epilog=listing("Methods:", "solving.methods", "METHODS"))
@asking(SolveRequest)
def solve(
    asked: dict[str, Any],
    certificate: Annotated[Path | None, typer.Option(help="Write the certificate to this file.")] = None,
    remember: Remember = False,
    store: StorePath = None,
    as_json: AsJson = False,
) -> None:
    """Solve a two-player zero-sum game: its value, a strategy for each side, and a certificate that proves it."""
    from ...process.heartbeat import limit_memory
    from ...runs.kinds.solve import task_of
    from ...solving.sources import find_source

    game: str = asked["game"]
    path = store_path(store)
    request = SolveRequest(**asked | {"game": remembering(game, remember)}).resolved(path)
    if game.endswith(".nfg") and _solve_general_sum(request, certificate, as_json):
        return
    problem = find_source(request.game)
    if problem.game is not None:
        announce_compilation()
    began = time.process_time()
    with limit_memory(request.memory), console.status(game) as say:
        task = task_of(request, lambda progress: say(progress.text), problem, path)
    options = RunOptions(store, as_json, certificate=certificate)
    begin_and_show(task.ask, options, prepared=task, began=began)


def _solve_general_sum(request: SolveRequest, certificate: Path | None, as_json: bool) -> bool:
    """Print an equilibrium of a general-sum table; return False for a table of constant sum."""
    from ...interop.gambit import read_bimatrix
    from ...solving.methods.normal_form import equilibrium_of, is_equilibrium, whole_table

    table = read_bimatrix(request.game)
    if table.constant_sum:
        return False
    if request.solver not in ("auto", "lemke-howson") or certificate is not None:
        raise ValueError(
            f"{request.game} is a general-sum game, which has equilibria but no value and no certificate: "
            "solve it by --method lemke-howson alone"
        )
    tables = whole_table(table.first), whole_table(table.second)
    found = equilibrium_of(*tables)
    if not is_equilibrium(*tables, found):
        raise ValueError(f"the equilibrium of {request.game} failed its check: report this file as a bug")
    mixtures = [
        {name: str(share) for name, share in zip(names, shares, strict=True) if share}
        for names, shares in zip(table.strategies, (found.rows, found.columns), strict=True)
    ]
    payoffs = [str(table.expected(player, found.rows, found.columns)) for player in (0, 1)]
    if as_json:
        head = {"game": request.game, "general_sum": True, "method": "lemke-howson", "pivots": found.pivots}
        print_json(
            head | {"players": list(table.players), "equilibrium": mixtures, "payoffs": payoffs, "verified": True}
        )
        return True
    console.out.print(f"{table.title}: a general-sum game, which has no value; an equilibrium of it:")
    for name, mixture, payoff in zip(table.players, mixtures, payoffs, strict=True):
        shares = ", ".join(one if share == "1" else f"{one} {share}" for one, share in mixture.items())
        console.out.print(f"{name} plays {shares} and gets {payoff}")
    console.out.print(
        f"by Lemke-Howson, {found.pivots} pivots; checked in fractions: no pure strategy of either is better. "
        "There may be other equilibria"
    )
    return True


@app.command("verify")
@asking(VerifyRequest)
def verify(
    asked: dict[str, Any],
    game: RulesFile = None,
    store: StorePath = None,
    as_json: AsJson = False,
) -> None:
    """Check a certificate by the rules of the game alone, in exact arithmetic; exit code 2 if it proves nothing."""
    from ...process.heartbeat import limit_memory
    from ...solving import proofs

    sys.set_int_max_str_digits(0)  # exact fractions may have thousands of digits
    request = VerifyRequest(**asked)
    with limit_memory(request.memory, "the check", "raise --memory if you trust where the certificate is from"):
        body = request.find_certificate(store_path(store))
        from ...core.compile.kernel import interpreted, need_no_compiler

        began = time.process_time()
        with interpreted() if need_no_compiler(len(json.dumps(body)) / LETTERS_PER_SECOND) else nullcontext():
            lower, upper = proofs.verify(body, game, request.seconds)
    spent = round(time.process_time() - began, 3)
    proved = {"lower": str(lower), "upper": str(upper), "exact": lower == upper}
    answer = {"file": request.what, "game": body["game"], "valid": True, **proved, "cpu_seconds": spent}
    answer |= proofs.claims_of(body)
    if store is not None:
        from ...runs.kind import keep_answer

        digest = hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()
        keep_answer(request.to_json(body["game"], digest), answer, store)
    if as_json:
        return print_json(answer)
    console.out.print(proofs.verified_sentence(answer))


LP_ENDINGS = (".mps", ".lp")


@app.command("export-game")
def export_game(
    game: GameWords,
    output: Annotated[Path, typer.Option(help="FILE.efg, FILE.nfg, FILE.svg, FILE.mps or FILE.lp.")],
    memory: Annotated[float, typer.Option(help="The most memory that the game may take, in GiB.")] = 4.0,
    player: Annotated[int, typer.Option(min=1, max=2, help="Linear programs: the player who plans.")] = 2,
    reduced: Annotated[bool, typer.Option("--reduced", help="Linear programs: the form after presolve.")] = False,
    remember: Remember = False,
    as_json: AsJson = False,
) -> None:
    """Write a game: .efg (tree) or .nfg (strategic form, if small) for Gambit, .svg (picture), .mps or .lp (LP)."""
    from ...interop import to_efg, to_nfg, to_svg
    from ...solving.sources import find_source

    writers = {".efg": to_efg, ".nfg": to_nfg, ".svg": to_svg}
    if output.suffix not in (*writers, *LP_ENDINGS):
        raise ValueError(f"--output is {str(output)!r}: it must end with .efg or .nfg, .svg, or with .mps or .lp")
    if output.suffix not in LP_ENDINGS and (player, reduced) != (2, False):
        raise ValueError("--player and --reduced are for linear programs: write to FILE.mps or FILE.lp")
    source = find_source(remembering(game, remember))
    if output.suffix in LP_ENDINGS:
        from ...solving.methods.lp import program_text
        from ...solving.reduce import presolve_tree
        from ...solving.tree import sequence_form

        announce_compilation()
        with console.status(game) as say:
            tree = source.tree(memory, lambda nodes, share: say(f"{nodes:,} histories"))
            form = presolve_tree(tree).form if reduced else sequence_form(tree)
            text = program_text(form, player - 1, output.suffix, f"{game}, presolved" if reduced else game)
    else:
        text = writers[output.suffix](*source.describe(memory))
    write_text(text, output)
    if as_json:
        return print_json({"game": game, "output": str(output), "bytes": len(text.encode())})
    console.out.print(f"wrote {output}")


# fogspiel bounds.


@app.command("bounds")
@asking(BoundsRequest)
def bounds(
    asked: dict[str, Any],
    certificate: Annotated[Path | None, typer.Option(help="Write the proof object to this file.")] = None,
    store: StorePath = None,
    as_json: AsJson = False,
) -> None:
    """Prove bounds on the value of any game, exact ones if it can be solved."""
    request = BoundsRequest(**asked | {"game": load_game(asked["game"]).name})
    begin_and_show(request.to_json(), RunOptions(store, as_json, certificate=certificate))


# fogspiel values.

Chosen = Annotated[str | None, typer.Argument(metavar="GAME", help="One game, with everything that is known of it.")]
Verify = Annotated[bool, typer.Option("--verify", help="Check the certificates that come with the package.")]

SPARE = ("win 1, loss -1", "ours")  # columns that a narrow terminal omits; `values GAME` prints all of them


@app.command("values")
def list_values(game: Chosen = None, verify: Verify = False, as_json: AsJson = False) -> None:
    """List the games whose values are known: value, certificate, who published it first, what is ours."""
    from ...solving.known_values import COLUMNS, find_known, known_values

    chosen = list(known_values().values()) if game is None else [find_known(game)]
    verified = _verify([known for known in chosen if game or known.shipped]) if verify else None
    if as_json:
        return print_json({"values": [known.to_json() for known in chosen], "verified": verified})
    if game is None:
        console.table("Known values of the first player", COLUMNS, [known.row() for known in chosen], SPARE)
    else:
        console.out.print("\n".join(chosen[0].lines()))
    if verified is not None:
        seconds = sum(check["cpu_seconds"] for check in verified)
        proved = "1 certificate proves" if len(verified) == 1 else f"{len(verified)} certificates prove"
        console.out.print(f"{proved} what is listed ({seconds:.1f} CPU s)")


def _verify(listed: "Sequence[KnownValue]") -> list[dict[str, Any]]:
    """Check the certificates of these games, which must be shipped."""
    from ...solving.known_values import verify_shipped

    sys.set_int_max_str_digits(0)  # exact fractions may have thousands of digits
    announce_compilation()
    verified = []
    with console.progress("certificates") as bar:
        for number, known in enumerate(listed):
            bar.show(number / len(listed), known.game, None)
            began = time.process_time()
            lower, upper = verify_shipped(known)
            seconds = round(time.process_time() - began, 3)
            verified.append({"game": known.game, "lower": str(lower), "upper": str(upper), "cpu_seconds": seconds})
    return verified


# fogspiel explain.

# A player's view, its actions with their probabilities, and for a solution whether it is reached if both play well.
Row = tuple[str, list[tuple[str, str]], str]
SHOWN_ROWS = 12
SEATS = ("first", "second")
WHAT = "A game, a run (tuned or solved), or a certificate file."
WHO = "A player of that game, as in `match`: a name, `solved`, a run, a file, or numbers. Without one: its solution."
# GiB for the solution of a game that also has strategies to explain: small games are solved, others fail soon.
MEMORY = 0.25


@app.command("explain", context_settings={"ignore_unknown_options": True})  # a vector may begin with a minus sign
def explain(
    what: Annotated[str, typer.Argument(autocompletion=complete_games_and_runs, help=WHAT)],
    strategy: Annotated[str | None, typer.Argument(help=WHO)] = None,
    every: Annotated[bool, typer.Option("--all", help="All rows of a solution, not only the first ones.")] = False,
    game: RulesFile = None,
    seed: Seed = 1,
    remember: Remember = False,
    store: StorePath = None,
    as_json: AsJson = False,
) -> None:
    """Explain a strategy in words, tables and pictures: a tuned one, a named one, numbers, or a solution."""
    what = remembering(what, remember)
    if game is None and not what.endswith(".json") and not RUN_NAME.fullmatch(what):
        check_game(what)
    from ...core.agents import ParametricPolicy
    from ...core.behaviour_policy import BehaviourPolicy
    from ...core.game import game_or_none
    from ...runs.agent_parser import parse_agent
    from ...runs.kind import kind_of
    from ...solving import proofs

    if game is not None and not is_tree(game):
        load_game(game)
    if what.endswith(".json"):
        if strategy is not None:
            raise ValueError(
                f"{what} looks like a certificate, which is explained alone: give a game before a strategy"
            )
        body = proofs.read_certificate(Path(what))
        if str(body.get("format")) in extras("solving.proofs.checkers", "VERIFY_FIRST"):
            proofs.verify(body)  # for the explanation of this format trusts its content
        return _print_solution(body, every, game, as_json)
    if strategy is not None:
        chosen, words = load_game(what), strategy
    elif RUN_NAME.fullmatch(what) and game_or_none(what) is None:
        with Store.open(store_path(store), write=False) as runs:
            run = runs.read(what)
        if proof := kind_of(run).solution(run):
            return _print_solution(proof, every, game, as_json)
        chosen, words = game_of_run(run), what
    else:
        return _print_solution(_solution_of(what), every, game or what, as_json)
    announce_compilation()
    player = parse_agent(chosen, words, store_path(store), seed)
    if isinstance(player, ParametricPolicy):
        return _print_player(chosen, player, seed, as_json)
    if player.certificate is not None:
        return _print_solution(player.certificate, every, game or what, as_json)
    if isinstance(player, BehaviourPolicy):
        return _print_table(chosen, player, every, as_json)
    raise ValueError(f"{words} has no table and no parameters to explain: watch it play with `fogspiel play`")


def _solution_of(name: str) -> Mapping[str, Any]:
    """Return the certificate of a game: the one in the package, or else by solving the game."""
    from ...core.agents import policy_names
    from ...runs.kinds.solve import solve_unstored
    from ...solving.known_values import shipped_certificate
    from ...solving.proofs import read_certificate
    from ...solving.sources import find_source

    if shipped := shipped_certificate(name):
        return read_certificate(shipped)
    problem = find_source(name)
    known = problem.game
    tuned = known is not None and known.strategy is not None
    announce_compilation()
    proof: Mapping[str, Any] | None = None
    with suppress(ValueError) if tuned else nullcontext():
        request = SolveRequest(game=name, memory=MEMORY) if tuned else SolveRequest(game=name)
        proof = solve_unstored(request, problem=problem).certificate
    if proof is not None:
        return proof
    if known is None or known.strategy is None:
        raise ValueError(f"{name} is too large to be explained row by row")
    raise ValueError(
        f"{name} is not solved, so say whose strategy is to be explained: fogspiel explain {name} STRATEGY, "
        f"which is a name ({', '.join(policy_names(known))}), a run, a parameter file, or "
        f"{len(known.strategy.parameters)} numbers with commas between them"
    )


def _print_solution(body: Mapping[str, Any], every: bool, game: str | None, as_json: bool) -> None:
    from ...solving import proofs

    head = {key: body.get(key) for key in ("game", "lower", "upper")}
    lines = _bounds_words(body, every) or proofs.own_words(body, every)
    if lines is not None:
        return print_json(head | {"lines": lines}) if as_json else console.out.print("\n".join(lines))
    return _print_sides(head, (proofs.strategy_choices(body, side, game) for side in (0, 1)), every, as_json)


def _print_table(game: "Game", policy: "BehaviourPolicy", every: bool, as_json: bool) -> None:
    """Print a policy at every information state that it covers."""
    from ...core.behaviour_policy import MissingState
    from ...solving.methods import DEFAULT_MEMORY
    from ...solving.policies.state_sheets import information_states
    from ...solving.sources import compiling_if_worth_it

    sides: tuple[list[Row], list[Row]] = [], []
    with compiling_if_worth_it(game, DEFAULT_MEMORY):
        for state in information_states(game, DEFAULT_MEMORY):
            with suppress(MissingState):
                shares = zip(state.labels, policy.action_probabilities(state), strict=True)
                chosen = [
                    (name, f"{share:.6g}" if isinstance(share, float) else str(share))
                    for name, share in shares
                    if share
                ]
                sides[state.player].append((state.line, chosen, ""))
    _print_sides({"game": game.name, "player": policy.name}, sides, every, as_json)


def _print_sides(head: dict[str, Any], sides: "Iterable[Iterable[Row]]", every: bool, as_json: bool) -> None:
    """Print the views and choices of each side; for programs with the probability of each action."""
    from ...solving.proofs import choices_text

    if as_json:
        for seat, side in zip(SEATS, sides, strict=True):
            head[seat] = [
                {
                    "sees": sees,
                    "plays": choices_text(choices),
                    "choices": [{"action": name, "probability": share} for name, share in choices],
                    **({"reached": when} if when else {}),
                }
                for sees, choices, when in side
            ]
        return print_json(head)
    for seat, side in zip(SEATS, sides, strict=True):
        rows = [(sees, choices_text(choices), when) for sees, choices, when in side]
        columns = ("sees", "plays", "reached if both play well")[: 2 + any(when for _, _, when in rows)]
        shown = [row[: len(columns)] for row in (rows if every else rows[:SHOWN_ROWS])]
        console.table(f"The {seat} player of {head['game']}", columns, shown)
        if len(shown) < len(rows):
            console.out.print(f"and {len(rows) - len(shown)} rows more: add --all")
    return None


def _bounds_words(body: Mapping[str, Any], every: bool) -> list[str] | None:
    """Explain a proof of bounds, which belongs to no solving method; return None for other certificates."""
    from ...solving.proofs.checkers.phantom_bounds import FORMATS
    from ...solving.proofs.checkers.primitives import MAX_SECONDS, limit_work
    from ...solving.proofs.checkers.refutation import FORMAT

    if body.get("format") not in (*FORMATS, FORMAT):
        return None
    from ...solving.bounds.certificate import explain, explain_refutation

    with limit_work(MAX_SECONDS):
        return explain_refutation(body) if body["format"] == FORMAT else explain(body, every)


def _print_player(game: "Game", player: "ParametricPolicy", seed: int, as_json: bool) -> None:
    from ...core.explain import explain

    found = explain(game, player, seed)
    if as_json:
        theta = None if player.theta is None else list(player.theta)
        return print_json({"game": game.name, "player": player.name, "theta": theta, "seed": seed, **found.to_json()})
    for sentence in found.sentences:
        console.out.print(sentence)
    for table in found.tables:
        console.table(table.title, table.columns, table.rows)
    for picture in found.pictures:
        console.out.print("\n".join(["", picture.title, *picture.lines]))
    return None
