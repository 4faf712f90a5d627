"""Battleship: the opponent's sea to shoot at and the player's own sea."""

from collections import Counter

import numpy as np

from ...core.agents import ParametricPolicy
from ...core.explain import STREAM, Explanation, Table, TextChart, choices, heat_map, percent
from ...core.game import Game
from ...core.picture import BoardPicture, Cell, Facts, Messages, Parts
from ...core.rng import stream_of
from ...core.session import actions_in, replay, view_of
from ..boards.board import estimate_score
from . import rules
from .rules import LENGTHS, PLACEMENTS, SHIPS, SIDE, SQUARES
from .strategy import BELIEF, COLUMNS, CONTACT_BELIEF, class_means, describe, heat, label, square_name

TARGETS = {
    rules.UNKNOWN: ("", "unknown", "not shot at"),
    rules.MISS: ("·", "", "a miss"),
    rules.HIT: ("×", "other", "a hit"),
}
DRAWN_SQUARES = {
    rules.WATER: ("", "", "water"),
    rules.AFLOAT: ("■", "own ship", "your ship"),
    rules.SPLASH: ("·", "", "water, shot at"),
    rules.WRECK: ("×", "own refused", "your ship, hit"),
}
SEAS = DRAWN_SQUARES | {rules.AFLOAT: ("■", "own ship", "a ship"), rules.WRECK: ("×", "own refused", "a ship, hit")}


def draw_sea(
    cells: np.ndarray, looks: dict[int, tuple[str, str, str]], title: str, actions: dict[int, int]
) -> BoardPicture:
    """Draw a sea by the content of its squares, some with an action, A1 in the top left corner."""
    found = []
    for square, there in enumerate(cells.tolist()):
        text, look, words = looks[there]
        found.append(Cell(text, look, actions.get(square), f"{square_name(square)}, {words}"))
    rows = tuple(tuple(found[row * rules.SIDE : (row + 1) * rules.SIDE]) for row in range(rules.SIDE))
    return BoardPicture(rows, title, row_names=tuple(map(str, range(1, rules.SIDE + 1))), column_names=tuple(COLUMNS))


def placings(seen: np.ndarray, ship: int) -> tuple[dict[int, int], dict[int, int]]:
    """Return the actions that place the next ship across and down, by its top left end, where the sea is free."""
    sea = seen[rules.SEEN_SEA : rules.SEEN_SEA + rules.SQUARES]
    across: dict[int, int] = {}
    down: dict[int, int] = {}
    for placement in range(rules.FIRST[ship], rules.FIRST[ship + 1]):
        squares = rules.PLACEMENTS[placement]
        if not sea[squares].any():
            (across if squares[1] - squares[0] == 1 else down)[squares[0]] = rules.SQUARES + placement
    return across, down


def draw_view(game: Game, seen: np.ndarray) -> Parts:
    """Draw both seas; during placement the player's own one twice, for ships across and down."""
    own = seen[rules.SEEN_SEA : rules.SEEN_SEA + rules.SQUARES]
    target = seen[rules.SEEN_TARGET : rules.SEEN_TARGET + rules.SQUARES]
    ship, mine = int(seen[rules.SEEN_PLACED]), bool(seen[rules.SEEN_MINE])
    hits, lost = (int(cell) for cell in seen[rules.SEEN_HITS : rules.SEEN_HITS + 2])
    if ship < rules.SHIPS:
        across, down = placings(seen, ship)
        length = rules.LENGTHS[ship]
        words = f"Place the ship of {length}." if mine else "The other is placing ships."
        return (
            Messages((words,)),
            draw_sea(own, DRAWN_SQUARES, f"Your sea: a ship of {length} across, from its left end", across),
            draw_sea(own, DRAWN_SQUARES, f"Your sea: a ship of {length} down, from its top end", down),
        )
    over = rules.FLEET in (hits, lost)
    end = "You have won." if hits == rules.FLEET else "You have lost."
    words = end if over else "Your shot." if mine else "The other's turn."
    shots = {} if over else {square: square for square in range(rules.SQUARES) if target[square] == rules.UNKNOWN}
    facts = (("your hits", f"{hits} of {rules.FLEET}"), ("the other's hits", f"{lost} of {rules.FLEET}"))
    return (
        Messages((words,)),
        draw_sea(target, TARGETS, "The other's sea", shots),
        draw_sea(own, DRAWN_SQUARES, "Your sea", {}),
        Facts(facts),
    )


def draw_state(game: Game, state: np.ndarray) -> Parts:
    seas = tuple(
        draw_sea(state[rules.SEA + rules.SQUARES * player :][: rules.SQUARES], SEAS, f"Player {player + 1}'s sea", {})
        for player in range(2)
    )
    hits = [(f"hits of player {player + 1}", f"{state[rules.HITS + player]} of {rules.FLEET}") for player in range(2)]
    return *seas, Facts(tuple(hits))


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
    return heat_map(title, grid.tolist(), range(1, SIDE + 1), COLUMNS, float(grid.max()))


def _images(placement: int) -> frozenset[int]:
    """Return the images of a placement under the eight symmetries of the sea."""
    rows, columns = np.divmod(np.array(PLACEMENTS[placement]), SIDE)
    found = set()
    for r, c in ((rows, columns), (columns, rows)):
        for row, column in ((r, c), (SIDE - 1 - r, c), (r, SIDE - 1 - c), (SIDE - 1 - r, SIDE - 1 - c)):
            found.add(PLACEMENTS.index(sorted((row * SIDE + column).tolist())))
    return frozenset(found)


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


# Rules of Battleship for a first-time player.

HOW_TO_PLAY = (
    "Each player hides four ships of 5, 4, 3 and 2 squares in an own sea of 9 by 9 squares.",
    "Ships lie across or down, share no square and may touch each other.",
    "In turn each player shoots at one square of the other's sea.",
    "The answer is hit or miss and nothing more: nobody says which ship was hit, or that it has sunk.",
    "Nobody shoots at the same square twice.",
    "Who has hit all 14 squares of the other's ships first wins.",
)


# News: the opponent's shots.


def news_between(game: Game, before: np.ndarray, action: int, now: np.ndarray) -> list[str]:
    old, new = (seen[rules.SEEN_SEA : rules.SEEN_SEA + rules.SQUARES] for seen in (before, now))
    hit = {rules.SPLASH: "a miss", rules.WRECK: "a hit"}
    shots = [int(square) for square in np.flatnonzero(old != new) if int(new[square]) in hit]
    news = [f"the other: {square_name(square)} ({hit[int(new[square])]})" for square in shots]
    hits, lost = (int(cell) for cell in now[rules.SEEN_HITS : rules.SEEN_HITS + 2])
    if hits == rules.FLEET:
        news.append("All ships of the other are sunk.")
    return [*news, "All your ships are sunk."] if lost == rules.FLEET else news
