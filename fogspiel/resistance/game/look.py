"""The Resistance: the players as cards, the missions as facts."""

from typing import NamedTuple

import numpy as np

from ...core.game import Game
from ...core.picture import BoardPicture, Cards, Cell, Facts, Messages, Parts
from . import find_setup, rules
from .rules import FAILURE, OUTCOMES, PASS, POINTS, ROUNDS, SABOTAGE, SUCCESS, UNKNOWN, crew


def players(number: int, secret: int, mission: int, picked: int = 0) -> Cards:
    """Draw the players: known spies are red, members of the mission are marked; `picked` are to be picked."""
    cells = []
    for player in range(number):
        spy, sent = bool(secret >> player & 1), bool(mission >> player & 1)
        look = " ".join(word for word, there in (("token", True), ("red", spy), ("marked", sent)) if there)
        name = f"player {player + 1}" + (", a spy" if spy else "") + (", on the mission" if sent else "")
        cells.append(Cell(str(player + 1), look, 1 << player if picked else None, name))
    return Cards(f"Players: pick {picked} for the mission" if picked else "Players", tuple(cells), bool(picked))


def missions(cells: np.ndarray, mission_at: int, outcome_at: int) -> tuple[BoardPicture, Facts]:
    number = int(cells[rules.PLAYERS])
    rows, facts = [], []
    for place in range(ROUNDS):
        mission, outcome = int(cells[mission_at + place]), int(cells[outcome_at + place])
        sent = "●", {SUCCESS: "own", FAILURE: "other"}.get(outcome, "marked"), "sent"
        row = []
        for player in range(number):
            text, look, words = sent if mission >> player & 1 else ("", "", "not sent")
            row.append(Cell(text, look, None, f"round {place + 1}, player {player + 1}, {words}"))
        rows.append(tuple(row))
        needed, size = int(cells[rules.NEEDED + place]), f"round {place + 1}, {cells[rules.SIZE + place]} players"
        size += f", takes {needed} sabotages" if needed > 1 else ""
        facts.append((size, f"{crew(mission)}: {OUTCOMES[outcome]}" if mission else "to come"))
    places, names = (tuple(str(place + 1) for place in range(many)) for many in (ROUNDS, number))
    return BoardPicture(tuple(rows), "Missions", row_names=places, column_names=names), Facts(tuple(facts))


class Stand(NamedTuple):
    """Status of a game: text, number of the round, and the mission under way or the number of members to pick."""

    words: str
    number: int
    mission: int = 0
    picked: int = 0


def stand_of(cells: np.ndarray, mission_at: int, outcome_at: int) -> Stand:
    outcomes = [int(cell) for cell in cells[outcome_at : outcome_at + ROUNDS]]
    won, lost = outcomes.count(SUCCESS), outcomes.count(FAILURE)
    number, score = won + lost, f"Resistance {won}, spies {lost}."
    if POINTS in (won, lost):
        return Stand(f"{score} The {'resistance' if won == POINTS else 'spies'} won.", number)
    mission, size = int(cells[mission_at + number]), int(cells[rules.SIZE + number])
    if mission:
        return Stand(f"{score} The mission of {crew(mission)} is under way.", number, mission)
    return Stand(f"{score} A mission of {size} is to be picked.", number, picked=size)


def draw_view(game: Game, seen: np.ndarray) -> Parts:
    stand = stand_of(seen, rules.SEEN_MISSION, rules.SEEN_OUTCOME)
    secret, many = int(seen[rules.SEEN_SECRET]), int(seen[rules.PLAYERS])
    deeds: tuple[Cards, ...] = ()
    if secret and stand.mission:
        cells = [Cell("let it pass", "", PASS, "let the mission pass")]
        if (stand.mission & secret).bit_count() >= seen[rules.NEEDED + stand.number]:
            cells.append(Cell("sabotage", "red", SABOTAGE, "sabotage the mission"))
        deeds = (Cards("The spies on the mission", tuple(cells)),)
    who = "You are the spies." if secret else f"{seen[rules.SPIES]} of the {many} players are spies."
    team = players(many, secret, stand.mission, 0 if secret else stand.picked)
    return Messages((f"{who} {stand.words}",)), team, *deeds, *missions(seen, rules.SEEN_MISSION, rules.SEEN_OUTCOME)


def draw_state(game: Game, state: np.ndarray) -> Parts:
    stand, secret = stand_of(state, rules.MISSION, rules.OUTCOME), int(state[rules.SECRET])
    spies = f"The spies are {crew(secret)}." if secret else "The spies are not drawn yet."
    team = players(int(state[rules.PLAYERS]), secret, stand.mission)
    return Messages((f"{spies} {stand.words}",)), team, *missions(state, rules.MISSION, rules.OUTCOME)


# Rules of The Resistance for a first-time player.

LINES = (
    "Two teams that each act as one player: the first player is the resistance, the second the spies.",
    "The resistance knows how many spies there are, but not who; the spies know each other.",
    "In each round the resistance picks who goes on a mission.",
    "If spies are on it they may sabotage it; all see whether it succeeded, nobody sees who did it.",
    "A mission that succeeds is a point of the resistance, one that is sabotaged a point of the spies.",
    "Who has three points first wins.",
)


SPELT = {2: "two", 3: "three"}


SCENE = "room"


def how_to_play(game: Game) -> tuple[str, ...]:
    setup = find_setup(game.name)
    sizes = ", ".join(map(str, setup.sizes[:-1]))
    many = f"{setup.players} players, {setup.spies} of them spies; missions of {sizes} and {setup.sizes[-1]} players."
    hard = [(number, needed) for number, needed in enumerate(setup.needed, 1) if needed > 1]
    return many, *LINES, *(f"Mission {n} fails only if {SPELT.get(k, k)} spies on it sabotage it." for n, k in hard)


# The Resistance: the team sent, and the outcomes of missions.


def news_between(game: Game, before: np.ndarray, action: int, now: np.ndarray) -> list[str]:
    """Report the outcome of the mission under way, and the next team."""
    outcomes = now[rules.SEEN_OUTCOME : rules.SEEN_OUTCOME + ROUNDS].tolist()
    won, lost, news = outcomes.count(SUCCESS), outcomes.count(FAILURE), []
    for place in range(ROUNDS):
        mission, outcome = int(now[rules.SEEN_MISSION + place]), outcomes[place]
        if outcome != before[rules.SEEN_OUTCOME + place]:
            news.append(
                f"Mission {place + 1} (players {crew(mission)}): {OUTCOMES[outcome]}. It stands {won} to {lost}."
            )
        elif mission and outcome == UNKNOWN:
            news += _sent(now, mission)
    if POINTS in (won, lost):
        news.append(f"The {'resistance' if won == POINTS else 'spies'} won.")
    return news


def first_news(game: Game, now: np.ndarray) -> list[str]:
    """Report the first team, as the spies see it."""
    return _sent(now, int(now[rules.SEEN_MISSION]))


def _sent(now: np.ndarray, mission: int) -> list[str]:
    return [f"the other: send {crew(mission)}"] if mission and now[rules.SEEN_SECRET] else []
