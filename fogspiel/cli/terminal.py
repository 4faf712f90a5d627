"""Terminal play of a person against an agent, at any game; hidden information is shown only after the end."""

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..core.agents import Forfeit
from ..core.game import Game, how_to_play
from ..core.page_contract import play_support
from ..core.session import PersonSession, replay

if TYPE_CHECKING:
    from ..solving.policies.coach import MoveReview
    from ..web.session_json import Transcript

HELP = """a number    the choice with that number
its words   the same choice, as `take 2 from heap 3`; its beginning or end is enough if no other choice has it
rules       how the game is played
look        what you see, and your choices
choices     all choices, where there are many
resign      give the game up
help        this list
Ctrl-D      leave"""
MANY, SOME = 24, 12  # of more than MANY choices only SOME are listed, unless all are requested
WIDTH = 100
LONGEST = 200  # actions printed after the game; of a longer one the last


@dataclass(frozen=True)
class GameEnding:
    how: str  # as text
    score: int | None = None  # the index of the first player's payoff; None if the game was left
    interrupted: bool = False
    failed: bool = False  # true if the opponent could not continue, as when an engine's external program has exited


class Resigned(Exception):
    """Resignation of the person."""


class Terminal:
    """Conversation with a person at any game; games with their own wording override parts of it."""

    help = HELP

    def __init__(
        self,
        session: PersonSession,
        lines: Iterator[str],
        tell: Callable[[str], None],
        advice: "Callable[[], list[MoveReview]] | None" = None,
    ):
        self.session, self.lines, self.tell, self.advice = session, lines, tell, advice
        self.transcript: Transcript | None = None
        self.told = 0  # lines of the transcript that were printed
        self.commands: dict[str, Callable[[], None]] = {
            "help": lambda: tell(self.help),
            "rules": lambda: tell("\n".join(how_to_play(session.game)) or "No rules are written down for this game."),
            "look": lambda: tell(self.scene()),
            "choices": lambda: tell(numbered_list([session.game.label(action) for action in session.choices()])),
            "resign": self.resign,
        }

    def play(self) -> GameEnding:
        """Let the person play the game; the lines end when the person leaves."""
        shown = -1
        self.tell(self.greeting())
        try:
            while not self.session.over:
                try:
                    if self.session.go_on():
                        continue
                except Forfeit as fault:
                    return GameEnding(f"the other side forfeits it, {fault}", self.session.game.max_score - self.loss)
                except ValueError as error:
                    return GameEnding(str(error), failed=True)
                if len(self.session.record) != shown:
                    self.begin_turn()
                    shown = len(self.session.record)
                self.answer(normal(next(self.lines)))
        except Resigned:
            return GameEnding(self.resignation(), self.loss)
        except StopIteration:
            return GameEnding("you left it")
        except KeyboardInterrupt:
            return GameEnding("you interrupted it", interrupted=True)
        return GameEnding(self.ending(), self.session.payoff_index)

    @property
    def loss(self) -> int:
        """Payoff index of a game that the person has lost."""
        return 0 if self.session.side == 0 else self.session.game.max_score

    def greeting(self) -> str:
        game, side = self.session.game, self.session.side
        name = (play_support(game).seats or ("the first player", "the second player"))[side]
        seat = "" if game.symmetric else f" You are {name}."
        return f"{game.title}.{seat} Say a number, or the words of a choice, `rules`, or `help`."

    def begin_turn(self) -> None:
        self.tell_news()
        self.tell(self.scene())

    def tell_news(self) -> None:
        """Print the opponent's visible actions and other events since the last turn."""
        from ..web.session_json import OTHER, YOU, Transcript

        self.transcript = self.transcript or Transcript()
        lines = self.transcript.lines(self.session, thinking=False)
        for line in lines[self.told :]:
            if line["who"] != YOU:
                self.tell(f"The other: {line['words']}" if line["who"] == OTHER else line["words"])
        self.told = len(lines)

    def scene(self) -> str:
        game, session = self.session.game, self.session
        labels = [game.label(action) for action in session.choices()]
        if len(labels) <= MANY:
            return f"{game.show(session.seen())}\n{numbered_list(labels)}"
        more = f"and {len(labels) - SOME} more: `choices` lists them all"
        return f"{game.show(session.seen())}\n{numbered_list(labels[:SOME])}\n{more}"

    def answer(self, said: str) -> None:
        """Execute the person's input, or print why it cannot be done."""
        if said in self.commands:
            self.commands[said]()
        elif said:
            try:
                self.act(said)
            except ValueError as error:
                self.tell(f"{error}.")

    def act(self, said: str) -> None:
        self.session.act(parse_choice(said, self.session.choices(), self.session.game.label))
        if self.advice is not None:
            self.tell(f"Coach: {self.advice()[-1].sentence}.")

    def resign(self) -> None:
        raise Resigned

    def resignation(self) -> str:
        return "you resigned"

    def ending(self) -> str:
        """Show the final view, and return the outcome for the person."""
        game = self.session.game
        self.tell_news()
        self.tell(game.show(self.session.seen()))
        score, even = (
            payoff_of(self.session, self.session.payoff_index or 0),
            float(game.payoffs[0] + game.payoffs[-1]) / 2,
        )
        return "you won" if score > even else "you lost" if score < even else "a draw"

    def epilogue(self) -> str:
        """Return the full record of a finished game: every action, and the final state."""
        game, session = self.session.game, self.session
        moments = zip(replay(game, session.record), session.record, strict=False)
        done = [
            f"{'you' if moment.mover == session.side else 'the other'}: {game.label(action)}"
            for moment, action in moments
            if moment.mover in (0, 1)
        ]
        skipped = [f"({len(done) - LONGEST} actions before these)"] if len(done) > LONGEST else []
        lines = ["All that was done:", *skipped, *done[-LONGEST:], "The whole truth:", game.reveal(session.state)]
        return "\n".join(lines)


def payoff_of(session: PersonSession, score: int) -> float:
    """Return the person's payoff where the first player gets the payoff of this index."""
    payoffs = session.game.payoffs
    return float(payoffs[score if session.side == 0 else len(payoffs) - 1 - score])


def numbered_list(labels: Sequence[str]) -> str:
    cells = [f"{number:>3} {label}" for number, label in enumerate(labels, 1)]
    wide = max(map(len, cells)) + 2
    columns = max(WIDTH // wide, 1)
    rows = [cells[first : first + columns] for first in range(0, len(cells), columns)]
    return "\n".join("".join(cell.ljust(wide) for cell in row).rstrip() for row in rows)


def normal(words: str) -> str:
    return " ".join(words.split()).casefold()


def parse_choice(said: str, actions: Sequence[int], label: Callable[[int], str]) -> int:
    """Return the action that a person means, or raise a ValueError with the valid input."""
    labels = [normal(label(action)) for action in actions]
    many = len(actions)
    if said in labels:
        return actions[labels.index(said)]
    if said.isdecimal():
        if not 1 <= int(said[:9]) <= many:
            raise ValueError(f"{said[:9]} is not the number of a choice: they are 1 to {many}")
        return actions[int(said) - 1]
    meant = [place for place, words in enumerate(labels) if words.startswith(said) or words.endswith(f" {said}")]
    if len(meant) == 1:
        return actions[meant[0]]
    if meant:
        raise ValueError(f"{said!r} may be {', '.join(labels[place] for place in meant[:4])}: say a little more")
    raise ValueError(f"{said[:40]!r} is not one of the choices: say a number from 1 to {many}, or help")


def seat_names(game: Game) -> tuple[str, ...]:
    """Return the words for the two seats, in turn: first, second, and the game's own names."""
    own = play_support(game).seats or ("white", "black")
    return ("first", "second", *(name.lower().removeprefix("the ") for name in own))


def parse_seat(name: str, seats: Sequence[str] = ("first", "second")) -> int:
    if name.lower() not in seats:
        also = f" ({' or '.join(seats[2:])})" if seats[2:] else ""
        raise ValueError(f"--seat is {name!r}: it must be {seats[0]} or {seats[1]}{also}")
    return seats.index(name.lower()) % 2


def ask_person(as_json: bool) -> tuple[Iterator[str], Callable[[str], None]]:
    """Return the person's input, line by line after a prompt, and a function that prints to the person.

    The conversation is on stderr where stdout is for a program.
    """
    stage = sys.stderr if as_json else sys.stdout

    def tell(words: str, end: str = "\n") -> None:
        stage.write(words + end)
        stage.flush()

    def lines() -> Iterator[str]:
        while True:
            tell("> ", end="")
            line = sys.stdin.readline()
            if not line:
                tell("")
                return
            yield line

    return lines(), tell
