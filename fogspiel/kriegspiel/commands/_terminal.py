"""Kriegspiel in a terminal: a person who types moves against an engine or in a problem, and the stop of the tour."""

import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from ...cli.terminal import GameEnding, Resigned, Terminal, normal
from ...core.compile.kernel import is_cold
from ...core.game import known_game
from ...core.rng import stream_of
from ...core.session import PersonSession
from ...games.chess.bitboards import KINDS, PAWN, QUEEN
from ...games.chess.fen import SIDES, board_text, move_name, square_name
from ...games.chess.game import CASTLING, MARKS, RESULTS, SAN, UNFINISHED, meant
from ...games.chess.position import PLY, end_of, promotion_of, start_of
from ...process.preparation import finish_compiling, start_compiling
from ..analysis import DEFAULT_ENGINE, analyse, share
from ..beliefs.board_filter import list_children
from ..decisions import Decision
from ..engine import SearchLimit, find_engine
from ..game import ENDINGS, ICC, QUESTION, parse_attempt, reveal, rule_set_of, rules, show
from ..game.attempts import MAY_ASK
from ..inferences import belief_of
from ..pgn import turns_of
from ..problems import Problem
from ..problems.solution import ILLEGAL, first_scene, hear, hint, known_men, scene_after, solve, standing, tree_lines
from ..problems.solver import Solver
from ..protocol import own_board
from ..referee import TIME_UP, Referee, SideClock, answer_in, message_in, play_game, switches_in, why_impossible

HELP = """a move      both squares, as e2e4 (castling e1g1), or the short form, as Nf3, exd5, O-O;
            a pawn becomes a queen unless you say otherwise, as in e7e8n or e8=N
hint        an attempt that an engine would make with what you know
undo        take your last attempt back; after a hint or an undo the game is kept as practice
tries       try your pawns' captures one after the other until one is accepted
rules       how Kriegspiel is played
board       your men, what the referee said, what was refused
resign      give the game up
help        this list
Ctrl-D      leave; the game is saved"""
ASK_HELP = "any         ask whether any pawn of yours can take; if so you must try it\n"
HINT = SearchLimit(nodes=4_000)  # for each attempt of the engine that gives a hint
BOTH_SQUARES = re.compile(r"[a-h][1-8]-?[a-h][1-8][qrbn]?\??", re.IGNORECASE)
NO_TRIES = "No pawn of yours can take anything: the referee has announced no tries."


def result_of(played: GameEnding) -> str:
    return UNFINISHED if played.score is None else RESULTS[played.score]


class KriegspielTerminal(Terminal):
    """Terminal dialogue with a person who plays Kriegspiel."""

    help = HELP

    def __init__(
        self,
        session: PersonSession,
        lines: Iterator[str],
        tell: Callable[[str], None],
        clocks: tuple[SideClock, SideClock] | None = None,
    ):
        super().__init__(session, lines, tell)
        self.clocks = clocks or (SideClock(), SideClock())  # White's first
        self.lines = self.timed_lines(lines)
        self.shown: int | None = None  # ply at which the board was last shown
        self.typed = ""  # the last line, whose capitals tell a bishop from a pawn
        self.practice: list[str] = []  # aids used, which make the game practice
        if session.state[rules.SWITCHES] & MAY_ASK:
            self.help = HELP.replace("tries  ", ASK_HELP + "tries  ", 1)
        del self.commands["look"], self.commands["choices"]
        self.commands |= {"board": lambda: tell(show(session.seen())), "tries": self.try_captures}
        self.commands |= {"hint": self.give_hint, "undo": self.undo}

    def greeting(self) -> str:
        house = rule_set_of(int(self.session.state[rules.SWITCHES]))
        told = "" if house.name == ICC else f" {house.title} rules: {house.about}."
        return f"You are {SIDES[self.session.side]}.{told} Say a move, or help."

    def begin_turn(self) -> None:
        """Show the own men after the opponent's move; refusals were already announced."""
        session, ply = self.session, int(self.session.state[PLY])
        if ply == self.shown:
            return
        self.clocks[session.side].start(ply)
        if self.clocks[0].control:
            left = [f"{int(clock.left) // 60}:{int(clock.left) % 60:02}" for clock in self.clocks]
            self.tell(f"Clock: White {left[0]}, Black {left[1]}.")
        men = session.seen()[rules.SEEN_MEN : rules.SEEN_MEN + KINDS]
        self.tell(board_text(men.tolist(), -1 if session.side == 0 else 0))
        if session.record:
            self.tell(f"The referee: {message_in(session.state).text}.")
        self.shown = ply

    def act(self, said: str) -> None:
        """Attempt the move that the person typed; a pawn promotes to a queen unless another piece is named."""
        choices = self.session.choices()
        action = self.short_form(choices)
        if action is None:
            action = parse_attempt(said.replace("-", "").rstrip("?"))
        if not promotion_of(action) and action + 4096 * QUEEN in choices:
            action += 4096 * QUEEN
        if action not in choices:
            raise ValueError(why_impossible(self.session.state, action, choices))
        self.attempt(action, said)

    def short_form(self, choices: Sequence[int]) -> int | None:
        """Return the attempt of a short form, by the person's own men alone; None if the line has another form."""
        text = self.typed.replace("0", "O")
        if text[:1] in tuple("onrqk"):
            text = text.upper() if text[0] == "o" else text[0].upper() + text[1:]
        plain = text.rstrip(MARKS)
        if BOTH_SQUARES.fullmatch(text) or not (plain in CASTLING or SAN.fullmatch(plain)):
            return None
        men, moves = own_board(self.session.seen()), [action for action in choices if action != rules.ANY]
        found = meant(plain, men, moves) or meant(f"{plain}=Q", men, moves)
        if len(found) > 1:
            names = ", ".join(map(move_name, found))
            raise ValueError(f"{self.typed} may be {names}: say which man, by both squares")
        if not found:
            raise ValueError(f"{self.typed}: no man of yours can try this now; say both squares, as e2e4, to hear why")
        return found[0]

    def give_hint(self) -> None:
        """Suggest an attempt: the engine follows the person's own views and attempts, and nothing else."""
        decisions = [Decision(seen, action) for seen, action in self.session.decisions]
        decisions.append(Decision(self.session.seen(), None))
        (found,) = analyse(decisions, DEFAULT_ENGINE, HINT, last=True)
        best = next((one for one in found.attempts if one.move == found.best), None)
        legal = f", legal on {share(best.legal)} of the boards that fit what was announced" if best else ""
        self.mark("hint")
        self.tell(f"Try {found.best}{legal}.")

    def undo(self) -> None:
        """Take back the person's last attempt, and all that followed."""
        try:
            self.session = self.session.before_last_action()
        except ValueError as error:
            return self.tell(f"{error}.")
        self.shown = None
        self.mark("undo")
        return self.tell("Your last attempt is taken back.")

    def mark(self, aid: str) -> None:
        if aid not in self.practice:
            self.practice.append(aid)

    def attempt(self, action: int, said: str) -> bool:
        """Attempt a move and print the referee's answer; return True if it was accepted."""
        plies = int(self.session.state[PLY])
        self.session.act(action)
        answer = answer_in(self.session.state, plies, action)
        heard = answer.accepted or action == rules.ANY
        self.tell(f"The referee: {answer.text}." if heard else f"The referee: illegal move ({said}).")
        return answer.accepted

    def try_captures(self) -> None:
        pawns = int(self.session.state[PAWN])
        captures = [
            action
            for action in self.session.choices()
            if pawns >> start_of(action) & 1
            and (end_of(action) - start_of(action)) % 8
            and promotion_of(action) in (0, QUEEN)
        ]
        if not captures:
            self.tell(NO_TRIES if self.session.state[rules.SWITCHES] == 0 else "There is no capture by a pawn to try.")
        any(self.attempt(action, move_name(action)) for action in captures)

    def timed_lines(self, lines: Iterator[str]) -> Iterator[str]:
        """Yield the lines of the person, whose clock runs until each of them is there."""
        while True:
            began = time.perf_counter()
            line = next(lines, None)
            if line is None:
                return
            own = self.clocks[self.session.side]
            own.spend(time.perf_counter() - began)
            if own.is_up:
                raise Resigned
            self.typed = line.strip()
            yield line

    def resignation(self) -> str:
        if self.clocks[self.session.side].is_up:
            return TIME_UP
        return f"{SIDES[self.session.side]} resigns"

    def ending(self) -> str:
        return ENDINGS[int(self.session.state[rules.END])]

    def epilogue(self) -> str:
        """Return the umpire's board and the whole record, shown to both after the game."""
        turns, left = turns_of(self.session.record, Referee(switches=switches_in(self.session.state)))
        lines = ["The umpire's board:", reveal(self.session.state), "All that was tried:"]
        for place, turn in enumerate(turns):
            number = f"{place // 2 + 1}{'.' if turn.colour == 0 else '...'}"
            tried = [name for name in turn.refused if name != QUESTION]
            refused = f" (refused: {' '.join(tried)})" if tried else ""
            words = turn.message.text.split(", ")[1:]
            lines.append(f"{number:>6} {turn.short}{refused}{': ' + ', '.join(words) if words else ''}")
        if left:
            lines.append(f"       refused after the last move: {' '.join(left)}")
        return "\n".join(lines)


# Problems: attempts typed by their squares, and the referee's worst answers.

PROBLEM_HELP = """\
an attempt  both squares, as e2e4; a promoting pawn becomes a queen unless you say otherwise, as in e7e8n
back        take the last attempt back
reset       begin again
board       the board, with ? where the king may be
hint        an attempt that begins the shortest mate from here
solution    the whole solution as a tree
help        this list
Ctrl-D      leave"""


class ProblemTerminal(Terminal):
    """Terminal dialogue with a person who solves a problem."""

    def __init__(self, problem: Problem, lines: Iterator[str], tell: Callable[[str], None]):
        self.problem, self.lines, self.tell = problem, lines, tell
        self.solver, self.known = Solver(), first_scene(problem)
        self.commands = {
            "help": lambda: tell(PROBLEM_HELP),
            "board": self.look,
            "back": lambda: self.go_back(len(self.known.heard) - 1),
            "reset": lambda: self.go_back(0),
            "hint": self.give_hint,
            "solution": self.show_solution,
        }

    def play(self) -> GameEnding:
        """Read attempts until the problem is solved or left."""
        self.tell(f"{self.problem.title}. Say an attempt, or help.")
        self.look()
        try:
            while not self.known.solved:
                self.answer(normal(next(self.lines)))
        except (StopIteration, KeyboardInterrupt) as left:
            return GameEnding("you left it", interrupted=isinstance(left, KeyboardInterrupt))
        return GameEnding("solved")

    def act(self, said: str) -> None:
        """Attempt a move and print the referee's answer."""
        self.known = hear(self.solver, self.known, self.known.parse(said))
        heard = self.known.heard[-1]
        for words in filter(None, (heard.answer, heard.reply)):
            self.tell(f"The referee: {words}.")
        if heard.answer == ILLEGAL or self.known.over:
            self.tell(standing(self.known))
        else:
            self.look()
        if self.known.over and not self.known.solved:
            self.tell("Take it back (back), begin again (reset), or look at the solution (solution).")

    def look(self) -> None:
        self.tell(f"{known_men(self.known.boards).text}\n{standing(self.known)}")

    def go_back(self, many: int) -> None:
        """Return to the position after this many of the attempts."""
        kept = [heard.attempt for heard in self.known.heard[: max(many, 0)]]
        self.known = scene_after(self.solver, self.problem, kept)
        self.look()

    def give_hint(self) -> None:
        found = hint(self.solver, self.known)
        self.tell(f"Try {found}." if found else "There is no mate in time any more: take something back.")

    def show_solution(self) -> None:
        found = solve(self.problem, self.solver)
        self.tell("\n".join(tree_lines(found.tree)) if found.tree else "There is no forced mate in so many moves.")


# The stop of the tour: an engine against itself, both views, and both beliefs.

PLIES, NODES = 24, 2000
ENGINE = "fog"


@contextmanager
def compiled_meanwhile() -> Iterator[None]:
    """Compile the engine in another process meanwhile, unless it is compiled."""
    if not is_cold(list_children):
        yield
        return
    other = start_compiling(ENGINE)
    try:
        yield
    finally:
        other.terminate()
        finish_compiling(other)


def kriegspiel(seed: int) -> Iterator[str]:
    """Yield what both sides see after some moves, and the full state."""
    make = find_engine(ENGINE)
    players = tuple(make(SearchLimit(nodes=NODES), stream_of(seed, side)) for side in (0, 1))
    referee = play_game((players[0], players[1]), Referee(), PLIES)
    yield f"{ENGINE} against itself, after {PLIES // 2} moves each."
    game = known_game("kriegspiel")
    texts = [*(game.show(referee.view(side)) for side in (0, 1)), game.reveal(referee.state)]
    columns = []
    for title, text in zip(("White sees", "Black sees", "full state"), texts, strict=True):
        lines = text.splitlines()
        top = next(number for number, line in enumerate(lines) if line.startswith("8 "))
        column = [title, *lines[top : top + 9]]  # the ranks, and the line of files below them
        columns.append([line.ljust(max(map(len, column))) for line in column])
    yield from ("   ".join(cells).rstrip() for cells in zip(*columns, strict=True))
    for side, player in enumerate(players):
        belief = belief_of(player, referee.view(side))
        if belief is not None:
            kings = sorted(enumerate(belief[0]), key=lambda place: -place[1])[:3]
            listed = ", ".join(f"{square_name(square)} {chance:.0%}" for square, chance in kings)
            yield f"{SIDES[side]}'s belief: {SIDES[1 - side].lower()} king on {listed}"
