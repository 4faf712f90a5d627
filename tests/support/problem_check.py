"""Independent verification of a solution: every branch on the referee's real board, without any code of the solver.

Every possible board is set up before a referee. White follows the tree, Black makes every legal reply, and every line
must end in checkmate within the moves of the problem.
"""

from fogspiel.kriegspiel.problems import Problem
from fogspiel.kriegspiel.problems.solution import RULES, SolutionStep
from fogspiel.kriegspiel.referee import Referee


class WrongSolution(ValueError):
    """A line of a solution that does not end in mate in time."""


def check_solution(problem: Problem, tree: SolutionStep) -> int:
    """Count the lines that end in mate; raise WrongSolution for one that does not."""
    return sum(
        _follow(Referee(f"{board} w - - 0 1", RULES), tree, problem.mate_in, (board,)) for board in problem.boards
    )


def _follow(referee: Referee, step: SolutionStep, moves: int, line: tuple[str, ...]) -> int:
    """Count the lines from here that end in mate within this many moves."""
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
    for branch in step.branches:
        if (branch.answer, branch.reply) == (answer, reply) and branch.next is not None:
            return branch.next
    raise WrongSolution(f"{' '.join(line)}: the solution has nothing after {answer!r} {reply!r}")
