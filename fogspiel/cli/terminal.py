"""A person against a player in a terminal, at any game: lines in, lines out, nothing hidden told before it is over."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from ..core.game import Game, blank
from ..core.person_session import PersonSession

HELP = """a number    the choice with that number
its words   the same choice, as `take 2 from heap 3`; its beginning or end is enough if no other choice has it
look        what you see, and your choices
choices     all choices, where there are many
resign      give the game up
help        this list
Ctrl-D      leave"""
MANY, SOME = 24, 12
"""More choices than this are not listed unless they are asked for; so many of them are."""
WIDTH = 100
LONGEST = 200
"""Actions that are told after the game; of a longer one the last."""


@dataclass(frozen=True)
class Outcome:
    """How a game at the terminal ended."""

    how: str
    """In words."""
    score: float | None
    """What the person got; None if the game was left."""
    interrupted: bool = False


class Resigned(Exception):
    """The person gives up."""


def play_in_terminal(sitting: PersonSession, lines: Iterator[str], tell: Callable[[str], None]) -> Outcome:
    """Let a person play a game; the lines end when he leaves."""
    game = sitting.game
    seat = "" if game.symmetric else f" You are the {('first', 'second')[sitting.side]} player."
    tell(f"{game.title}.{seat} Say a number, or the words of a choice, or help.")
    try:
        while not sitting.over:
            if not sitting.go_on():
                _take_turn(sitting, lines, tell)
    except Resigned:
        return Outcome("you resigned", _payoff(game, sitting.side, 0 if sitting.side == 0 else len(game.payoffs) - 1))
    except StopIteration:
        return Outcome("you left it", None)
    except KeyboardInterrupt:
        return Outcome("you interrupted it", None, interrupted=True)
    tell(game.show(sitting.seen()))
    score = _payoff(game, sitting.side, sitting.score or 0)
    even = float(game.payoffs[0] + game.payoffs[-1]) / 2
    return Outcome("you won" if score > even else "you lost" if score < even else "a draw", score)


def _payoff(game: Game, side: int, index: int) -> float:
    """What a side gets where the first player gets the payoff of this index."""
    return float(game.payoffs[index if side == 0 else len(game.payoffs) - 1 - index])


def _take_turn(sitting: PersonSession, lines: Iterator[str], tell: Callable[[str], None]) -> None:
    """Listen to the person until something is done."""
    actions, label = sitting.choices(), sitting.game.label
    tell(_scene(sitting, actions))
    while True:
        said = normal(next(lines))
        if not said:
            continue
        if said == "help":
            tell(HELP)
        elif said == "look":
            tell(_scene(sitting, actions))
        elif said == "choices":
            tell(numbered_list([label(action) for action in actions]))
        elif said == "resign":
            raise Resigned
        else:
            try:
                return sitting.act(parse_choice(said, actions, label))
            except ValueError as error:
                tell(f"{error}.")


def _scene(sitting: PersonSession, actions: Sequence[int]) -> str:
    """What the person sees and may do."""
    labels = [sitting.game.label(action) for action in actions]
    if len(labels) <= MANY:
        return f"{sitting.game.show(sitting.seen())}\n{numbered_list(labels)}"
    more = f"and {len(labels) - SOME} more: `choices` lists them all"
    return f"{sitting.game.show(sitting.seen())}\n{numbered_list(labels[:SOME])}\n{more}"


def numbered_list(labels: Sequence[str]) -> str:
    """Numbered labels in columns."""
    cells = [f"{number:>3} {label}" for number, label in enumerate(labels, 1)]
    wide = max(map(len, cells)) + 2
    columns = max(WIDTH // wide, 1)
    rows = [cells[first : first + columns] for first in range(0, len(cells), columns)]
    return "\n".join("".join(cell.ljust(wide) for cell in row).rstrip() for row in rows)


def normal(words: str) -> str:
    """Words without regard to capitals and spaces."""
    return " ".join(words.split()).casefold()


def parse_choice(said: str, actions: Sequence[int], label: Callable[[int], str]) -> int:
    """The action that a person means, or a ValueError that says what could have been said."""
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


def epilogue(game: Game, side: int, record: Sequence[int]) -> str:
    """The whole truth about a game that the person has ended: everything that was done, and how it stands."""
    state = blank(game.sizes.state)
    game.rules.start(state)
    done = []
    for action in record:
        who = int(game.rules.mover(state))
        if who in (0, 1):
            done.append(f"{'you' if who == side else 'the other'}: {game.label(action)}")
        game.rules.apply(state, action)
    skipped = [f"({len(done) - LONGEST} actions before these)"] if len(done) > LONGEST else []
    return "\n".join(["All that was done:", *skipped, *done[-LONGEST:], "The whole truth:", game.reveal(state)])


def parse_seat(name: str) -> int:
    """First or second."""
    seats = {"first": 0, "white": 0, "second": 1, "black": 1}
    if name.lower() not in seats:
        raise ValueError(f"--as is {name!r}: it must be first or second")
    return seats[name.lower()]
