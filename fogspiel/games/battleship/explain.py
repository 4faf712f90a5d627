"""Battleship in words: where its ships lie, where it shoots first, and where it expects the other's ships."""

from collections import Counter

import numpy as np

from ...core.agents import Policy
from ...core.explanation import Explanation, Picture, Table, heat_map, percent
from ...core.game import Game
from ...core.rng import stream_of
from ...core.session import replay, view_of
from ..shared.sampling import STREAM, actions_in, choices, estimate_score, plan_of
from .rules import LENGTHS, PLACEMENTS, SHIPS, SIDE, SQUARES
from .strategy import BELIEF, COLUMNS, CONTACT_BELIEF, class_means, heat, label, words

FLEETS, SHOTS = 4000, 4000
FAVOURITES = 3  # the commonest placements that are listed for each ship
HUNTER = (
    "{} places each ship anywhere, all free places alike, and shoots beside a hit if it can, otherwise at a square of "
    "one colour of the chequerboard, and when these are used up anywhere."
)


def explain(game: Game, player: Policy, seed: int) -> Explanation:
    """Heat maps of a sample of fleets and first shots, and the commonest placements."""
    theta, placed = player.thetas[0], fleets(game, player, seed)
    covered = np.bincount(
        [square for fleet in placed for ship in fleet for square in PLACEMENTS[ship]], minlength=SQUARES
    )
    *_, before_shooting = replay(game, [SQUARES + placement for placement in placed[0] * 2])
    shots = choices(game, player, before_shooting.state, seed, SHOTS)
    first = np.array([shots[square] for square in range(SQUARES)])
    pictures = [
        _sea(f"Where its ships lie: share of {FLEETS} fleets that cover a square", covered / FLEETS),
        _sea(f"Where it shoots first: share of {SHOTS} first shots", first / SHOTS),
    ]
    if not player.strategy.words:
        return Explanation((HUNTER.format(player.name),), (), tuple(pictures))
    expected = heat(theta, BELIEF, CONTACT_BELIEF).reshape(-1) / 100
    pictures.append(_sea("Where it expects the other's ships", expected))
    *_, contact, greed = words(theta).splitlines()  # what stands before are the same maps in figures
    corner, edge, middle = (percent(class_means(covered / FLEETS)[square]) for square in (0, SIDE // 2, SQUARES // 2))
    said = (
        f"A ship of its own covers a corner with {corner}, the middle of an edge with {edge}, the centre with {middle}."
    )
    return Explanation(
        (f"{player.name} {greed}.", f"{contact[0].upper()}{contact[1:]}.", said),
        (_favourites(placed),),
        tuple(pictures),
    )


def fleets(game: Game, player: Policy, seed: int) -> list[list[int]]:
    """Fleets as the player lays them: the placements of the ships, longest first."""
    plan, stream, choose = plan_of(player), stream_of(seed, STREAM, 1), player.strategy.choose
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


def _sea(title: str, shares: np.ndarray) -> Picture:
    grid = class_means(shares).reshape(SIDE, SIDE)
    return heat_map(title, grid.tolist(), range(1, SIDE + 1), COLUMNS, float(grid.max()))


def _images(placement: int) -> frozenset[int]:
    """The placement and where the eight symmetries of the sea take it."""
    rows, columns = np.divmod(np.array(PLACEMENTS[placement]), SIDE)
    found = set()
    for r, c in ((rows, columns), (columns, rows)):
        for row, column in ((r, c), (SIDE - 1 - r, c), (r, SIDE - 1 - c), (SIDE - 1 - r, SIDE - 1 - c)):
            found.add(PLACEMENTS.index(sorted((row * SIDE + column).tolist())))
    return frozenset(found)


def _favourites(placed: list[list[int]]) -> Table:
    """The commonest placements of each ship, images counted together."""
    images = {placement: _images(placement) for placement in {ship for fleet in placed for ship in fleet}}
    rows = []
    for ship, length in enumerate(LENGTHS):
        counts = Counter(min(images[fleet[ship]]) for fleet in placed)
        for placement, count in counts.most_common(FAVOURITES):
            name = label(SQUARES + placement).removeprefix("ship ")
            rows.append((length, name, len(_images(placement)), estimate_score(count, len(placed))))
    columns = ("ship", "place", "images", "share of all its images, with 95 % interval")
    return Table("Its commonest placements, each with its images in the symmetric sea", columns, tuple(rows))
