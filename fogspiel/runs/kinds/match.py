"""Matches of two agents, stored as a request and counts, so that an interrupted match resumes."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from ...core.agents import Agent, policy_names
from ...core.game import known_game
from ...core.simulate import SEATS
from ...stats.evaluate import MatchResult, evaluate, report_key
from ...stats.sprt import Gsprt
from ..agent_parser import plug_ins
from ..kind import Context, Interruption, Kind, Outputs, Progress, Recorder
from ..report import Cell, Curve, CurvePoint
from ..request import game_of_run, score_sentence, with_interval
from ..requests import MatchRequest
from ..store import Json, Run

LOOK = 500  # games between two looks of a sequential test


def agents_of(request: MatchRequest, store: Path) -> tuple[Agent, Agent]:
    game = known_game(request.game)
    return request.first.agent(game, store, request.seed), request.second.agent(game, store, request.seed)


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
            context.on_progress(Progress(words, so_far.games / request.games, so_far.games))

        game, counted = known_game(request.game), counted_so_far(run)
        names = {side.spec.partition("@")[0] for side in (request.first, request.second)}
        # The game's own strategies precede those of plug-ins, which need not be imported for them.
        for source in plug_ins() if request.seats == SEATS[0] and not names & set(policy_names(game)) else ():
            if source.match and names <= set(source.names(game)):
                if request.sprt is not None:
                    raise ValueError(f"--sprt is for agents that play here, not for {' and '.join(sorted(names))}")
                return source.match(game, request, counted, watch).to_json()
        sides, key, threads = agents_of(request, context.store), report_key(request.seed), context.threads or 1
        if request.sprt is None:
            return evaluate(game, *sides, key, request.games, request.seats, threads, watch, counted).to_json()
        done = 0 if counted is None else counted["games"]
        while True:  # looks at fixed numbers of games, whatever the blocks
            done = min(max(-(-done // LOOK) * LOOK, LOOK), request.games)
            counted = evaluate(game, *sides, key, done, request.seats, threads, watch, counted).to_json()
            verdict = sprt_json(request.test, counted["observed"])
            if verdict["decision"] or done >= request.games:
                return counted | {"sprt": verdict}
            done += 1

    def headline(self, run: Run) -> str:
        return f"{run.request['first']} - {run.request['second']}"

    def summary(self, run: Run) -> list[str]:
        counted = run.result or counted_so_far(run)
        if counted is None:
            return []
        said = [f"{_score(run.request, counted)} in {counted['games']:,} games."]
        if "wins" in counted:
            said.append(f"{counted['wins']:,} wins, {counted['draws']:,} draws, {counted['losses']:,} losses.")
        return said

    def terminal_lines(self, run: Run, delivered: Outputs) -> Iterator[str]:
        ask, counted = run.request, run.result or run.steps[-1]
        yield f"{ask['game']}: {_score(ask, counted)}"
        if "wins" in counted:
            yield f"{counted['wins']} wins, {counted['draws']} draws, {counted['losses']} losses"
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

    def curve(self, ask: Json) -> Curve:
        return ScoreTrail(ask["games"], "games")

    def csv(self, run: Run) -> list[Sequence[Cell]]:
        lines: list[Sequence[Cell]] = [("first", "second", "games", "score", "low", "high")]
        for body in (*run.steps, *([run.result] if run.result else [])):
            lines.append((run.request["first"], run.request["second"], body["games"], body["score"], *body["interval"]))
        return lines


def sprt_json(test: Gsprt, pairs: Sequence[int]) -> Json:
    """Return the verdict of a sequential test on counts of game pairs: 1 for elo1, -1 for elo0."""
    return {
        "elo0": test.elo0, "elo1": test.elo1, "alpha": test.alpha, "beta": test.beta, "llr": test.ratio(pairs),
        "bounds": list(test.bounds), "decision": test.decision(pairs), "pairs": list(pairs),
    }  # fmt: skip


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
