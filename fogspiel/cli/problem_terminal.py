"""A person solves a problem in a terminal: attempts by their squares, and the worst answers the referee can give."""

from collections.abc import Callable, Iterator

from ..kriegspiel.problems.adversary import first_scene, hear, hint, known_men, scene_after, standing
from ..kriegspiel.problems.problem import Problem
from ..kriegspiel.problems.solution import ILLEGAL, tree_lines
from ..kriegspiel.problems.solution import solve as solve_problem
from ..kriegspiel.problems.solver import Solver
from .terminal import normal

HELP = """an attempt  both squares, as e2e4; a promoting pawn becomes a queen unless you say otherwise, as in e7e8n
back        take the last attempt back
reset       begin again
board       the board, with ? where the king may be
hint        an attempt that begins the shortest mate from here
solution    the whole solution as a tree
help        this list
Ctrl-D      leave"""


class ProblemTerminal:
    """The conversation with a person who solves a problem."""

    def __init__(self, problem: Problem, lines: Iterator[str], tell: Callable[[str], None]):
        self.problem, self.lines, self.tell = problem, lines, tell
        self.solver, self.scene = Solver(), first_scene(problem)
        self.commands: dict[str, Callable[[], None]] = {
            "help": lambda: tell(HELP),
            "board": self.look,
            "back": lambda: self.go_back(len(self.scene.heard) - 1),
            "reset": lambda: self.go_back(0),
            "hint": self.give_hint,
            "solution": self.show_solution,
        }

    def play(self) -> bool:
        """Let the person try until the problem is solved or left. Whether it was interrupted."""
        self.tell(f"{self.problem.title}. Say an attempt, or help.")
        self.look()
        try:
            while not self.scene.solved:
                self.answer(normal(next(self.lines)))
        except StopIteration:
            pass
        except KeyboardInterrupt:
            return True
        return False

    def answer(self, said: str) -> None:
        """Do what the person says, or tell in a sentence why it cannot be done."""
        if said in self.commands:
            self.commands[said]()
        elif said:
            try:
                self.attempt(self.scene.parse(said))
            except ValueError as error:
                self.tell(f"{error}.")

    def attempt(self, attempt: str) -> None:
        """Try a move and tell what the referee says."""
        self.scene = hear(self.solver, self.scene, attempt)
        heard = self.scene.heard[-1]
        for words in filter(None, (heard.answer, heard.reply)):
            self.tell(f"The referee: {words}.")
        if heard.answer == ILLEGAL or self.scene.over:
            self.tell(standing(self.scene))
        else:
            self.look()
        if self.scene.over and not self.scene.solved:
            self.tell("Take it back (back), begin again (reset), or look at the solution (solution).")

    def look(self) -> None:
        """Show the board and how it stands."""
        self.tell(f"{known_men(self.scene.boards).text}\n{standing(self.scene)}")

    def go_back(self, many: int) -> None:
        """Keep so many of the attempts."""
        kept = [heard.attempt for heard in self.scene.heard[: max(many, 0)]]
        self.scene = scene_after(self.solver, self.problem, kept)
        self.look()

    def give_hint(self) -> None:
        """Tell the next attempt of the shortest mate."""
        found = hint(self.solver, self.scene)
        self.tell(f"Try {found}." if found else "There is no mate in time any more: take something back.")

    def show_solution(self) -> None:
        """Tell the whole solution."""
        found = solve_problem(self.problem, self.solver)
        self.tell("\n".join(tree_lines(found.tree)) if found.tree else "There is no forced mate in so many moves.")
