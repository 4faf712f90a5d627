"""Contract of a game: six kernels or seven, their sizes, and texts.

    start(state)                 write the first state
    mover(state) -> who          0 or 1, or CHANCE, or OVER
    legal(state, out) -> count   actions of the player to move, or outcomes of chance
    apply(state, action)         move on; deterministic
    view(state, player, out)     everything the player knows, and nothing else
    score(state) -> index        the first player's payoff at the end, as an index into `payoffs`
    weights(state, out)          optional: an integer weight for each listed outcome of chance

States and views are int64 arrays of fixed size. A game record is the list of its actions, chance included. Outcomes of
chance are equally likely where there are no weights.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple, Protocol

import numpy as np

from .compile.kernel import CELLS, NOTHING, NUMBER, REALS, STREAM, kernel, signature
from .compile.kernel import Kernel as Kernel
from .find import likely_modules, no_game
from .picture import Parts, Text, html_table
from .plugins import Source, collect, folders, former_names, load, modules, sources
from .rng import random_below

CHANCE, OVER = -1, -2
LOSS, DRAW, WIN = 0, 1, 2
MAX_WEIGHT = 2**31 - 1
WRONG_WEIGHTS = "the weights of chance must be whole numbers from 0 with a sum from 1 to 2^31 - 1"
WIN_DRAW_LOSS = (Fraction(0), Fraction(1, 2), Fraction(1))

Vector = tuple[float, ...]
Resample = Callable[[np.ndarray, int, np.ndarray], np.ndarray]  # resample(state, player, stream) -> state

RULE_SIGNATURES = {
    "start": signature(NOTHING, CELLS),
    "mover": signature(NUMBER, CELLS),
    "legal": signature(NUMBER, CELLS, CELLS),
    "apply": signature(NOTHING, CELLS, NUMBER),
    "view": signature(NOTHING, CELLS, NUMBER, CELLS),
    "score": signature(NUMBER, CELLS),
    "weights": signature(NOTHING, CELLS, CELLS),
}
PREPARE = signature(NOTHING, REALS, REALS)
CHOOSE = signature(NUMBER, CELLS, CELLS, REALS, STREAM)
PLAY = signature(NUMBER, CELLS, REALS, REALS, STREAM, STREAM, STREAM)


class Rules(NamedTuple):
    """The kernels of a game."""

    start: Kernel
    mover: Kernel
    legal: Kernel
    apply: Kernel
    view: Kernel
    score: Kernel
    # Non-negative integers for the outcomes that `legal` lists; their sum is from 1 to MAX_WEIGHT.
    weights: Kernel | None = None


class Sizes(NamedTuple):
    """Cells of a state and of a view, and the most actions ever listed at once."""

    state: int
    view: int
    actions: int


@former_names(plan="plan_size", hashed="unordered", halves="per_seat", words="describe")
@dataclass(frozen=True, repr=False)
class Strategy:
    """A family of players: `prepare` turns parameters into a plan, once; `choose` plays by the plan, move by move."""

    name: str
    parameters: tuple[str, ...]
    plan_size: int
    prepare: Kernel
    choose: Kernel
    unordered: tuple[str, ...] = ()  # parameters that are seeds of something pseudo-random: nearby values are unrelated
    # The first half of the parameters serves when moving first, the second half when moving second.
    per_seat: bool = False
    describe: Callable[[np.ndarray], str] | None = None  # description of a parameter vector in a sentence

    def plan_for(self, theta: np.ndarray) -> np.ndarray:
        plan = np.zeros(self.plan_size)
        self.prepare(theta, plan)
        return plan

    def __repr__(self) -> str:
        return f"Strategy {self.name!r} with {len(self.parameters)} parameters"


def list_cells(cells: np.ndarray) -> str:
    return " ".join(map(str, cells.tolist()))


Show = Callable[["Game", np.ndarray], Any]  # to a tuple of the parts of a picture


@dataclass(frozen=True)
class Look:
    """Functions of a family that show its games to people; each may be left out."""

    draw_view: Show | None = None
    draw_state: Show | None = None
    how_to_play: Callable[["Game"], tuple[str, ...]] | None = None
    # The lines of news between a player's view before its action and its view now: news(game, before, action, now).
    news_between: Callable[["Game", np.ndarray, int | None, np.ndarray], list[str]] | None = None
    first_news: Callable[["Game", np.ndarray], list[str]] | None = None  # news before the player's first action
    memory: Callable[["Game"], Any] | None = None  # creates a memory of news, where two views do not suffice
    chance_text: Callable[["Game", np.ndarray, int, int], str] | None = None
    routine_action: Callable[["Game", np.ndarray], int | None] | None = None
    # What an action means at a view in a few words, where its label does not say it all.
    action_note: Callable[["Game", np.ndarray, int], str] | None = None
    explain: Callable[..., Any] | None = None
    explain_mixture: Callable[..., Any] | None = None
    scene: str = (
        ""  # the table of the web interface: tiles, go, hex, frame, sea, chess, felt, dice, cards, faces or room
    )


@dataclass(frozen=True)
class Exact:
    """Exact results of a family: scores between given players, and of best responses to them."""

    score: Callable[..., Fraction] | None = None
    best_responses: Callable[..., Any] | None = None
    # Probability of winning after each action at a view, with best play of both, where nothing is hidden.
    action_values: Callable[["Game", np.ndarray], Mapping[int, float]] | None = None


# The functions of a family's modules by name, and their fields in `Look` and `Exact`.
LOOK_NAMES = {
    "draw_view": "draw_view", "draw_state": "draw_state", "how_to_play": "how_to_play", "news_between": "news_between",
    "first_news": "first_news", "Memory": "memory", "chance_words": "chance_text", "routine_action": "routine_action",
    "action_note": "action_note", "explain": "explain", "explain_mixture": "explain_mixture", "SCENE": "scene",
}  # fmt: skip
HOW_TO_PLAY = "HOW_TO_PLAY"
PARTS = ("rules", "strategy", "look", "exact")  # modules of a family that have such functions
EXACT_NAMES = {"exact_score": "score", "best_replies": "best_responses", "action_values": "action_values"}


@former_names(named="policies", kind="category", about="policy_notes", top="max_score")
@dataclass(frozen=True, repr=False)
class Game:
    """The record of a game: its rules as kernels, and its texts for people, of which only the name is required."""

    name: str
    rules: Rules
    sizes: Sizes
    title: str = ""  # display name; by default the name
    # Of the rules, or the digest of the file that holds them: runs and certificates of one mean nothing in another.
    version: int | str = 1
    show: Callable[[np.ndarray], str] = list_cells  # draw a view, for its player
    reveal: Callable[[np.ndarray], str] = list_cells  # draw the full state, for the umpire and for replays
    label: Callable[[int], str] = str  # name an action of a player
    source: str = ""  # published parts of rules and strategy, and our reconstructions
    # Payoffs of the first player, in even ascending steps: indices add up like payoffs, and the second seat mirrors.
    payoffs: tuple[Fraction, ...] = WIN_DRAW_LOSS
    strategy: Strategy | None = None
    policies: Mapping[str, "Vector | Strategy"] = field(default_factory=dict)
    # A whole game of `strategy` (of uniform players where there is none) in one kernel: same scores, only faster.
    play: Kernel | None = None
    family: str = ""  # name of the games that share rules, and of the methods made for them
    category: str = "Others"  # the heading under which catalogues list the game
    # Phrases that describe strategies of `policies` without `Strategy.describe`.
    policy_notes: Mapping[str, str] = field(default_factory=dict)
    # Draw a state of the same information set from the stream.
    resample: Resample | None = None
    symmetric: bool = False  # both seats have the same rights
    series: str = ""  # the title under which catalogues list games that differ in the number of players only
    size: str = ""  # that number, at a real table

    look: Look = Look()
    exact: Exact = Exact()

    def __post_init__(self) -> None:
        if not self.title:
            object.__setattr__(self, "title", self.name)

    @property
    def uneven(self) -> str:
        """The fault of payoffs that do not rise in even steps, so that matches cannot add them up; empty for others."""
        steps = {after - before for before, after in pairwise(self.payoffs)}
        if len(steps) == 1 and min(steps) > 0:
            return ""
        return f"the payoffs {', '.join(map(str, self.payoffs))} do not rise in even steps"

    @property
    def max_score(self) -> int:
        """The index of the highest payoff; the two seats' indices add up to it."""
        return len(self.payoffs) - 1

    def __repr__(self) -> str:
        return f"Game {self.name} (version {self.version}): {self.title}"

    def _repr_html_(self) -> str:
        first = new_cells(self.sizes.state)
        self.rules.start(first)
        rows = {
            "parameters": ", ".join(parameters_of(self)) or "none",
            "named strategies": ", ".join(self.policies) or "none",
            "payoffs of the first player": ", ".join(map(str, self.payoffs)),
            "at the start": self.reveal(first),
            "source": self.source or "not given",
        }
        return html_table(repr(self), rows)


@kernel
def nothing_to_prepare(theta, plan):
    """Leave the plan empty: the strategy has no parameters."""


@kernel
def any_action(seen, actions, plan, stream):
    return actions[random_below(stream, len(actions))]


@kernel
def total_weight(weights):
    """Return the sum of the weights of some outcomes of chance, or 0 where they break the contract."""
    total = 0
    for weight in weights:
        if weight < 0 or weight > MAX_WEIGHT - total:
            return 0
        total += weight
    return total


@kernel
def draw_by_weight(weights, stream):
    """Return the index of an outcome of chance, drawn by its weight."""
    total = total_weight(weights)
    if total == 0:
        raise ValueError(WRONG_WEIGHTS)
    left, place = random_below(stream, total), 0
    while left >= weights[place]:
        left -= weights[place]
        place += 1
    return place


def nothing_hidden(state: np.ndarray, player: int, stream: np.ndarray) -> np.ndarray:
    """Return a copy of the state, the only one of its information set under perfect information."""
    return state.copy()


def new_cells(cells: int) -> np.ndarray:
    return np.zeros(cells, np.int64)


UNIFORM = Strategy("uniform", (), 1, nothing_to_prepare, any_action)


USER_GAMES: dict[str, Game] = {}  # the games that the user has loaded, by name: see `find`


def list_games() -> dict[str, Game]:
    """Return every game by name: modules of `fogspiel.games`, plug-ins and installed packages list theirs in GAMES.

    Games that the user has loaded into this process come last.
    """
    found = collect("games", "GAMES")
    for source in sources("games").values():
        equip_from(source)
    return found | USER_GAMES


def known_game(name: str) -> Game:
    """Return the game of that name, or raise a ValueError with similar names.

    Likely modules are imported first, so the others are rarely imported. A name never runs a file of the user's: that
    takes `find.load_game`.
    """
    return USER_GAMES[name] if name in USER_GAMES else _find_listed(name, tuple(folders()))


@cache
def _find_listed(name: str, used: tuple[Path, ...]) -> Game:
    likely = list(likely_modules(name))
    listed = (game for source in likely for game in equip_from(source) if game.name == name)
    found = next(listed, None) or make_game(name, map(load, likely))
    if found is None:
        known = list_games()
        found = known.get(name) or make_game(name, modules("games"))
        if found is None:
            raise no_game(name, known)
    return found


def make_game(name: str, families: Iterable[ModuleType]) -> Game | None:
    """Make the game of a name by the rule of a family: `named_game(name)` beside GAMES, for boards of any size.

    The rule returns None for the name of another family, and raises NotFound for a size that it does not have.
    """
    rules = (getattr(family, "named_game", None) for family in families)
    return next((game for rule in rules if rule is not None and (game := rule(name)) is not None), None)


def game_or_none(name: str) -> Game | None:
    """Return the game of that name, if it is available; other games are rarely imported."""
    try:
        return known_game(name)
    except ValueError:
        return None


def equip(games: Sequence[Game], *modules: ModuleType) -> None:
    """Complete the records of a family's games by the functions of its modules, once."""
    parts = {name: part for module in modules for name, part in vars(module).items()}
    if HOW_TO_PLAY in parts:  # the same lines for all games of the family
        parts["how_to_play"] = lambda game: (*_variant_lines(game, games), *parts[HOW_TO_PLAY])
    look = Look(**{field: parts[name] for name, field in LOOK_NAMES.items() if name in parts})
    exact = Exact(**{field: parts[name] for name, field in EXACT_NAMES.items() if name in parts})
    for game in games:
        object.__setattr__(game, "look", look)
        object.__setattr__(game, "exact", exact)


def _variant_lines(game: Game, games: Sequence[Game]) -> tuple[str, ...]:
    """Return a line on what makes a game a variant of its family: the part of its title after the comma."""
    variant = game.title.partition(", ")[2]
    return (f"{variant[0].upper()}{variant[1:]}.",) if variant and len(games) > 1 else ()


def equip_from(source: Source) -> Sequence[Game]:
    """Complete the games of a file or folder by its functions and those of its PARTS; return them.

    Games that have such functions already are left as they are, and so are a plug-in's games of other families.
    """
    module = load(source)
    games: Sequence[Game] = getattr(module, "GAMES", ())
    family = module.__name__.rpartition(".")[2]
    bare = [
        game
        for game in games
        if (game.look, game.exact) == (Look(), Exact()) and (source.folder is None or game.family == family)
    ]
    if bare:
        names = [name for name in PARTS if (source.path / f"{name}.py").is_file()]
        equip(bare, module, *(load(Source(f"{source.module}.{name}", source.folder)) for name in names))
    return games


def parameters_of(game: Game) -> tuple[str, ...]:
    return game.strategy.parameters if game.strategy else ()


def check_vector(game: Game, numbers: Any) -> np.ndarray:
    """Return `numbers` as a parameter vector of the game, or raise a ValueError that describes the problem."""
    names = parameters_of(game)
    if not names:
        raise ValueError(f"{game.name} has no parametric strategy: it can be played by name only")
    theta = np.array(numbers, dtype=np.float64).reshape(-1)
    if len(theta) != len(names):
        listed = ", ".join(names) if len(names) < 8 else f"{names[0]} .. {names[-1]}"
        raise ValueError(f"{game.name} takes {len(names)} parameters ({listed}), not {len(theta)}")
    for name, value in zip(names, theta, strict=True):
        if not math.isfinite(value):
            raise ValueError(f"parameter {name} of {game.name} is {value}: parameters must be finite numbers")
    return theta


# Pictures and texts of games for people, by the functions of `Game.look`; the default is plain text.


def draw_view(game: Game, view: np.ndarray) -> Parts:
    draw = game.look.draw_view
    return draw(game, view) if draw else (Text(game.show(view)),)


def draw_state(game: Game, state: np.ndarray) -> Parts:
    draw = game.look.draw_state
    return draw(game, state) if draw else (Text(game.reveal(state)),)


def demand_even_payoffs(game: Game) -> None:
    """Raise a ValueError for a game that can be solved but not matched."""
    if game.uneven:
        raise ValueError(f"{game.uneven}: list all steps between them, too")


def how_to_play(game: Game) -> tuple[str, ...]:
    """Return the rules in about ten lines; where the look has none, the docstring of the rules' file or the source."""
    if game.look.how_to_play:
        return game.look.how_to_play(game)
    rules = getattr(game.rules.start, "py_func", game.rules.start)
    text = getattr(rules, "__globals__", {}).get("__doc__") if game.name in USER_GAMES else None
    text = text or game.source
    return tuple(" ".join(part.split()) for part in text.split("\n\n")) if text else ()


def news_between(game: Game, before: np.ndarray | None, action: int | None, now: np.ndarray) -> list[str] | None:
    """List the visible events since a player's last action, from its view before that and its view now.

    Before the first action there is no such view, and `first_news` reports the events, if it exists. Lines that begin
    with "the other: " are actions of the opponent. None where the game's look has no news.
    """
    tell, tell_first = game.look.news_between, game.look.first_news
    if tell is None:
        return None
    lines: list[str] = []
    if before is not None:
        lines = tell(game, before, action, now)
    elif tell_first is not None:
        lines = tell_first(game, now)
    return lines


class NewsMemory(Protocol):
    """Memory of a player, where two views do not show what happened between them."""

    def note(self, seen: np.ndarray, action: int) -> None:
        """Remember an own action, and the view before it."""

    def news(self, now: np.ndarray) -> list[str]:
        """List the events since the last action, as `news_between` does."""


def memory_of(game: Game) -> NewsMemory | None:
    """Return a memory at the start of a game; None where the game's look has none, because views suffice."""
    make = game.look.memory
    memory: NewsMemory | None = make(game) if make else None
    return memory


def chance_words(game: Game, state: np.ndarray, action: int, side: int) -> str:
    """Describe a chance move in a game without hidden information, for the player on a side; empty by default."""
    tell = game.look.chance_text
    return tell(game, state, action, side) if tell else ""


def routine_action(game: Game, seen: np.ndarray) -> int | None:
    """Return the automatic action of a player who plays on, or None where the player should choose."""
    choose = game.look.routine_action
    return choose(game, seen) if choose else None
