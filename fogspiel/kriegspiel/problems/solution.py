"""Solution of a problem as a tree, and play against a referee that has not decided.

A step of the tree is an attempt, the referee's possible answers, and the next attempt.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from ...core.untrusted_input import JsonRecord
from ...games.chess.fen import draw_letters, move_name, parse_move, square_name
from ...games.chess.position import promotion_of
from ..game import message_text
from ..referee import HouseRules, Referee
from . import Problem, fen_of_board, king_squares, letters_of
from .solver import ENDS, MATED, MESSAGES, REFUSED, REPLIED, STALEMATED, Boards, Part, Solver

ILLEGAL = "illegal move"
ENDINGS = {MATED: "; checkmate", STALEMATED: "; stalemate", REPLIED: ""}


@dataclass(frozen=True)
class Branch(JsonRecord):
    """One possible message after an attempt, and the continuation."""

    KEYS = ("answer", "reply", "kings", "next")

    answer: str  # the referee's answer to the attempt
    reply: str  # the referee's message about Black's reply; empty if there is none
    kings: tuple[str, ...]  # possible squares of Black's king
    next: "SolutionStep | None"  # next attempt; None if it is mate


@dataclass(frozen=True)
class SolutionStep(JsonRecord):
    """An attempt of the solution, with a branch for every possible message."""

    KEYS = ("attempt", "branches")

    attempt: str
    branches: tuple[Branch, ...]


@dataclass(frozen=True)
class ProblemSolution:
    """The shortest forced mate of a problem, or the fact that there is none in time."""

    moves: int | None  # in how many moves, or None
    keys: tuple[str, ...]  # attempts that start a forced mate in this many moves
    tree: SolutionStep | None
    nodes: int  # nodes of the search


def solve(problem: Problem, solver: Solver) -> ProblemSolution:
    """Return the shortest forced mate, or the proof that there is none within the moves of the problem."""
    before = solver.nodes
    moves = solver.shortest(problem.positions, problem.mate_in)
    if moves is None:
        return ProblemSolution(None, (), None, solver.nodes - before)
    keys = tuple(move_name(key) for key in solver.keys(problem.positions, moves))
    return ProblemSolution(moves, keys, grow_tree(solver, problem.positions, moves), solver.nodes - before)


def grow_tree(solver: Solver, boards: Boards, n: int) -> SolutionStep:
    """Return the tree of a forced mate within n moves; every branch is as short as possible."""
    attempt = next(solver.keys(boards, n))
    return SolutionStep(move_name(attempt), tuple(_branch(solver, part, n) for part in solver.parts(boards, attempt)))


def _branch(solver: Solver, part: Part, n: int) -> Branch:
    answer, reply = words_of(part.code)
    fewest = None if part.end == MATED else solver.shortest(part.boards, n - part.moves)
    return Branch(answer, reply, king_squares(part.boards), grow_tree(solver, part.boards, fewest) if fewest else None)


def words_of(code: int) -> tuple[str, str]:
    end, own, other = code % ENDS, code // ENDS % MESSAGES, code // ENDS // MESSAGES
    if end == REFUSED:
        return ILLEGAL, ""
    answer, reply = (
        message_text([code >> 18, (code >> 11 & 127) - 1, code >> 6 & 31, code & 63], side)
        for side, code in enumerate((own, other))
    )
    return answer + ENDINGS[end], reply if end == REPLIED else ""


def tree_lines(step: SolutionStep, move: int = 1, depth: int = 0) -> Iterator[str]:
    yield f"{'    ' * depth}{move}. {step.attempt}"
    for branch in step.branches:
        heard = branch.answer.removeprefix("White moved").removeprefix(", ").removeprefix("; ") or "silence"
        said = branch.reply.removeprefix("Black moved").removeprefix(", ")
        reply = f"; Black's reply: {said}" if said else ""
        yield f"{'    ' * depth}  - {heard}{reply} (king on {' '.join(branch.kings)})"
        if branch.next:
            yield from tree_lines(branch.next, move + (branch.answer != ILLEGAL), depth + 1)


# White's knowledge of a set of boards: the certain men, and the possible ones.

NOBODY, KING_MAYBE, SOMEBODY_MAYBE = ".", "?", "*"


@dataclass(frozen=True)
class KnownMen:
    """Certain and possible men on the squares from a1 to h8."""

    certain: str  # letter of the man that stands on a square of every board, `.` elsewhere
    # Other possibly occupied squares, each with the letters of the possible men; the king comes first.
    possible: tuple[tuple[str, str], ...]

    @property
    def text(self) -> str:
        """The board as letters: `?` for possible king squares, `*` where only another man may be."""
        letters, maybe = list(self.certain), dict(self.possible)
        for square in range(64):
            if men := maybe.get(square_name(square)):
                letters[square] = KING_MAYBE if "k" in men else SOMEBODY_MAYBE
        return draw_letters(letters)


def known_men(boards: Boards) -> KnownMen:
    """Return the certain and the possible men if the true board is one of these."""
    drawn = [letters_of(fen_of_board(board).split()[0]) for board in boards]
    certain, possible = "", []
    for square, there in enumerate(zip(*drawn, strict=True)):
        kinds = set(there)
        certain += there[0] if len(kinds) == 1 else NOBODY
        if len(kinds) > 1:
            possible.append((square_name(square), "".join(sorted(kinds - {NOBODY}, key="kqrbnp".index))))
    return KnownMen(certain, tuple(possible))


# Play against a referee who has not decided where the king is.
#
# The referee keeps all boards that fit its messages, and always gives the answer that is worst for White. So a line of
# attempts determines everything: a scene stores only its attempts, and whoever mates has solved the problem.

# A problem has no past, so fifty-move and repetition draws are off.
RULES = HouseRules(fifty=False, repetition=False)
MAX_ATTEMPTS = 400  # of a line: more than a patient person tries


@dataclass(frozen=True)
class AttemptRecord:
    """An attempt with the messages about it and about the reply."""

    attempt: str
    answer: str
    reply: str


@dataclass(frozen=True)
class WhiteKnowledge:
    boards: Boards  # all possible boards
    moves_left: int
    heard: tuple[AttemptRecord, ...] = ()
    ending: str = ""  # empty while attempts are possible; else `checkmate`, `stalemate` or `no mate in time`

    @property
    def over(self) -> bool:
        return bool(self.ending)

    @property
    def solved(self) -> bool:
        return self.ending == "checkmate"

    @property
    def refused(self) -> tuple[str, ...]:
        found: list[str] = []
        for one in self.heard:
            found = [*found, one.attempt] if one.answer == ILLEGAL else []
        return tuple(found)

    @property
    def kings(self) -> tuple[str, ...]:
        return king_squares(self.boards)

    def attempts(self) -> list[str]:
        refused = {attempt[:4] for attempt in self.refused}
        return [] if self.over else [move for move in self._referee().attempts() if move[:4] not in refused]

    def parse(self, words: str) -> str:
        """Return the intended attempt, promoting to a queen by default; raise ValueError if there is none."""
        action, attempts = parse_move(words.replace("-", "")), self.attempts()
        named = move_name(action)
        if named not in attempts and not promotion_of(action) and f"{named}q" in attempts:
            return f"{named}q"
        if named in attempts:
            return named
        if self.over:
            raise ValueError(f"the problem is over ({self.ending}): nothing can be tried any more")
        if named[:4] in {attempt[:4] for attempt in self.refused}:
            raise ValueError(f"{named} was refused already in this turn: try something else")
        raise ValueError(self._referee().illegal_reason(action))

    def _referee(self) -> Referee:
        """Return the referee of one of the boards; the possible attempts are the same on all."""
        return Referee(fen_of_board(min(self.boards)), RULES)


def first_scene(problem: Problem) -> WhiteKnowledge:
    return WhiteKnowledge(problem.positions, problem.mate_in)


def hear(solver: Solver, scene: WhiteKnowledge, attempt: str) -> WhiteKnowledge:
    """Return the scene after an attempt, to which the referee gives the worst answer for White."""
    parts = solver.parts(scene.boards, parse_move(attempt))
    part = max(parts, key=lambda part: _badness(solver, part, scene.moves_left))
    left = scene.moves_left - part.moves
    ending = {MATED: "checkmate", STALEMATED: "stalemate"}.get(part.end, "" if left else "no mate in time")
    heard = (*scene.heard, AttemptRecord(attempt, *words_of(part.code)))
    return replace(scene, boards=part.boards, moves_left=left, heard=heard, ending=ending)


def _badness(solver: Solver, part: Part, left: int) -> tuple[int, int, int, int]:
    """Rank an answer: first by the moves to mate that remain, then by the boards it leaves."""
    if part.end == MATED:
        return 0, 0, 0, 0
    if part.end == STALEMATED:
        return left + 2, 0, len(part.boards), part.code
    fewest = solver.shortest(part.boards, left - part.moves)
    needed = left + 1 if fewest is None else fewest + part.moves
    return needed, int(part.end != REFUSED), len(part.boards), part.code


def scene_after(solver: Solver, problem: Problem, attempts: list[str]) -> WhiteKnowledge:
    """Return the scene after these attempts; raise ValueError if one of them was not possible."""
    if len(attempts) > MAX_ATTEMPTS:
        raise ValueError(f"{len(attempts)} attempts are too many: a line has at most {MAX_ATTEMPTS}")
    scene = first_scene(problem)
    for words in attempts:
        scene = hear(solver, scene, scene.parse(words))
    return scene


def hint(solver: Solver, scene: WhiteKnowledge) -> str | None:
    """Return an attempt that starts the shortest mate from here, or None if there is none in time."""
    fewest = None if scene.over else solver.shortest(scene.boards, scene.moves_left)
    return None if fewest is None else move_name(next(solver.keys(scene.boards, fewest)))


def standing(scene: WhiteKnowledge) -> str:
    if scene.solved:
        return "Mate on every board that was left: the problem is solved."
    if scene.over:
        where = f"with the king on {' or '.join(scene.kings)}"
        return f"Stalemate, {where}." if scene.ending == "stalemate" else f"No mate in time, {where}."
    many = "1 move" if scene.moves_left == 1 else f"{scene.moves_left} moves"
    return f"White has {many} left; the king may be on {' '.join(scene.kings)}."
