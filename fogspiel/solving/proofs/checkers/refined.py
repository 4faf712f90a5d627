"""Checker of tree certificates that say more: the choice among good strategies, or information states that are locked.

    {"format": "fogspiel certificate 2", "game": "kuhn", "rules": 1, "value": "-1/18", "lower": "-1/18",
     "upper": "-1/18", "strategies": [[row, ..], [row, ..]], "refinement": {..}, "lock": {..}, "quasi_perfect": [..],
     "digest": ".."}

Rows, strategies and bounds are those of `checkers.tree`, checked by its code. There is a refinement, a lock, or
trembles by which the strategies are quasi-perfect (`checkers.quasi_perfect`), or a lock with one of the others.

A refinement is {"opponent": "uniform" or [[row, ..], [row, ..]], "safety": "0", "scores": ["1/6", "-1/6"],
"weights": ["8", "5/2"], "proofs": [[row, ..], [row, ..]]}. It claims of each player, here the first one, with o the
stated strategy of its opponent: no strategy that secures the value less `safety` scores more against o than its own,
which scores scores[0]. The proof is the opponent's strategy p of proofs[0] and the weight w of weights[0]:

    the most that a strategy z' gets from o plus w times p  =  scores[0] + w * (value - safety),

and whoever secures value - safety gets as much from p. With a positive safety the two strategies are in the refinement
under "strategies", and the others prove the value. A refinement in floating point has such strategies, too; "secured"
is what they secure, "slack" how much more a strategy may score that secures as much, and the value may be an interval.

Rows may go on after mistakes of the player's own. Each row must be a best response, but for those of a refinement in
floating point: to the strategy that proves the opponent's bound, and among such responses to o plus w times p.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, NotRequired

from ....core.game import CHANCE, OVER
from .primitives import Bounds, SolutionCertificate, check_digest, demand, fraction, go_on, probability, quoted
from .quasi_perfect import check_quasi_perfect
from .tree import SIDES, PositionFacts, Positions, Row, Rows, best_response_value, plan_of, rules_of

FORMAT = "fogspiel certificate 2"
UNIFORM = "uniform"
QUASI_PERFECT = "quasi_perfect"
LOCKED = {"history", "view", "actions", "probabilities"}
REFINEMENT = {"opponent", "safety", "scores", "weights", "proofs"}
ROUNDED = {"secured", "slack"}  # of a refinement in floating point
Decision = tuple[int, int] | None  # the number of a row and the action there
Locks = Mapping[tuple[int, tuple[int, ...], tuple[int, ...]], tuple[list[int], list[Fraction]]]


class RefinedCertificate(SolutionCertificate):
    strategies: list[list[Row]]
    refinement: NotRequired[dict[str, Any]]
    lock: NotRequired[dict[str, Any]]
    quasi_perfect: NotRequired[list[Any]]


def verify(body: Any, game: Positions | None = None) -> Bounds:
    """Return the bounds that a certificate proves, with all that it claims; raise ValueError if it fails."""
    check_parts(body)
    game = rules_of(body, game)
    check_digest(body)
    if "lock" in body:
        game = locked_game(game, body["lock"])
    plans = pair_of(body["strategies"], "it must hold two strategies")
    lower, upper = (best_response_value(game, reached(plan), player) for player, plan in enumerate(plans))
    for claim, proved in (("lower", lower), ("upper", upper)):
        claimed = fraction(body[claim], claim) == proved
        demand(claimed, f"it claims the {claim} bound {quoted(body[claim])}, proved is {quoted(proved)}")
    demand(lower <= fraction(body["value"], "the value") <= upper, "its value is not between its bounds")
    if "refinement" in body:
        demand(lower == upper or "slack" in body["refinement"], "a refinement needs an exact value")
        check_refinement(game, body["refinement"], plans, (lower, upper))
    if QUASI_PERFECT in body:
        check_quasi_perfect(game, body[QUASI_PERFECT], plans)
    return lower, upper


def check_parts(body: Any) -> None:
    """Require the keys of a certificate and of its refinement."""
    needed, more = RefinedCertificate.__required_keys__, RefinedCertificate.__optional_keys__
    given = set(body) if isinstance(body, dict) else set()
    demand(needed < given <= needed | more, f"it must have the keys {sorted(needed)}, and one of {sorted(more)}")
    demand(body["format"] == FORMAT, f"its format is {quoted(body['format'])}, not {FORMAT!r}")
    if "refinement" in body:
        part = body["refinement"]
        rounded = isinstance(part, dict) and "slack" in part
        keys = REFINEMENT | (ROUNDED if rounded else set())
        keys |= {"strategies"} if rounded or (isinstance(part, dict) and part.get("safety") != "0") else set()
        demand(
            isinstance(part, dict) and set(part) == keys, f"its refinement must have exactly the keys {sorted(keys)}"
        )


def pair_of(strategies: Any, sentence: str) -> list[Rows]:
    demand(isinstance(strategies, list) and len(strategies) == len(SIDES), sentence)
    return [plan_of(rows, side) for rows, side in zip(strategies, SIDES, strict=True)]


def reached(plan: Rows) -> Rows:
    """Return the rows that the player's own play reaches; each comes after a row before it."""
    found: Rows = {}
    played: dict[int, dict[int, Fraction]] = {}
    for (after, view), (number, shares) in plan.items():
        if after is not None:
            demand(len(after) == 2 and 0 <= after[0] < number, f"row {number} comes after no earlier row")
        if after is None or (after[0] in played and played[after[0]].get(after[1])):
            found[after, view] = number, shares
            played[number] = shares
    return found


# The refinement


def check_refinement(game: Positions, body: Any, plans: Sequence[Rows], bounds: Bounds) -> None:
    safety = fraction(body["safety"], "the safety")
    demand(safety >= 0, "its safety is negative")
    rounded = "slack" in body
    chosen = pair_of(body["strategies"], "its refinement must hold two strategies") if safety or rounded else plans
    proofs, opponents = pair_of(body["proofs"], "it must hold two proofs"), list[Rows | None]([None, None])
    if body["opponent"] != UNIFORM:
        opponents = [*pair_of(body["opponent"], "its opponent must be 'uniform' or two strategies")]
    for name in ("scores", "weights", *(sorted(ROUNDED) if rounded else ())):
        demand(isinstance(body[name], list) and len(body[name]) == len(SIDES), f"its {name} must be two fractions")
    for player, side in enumerate(SIDES):
        score, weight = (fraction(body[name][player], f"one of the {name}") for name in ("scores", "weights"))
        demand(weight >= 0, "one of its weights is negative")
        sign, stated, mine, value = 1 - 2 * player, opponents[1 - player], chosen[player], bounds[player]
        least = value - sign * safety
        if safety or rounded:
            secured = best_response_value(game, reached(mine), player)
            demand(sign * (secured - least) >= 0, f"the strategy of the {side} player secures {quoted(secured)}")
        slack = Fraction(0)
        if rounded:
            slack, least = (fraction(body[name][player], name) for name in ("slack", "secured"))
            demand(least == secured, f"the strategy of the {side} player secures {quoted(secured)}")
        found = expected_value(game, player, reached(mine), stated)
        demand(found == score, f"the {side} player scores {quoted(found)}, but it claims {quoted(score)}")
        levels: list[Mixture] = [] if safety or rounded else [[(plans[1 - player], Fraction(1))]]
        levels.append([(stated, Fraction(1)), (proofs[player], weight)])
        most = Responder(game, player, levels, mine, not rounded).total()[-1]
        bound = score + weight * least + sign * slack
        demand(most == bound, f"the {side} player may score {quoted(most - bound)} more than its refinement claims")


Mixture = list[tuple[Rows | None, Fraction]]  # strategies of the opponent (None: uniform) and their weights


def shares_at(plan: Rows | None, decision: Decision, look: PositionFacts) -> tuple[int, Mapping[int, Fraction]]:
    """Return the number of a strategy's row at a decision, and its probabilities."""
    if plan is None:
        return 0, dict.fromkeys(look.actions, Fraction(1, len(look.actions)))
    demand((decision, look.view) in plan, f"a strategy has no row for {look.view}")
    number, shares = plan[decision, look.view]
    demand(list(shares) == look.actions, f"row {number} of a strategy has other actions")
    return number, shares


def expected_value(
    game: Positions, player: int, mine: Rows, theirs: Rows | None, visited: Sequence[set[int]] | None = None
) -> Fraction:
    """Return the first player's payoff of a strategy against another one; add rows that are reached to `visited`."""
    plans: list[Rows | None] = [mine, theirs] if player == 0 else [theirs, mine]
    worth, none = Fraction(0), list[Decision]([None, None])
    waiting = [(game.root(), Fraction(1), none)]
    while waiting:
        go_on()
        position, weight, decisions = waiting.pop()
        look = game.look(position)
        if look.mover == OVER:
            worth += weight * look.payoff
        elif look.mover == CHANCE:
            moves = zip(look.actions, look.chances, strict=True)
            waiting += [(game.after(position, action), weight * share, decisions) for action, share in moves if share]
        else:
            number, shares = shares_at(plans[look.mover], decisions[look.mover], look)
            if visited is not None:
                visited[look.mover].add(number)
            for action, share in shares.items():
                if share:
                    last = decisions.copy()
                    last[look.mover] = number, action
                    waiting.append((game.after(position, action), weight * share, last))
    return worth


class Responder:
    """Best responses of a player to mixtures of strategies, the later ones among those to the earlier ones.

    A history has the weight and the last decision of each strategy of the opponent. Each row of the player's own
    strategy must be such a response, if it is `exact`.
    """

    def __init__(self, game: Positions, player: int, levels: Sequence[Mixture], mine: Rows, exact: bool = True) -> None:
        self.exact = exact
        self.game, self.player, self.levels, self.mine = game, player, levels, mine
        self.used: set[int] = set()

    def total(self) -> tuple[Fraction, ...]:
        """Return the first player's payoff at each level."""
        start = tuple((weight, None) for level in self.levels for _, weight in level)
        found = self._value([(self.game.root(), start)], None, True)
        idle = len(self.used) < len(self.mine)
        demand(not idle, f"the {SIDES[self.player]} player has rows that are no information states")
        return found

    def _value(self, waiting: list[Any], decision: Decision, known: bool) -> tuple[Fraction, ...]:
        """Return the values of histories that the player cannot tell apart; `known` while its own rows go on."""
        game, groups = self.game, defaultdict(list)
        worth = [Fraction(0)] * len(self.levels)
        while waiting:
            go_on()
            position, weights = waiting.pop()
            look = game.look(position)
            if look.mover == OVER:
                self._add(worth, weights, look.payoff)
            elif look.mover == self.player:
                groups[look.view, tuple(look.actions)].append((position, weights))
            elif look.mover == CHANCE:
                for action, share in zip(look.actions, look.chances, strict=True):
                    after = tuple((weight * share if weight else weight, last) for weight, last in weights)
                    waiting.append((game.after(position, action), after))
            else:
                waiting += self._moves(position, look, weights)
        for (view, actions), group in groups.items():
            for level, gain in enumerate(self._best(view, actions, group, decision, known)):
                worth[level] += gain
        return tuple(worth)

    def _add(self, worth: list[Fraction], weights: Iterable[tuple[Fraction, Decision]], payoff: Fraction) -> None:
        every = iter(weights)
        for level, mixture in enumerate(self.levels):
            for _ in mixture:
                weight, _ = next(every)
                if weight:
                    worth[level] += weight * payoff

    def _moves(self, position: Any, look: PositionFacts, weights: Sequence[tuple[Fraction, Decision]]) -> list[Any]:
        """Return the histories after a move of the opponent, by all its strategies at once."""
        plans = [plan for mixture in self.levels for plan, _ in mixture]
        rows = [
            shares_at(plan, last, look) if weight else (0, {})
            for plan, (weight, last) in zip(plans, weights, strict=True)
        ]
        found = []
        for action in look.actions:
            after = []
            for (number, shares), (weight, _) in zip(rows, weights, strict=True):
                share = shares.get(action, Fraction(0)) if weight else weight
                after.append((weight * share if share else Fraction(0), (number, action)))
            found.append((self.game.after(position, action), tuple(after)))
        return found

    def _best(
        self, view: tuple[int, ...], actions: tuple[int, ...], group: list[Any], decision: Decision, known: bool
    ) -> tuple[Fraction, ...]:
        number, shares = self.mine.get((decision, view), (None, {})) if known else (None, {})
        demand(number is None or tuple(shares) == actions, f"row {number} of a strategy has other actions")
        values = {}
        for action in actions:
            after = [(self.game.after(position, action), weights) for position, weights in group]
            values[action] = self._value(after, None if number is None else (number, action), number is not None)
        best = max(values.values()) if self.player == 0 else min(values.values())
        if number is not None:
            self.used.add(number)
            worse = [action for action, share in shares.items() if share and values[action] != best]
            demand(
                not (worse and self.exact), f"row {number} of the {SIDES[self.player]} player is not a best response"
            )
        return best


# Locked information states


class LockedPositions:
    """Positions of a game in which chance acts at locked information states, always or with a given probability.

    A position is one of the game, with the actions of both players so far, and true if the locks hold.
    """

    def __init__(self, game: Positions, locks: Locks, weight: Fraction) -> None:
        self.game, self.name, self.version = game, game.name, game.version
        self.locks, self.weight, self.owners = locks, weight, {player for player, _, _ in locks}

    def root(self) -> Any:
        return (self.game.root(), ((), ()), True) if self.weight == 1 else None

    def look(self, position: Any) -> PositionFacts:
        if position is None:
            return PositionFacts(CHANCE, [0, 1], [1 - self.weight, self.weight], ())
        at, histories, hold = position
        look = self.game.look(at)
        if look.mover not in self.owners:
            return look
        found = self.locks.get((look.mover, histories[look.mover], look.view)) if hold else None
        if found is not None:
            actions, shares = found
            demand(actions == look.actions, f"the lock of {look.view} has other actions")
            return PositionFacts(CHANCE, look.actions, shares, ())
        more = () if self.weight == 1 else (int(hold),)
        return look._replace(view=(*look.view, *histories[look.mover], *more))

    def after(self, position: Any, action: int) -> Any:
        if position is None:
            return self.game.root(), ((), ()), action == 1
        at, histories, hold = position
        mover = self.game.look(at).mover
        if mover in self.owners:
            one, two = histories
            histories = ((*one, action), two) if mover == 0 else (one, (*two, action))
        return self.game.after(at, action), histories, hold

    def demand_states(self) -> None:
        """Reject a lock of an information state that the game does not have."""
        left, waiting = set(self.locks), [(self.game.root(), ((), ()), True)]
        while waiting and left:
            go_on()
            position = waiting.pop()
            look = self.game.look(position[0])
            if look.mover in self.owners:
                left.discard((look.mover, position[1][look.mover], look.view))
            waiting += [self.after(position, action) for action in look.actions]
        demand(not left, f"it locks {len(left)} information states that the game does not have")


def locked_game(game: Positions, lock: Any) -> LockedPositions:
    """Return the game with the locks of a certificate, which must be information states that it has."""
    found = LockedPositions(game, *locks_of(lock))
    found.demand_states()
    return found


def locks_of(lock: Any) -> tuple[Locks, Fraction]:
    """Return the locks of a certificate and their weight, after checking their form."""
    demand(isinstance(lock, dict) and set(lock) == {"weight", "rows"}, "its lock must have the keys rows and weight")
    weight, sides = probability(lock["weight"], "the weight of the lock"), lock["rows"]
    lists = isinstance(sides, list) and len(sides) == len(SIDES) and all(isinstance(rows, list) for rows in sides)
    demand(lists and any(sides), "its lock must hold two lists of rows")
    demand(weight == 1 or not all(sides), "a lock with a weight must be of one player")
    locks: dict[tuple[int, tuple[int, ...], tuple[int, ...]], tuple[list[int], list[Fraction]]] = {}
    for player, rows in enumerate(sides):
        for number, row in enumerate(rows):
            go_on()
            place = f"lock {number} of the {SIDES[player]} player"
            demand(isinstance(row, dict) and set(row) == LOCKED, f"{place} must have exactly the keys {sorted(LOCKED)}")
            history = row["history"]
            demand(
                isinstance(history, list) and all(type(cell) is int for cell in history),
                f"the history in {place} is no list of whole numbers",
            )
            ((_, view), (_, shares)), *_ = plan_of([lockless(row)], SIDES[player]).items()
            key = (player, tuple(history), view)
            demand(key not in locks, f"{place} repeats an earlier one")
            locks[key] = list(shares), list(shares.values())
    return locks, weight


def lockless(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a locked row in the form of a strategy's."""
    return {"after": None, **{key: value for key, value in row.items() if key != "history"}}
