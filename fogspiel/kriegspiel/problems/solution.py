"""The solution of a problem as a small tree: an attempt, what the referee may answer, the next attempt."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ...games.chess.fen import move_name
from ..game.look import message_text
from ..referee import HouseRules, Referee
from .problem import Problem, king_squares
from .solver import ENDS, MATED, MESSAGES, REFUSED, REPLIED, STALEMATED, Boards, Part, Solver

ILLEGAL = "illegal move"
ENDINGS = {MATED: "; checkmate", STALEMATED: "; stalemate", REPLIED: ""}


@dataclass(frozen=True)
class Branch:
    """One message White may hear after an attempt, and the continuation."""

    answer: str  # what the referee says of the attempt
    reply: str  # what the referee says of Black's reply; empty if there is none
    kings: tuple[str, ...]  # the squares on which Black's king may be now
    next: "SolutionStep | None"  # what to try next; None if it is mate


@dataclass(frozen=True)
class SolutionStep:
    """An attempt of the solution, with a branch for everything that may be heard."""

    attempt: str
    branches: tuple[Branch, ...]

    def to_json(self) -> dict[str, Any]:
        """The tree as nested objects."""
        return {
            "attempt": self.attempt,
            "branches": [
                {"answer": b.answer, "reply": b.reply, "kings": list(b.kings), "next": b.next and b.next.to_json()}
                for b in self.branches
            ],
        }

    @property
    def attempts(self) -> int:
        """Number of attempts in the tree."""
        return 1 + sum(branch.next.attempts for branch in self.branches if branch.next)


@dataclass(frozen=True)
class ProblemSolution:
    """The shortest forced mate of a problem, or the fact that there is none in time."""

    moves: int | None  # in how many moves, or None
    keys: tuple[str, ...]  # the attempts that begin a forced mate in so many moves
    tree: SolutionStep | None
    nodes: int  # what the search took


def solve(problem: Problem, solver: Solver) -> ProblemSolution:
    """The shortest forced mate, or the proof that there is none within the moves of the problem."""
    before = solver.nodes
    moves = solver.shortest(problem.positions, problem.mate_in)
    if moves is None:
        return ProblemSolution(None, (), None, solver.nodes - before)
    keys = tuple(move_name(key) for key in solver.keys(problem.positions, moves))
    return ProblemSolution(moves, keys, grow_tree(solver, problem.positions, moves), solver.nodes - before)


def grow_tree(solver: Solver, boards: Boards, n: int) -> SolutionStep:
    """The tree of a forced mate within n moves; every branch takes the fewest moves that it can."""
    attempt = next(solver.keys(boards, n))
    return SolutionStep(move_name(attempt), tuple(_branch(solver, part, n) for part in solver.parts(boards, attempt)))


def _branch(solver: Solver, part: Part, n: int) -> Branch:
    answer, reply = words_of(part.code)
    fewest = None if part.end == MATED else solver.shortest(part.boards, n - part.moves)
    return Branch(answer, reply, king_squares(part.boards), grow_tree(solver, part.boards, fewest) if fewest else None)


def words_of(code: int) -> tuple[str, str]:
    """Describe the referee's answer to an attempt, and to the reply."""
    end, own, other = code % ENDS, code // ENDS % MESSAGES, code // ENDS // MESSAGES
    if end == REFUSED:
        return ILLEGAL, ""
    return message_text(_message_of(own), 0) + ENDINGS[end], message_text(
        _message_of(other), 1
    ) if end == REPLIED else ""


def _message_of(code: int) -> list[int]:
    """The cells of a message from its code."""
    return [code >> 18, (code >> 11 & 127) - 1, code >> 6 & 31, code & 63]


def short_words(answer: str, reply: str) -> str:
    """Describe a message without its constant part."""
    heard = answer.removeprefix("White moved").removeprefix(", ").removeprefix("; ") or "silence"
    said = reply.removeprefix("Black moved").removeprefix(", ")
    return f"{heard}; Black's reply: {said}" if said else heard


def tree_lines(step: SolutionStep, move: int = 1, depth: int = 0) -> Iterator[str]:
    """The tree in words, a line for every branch."""
    yield f"{'    ' * depth}{move}. {step.attempt}"
    for branch in step.branches:
        where = f" (king on {' '.join(branch.kings)})"
        yield f"{'    ' * depth}  - {short_words(branch.answer, branch.reply)}{where}"
        if branch.next:
            yield from tree_lines(branch.next, move + (branch.answer != ILLEGAL), depth + 1)


# A dull check of a solution: it plays every branch on the referee's real board, and shares nothing with the solver.
#
# Every possible board is set up before a referee. White follows the tree, Black makes every legal reply, and every line
# must end in checkmate within the moves of the problem.

# A problem has no past, so nothing is counted that would draw by fifty moves or repetition.
RULES = HouseRules(fifty=False, repetition=False)


class WrongSolution(ValueError):
    """A line of a solution that does not end in mate in time."""


def check_solution(problem: Problem, tree: SolutionStep) -> int:
    """Count the lines that end in mate; raise WrongSolution for one that does not."""
    return sum(
        _follow(Referee(f"{board} w - - 0 1", RULES), tree, problem.mate_in, (board,)) for board in problem.boards
    )


def _follow(referee: Referee, step: SolutionStep, moves: int, line: tuple[str, ...]) -> int:
    """The number of lines from here that end in mate, with so many moves left."""
    line = (*line, step.attempt)
    answer = referee.attempt(step.attempt)
    if not answer.accepted:
        return _follow(referee, _next(step, answer.text, "", line), moves, line)
    if referee.ending == "checkmate" and moves >= 1:
        return 1
    if referee.over or moves <= 1:
        raise WrongSolution(f"{' '.join(line)}: {referee.ending or 'no mate in time'}")
    found, fen = 0, referee.fen
    for reply in referee.attempts():
        after = Referee(fen, RULES)
        if after.attempt(reply).accepted:
            branch = _next(step, answer.text, after.message.text, line)
            found += _follow(after, branch, moves - 1, (*line, reply))
    return found


def _next(step: SolutionStep, answer: str, reply: str, line: tuple[str, ...]) -> SolutionStep:
    """Return the tree's next attempt."""
    for branch in step.branches:
        if (branch.answer, branch.reply) == (answer, reply) and branch.next is not None:
            return branch.next
    raise WrongSolution(f"{' '.join(line)}: the solution has nothing after {answer!r} {reply!r}")
