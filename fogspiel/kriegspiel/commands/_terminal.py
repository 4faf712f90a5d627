"""A person against a Kriegspiel engine in a terminal: moves typed by their squares, and the referee's messages."""

from collections.abc import Callable, Iterator

from ...cli.terminal import GameEnding, Terminal
from ...core.session import PersonSession
from ...games.chess.bitboards import KINDS, PAWN, QUEEN
from ...games.chess.fen import SIDES, board_text, move_name
from ...games.chess.position import PLY, end_of, promotion_of, start_of
from ...games.chess.san import RESULTS, UNFINISHED
from ..game import ENDINGS, ICC, QUESTION, parse_attempt, reveal, rule_set_of, rules, show
from ..game.attempts import MAY_ASK
from ..pgn import turns_of
from ..referee import Referee, answer_in, message_in, switches_in, why_impossible

HELP = """a move      both squares, as e2e4; castling is the king's move, e1g1; a promoting pawn becomes a queen
            unless you say otherwise, as in e7e8n
tries       try your pawns' captures one after the other until one is accepted
board       your men, what the referee said, what was refused
resign      give the game up
help        this list
Ctrl-D      leave; the game is saved"""
ASK_HELP = "any         ask whether any pawn of yours can take; if so you must try it\n"


NO_TRIES = "No pawn of yours can take anything: the referee has announced no tries."


def result_of(played: GameEnding) -> str:
    return UNFINISHED if played.score is None else RESULTS[played.score]


class KriegspielTerminal(Terminal):
    """Terminal dialogue with a person who plays Kriegspiel."""

    help = HELP

    def __init__(self, session: PersonSession, lines: Iterator[str], tell: Callable[[str], None]):
        super().__init__(session, lines, tell)
        self.shown: int | None = None  # ply at which the board was last shown
        if session.state[rules.SWITCHES] & MAY_ASK:
            self.help = HELP.replace("tries  ", ASK_HELP + "tries  ", 1)
        del self.commands["look"], self.commands["choices"]
        self.commands |= {"board": lambda: tell(show(session.seen())), "tries": self.try_captures}

    def greeting(self) -> str:
        house = rule_set_of(int(self.session.state[rules.SWITCHES]))
        told = "" if house.name == ICC else f" {house.title} rules: {house.about}."
        return f"You are {SIDES[self.session.side]}.{told} Say a move, or help."

    def begin_turn(self) -> None:
        """Show the own men after the opponent's move; refusals were already announced."""
        session, ply = self.session, int(self.session.state[PLY])
        if ply == self.shown:
            return
        men = session.seen()[rules.SEEN_MEN : rules.SEEN_MEN + KINDS]
        self.tell(board_text(men.tolist(), -1 if session.side == 0 else 0))
        if session.record:
            self.tell(f"The referee: {message_in(session.state).text}.")
        self.shown = ply

    def act(self, said: str) -> None:
        """Attempt the move that the person typed; a pawn promotes to a queen unless another piece is named."""
        action, choices = parse_attempt(said.replace("-", "").rstrip("?")), self.session.choices()
        if not promotion_of(action) and action + 4096 * QUEEN in choices:
            action += 4096 * QUEEN
        if action not in choices:
            raise ValueError(why_impossible(self.session.state, action, choices))
        self.attempt(action, said)

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

    def resignation(self) -> str:
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
