"""Engine analysis of one player's decisions: values of attempts, squares of the opponent's men, costs of moves.

An engine with a belief over boards follows the player's views and attempts as if they were its own, and evaluates each
decision. It receives no other input, so equal views give equal results. All figures are its own estimates:

    value   the attempt's gain, in pawns, minus that of the mean attempt, on the boards where it is legal
    legal   the fraction of boards on which it is legal; a refusal costs nothing, so the value ignores it
    cost    for the attempt made: on the boards where it is legal, the additional gain of trying the engine's attempts
            in their order; the first legal one is made on each board
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from typing import Any, NamedTuple, Self

import numpy as np

from ..core.untrusted_input import JsonRecord
from ..games.chess.bitboards import KING, rows_of
from ..games.chess.fen import FILES, NAMES, SIDES, fen_of, move_name
from ..games.chess.position import MEN
from ..runs.report import Chart, Part, Report, Series, Table
from .decisions import Decision, last_message
from .endings import faces_lone_king
from .engine import SearchLimit
from .engines.fog import Fog
from .game import attempt_name, message_text, refused_in, rules
from .inferences import PIECE, AttemptTable, belief_in, distinct_rows, imply, look, make_engine
from .protocol import own_board
from .reasons import reasons_of
from .search.gain_tables import ILLEGAL

PAWN_VALUE = 100  # gains are in centipawns
WORST = 5  # number of turns listed after a game
DEFAULT = SearchLimit(nodes=20_000)  # some 600 boards per attempt, and the same result on every machine
DEFAULT_ENGINE = "fog"  # the strongest engine with a belief over boards
HONESTY = (
    "These are estimates of the engine, from boards that it has sampled, with the noise that is given as a standard "
    "error: they prove nothing."
)


@dataclass(frozen=True)
class AttemptValue(JsonRecord):
    """Evaluation of one attempt; None if it was legal on no board, or, for the error, on one only."""

    KEYS = ("move", "legal", "value", "error", "gain")

    move: str
    legal: float
    value: float | None
    error: float | None  # standard error of the value, identical boards counted as one
    gain: float | None  # mean gain where it is legal, in pawns relative to the material on the board


@dataclass(frozen=True)
class PositionAnalysis(JsonRecord):
    """One decision of a player, from its own view."""

    KEYS = (
        "ply", "side", "men", "heard", "refused", "boards", "evaluated", "choice", "attempts", "implied",
        "belief", "tried", "accepted", "cost", "cost_error", "reasons",
    )  # fmt: skip

    ply: int
    side: int
    men: str  # own men, as the board field of a FEN
    heard: str | None  # the referee's message about the opponent's last move
    refused: tuple[str, ...]
    boards: int  # number of distinct boards in the engine's belief
    evaluated: int  # number of boards drawn from these to evaluate attempts
    choice: str  # the engine's choice
    attempts: tuple[AttemptValue, ...]  # best first
    implied: tuple[str, ...]  # sentences about what the messages imply
    belief: dict[str, list[float]]  # probabilities by kind of man for the 64 squares from a1 to h8
    tried: str | None
    accepted: bool | None
    cost: float | None
    cost_error: float | None
    reasons: tuple[str, ...] = ()  # patterns that explain the cost, or the refusal

    @property
    def turn(self) -> str:
        """Move number: `12.` for White, `12...` for Black."""
        return f"{self.ply // 2 + 1}{'...' if self.side else '.'}"

    @property
    def best(self) -> str:
        return self.attempts[0].move if self.attempts and self.attempts[0].value is not None else self.choice

    def to_json(self) -> dict[str, object]:
        return super().to_json() | {"side": SIDES[self.side].lower()}

    @classmethod
    def from_json(cls, kept: Mapping[str, Any]) -> Self:
        lists = {name: tuple(kept[name]) for name in ("refused", "implied")}
        lists["reasons"] = tuple(kept.get("reasons", ()))
        attempts = tuple(AttemptValue.from_json(one) for one in kept["attempts"])
        # In the order of NAMES, which the store does not preserve
        belief = {name: kept["belief"][name] for name in (*NAMES, PIECE)}
        side = SIDES.index(kept["side"].capitalize())
        return super().from_json({**kept, **lists, "attempts": attempts, "belief": belief, "side": side})


def analyse(
    decisions: Sequence[Decision],
    engine: str = DEFAULT_ENGINE,
    effort: SearchLimit = DEFAULT,
    seed: int = 1,
    only: int | None = None,
    last: bool = False,
) -> Iterator[PositionAnalysis]:
    """Yield the analysis of each decision of one player, or only of those at a ply or the last; others are followed.

    A decision without an attempt is the current one: it is analysed if it is asked for, or if it is the only decision.
    """
    if not decisions:
        return
    player = make_engine(engine, effort, seed, int(decisions[0].seen[rules.SEEN_PLAYER]))
    later = [*(after.ply == before.ply for before, after in pairwise(decisions)), False]
    for place, (decision, was_refused) in enumerate(zip(decisions, later, strict=True)):
        wanted = decision.action is not None or len(decisions) == 1
        if last:
            wanted = decision is decisions[-1]
        elif only is not None:
            wanted = decision.ply == only
        if wanted:
            answered = decision.action == rules.ANY or not was_refused
            accepted = None if decision.action is None else answered
            yield explain(describe(decision, look(player, decision), accepted), decisions, place)
        elif decision.action is not None:
            player.follow(decision.seen, decision.action)
        if only is not None and decision.ply > only:
            return


class AnalysedTurn(NamedTuple):
    """Attempts between two moves of the opponent, if any."""

    positions: tuple[PositionAnalysis, ...]
    stream: int  # state of the engine's random numbers afterwards: an analysis can resume after this turn


def analyse_turns(
    decisions: Sequence[Decision], engine: str, effort: SearchLimit, seed: int, streams: Sequence[int] = ()
) -> Iterator[AnalysedTurn]:
    """Yield the turns of one player as `analyse` does, except the first ones, whose streams are known.

    The first ones are only followed, because an engine's belief depends on views alone. In endgames `fog` depends on
    its earlier searches, so there it searches again.
    """
    player = make_engine(engine, effort, seed, int(decisions[0].seen[rules.SEEN_PLAYER]))
    places = {id(decision): place for place, decision in enumerate(decisions)}
    for number, (_, group) in enumerate(groupby(decisions, lambda decision: decision.ply)):
        *refused, last = group
        if number < len(streams) and not (isinstance(player, Fog) and faces_lone_king(last.seen)):
            for decision in (*refused, last):
                if decision.action is not None:
                    player.follow(decision.seen, decision.action)
            player.stream[0] = streams[number]
            continue
        positions = [describe(one, look(player, one), one.action == rules.ANY) for one in refused]
        if last.action is not None:
            positions.append(describe(last, look(player, last), True))
        if number >= len(streams):
            made = zip(positions, (*refused, last), strict=False)
            told = tuple(explain(position, decisions, places[id(decision)]) for position, decision in made)
            yield AnalysedTurn(told, int(player.stream[0]))


def explain(position: PositionAnalysis, decisions: Sequence[Decision], place: int) -> PositionAnalysis:
    """Add the reasons to a move that cost something, or to a refused attempt."""
    if position.accepted is None or (position.accepted and not (position.cost or 0.0) > 0):
        return position
    return replace(position, reasons=tuple(sentence for _, sentence in reasons_of(decisions, place)))


def describe(decision: Decision, table: AttemptTable, accepted: bool | None) -> PositionAnalysis:
    """Build the analysis of a decision from its table of gains."""
    seen, side = decision.seen, int(decision.seen[rules.SEEN_PLAYER])
    attempts = rank_attempts(table)
    cost, error = cost_of(table, attempts, decision.action)
    return PositionAnalysis(
        ply=decision.ply,
        side=side,
        men=fen_of(own_board(seen)).split()[0],
        heard=message_text(
            last_message(seen), 1 - side, seen[rules.SEEN_OTHER_TURN :].tolist(), int(seen[rules.SEEN_SWITCHES])
        )
        if decision.ply
        else None,
        refused=refused_in(seen),
        boards=len(table.boards.cells),
        evaluated=len(table.gains),
        choice=attempt_name(table.choice),
        attempts=attempts,
        implied=tuple(imply(seen, table.boards, table.kings)),
        belief=belief_in(table.boards, 1 - side),
        tried=None if decision.action is None else attempt_name(decision.action),
        accepted=accepted,
        cost=cost,
        cost_error=error,
    )


def group_rows(table: AttemptTable) -> tuple[np.ndarray, np.ndarray]:
    """Return the distinct rows of a table, and the number of boards that each represents."""
    if table.gains.shape[1] == 0:
        return table.gains[:0], np.zeros(0)
    first, counts = distinct_rows(table.gains, table.weights)
    return table.gains[first], counts


def mean_and_error(values: np.ndarray, counts: np.ndarray) -> tuple[float, float | None]:
    """Return the weighted mean, and its standard error with each value counted as one sample."""
    total = counts.sum()
    mean = float(values @ counts / total)
    if len(values) < 2:
        return mean, None
    spread = np.sum((counts * (values - mean)) ** 2) * len(values) / (len(values) - 1)
    return mean, float(np.sqrt(spread) / total)


def rank_attempts(table: AttemptTable) -> tuple[AttemptValue, ...]:
    """Order the attempts by the engine's ranks, if any, else by mean advantage, shrunk towards 0 for few boards."""
    rows, counts = group_rows(table)
    legal = rows != ILLEGAL
    gains = np.where(legal, rows, 0) / PAWN_VALUE
    means = gains.sum(1) / np.maximum(legal.sum(1), 1)
    found = []
    for place, action in enumerate(table.offered):
        here, name = legal[:, place], move_name(int(action))
        boards = float(counts[here].sum())
        if not boards:
            found.append(AttemptValue(name, 0.0, None, None, None))
            continue
        value, error = mean_and_error((gains[:, place] - means)[here], counts[here])
        gain, _ = mean_and_error(gains[here, place], counts[here])
        trust = boards / (boards + table.doubt)
        digits = [None if figure is None else round(figure, 4) for figure in (trust * value, error, gain)]
        found.append(AttemptValue(name, round(boards / float(counts.sum()), 4), *digits))
    ranks = np.zeros(len(found)) if table.ranks is None else table.ranks
    values = [-np.inf if one.value is None else one.value for one in found]
    order = sorted(range(len(found)), key=lambda place: (ranks[place], values[place]), reverse=True)
    return tuple(found[place] for place in order)


def cost_of(
    table: AttemptTable, attempts: Sequence[AttemptValue], action: int | None
) -> tuple[float | None, float | None]:
    """Return the cost of an attempt relative to the engine's order of attempts, and its standard error."""
    tried = np.flatnonzero(table.offered == action) if action is not None else np.empty(0, int)
    if len(tried) == 0:
        return None, None
    rows, counts = group_rows(table)
    here = rows[:, tried[0]] != ILLEGAL
    if not counts[here].sum():
        return None, None
    rows, counts = rows[here], counts[here]
    names = [move_name(int(offered)) for offered in table.offered]
    order = [names.index(one.move) for one in attempts]
    first = np.argmax(rows[:, order] != ILLEGAL, axis=1)
    made = rows[np.arange(len(rows)), np.array(order)[first]]
    cost, error = mean_and_error((made - rows[:, tried[0]]) / PAWN_VALUE, counts)
    return round(cost, 4), None if error is None else round(error, 4)


@dataclass(frozen=True)
class GameAnalysis:
    """Analysed decisions of one player in a game."""

    engine: str
    effort: SearchLimit
    seed: int
    side: int
    names: tuple[str, str]
    positions: tuple[PositionAnalysis, ...]

    @property
    def worst(self) -> list[PositionAnalysis]:
        """The costliest moves, by the engine's own estimate."""
        made = [one for one in self.positions if one.accepted and one.cost is not None and one.cost > 0]
        return sorted(made, key=lambda one: one.cost or 0.0, reverse=True)[:WORST]

    @property
    def mean_cost(self) -> float | None:
        costs = [one.cost for one in self.positions if one.accepted and one.cost is not None]
        return round(sum(costs) / len(costs), 4) if costs else None

    def to_json(self) -> dict[str, object]:
        return {
            "engine": self.engine,
            "seconds": self.effort.seconds,
            "nodes": self.effort.nodes,
            "seed": self.seed,
            "side": SIDES[self.side].lower(),
            "names": list(self.names),
            "mean_cost": self.mean_cost,
            "worst": [
                {"ply": one.ply, "tried": one.tried, "best": one.best, "cost": one.cost, "reasons": list(one.reasons)}
                for one in self.worst
            ],
            "positions": [one.to_json() for one in self.positions],
            "note": HONESTY,
        }


def keep_best(position: PositionAnalysis, count: int) -> PositionAnalysis:
    """Return a position with at most `count` attempts: the best ones and the one made."""
    kept = [one for place, one in enumerate(position.attempts) if place < count or one.move == position.tried]
    return replace(position, attempts=tuple(kept))


# Calibration: the engine's belief compared with the true boards after the game.

PHASES = ((0, 19), (20, 39), (40, 79), (80, None))  # first and last ply of each phase
MAN_KINDS = ("king", "pawn", "piece")


@dataclass(frozen=True)
class Phase(JsonRecord):
    """Accuracy of the belief in a part of the game."""

    KEYS = ("plies", "decisions", "log_loss", "even_log_loss", "king_rank", "king_chance")

    plies: str
    decisions: int
    log_loss: float  # log-loss of "an opponent's man stands here", in nats per square without an own man
    even_log_loss: float  # the same for a belief that spreads the right number of men evenly over these squares
    king_rank: float  # mean rank of the true king's square, 1 for the likeliest
    king_chance: float  # mean probability of the true king's square


def look_back(positions: Sequence[PositionAnalysis], truth: Sequence[np.ndarray]) -> list[Phase]:
    """Return the accuracy of the belief in each phase, given the true board of every position."""
    found = []
    pairs = [pair for pair in zip(positions, truth, strict=True) if pair[0].boards]
    for first, last in PHASES:
        here = [pair for pair in pairs if first <= pair[0].ply and (last is None or pair[0].ply <= last)]
        if here:
            figures = np.mean([judge(position, board) for position, board in here], axis=0)
            plies = f"{first}-{last}" if last is not None else f"{first}-"
            found.append(Phase(plies, len(here), *(round(float(figure), 4) for figure in figures)))
    return found


def judge(position: PositionAnalysis, board: np.ndarray) -> tuple[float, float, float, float]:
    """Return the log-loss per square, that of an even spread, and rank and probability of the true king's square."""
    theirs = rows_of(board[MEN + 1 - position.side : MEN + 2 - position.side])[0].astype(bool)
    free = rows_of(board[MEN + position.side : MEN + 1 + position.side])[0] == 0
    believed = np.sum([position.belief[kind] for kind in MAN_KINDS], axis=0)
    # add half a board to either side: a finite number of boards never makes anything certain
    chance = (np.clip(believed, 0.0, 1.0) * position.boards + 0.5) / (position.boards + 1.0)
    loss = -np.mean(np.log(np.where(theirs, chance, 1.0 - chance)[free]))
    share = theirs[free].mean()
    even = -(share * np.log(share) + (1.0 - share) * np.log(1.0 - share))
    king = np.array(position.belief["king"])
    true = king[int(np.flatnonzero(rows_of(board[KING : KING + 1])[0] & theirs)[0])]
    rank = 1 + np.sum(king > true) + (np.sum(king == true) - 1) / 2
    return float(loss), float(even), float(rank), float(true)


# Report of a Kriegspiel game analysis: the cost of each move, the worst turns, and the knowledge there.

SHOWN = 6  # attempts listed per turn
ENDING = "An ending against a lone king, played by exact sets of squares without values of attempts"


def with_error(value: float | None, error: float | None) -> str:
    """Format a figure with its standard error: `+0.52 ± 0.07`."""
    if value is None:
        return "-"
    return f"{value:+.2f}" + ("" if error is None else f" ± {error:.2f}")


def share(chance: float) -> str:
    return f"{100 * chance:.0f} %"


def attempt_rows(position: PositionAnalysis, count: int) -> list[tuple[str, str, str, str]]:
    return [
        (
            one.move + (" (tried)" if one.move == position.tried else ""),
            share(one.legal),
            with_error(one.value, one.error),
            with_error(one.gain, None),
        )
        for place, one in enumerate(position.attempts)
        if place < count or one.move == position.tried
    ]


ATTEMPT_COLUMNS = ("attempt", "legal", "value", "gain")
TURN_COLUMNS = ("turn", "tried", "answer", "cost", "engine's first", "legal", "boards")
PHASE_COLUMNS = ("plies", "decisions", "log-loss", "evenly spread", "king's rank", "king's chance")


def turn_rows(positions: Sequence[PositionAnalysis]) -> list[tuple[str, str, str, str, str, str, int]]:
    found = []
    for one in positions:
        best = one.attempts[0] if one.attempts else None
        answer = "" if one.accepted is None else "made" if one.accepted else "refused"
        legal = share(best.legal) if best and best.value is not None else "-"
        cost = with_error(one.cost, one.cost_error)
        found.append((one.turn, one.tried or "-", answer, cost, one.best, legal, one.boards))
    return found


def phase_rows(phases: Sequence[Phase]) -> list[tuple[str, int, float, float, float, float]]:
    return [
        (one.plies, one.decisions, one.log_loss, one.even_log_loss, one.king_rank, one.king_chance) for one in phases
    ]


def map_lines(position: PositionAnalysis, kind: str) -> list[str]:
    """Return the probabilities of a kind of man as a board in per cent; dots for what rounds to 0."""
    chances = position.belief[kind]
    lines = []
    for rank in range(7, -1, -1):
        cells = [round(100 * chance) for chance in chances[8 * rank : 8 * rank + 8]]
        lines.append(f"{rank + 1} " + "".join(f"{cell or '.':>4}" for cell in cells))
    return [*lines, "  " + "".join(f"{name:>4}" for name in FILES)]


def worst_sentence(position: PositionAnalysis) -> str:
    cost = with_error(position.cost, position.cost_error).lstrip("+")
    return f"{position.turn} {position.tried} cost {cost} pawns; the engine would first have tried {position.best}"


def _worst_parts(position: PositionAnalysis) -> list[Part]:
    """Describe the knowledge at one of the worst turns, and the best attempts there."""
    heard = [f"The referee: {position.heard}."] if position.heard else []
    refused = [f"Refused before: {', '.join(position.refused)}."] if position.refused else []
    implied = " ".join(f"{sentence}." for sentence in position.implied)
    opening = [
        f"## {worst_sentence(position)}" if position.cost is not None else f"## {position.turn}",
        *(f"{reason}." for reason in position.reasons),
        *heard,
        *refused,
    ]
    if not position.attempts:
        return [*opening, implied, f"{ENDING}: the engine would try {position.choice}."]
    table = Table(
        f"turn-{position.ply}-{len(position.refused)}",
        f"The best attempts ({position.boards:,} different boards in mind, {position.evaluated:,} evaluated)",
        ATTEMPT_COLUMNS,
        attempt_rows(position, SHOWN),
    )
    return [*opening, implied, table]


def analysis_report(analysis: GameAnalysis, phases: Sequence[Phase], command: str, charts: bool) -> Report:
    """Return the report of a game, with charts for the web interface."""
    side = SIDES[analysis.side]
    effort = f"{analysis.effort.nodes:,} nodes" if analysis.effort.nodes else f"{analysis.effort.seconds:g} s"
    paragraphs = [
        f"From {side}'s own view, by {analysis.engine} with {effort} per attempt (seed {analysis.seed}).",
        "Value: pawns that an attempt gains more than the mean attempt on the boards where it is legal. Cost: what the "
        "engine's own order of attempts would gain more on the boards where the attempt is legal.",
        HONESTY,
    ]
    if analysis.mean_cost is not None:
        paragraphs.append(f"A move cost {analysis.mean_cost:.2f} pawns on average.")
    parts: list[Part] = []
    costs = [(one.ply, one.cost) for one in analysis.positions if one.accepted and one.cost is not None]
    if charts and costs:
        series = [Series.of("cost", costs)]
        parts.append(Chart("costs", "What the moves cost", "ply", "pawns", series, "dots"))
    parts.append(Table("turns", "Every attempt", TURN_COLUMNS, turn_rows(analysis.positions)))
    if phases:
        note = "Log-loss of `a man stands here` in nats per square; evenly spread is that of knowing only how many."
        parts.append(Table("hindsight", "Was the belief right?", PHASE_COLUMNS, phase_rows(phases), note))
    for position in analysis.worst or analysis.positions[:1]:
        parts += _worst_parts(position)
    title = f"Analysis of {analysis.names[0]} - {analysis.names[1]}, {side}"
    return Report("analysis", title, command, paragraphs, parts)
