"""Matches of two agents, stored as a request and counts, so that an interrupted match resumes."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from ...core.agents import Agent, policy_names
from ...core.game import Game, known_game
from ...core.simulate import SEATS
from ...stats.evaluate import MatchResult, elo_of, evaluate, report_key
from ...stats.sprt import Gsprt
from ..agent_parser import plug_ins
from ..kind import Context, DecisionBar, Interruption, Kind, Outputs, Progress, Recorder
from ..report import Cell, Curve, CurvePoint
from ..request import game_of_run, score_sentence, with_interval
from ..requests import MatchRequest
from ..store import Json, Run

LOOK = 500  # games between two looks of a sequential test
PAIR, GROWTH = 2, 16  # looks at an interval: each game pair at first, then after a sixteenth more games


def agents_of(request: MatchRequest, store: Path) -> tuple[Agent, Agent]:
    game = known_game(request.game)
    return request.first.agent(game, store, request.seed), request.second.agent(game, store, request.seed)


def looks(request: MatchRequest) -> Iterator[int]:
    """Yield the numbers of games after which a match may stop, that of all its games last."""
    done = 0
    while request.stops_early:
        done += LOOK if request.sprt is not None else max(PAIR, done // GROWTH // PAIR * PAIR)
        if done >= request.games:
            break
        yield done
    yield request.games


def stops(request: MatchRequest, found: MatchResult) -> bool:
    """True if the sequential test has a verdict, or the interval is narrow enough."""
    if request.sprt is not None:
        return request.test.decision(found.observed) != 0
    low, high = found.interval
    if request.until is not None:
        return high - low <= 2 * request.until
    return request.until_elo is not None and elo_of(high) - elo_of(low) <= 2 * request.until_elo


def play_match(
    request: MatchRequest,
    game: Game,
    sides: tuple[Agent, Agent],
    threads: int,
    watch: Callable[[MatchResult], None] = lambda so_far: None,
    counted: Json | None = None,
) -> Json:
    """Play the games of a match until its rule stops it; `counted` are the figures of an interrupted one."""
    before, key = 0 if counted is None else counted["games"], report_key(request.seed)
    for games in looks(request):  # at fixed numbers of games, whatever the blocks
        if games >= before:
            found = evaluate(game, *sides, key, games, request.seats, threads, watch, counted)
            counted = found.to_json()
            if request.sprt is not None:
                counted |= {"sprt": sprt_json(request.test, found.observed)}
            if stops(request, found):
                break
    assert counted is not None  # the last look is at all games
    return counted


class ScoreTrail(Curve):
    title, x, y = "The score so far", "games", "score"

    def step(self, body: Json) -> CurvePoint:
        self.done = body["games"]
        return CurvePoint(self.done, body["score"], *body["interval"])

    under_way = end = step


class MatchKind(Kind):
    name = title = method = "match"
    heading = "Match"
    has_report = state_is_step = True
    request = MatchRequest

    def check(self, run: Run) -> MatchRequest:
        rules, version = run.request["rules"], game_of_run(run).version
        if rules != version:
            raise ValueError(f"the match was played by version {rules} of the rules, which now are at {version}")
        return MatchRequest.from_json(run.request)

    def compute(self, run: Run, recorder: Recorder, context: Context) -> Json:
        request = self.check(run)

        def watch(so_far: MatchResult) -> None:
            recorder.save_partial(so_far.to_json)
            words = with_interval(so_far.mean, so_far.interval)
            if request.sprt is not None:
                words += f", {sprt_bar(request.test, so_far.observed)}"
            share = None if request.stops_early else so_far.games / request.games
            context.on_progress(Progress(words, share, so_far.games))

        game, counted = known_game(request.game), counted_so_far(run)
        names = {side.spec.partition("@")[0] for side in (request.first, request.second)}
        # The game's own strategies precede those of plug-ins, which need not be imported for them.
        for source in plug_ins() if request.seats == SEATS[0] and not names & set(policy_names(game)) else ():
            if source.match and names <= set(source.names(game)):
                if request.stops_early:
                    raise ValueError(
                        f"--sprt and --until are for agents that play here, not for {' and '.join(sorted(names))}"
                    )
                return source.match(game, request, counted, watch).to_json()
        sides, threads = agents_of(request, context.store), context.threads or 1
        return play_match(request, game, sides, threads, watch, counted)

    def headline(self, run: Run) -> str:
        return f"{run.request['first']} - {run.request['second']}"

    def summary(self, run: Run) -> list[str]:
        counted = run.result or counted_so_far(run)
        if counted is None:
            return []
        said = [f"{_score(run.request, counted)} in {counted['games']:,} games."]
        if "wins" in counted:
            said.append(f"{counted['wins']:,} wins, {counted['draws']:,} draws, {counted['losses']:,} losses.")
        return said + [f"{line[:1].upper()}{line[1:]}." for line in seat_lines(counted)]

    def terminal_lines(self, run: Run, delivered: Outputs) -> Iterator[str]:
        ask, counted = run.request, run.result or run.steps[-1]
        yield f"{ask['game']}: {_score(ask, counted)}"
        if "wins" in counted:
            yield f"{counted['wins']} wins, {counted['draws']} draws, {counted['losses']} losses"
        yield from seat_lines(counted)
        if "sprt" in counted:
            yield sprt_sentence(counted["sprt"])
        yield f"{counted['games']} games, seats {ask['seats']}, seed {ask['seed']}; 95 % interval, valid at any time"

    def result_json(self, run: Run, delivered: Outputs) -> Json:
        counted = run.result or run.steps[-1]
        return facts_of(run.request) | counted | {"seats": run.request["seats"], "exact": False, "state": "finished"}

    def interruption(self, run: Run, again: str) -> Interruption:
        if not run.steps:
            return super().interruption(run, again)
        facts = self.result_json(run, Outputs()) | {"state": "interrupted", "run": run.name, "resume": again}
        played = f"{run.steps[-1]['games']} of {run.request['games']} games"
        lines = list(self.terminal_lines(run, Outputs()))
        return Interruption(facts, f"interrupted after {played}. Go on with: {again}", lines)

    def decision(self, run: Run) -> DecisionBar | None:
        counted = run.result or counted_so_far(run)
        if counted is None or run.request.get("sprt") is None:
            return None
        elo0, elo1, alpha, beta = run.request["sprt"]
        return sprt_bar(Gsprt(elo0, elo1, alpha, beta, normalised=True), counted["observed"])

    def curve(self, ask: Json) -> Curve:
        return ScoreTrail(ask["games"], "games")

    def csv(self, run: Run) -> list[Sequence[Cell]]:
        lines: list[Sequence[Cell]] = [("first", "second", "games", "score", "low", "high")]
        for body in (*run.steps, *([run.result] if run.result else [])):
            lines.append((run.request["first"], run.request["second"], body["games"], body["score"], *body["interval"]))
        return lines


def seat_lines(counted: Json) -> list[str]:
    """Return the sentence with the scores of the first agent in either seat, where the seats were swapped."""
    scores = [with_interval(seat["score"], seat["interval"]) for seat in counted.get("by_seat", ())]
    return [f"in the first seat {scores[0]}, in the second seat {scores[1]}"] if scores else []


def sprt_json(test: Gsprt, pairs: Sequence[int]) -> Json:
    """Return the verdict of a sequential test on counts of game pairs: 1 for elo1, -1 for elo0."""
    return {
        "elo0": test.elo0, "elo1": test.elo1, "alpha": test.alpha, "beta": test.beta, "llr": test.ratio(pairs),
        "bounds": list(test.bounds), "decision": test.decision(pairs), "pairs": list(pairs),
    }  # fmt: skip


def sprt_bar(test: Gsprt, pairs: Sequence[int]) -> DecisionBar:
    return DecisionBar("LLR", test.ratio(pairs), *test.bounds)


def sprt_sentence(found: Json) -> str:
    """Return the line of engine testing: the log-likelihood ratio, its bounds, the hypotheses and the pairs."""
    low, high = found["bounds"]
    verdict = {1: "H1 accepted", -1: "H0 accepted", 0: "undecided"}[found["decision"]]
    pairs = " ".join(map(str, found["pairs"]))
    what = f"LLR {found['llr']:.2f} ({low:.2f}, {high:.2f}) [{found['elo0']:g}, {found['elo1']:g}] normalised Elo"
    return f"{what}: {verdict}; pairs from two losses to two wins: {pairs}"


def counted_so_far(run: Run) -> Json | None:
    return run.partial() or (run.steps[-1] if run.steps else None)


def facts_of(ask: Json) -> Json:
    """Return the keys of the request that `--json` repeats."""
    return {key: ask[key] for key in ("game", "first", "second", "seed", "rules")}


def _score(ask: Json, counted: Json) -> str:
    return score_sentence(ask["first"], ask["second"], counted)


KIND = MatchKind()
KINDS = (KIND,)
