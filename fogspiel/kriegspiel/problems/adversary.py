"""Solving a problem against a referee who has not decided where the king is.

The referee keeps all boards that fit what was said, and always gives the answer that is worst for White. So a line of
attempts determines everything: a scene needs no memory but its attempts, and whoever mates has solved the problem.
"""

from dataclasses import dataclass, replace

from ...games.chess.fen import move_name, parse_move
from ...games.chess.move_code import promotion_of
from ..referee import Referee
from .checker import RULES
from .division import MATED, REFUSED, STALEMATED
from .problem import Problem, fen_of_board, king_squares
from .solution import ILLEGAL, words_of
from .solver import Boards, Part, Solver

MOST_ATTEMPTS = 400


@dataclass(frozen=True)
class Heard:
    """An attempt and what was said of it and of the reply."""

    attempt: str
    answer: str
    reply: str


@dataclass(frozen=True)
class Scene:
    """White's knowledge after some attempts."""

    boards: Boards  # what may stand there, all of it
    moves_left: int
    heard: tuple[Heard, ...] = ()
    ending: str = ""  # empty as long as something can be tried; else `checkmate`, `stalemate` or `no mate in time`

    @property
    def over(self) -> bool:
        """True if nothing can be tried any more."""
        return bool(self.ending)

    @property
    def solved(self) -> bool:
        """True if it is mate."""
        return self.ending == "checkmate"

    @property
    def refused(self) -> tuple[str, ...]:
        """Attempts refused in this turn."""
        found: list[str] = []
        for one in self.heard:
            found = [*found, one.attempt] if one.answer == ILLEGAL else []
        return tuple(found)

    @property
    def kings(self) -> tuple[str, ...]:
        """Possible squares of Black's king."""
        return king_squares(self.boards)

    def attempts(self) -> list[str]:
        """Possible attempts."""
        refused = {attempt[:4] for attempt in self.refused}
        return [] if self.over else [move for move in self._referee().attempts() if move[:4] not in refused]

    def parse(self, words: str) -> str:
        """The attempt that is meant, a queen if a pawn promotes to nothing in particular; or a ValueError."""
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
        raise ValueError(self._referee().why_impossible(action))

    def _referee(self) -> Referee:
        """The referee of one of the boards; what may be tried is the same on all."""
        return Referee(fen_of_board(min(self.boards)), RULES)


def first_scene(problem: Problem) -> Scene:
    """The problem before anything was tried."""
    return Scene(problem.positions, problem.mate_in)


def hear(solver: Solver, scene: Scene, attempt: str) -> Scene:
    """The scene after an attempt, to which the referee gives the worst answer for White."""
    parts = solver.parts(scene.boards, parse_move(attempt))
    part = max(parts, key=lambda part: _badness(solver, part, scene.moves_left))
    left = scene.moves_left - part.moves
    ending = {MATED: "checkmate", STALEMATED: "stalemate"}.get(part.end, "" if left else "no mate in time")
    heard = (*scene.heard, Heard(attempt, *words_of(part.code)))
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


def scene_after(solver: Solver, problem: Problem, attempts: list[str]) -> Scene:
    """The scene after these attempts; a ValueError if one of them could not be tried."""
    if len(attempts) > MOST_ATTEMPTS:
        raise ValueError(f"{len(attempts)} attempts are too many: a line has at most {MOST_ATTEMPTS}")
    scene = first_scene(problem)
    for words in attempts:
        scene = hear(solver, scene, scene.parse(words))
    return scene


def hint(solver: Solver, scene: Scene) -> str | None:
    """An attempt that begins the shortest mate from here, or None if there is none in time."""
    fewest = None if scene.over else solver.shortest(scene.boards, scene.moves_left)
    return None if fewest is None else move_name(next(solver.keys(scene.boards, fewest)))


def standing(scene: Scene) -> str:
    """Describe the status in a sentence."""
    if scene.solved:
        return "Mate on every board that was left: the problem is solved."
    if scene.over:
        where = f"with the king on {' or '.join(scene.kings)}"
        return f"Stalemate, {where}." if scene.ending == "stalemate" else f"No mate in time, {where}."
    many = "1 move" if scene.moves_left == 1 else f"{scene.moves_left} moves"
    return f"White has {many} left; the king may be on {' '.join(scene.kings)}."
