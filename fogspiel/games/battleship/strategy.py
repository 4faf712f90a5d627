"""Battleship's strategy: own fleets and expected fleets are drawn from two distributions.

Data sheets of state and view: `rules.py`; the distribution: `fleets.py`.
"""

import math
from collections import Counter

import numpy as np

from ...core.agents import ParametricPolicy
from ...core.compile.kernel import Kernel, kernel
from ...core.explain import STREAM, Explanation, Table, TextChart, choices, heat_map, percent
from ...core.game import Game, Rules, Sizes, Strategy, Vector, nothing_to_prepare
from ...core.rng import random_below, random_unit, stream_of
from ...core.session import actions_in, replay, view_of
from ..boards.board import estimate_score, rectangle_symmetries
from . import rules
from .fleets import CLASS, CLASSES, DISTRIBUTION, LARGEST, bound, first_reaching, place, prepare_fleets, tally_fleets
from .rules import HIT, LENGTHS, PLACEMENTS, SEA, SEEN_PLACED, SEEN_SEA, SEEN_TARGET, SHIPS, SIDE, SQUARES, square_name

# The strategy: one distribution for the player's own fleet, another for the opponent's expected fleet

PLACING, BELIEF, CONTACT_PLACING, CONTACT_BELIEF, GREED = 0, CLASSES, 2 * CLASSES, 2 * CLASSES + 1, 2 * CLASSES + 2
PLAN_PLACING, PLAN_BELIEF, PLAN_GREED, PLAN_FLEETS = 0, DISTRIBUTION, 2 * DISTRIBUTION, 2 * DISTRIBUTION + 1
PLAN = PLAN_FLEETS + 1
GREEDIEST = 50.0  # from here on the likeliest square is certain, so more greed has no effect


def prepare_with(fleets: int) -> Kernel:
    """Make the prepare kernel of players who draw `fleets` fleets per shot."""

    @kernel
    def prepare(theta, plan):
        prepare_fleets(theta, PLACING, CONTACT_PLACING, plan, PLAN_PLACING)
        prepare_fleets(theta, BELIEF, CONTACT_BELIEF, plan, PLAN_BELIEF)
        plan[PLAN_GREED] = math.exp(bound(theta[GREED], GREEDIEST))
        plan[PLAN_FLEETS] = fleets

    return prepare


@kernel
def shot(plan, seen, actions, stream):
    """Choose a square with probability proportional to a power of the fraction of fleets with a ship there."""
    tally = np.zeros(2 * SQUARES, np.int64)
    first = 0 if tally_fleets(plan, PLAN_BELIEF, seen, int(plan[PLAN_FLEETS]), tally, stream) > 0 else SQUARES
    most = 0
    for i in range(len(actions)):
        most = max(most, tally[first + actions[i]])
    if most == 0:
        return actions[random_below(stream, len(actions))]
    sums, total = np.empty(SQUARES), 0.0
    for i in range(len(actions)):
        count = tally[first + actions[i]]
        if count > 0:
            total += (float(count) / float(most)) ** plan[PLAN_GREED]
        sums[i] = total
    return actions[first_reaching(sums, 0, (1.0 - random_unit(stream)) * total)]


@kernel
def choose(seen, actions, plan, stream):
    if seen[SEEN_PLACED] < SHIPS:
        return SQUARES + place(plan, PLAN_PLACING, seen, seen[SEEN_PLACED], stream)
    return shot(plan, seen, actions, stream)


# A conventional hunt-and-target player


@kernel
def choose_hunter(seen, actions, plan, stream):
    """Place ships anywhere; shoot next to a hit, or else at a square of one chequerboard colour, or anywhere."""
    if seen[SEEN_PLACED] < SHIPS:
        return actions[random_below(stream, len(actions))]
    good, best, count = np.empty(SQUARES, np.int64), 0, 0
    for i in range(len(actions)):
        row, column = actions[i] // SIDE, actions[i] % SIDE
        beside = column > 0 and seen[SEEN_TARGET + actions[i] - 1] == HIT
        beside = beside or (column < SIDE - 1 and seen[SEEN_TARGET + actions[i] + 1] == HIT)
        beside = beside or (row > 0 and seen[SEEN_TARGET + actions[i] - SIDE] == HIT)
        beside = beside or (row < SIDE - 1 and seen[SEEN_TARGET + actions[i] + SIDE] == HIT)
        worth = 2 if beside else (row + column) % 2
        if worth > best:
            best, count = worth, 0
        if worth == best:
            good[count] = actions[i]
            count += 1
    return good[random_below(stream, count)]


# Text


def label(action: int) -> str:
    if action < SQUARES:
        return f"shoot {square_name(action)}"
    squares = PLACEMENTS[action - SQUARES]
    return f"ship {square_name(squares[0])}-{square_name(squares[-1])}"


def sea_text(marks: str) -> list[str]:
    rows = [" ".join(marks[SIDE * row : SIDE * row + SIDE]) for row in range(SIDE)]
    return ["  " + " ".join(rules.COLUMNS), *(f"{number} {row}" for number, row in enumerate(rows, 1))]


def beside(left: list[str], right: list[str]) -> str:
    return "\n".join(f"{one}   {other}" for one, other in zip(left, right, strict=True))


def show(seen: np.ndarray) -> str:
    target = "".join(".ox"[cell] for cell in seen[SEEN_TARGET : SEEN_TARGET + SQUARES])
    own = "".join(".#ox"[cell] for cell in seen[SEEN_SEA : SEEN_SEA + SQUARES])
    if seen[SEEN_PLACED] < SHIPS:
        to_do = f"a ship of {LENGTHS[seen[SEEN_PLACED]]} is to be placed"
    else:
        to_do = "your move" if seen[rules.SEEN_MINE] else "the other's move"
    counts = f"hits: you {seen[rules.SEEN_HITS]}, the other {seen[rules.SEEN_HITS + 1]} of {rules.FLEET}; {to_do}"
    return f"{counts}\n{beside(sea_text(target), sea_text(own))}\nleft: the other's sea, right: yours"


def reveal(state: np.ndarray) -> str:
    seas = ["".join(".#ox"[cell] for cell in state[SEA + SQUARES * i : SEA + SQUARES * (i + 1)]) for i in range(2)]
    counts = f"hits: player 1 {state[rules.HITS]}, player 2 {state[rules.HITS + 1]} of {rules.FLEET}"
    return f"{counts}\n{beside(sea_text(seas[0]), sea_text(seas[1]))}\nleft: player 1's sea, right: player 2's"


# Fleets drawn for a heat map; symmetric squares are averaged, so this suffices for whole percentages.
SKETCHED = 2000


def class_means(squares: np.ndarray) -> np.ndarray:
    """Average over squares that symmetries of the sea map onto each other; no player distinguishes them."""
    return np.asarray((np.bincount(CLASS, squares) / np.bincount(CLASS))[CLASS])


def heat(theta: np.ndarray, classes: int, contact: int) -> np.ndarray:
    """Return the percentage of fleets of each distribution with a ship on each square."""
    plan, tally = np.zeros(DISTRIBUTION), np.zeros(2 * SQUARES, np.int64)
    prepare_fleets(theta, classes, contact, plan, 0)
    tally_fleets(plan, 0, np.zeros(SEEN_SEA + SQUARES, np.int64), SKETCHED, tally, stream_of(SKETCHED))
    return 100 * class_means(tally[:SQUARES]).reshape(SIDE, SIDE) / SKETCHED


def describe(theta: np.ndarray) -> str:
    """Describe a vector: heat maps of the two distributions, then the three remaining parameters."""
    own, other = heat(theta, PLACING, CONTACT_PLACING), heat(theta, BELIEF, CONTACT_BELIEF)
    left, right = ([" ".join(f"{cell:2.0f}" for cell in row) for row in sea] for sea in (own, other))
    times = [f"{math.exp(bound(theta[i], LARGEST)):.3g}" for i in (CONTACT_PLACING, CONTACT_BELIEF)]
    power = f"{math.exp(bound(theta[GREED], GREEDIEST)):.3g}"
    return (
        "per cent of fleets with a ship there; left: its own, right: those it expects\n"
        f"{beside(left, right)}\n"
        f"a ship close along another: {times[0]} times the weight in its own fleet, {times[1]} times in the other's\n"
        f"shoots by the power {power} of the chance to hit"
    )


def vector(border: float = 0.0, contact: float = 0.0, greed: float = 0.0) -> Vector:
    """Return the vector that places ships by border and contact, and expects fleets anywhere."""
    edge = {int(CLASS[square]) for square in range(SIDE)}
    placing = [border if number in edge else 0.0 for number in range(CLASSES)]
    return (*placing, *(0.0,) * CLASSES, contact, 0.0, greed)


SOURCE = (
    "Cauwet & Teytaud 2018, section III: the rules; Table I and the conclusion: 33 parameters of a distribution over "
    "fleets, used for the own fleet and to simulate the opponent's. Ours: which parameters (weights of 15 classes of "
    "squares and a contact weight, each for both uses, and a greediness), how fleets are drawn, 50 fleets for a shot. "
    "plain has all parameters 0; greedy shoots where most of its fleets have a ship; border is greedy and prefers to "
    "lie along the edge; apart is greedy and keeps its ships apart; hunter is the old school: beside a hit, otherwise "
    "on one colour of the chequerboard."
)


def sea(name: str, title: str, fleets: int) -> Game:
    classes = [f"{use} {number}" for use in ("placing", "belief") for number in range(CLASSES)]
    parameters = (*classes, "placing contact", "belief contact", "greed")
    return Game(
        name=name,
        title=title,
        family="battleship",
        category="Boards",
        rules=Rules(rules.start, rules.mover, rules.legal, rules.apply, rules.view, rules.score),
        resample=rules.resample,
        sizes=Sizes(SEA + 2 * SQUARES, SEEN_SEA + SQUARES, rules.MAX_ACTIONS),
        show=show,
        reveal=reveal,
        label=label,
        source=SOURCE,
        strategy=Strategy("distributions of fleets", parameters, PLAN, prepare_with(fleets), choose, describe=describe),
        policies={
            "plain": vector(),
            "greedy": vector(greed=3.0),
            "border": vector(border=2.0, greed=3.0),
            "apart": vector(contact=-4.0, greed=3.0),
            "hunter": Strategy("hunter", (), 1, nothing_to_prepare, choose_hunter),
        },
    )


GAMES = (sea("battleship", "Battleship, 9 x 9", 50),)


# Explanation: placement of ships, first shots, and expected placement of the opponent's ships.

FLEETS, SHOTS = 4000, 4000
FAVOURITES = 3  # most frequent placements listed for each ship
HUNTER = (
    "{} places each ship anywhere, all free places alike, and shoots beside a hit if it can, otherwise at a square of "
    "one colour of the chequerboard, and when these are used up anywhere."
)


def explain(game: Game, player: ParametricPolicy, seed: int) -> Explanation:
    """Return heat maps of a sample of fleets and first shots, and the most frequent placements."""
    theta, placed = player.thetas[0], fleets(game, player, seed)
    squares = [square for fleet in placed for ship in fleet for square in PLACEMENTS[ship]]
    covered = np.bincount(squares, minlength=SQUARES)
    *_, before_shooting = replay(game, [SQUARES + placement for placement in placed[0] * 2])
    shots = choices(game, player, before_shooting.state, seed, SHOTS)
    first = np.array([shots[square] for square in range(SQUARES)])
    pictures = [
        _sea(f"Where its ships lie: share of {FLEETS} fleets that cover a square", covered / FLEETS),
        _sea(f"Where it shoots first: share of {SHOTS} first shots", first / SHOTS),
    ]
    if not player.strategy.describe:
        return Explanation((HUNTER.format(player.name),), (), tuple(pictures))
    expected = heat(theta, BELIEF, CONTACT_BELIEF).reshape(-1) / 100
    pictures.append(_sea("Where it expects the other's ships", expected))
    *_, contact, greed = describe(theta).splitlines()  # the lines before show the same maps as numbers
    corner, edge, middle = (percent(class_means(covered / FLEETS)[square]) for square in (0, SIDE // 2, SQUARES // 2))
    said = (
        f"A ship of its own covers a corner with {corner}, the middle of an edge with {edge}, the centre with {middle}."
    )
    return Explanation(
        (f"{player.name} {greed}.", f"{contact[0].upper()}{contact[1:]}.", said),
        (_favourites(placed),),
        tuple(pictures),
    )


def fleets(game: Game, player: ParametricPolicy, seed: int) -> list[list[int]]:
    """Sample the player's own fleets: placements of the ships, longest first."""
    plan, stream, choose = player.plan, stream_of(seed, STREAM, 1), player.strategy.choose
    state, found = np.zeros(game.sizes.state, np.int64), []
    for _ in range(FLEETS):
        game.rules.start(state)
        fleet = []
        for _ in range(SHIPS):
            action = int(choose(view_of(game, state, 0), actions_in(game, state), plan, stream))
            game.rules.apply(state, action)
            fleet.append(action - SQUARES)
        found.append(fleet)
    return found


def _sea(title: str, shares: np.ndarray) -> TextChart:
    grid = class_means(shares).reshape(SIDE, SIDE)
    return heat_map(title, grid.tolist(), range(1, SIDE + 1), rules.COLUMNS, float(grid.max()))


def _images(placement: int) -> frozenset[int]:
    """Return the images of a placement under the eight symmetries of the sea."""
    images = rectangle_symmetries(SIDE, SIDE)[:, PLACEMENTS[placement]]
    return frozenset(PLACEMENTS.index(sorted(image)) for image in images.tolist())


def _favourites(placed: list[list[int]]) -> Table:
    images = {placement: _images(placement) for placement in {ship for fleet in placed for ship in fleet}}
    rows = []
    for ship, length in enumerate(LENGTHS):
        counts = Counter(min(images[fleet[ship]]) for fleet in placed)
        for placement, count in counts.most_common(FAVOURITES):
            name = label(SQUARES + placement).removeprefix("ship ")
            rows.append((length, name, len(_images(placement)), estimate_score(count, len(placed))))
    columns = ("ship", "place", "images", "share of all its images, with 95 % interval")
    return Table("Its commonest placements, each with its images in the symmetric sea", columns, tuple(rows))
