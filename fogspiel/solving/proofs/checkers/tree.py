"""Checker of tree certificates, which trusts only the rules of the game and the standard library.

A certificate holds a strategy for each player and claims their guarantees. The checker traverses all histories by the
rules, computes a best response to each strategy, and compares; all numbers are fractions.

    {"format": "fogspiel certificate 1", "game": "kuhn", "rules": 1, "value": "-1/18", "lower": "-1/18",
     "upper": "-1/18", "strategies": [[row, ..], [row, ..]], "digest": ".."}

A row is an information state of a player and the action probabilities there:
    {"after": [row number, action] or null, "view": [..], "actions": [..], "probabilities": ["1/3", ..]}
where `after` is the player's decision before that. Information states that its own strategy never reaches have no row.
"""

from collections import defaultdict
from fractions import Fraction
from typing import Any, NamedTuple, Protocol, TypedDict

from ....core.game import CHANCE, OVER, Game, known_game, new_cells
from .primitives import Bounds, SolutionCertificate, check_digest, check_head, demand, fraction, go_on, quoted, total

FORMAT = "fogspiel certificate 1"
ROW = {"after", "view", "actions", "probabilities"}
SIDES = ("first", "second")


class Row(TypedDict):
    """One information state of a player, and the action probabilities there."""

    after: list[int] | None
    view: list[int]
    actions: list[int]
    probabilities: list[str]


class TreeCertificate(SolutionCertificate):
    strategies: list[list[Row]]


class StrategyLookup(Protocol):
    """Strategy of a player by knowledge: the number of the row, and the probability of each action."""

    def __len__(self) -> int: ...
    def __contains__(self, key: Any, /) -> bool: ...
    def __getitem__(self, key: Any, /) -> tuple[int, dict[int, Fraction]]: ...


Rows = dict[tuple[Any, ...], tuple[int, dict[int, Fraction]]]  # a strategy whose rows are all parsed at once


class PositionFacts(NamedTuple):
    """A position: the player to move (CHANCE and OVER included), its actions and view, the terminal payoff."""

    mover: int
    actions: list[int]
    chances: list[Fraction]  # the probability of each action, where chance moves
    view: tuple[int, ...]
    payoff: Fraction = Fraction(0)


class Positions(Protocol):
    """Interface to a game that the checker needs."""

    @property
    def name(self) -> str: ...
    @property
    def version(self) -> int | str: ...
    def root(self) -> Any: ...
    def look(self, position: Any) -> PositionFacts: ...
    def after(self, position: Any, action: int) -> Any: ...


class GamePositions:
    """Positions of a game record: its states."""

    def __init__(self, game: Game):
        self.name, self.version = game.name, game.version
        self.rules, self.sizes, self.payoffs = game.rules, game.sizes, game.payoffs

    def root(self) -> Any:
        state = new_cells(self.sizes.state)
        self.rules.start(state)
        return state

    def look(self, position: Any) -> PositionFacts:
        who, room, seen = int(self.rules.mover(position)), new_cells(self.sizes.actions), new_cells(self.sizes.view)
        if who == OVER:
            return PositionFacts(OVER, [], [], (), self.payoffs[self.rules.score(position)])
        actions = room[: self.rules.legal(position, room)].tolist()
        if who == CHANCE:
            return PositionFacts(CHANCE, actions, self.chances(position, len(actions)), ())
        self.rules.view(position, who, seen)
        return PositionFacts(who, actions, [], tuple(seen.tolist()))

    def chances(self, position: Any, count: int) -> list[Fraction]:
        if self.rules.weights is None:
            return [Fraction(1, count)] * count
        room = new_cells(self.sizes.actions)
        self.rules.weights(position, room)
        weights = room[:count].tolist()
        demand(min(weights) >= 0 and sum(weights) > 0, f"{self.name} gives chance the weights {weights}")
        return [Fraction(weight, sum(weights)) for weight in weights]

    def after(self, position: Any, action: int) -> Any:
        following = position.copy()
        self.rules.apply(following, action)
        return following


def plan_of(rows: Any, side: str) -> Rows:
    demand(isinstance(rows, list), f"the strategy of the {side} player is not a list of rows")
    plan: Rows = {}
    for number, row in enumerate(rows):
        place = f"row {number} of the {side} player"
        demand(isinstance(row, dict) and set(row) == ROW, f"{place} must have exactly the keys {sorted(ROW)}")
        after, view, actions, listed = row["after"], row["view"], row["actions"], row["probabilities"]
        lists = (view, actions) if after is None else (view, actions, after)
        whole = all(isinstance(cells, list) and all(type(cell) is int for cell in cells) for cells in lists)
        demand(whole and isinstance(listed, list), f"{place} has something else than lists of whole numbers")
        demand(len(listed) == len(actions) == len(set(actions)) > 0, f"{place} needs one probability for each action")
        shares = [fraction(share, f"a probability in {place}") for share in listed]
        demand(min(shares) >= 0 and total(shares) == 1, f"the probabilities in {place} are negative or not 1 in all")
        knowledge = (None if after is None else tuple(after), tuple(view))
        demand(knowledge not in plan, f"{place} repeats an earlier row")
        plan[knowledge] = number, dict(zip(actions, shares, strict=True))
    return plan


def best_response_value(game: Positions, plan: StrategyLookup, primal_player: int) -> Fraction:
    """Return the first player's value against a best response to the plan."""
    best, used = (max if primal_player == 1 else min), set()

    def value(waiting: list[tuple[Any, Fraction, Any]]) -> Fraction:
        """Return the value of indistinguishable histories: (position, probability, the planner's last decision)."""
        worth, groups = Fraction(0), defaultdict(list)
        while waiting:
            go_on()
            position, weight, decision = waiting.pop()
            look = game.look(position)
            if look.mover == OVER:
                worth += weight * look.payoff
            elif look.mover == 1 - primal_player:
                groups[look.view, tuple(look.actions)].append((position, weight, decision))
            elif look.mover == CHANCE:
                for action, share in zip(look.actions, look.chances, strict=True):
                    waiting.append((game.after(position, action), weight * share, decision))
            else:
                demand((decision, look.view) in plan, f"the {SIDES[primal_player]} player has no row for {look.view}")
                number, shares = plan[decision, look.view]
                owner = f"row {number} of the {SIDES[primal_player]} player"
                demand(list(shares) == look.actions, f"{owner} has other actions")
                used.add(number)
                for action, share in shares.items():
                    if share:
                        waiting.append((game.after(position, action), weight * share, (number, action)))
        for (_, actions), group in groups.items():
            worth += best(value([(game.after(p, action), w, d) for p, w, d in group]) for action in actions)
        return worth

    bound = value([(game.root(), Fraction(1), None)])
    demand(len(used) == len(plan), f"the {SIDES[primal_player]} player has rows that are never reached")
    return bound


def verify(body: Any, game: Positions | None = None) -> Bounds:
    """Return the bounds that a certificate proves, by these rules or its named game's; raise ValueError if it fails."""
    check_head(body, TreeCertificate.__required_keys__, FORMAT)
    game = game or GamePositions(known_game(str(body["game"])))
    right = body["game"] == game.name and body["rules"] == game.version
    demand(right, f"it must be for version {game.version} of {game.name}")
    check_digest(body)
    demand(isinstance(body["strategies"], list) and len(body["strategies"]) == 2, "it must hold two strategies")
    plans = [plan_of(rows, side) for rows, side in zip(body["strategies"], SIDES, strict=True)]
    lower, upper = (best_response_value(game, plan, primal_player) for primal_player, plan in enumerate(plans))
    for claim, proved in (("lower", lower), ("upper", upper)):
        demand(
            fraction(body[claim], claim) == proved,
            f"it claims the {claim} bound {quoted(body[claim])}, proved is {quoted(proved)}",
        )
    demand(lower <= fraction(body["value"], "the value") <= upper, "its value is not between its bounds")
    return lower, upper
