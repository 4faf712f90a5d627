"""Requests of the kinds of run that apply to any game or program."""

from collections.abc import Callable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self

from pydantic import Field

from .. import __version__
from ..core import NotFound
from ..core.untrusted_input import parse_fraction, shorten
from .request import Asked, GameName, Player, Request, Seed, Text, WrongField, check_players, seconds_for, versions

if TYPE_CHECKING:
    from ..solving.proofs.checkers.primitives import Body
    from ..solving.sources import GameSource
    from ..stats.sprt import Gsprt
    from ..tuning.programs.contest import Scale
    from ..tuning.programs.parameters import Parameters
    from .store import Json

DEFAULT_METHOD, DEFAULT_RACE, DEFAULT_BASELINE = "auto", "count-mixture", "redrawn"
SAMPLING, OF_SAMPLING = "external-sampling", ("seed", "iterations", "seconds")
MAX_ITERATIONS = 2**53
MAX_SEEDS = 1000
MOST_AHEAD = 64
MIN_EXPLOITER_GAMES = 5_000  # minimum for the search for a best response
MIXING = ("seed-nash", "psro", "portfolio")  # tuning methods whose result is a mixture
RACES = "paper, ebgstop, count-mixture, count-mixture-symmetric or count-mixture-asymmetric."
DEFAULT_MEMORY = 4.0  # GiB, the default of solving, repeated to avoid the import
MANY = 1e12  # limit of games in a web request
MOST_GAMES = 10_000_000  # of a match that ends when its interval is narrow enough


# Types shared by several requests

Games = Annotated[int, Field(gt=0, title="Games"), Asked(page_most=MANY)]
Race = Annotated[Text, Field(title="Race", description=RACES), Asked("race")]
Delta = Annotated[float, Field(title="Risk of each race", description="Risk of error of each race."), Asked()]
Epsilon = Annotated[float, Field(title="Precision", description="Precision at which a race stops."), Asked()]
Observation = Annotated[
    Literal["pair", "game"],
    Field(title="A race counts", description="What a race counts: pair (seats swapped) or game."),
]
BudgetOfGames = Annotated[
    int | None,
    Field(gt=0, title="Games", description="Budget in games: the same result on every machine."),
    Asked(subject="the budget of games", page=200_000, page_most=MANY),
]
BudgetOfSeconds = Annotated[
    float | None,
    Field(gt=0, title="Seconds of work", description="Budget in seconds of work."),
    Asked(subject="the budget of seconds", page_most=1e9),
]
Memory = Annotated[float, Field(gt=0, title="Memory (GiB)"), Asked(page=2.0, page_most=64)]
AGENT = "A name, a run, or numbers with commas between them."


class MatchRequest(Request):
    """Play two players against each other, every deal twice with the seats swapped."""

    command_name, tab, optional = "match", "Match", ("sprt", "until", "until_elo")
    shown = ("games", "seed")
    kind: Literal["match"] = "match"
    game: Annotated[GameName, Asked("game", argument=True, page="batawaf", hint="")]
    first: Annotated[Player, Field(title="First player"), Asked("agent", argument=True, page="ascending", hint=AGENT)]
    second: Annotated[Player, Field(title="Second player"), Asked("agent", argument=True, page="uniform")]
    seed: Seed = 1
    games: Annotated[
        Games,
        Field(description="How many games, in pairs with the seats swapped (20,000; 10 million with --until)."),
    ] = 20_000
    seats: Annotated[
        Literal["swapped", "alternating", "coin"],
        Field(title="Seats", description="swapped (same deal twice), alternating, or coin."),
    ] = "swapped"
    until: Annotated[
        float | None,
        Field(gt=0, title="Until the score is known within", description="Stop when the score is known within this."),
        Asked(hint="Half the width of the interval at which the match ends; empty for all games."),
    ] = None
    until_elo: Annotated[
        float | None, Field(gt=0, title="Until Elo is known within", description="The same in Elo."), Asked(hint="")
    ] = None
    # Normalised Elo of the two hypotheses, alpha and beta of a sequential test that may end the match.
    sprt: Annotated[tuple[float, float, float, float] | None, Asked(stored_only=True)] = None

    def check(self) -> None:
        if self.sprt is not None:
            _ = self.test
            if self.seats != "swapped":
                raise ValueError("--sprt counts pairs of games with the seats swapped: leave out --seats")
        if [self.sprt, self.until, self.until_elo].count(None) < 2:
            raise ValueError("a match has one rule to stop: give --until, --until-elo or --sprt alone")
        if self.until_elo is not None:
            from ..core.game import WIN_DRAW_LOSS, known_game

            if known_game(self.game).payoffs != WIN_DRAW_LOSS:
                raise ValueError(f"Elo is for games that are won, drawn or lost, not for {self.game}: use --until")

    @property
    def stops_early(self) -> bool:
        return (self.sprt, self.until, self.until_elo) != (None, None, None)

    @property
    def test(self) -> "Gsprt":
        from ..stats.sprt import Gsprt

        assert self.sprt is not None
        return Gsprt(*self.sprt, normalised=True)


def default_games(*rules: object) -> int:
    """Return the number of games of a match by default: more where a rule stops it."""
    games: int = MatchRequest.model_fields["games"].default
    return games if set(rules) <= {None} else MOST_GAMES


class ProgramGamesRequest(Request):
    """Games of an outside program, whose type and digest stand for the game: everything but the program itself."""

    lacking: ClassVar[tuple[str, ...]] = ("rules",)
    sort: Text
    digest: Text
    parameters: tuple[Mapping[str, Any], ...]  # one table per parameter: name, start, limits, scale

    def check(self) -> None:
        from .programs import program_types

        if self.sort not in program_types():
            raise ValueError(f"there is no sort of program called {self.sort!r}: see {', '.join(program_types())}")
        _ = self.space, self.scale

    @property
    def space(self) -> "Parameters":
        from ..tuning.programs.parameters import Parameters

        return Parameters.from_json(self.parameters)

    @property
    def scale(self) -> "Scale":
        from ..tuning.programs.contest import Scale

        return Scale()

    def to_json(self) -> "Json":
        """Return row 0 of the run, in which the program's type stands for the game."""
        method = getattr(self, "kind")  # noqa: B009
        return {"game": self.sort, "method": method, **self.fields_json(), "fogspiel": __version__}

    @property
    def command(self) -> str:
        from .programs import option_for

        return f"fogspiel {self.command_name} {option_for(self.sort, self.digest)}"


class ProgramMatchRequest(ProgramGamesRequest):
    """A match of two engines, or of two settings of a program; two engines have no parameters."""

    command_name, optional = "match", ("sprt",)
    kind: Literal["program-match"] = "program-match"
    names: tuple[Text, Text]
    first: Mapping[str, Any]  # values by parameter
    second: Mapping[str, Any]
    facts: Mapping[str, Any] = Field(default_factory=dict)
    seed: Seed = 1
    games: Games = 20_000
    sprt: tuple[float, float, float, float] | None = None  # as in MatchRequest

    def check(self) -> None:
        super().check()
        known = self.space.parameters
        for values in (self.first, self.second):
            if tuple(sorted(values)) != tuple(sorted(known)):
                raise ValueError(f"a side has values of {', '.join(values)}: the parameters are {', '.join(known)}")
        if self.games < 2:
            raise ValueError("games are played in pairs with the seats swapped: give --games 2 or more")
        _ = self.test

    @property
    def space(self) -> "Parameters":
        from ..tuning.programs.parameters import Parameters

        return super().space if self.parameters else Parameters(())

    @property
    def test(self) -> "Gsprt | None":
        from ..stats.sprt import Gsprt

        return None if self.sprt is None else Gsprt(*self.sprt, normalised=True)


class RoundRobinRequest(Request):
    """Run a round robin: cross-table, proved claims, and a ranking that copies of a player do not change."""

    command_name, tab = "round-robin", "Tournament"
    once, shown = True, ("games", "seed")
    kind: Literal["tournament"] = "tournament"
    game: Annotated[GameName, Asked("game", argument=True, page="batawaf", hint="")]
    players: Annotated[
        tuple[Player, ...],
        Field(max_length=100, title="Players", description="At least two: names, runs, parameter files, numbers."),
        Asked(
            "agent",
            argument=True,
            page="ascending descending uniform",
            hint="Two or more with blanks between them: names, runs, or numbers with commas.",
        ),
    ]
    games: Annotated[Games, Field(description="How many games for each pair, with the seats swapped.")] = 20_000
    seed: Seed = 1

    def check(self) -> None:
        try:
            check_players(self.names, "a tournament", "players")
        except ValueError as error:
            raise WrongField("players", str(error)) from None

    @property
    def names(self) -> list[str]:
        return [player.spec for player in self.players]

    @property
    def pair_games(self) -> int:
        """Number of games of each pair, rounded up to an even number."""
        return 2 * -(-self.games // 2)

    def demand_portable(self) -> None:
        """Reject players that cluster workers could not find: local files and solutions."""
        from ..core.agents import policy_names
        from ..core.game import known_game

        known = policy_names(known_game(self.game))
        for player in self.players:
            if "theta" not in player.numbers and player.spec not in known:
                raise ValueError(
                    f"{player.spec} is known on this machine only: a tournament on a cluster takes names, numbers, "
                    "parameter files and tuning runs"
                )


class CompeteRequest(Request):
    """Run a competition: programs in any language, Python functions and tables of a folder, at any game."""

    command_name, once, shown = "compete", True, ("games", "seed")
    optional = ("agents", "seconds")
    kind: Literal["compete"] = "compete"
    folder: Annotated[
        Text,
        Field(title="Folder", description="Its programs and functions are run: executables, FILE.py, tables, answers."),
        Asked(argument=True),
    ]
    game: Annotated[GameName, Asked("game")]
    agents: Annotated[
        tuple[Player, ...],
        Field(title="Agents of the package", description="An agent that takes part, as in search:nodes=500."),
        Asked("agent", option="with"),
    ] = ()
    games: Annotated[Games, Field(description="At most so many games for each pair, in pairs with seats swapped.")] = (
        1_000
    )
    seconds: BudgetOfSeconds = None
    clock: Annotated[
        float,
        Field(gt=0, le=86_400, title="Clock (seconds)", description="Seconds that a program has for a whole game."),
        Asked(wanted="above 0, at most 86400"),
    ] = 10.0
    stop: Annotated[
        bool, Field(title="Stop early", description="Stop the games of a pair as soon as the better one is proved.")
    ] = True
    seed: Seed = 1
    # The entries by name, type and digest, and the files that are none: read from the folder by the command.
    players: Annotated[tuple[Mapping[str, Any], ...], Asked(stored_only=True)] = ()
    skipped: Annotated[tuple[Mapping[str, Any], ...], Asked(stored_only=True)] = ()

    @property
    def names(self) -> list[str]:
        return [str(player["name"]) for player in self.players]


LEVELS = 8  # of the search for people


class GameReportRequest(Request):
    """Report what a game is like: length, choices, hidden information, fairness, draws, and whether skill matters."""

    command_name, tab = "report", "Report"
    shown = ("games", "seed")
    kind: Literal["report"] = "report"
    game: Annotated[GameName, Asked("game", argument=True, page="leduc", hint="")]
    levels: Annotated[
        Text,
        Field(
            title="Levels of the search",
            description="Levels of the search, from 1 to 8, weakest first; uniform and, if small, solved play too.",
        ),
        Asked(hint="Numbers with commas between them."),
    ] = "1,3,5"
    games: Annotated[
        int,
        Field(ge=2, title="Games", description="Games of each strength, and between each two of them."),
        Asked(wanted="at least 2", page_most=10_000),
    ] = 100
    seed: Seed = 1

    def check(self) -> None:
        _ = self.players

    @property
    def players(self) -> list[str]:
        """The players by strength, weakest first."""
        return ["uniform", *(f"search:level={level}" for level in levels_in(self.levels))]


def levels_in(text: str) -> list[int]:
    """Return ascending levels of the search, as `1,3,5` lists them."""
    words = [word.strip() for word in text.split(",") if word.strip()]
    levels = [int(word) for word in words if word in map(str, range(1, LEVELS + 1))]
    if len(levels) < len(words) or levels != sorted(set(levels)):
        raise WrongField(
            "levels", f"--levels is {shorten(text)}: write levels from 1 to {LEVELS}, ascending, as in 1,3,5"
        )
    return levels


class ConstantsRequest(Request):
    """Look for the constants that make a game fair: by solving it, or by races of players that search."""

    command_name, once = "balance", True
    shown, optional = ("games", "seed"), ("template",)
    kind: Literal["constants"] = "constants"
    game: Annotated[GameName, Asked("games", argument=True)]
    nearest: Annotated[
        int, Field(ge=1, title="Nearest", description="How many of the nearest to find."), Asked(wanted="at least 1")
    ] = 5
    level: Annotated[
        int,
        Field(ge=1, le=LEVELS, title="Level of the search", description="Of the players where a game is not solved."),
        Asked(wanted=f"from 1 to {LEVELS}"),
    ] = 5
    games: Annotated[
        int,
        Field(ge=2, title="Games", description="Games of each variant at most, where a game is not solved."),
        Asked(wanted="at least 2"),
    ] = 400
    seed: Seed = 1
    # The values of each constant, and the names of the catalogue's variants if there is no file.
    free: Annotated[Mapping[str, Any], Asked(stored_only=True)] = Field(default_factory=dict)
    template: Annotated[Text | None, Asked(stored_only=True)] = None

    @classmethod
    def of(cls, words: str, **asked: Any) -> Self:
        """Return the request for a file with FREE, or for names with braces."""
        from ..core.find import BRACES, free_constants

        base, free = free_constants(words)
        return cls(game=base.name, free=free, template=words if BRACES.search(words) else None, **asked)

    @property
    def player(self) -> str:
        return f"search:level={self.level}"


class TuneRequest(Request):
    """Tune the strategy of a game; every step is stored, and the run can be stopped and resumed at any time."""

    command_name, tab = "tune", "Tune"
    seeds_method: ClassVar[str] = "tune-seeds"  # in rows of tunings from several seeds
    lacking, optional = ("final",), ("planned",)
    kind: Literal["tune"] = "tune"
    game: Annotated[GameName, Asked("tunable game", argument=True, page="batawaf", hint="")]
    method: Annotated[
        Text, Field(title="Method", description="How to look for parameters: see below."), Asked("method", hint="")
    ] = DEFAULT_METHOD
    race: Race = DEFAULT_RACE
    delta: Delta = 0.05
    epsilon: Epsilon = 0.01
    observation: Observation = "pair"
    baseline: Annotated[
        Text,
        Field(
            title="Baseline",
            description="Who judges: redrawn (Gaussian players, new for every pair of games), fixed (one of them), or "
            "a name.",
        ),
        Asked("baseline"),
    ] = DEFAULT_BASELINE
    seed: Seed = 1
    games: BudgetOfGames = None
    seconds: BudgetOfSeconds = None
    report_games: Annotated[
        int,
        Field(gt=0, title="Fresh games for the score", description="Fresh games for the final score."),
        Asked(subject="the budget of report games", page_most=MANY),
    ] = 20_000
    final: Annotated[
        bool,
        Field(
            title="Proof", description="Show on held-out games that the result beats its start, or return the start."
        ),
        Asked(option="proof", on_page=False),
    ] = True
    seeds: Annotated[
        int | None,
        Field(
            ge=1, le=MAX_SEEDS, title="Training seeds",
            description="Tune from so many seeds, --seed and those after it; choose and measure the best.",
        ),
        Asked(wanted=f"from 1 to {MAX_SEEDS}"),
    ] = None  # fmt: skip
    planned: Annotated[int | None, Field(ge=2), Asked(stored_only=True)] = None  # as in ProgramRequest

    def check(self) -> None:
        """Reject a game without a strategy, an unknown baseline, and a run without a budget."""
        from ..core.agents import named_policy
        from ..core.game import Game, known_game, list_games
        from ..stats.race import Race
        from ..tuning.methods import find_tune_method

        def title_of(game: Game) -> list[str]:
            return game.title.split()[:2]  # without the variant: Phantom tic-tac-toe (classical), .. by permutations

        game, _ = known_game(self.game), find_tune_method(self.method)
        if game.strategy is None:
            others = [one for one in list_games().values() if one.strategy and title_of(one) == title_of(game)]
            instead = (
                " or ".join(f"{one.name} ({one.title})" for one in others) or "one with parameters in `fogspiel games`"
            )
            raise WrongField("game", f"{self.game} has no parametric strategy to tune: try {instead}")
        Race(self.race, self.delta, self.epsilon)
        named_policy(game, self.baseline, self.seed)
        if self.games is None and self.seconds is None:
            raise WrongField("games", "a run needs a budget: --games, --minutes, or both")

    def resolved(self, store: Path) -> Self:
        """Return the request with a budget; several seeds have it in games, so results do not depend on the clock."""
        from ..core.game import known_game
        from ..tuning.arena import contest_of
        from ..tuning.tune import measure_speed

        seconds = seconds_for(self.games, None, self.seconds)
        if self.seeds is None:
            return self.model_copy(update={"seconds": seconds})
        if self.games is not None:
            return self.model_copy(update={"seconds": None})
        speed = measure_speed(contest_of(known_game(self.game), self.seed), self.seed)
        return self.model_copy(update={"games": max(int(speed * (seconds or 0.0)), 2), "seconds": None})

    def to_json(self) -> "Json":
        row = super().to_json()
        seeds = row.pop("seeds")
        return row if seeds is None else row | {"method": self.seeds_method, "search": self.method, "seeds": seeds}

    @classmethod
    def from_json(cls, ask: "Json") -> Self:
        return super().from_json({"final": False} | ask | {"method": ask.get("search", ask["method"])})


class ProgramRequest(ProgramGamesRequest):
    """Tuning of the parameters of an outside program."""

    command_name, optional = "tune", ("prove", "origin", "proves", "ahead", "planned")
    kind: Literal["program"] = "program"
    search: Annotated[Text, Field(title="Method")] = DEFAULT_METHOD
    race: Race = DEFAULT_RACE
    delta: Delta = 0.05
    epsilon: Epsilon = 0.01
    observation: Observation = "pair"
    seed: Seed = 1
    games: BudgetOfGames = 20_000
    seconds: BudgetOfSeconds = None
    range: tuple[float, float] | None = None  # of scores; None if these are wins, draws and losses
    alone: bool = False
    facts: Mapping[str, Any] = Field(default_factory=dict)  # further inputs of the games, by the type of program
    prove: tuple[float, float] | None = None  # the Elo of the test of the result, if not chosen by the budget
    origin: Text | None = None  # the run whose values are the start
    # A finished test that goes on instead of a search: its run, vector, scores and the counts of its pairs.
    proves: Mapping[str, Any] | None = None
    ahead: int | None = Field(None, ge=1, le=MOST_AHEAD)  # steps whose games may be played at once; 1 if not given
    planned: int | None = Field(None, ge=2)  # the games for which the steps of a lengthened run are planned

    def check(self) -> None:
        from ..stats.race import Race
        from ..tuning.methods import find_tune_method

        super().check()
        find_tune_method(self.search)
        if self.search in MIXING:
            raise ValueError(f"{self.search} answers with a mixture, which a program cannot play: try {DEFAULT_METHOD}")
        Race(self.race, self.delta, self.epsilon)
        if self.games is None and self.seconds is None:
            raise ValueError("a run needs a budget: --games, --minutes, or both")
        if self.prove is not None and not self.prove[0] < self.prove[1]:
            raise ValueError(f"--prove {self.prove[0]:g} {self.prove[1]:g}: the second Elo must be the larger one")
        if self.proves is not None:
            _check_test(self.proves, len(self.parameters), 2 * self.scale.steps + 1)

    @property
    def scale(self) -> "Scale":
        from ..tuning.programs.contest import Scale

        low, high = self.range or (0.0, 1.0)
        return Scale(low, high, self.range is not None, self.alone)

    @property
    def command(self) -> str:
        return f"{super().command} --parameters FILE"


def _check_test(test: Mapping[str, Any], parameters: int, outcomes: int) -> None:
    """Raise a ValueError unless a test that goes on has a vector, two scores and counts, as runs store them."""
    theta, scores, pairs = (test.get(key) for key in ("theta", "test", "pairs"))
    for numbers, count in ((theta, parameters), (scores, 2), (pairs, outcomes)):
        if not isinstance(numbers, list | tuple) or len(numbers) != count or not all(map(_is_finite, numbers)):
            raise ValueError("a test that goes on needs the vector, the two scores and the counts of pairs of its run")
    if not all(type(count) is int and 0 <= count < 2**53 for count in pairs or ()):
        raise ValueError("a test that goes on has counts of pairs that are no whole numbers from 0")


def _is_finite(number: object) -> bool:
    return isinstance(number, int | float) and not isinstance(number, bool) and abs(number) < 1e300


Refine = Literal["auto", "none", "uniform", "quasi-perfect"]


class SolveRequest(Request):
    """Compute the value of a two-player zero-sum game and an optimal strategy for each side, with a certificate."""

    command_name, tab = "solve", "Solve"
    # Fields that are stored only where they are given.
    choices: ClassVar[tuple[str, ...]] = ("refine", "lock", "seat", "lock_weight", "against", "safety")
    lacking = ("seed", *choices)
    kind: Literal["solve"] = "solve"
    game: Annotated[
        GameName,
        Asked("game", argument=True, page="kuhn", hint="A game that is too large is refused by the memory limit."),
    ]
    solver: Annotated[
        Text,
        Field(title="Method", description="The route to the solution: see below."),
        Asked("route", option="method", hint=""),
    ] = "auto"
    exact: Annotated[
        bool,
        Field(title="Insist on the exact value", description="Insist on the exact value, as a fraction."),
        Asked(page=True),
    ] = False
    gap: Annotated[
        float,
        Field(gt=0, title="Gap", description="Regret minimisation stops when the certified bounds are this close."),
        Asked(page_most=1e6),
    ] = 1e-6
    memory: Annotated[
        Memory,
        Field(description="The most memory that the game may take, in GiB."),
        Asked(wanted="a positive number of GiB", page=2.0, page_most=64),
    ] = DEFAULT_MEMORY
    seed: Annotated[Seed, Field(description="Random seed of sampling methods.")] = 0
    iterations: Annotated[
        int | None,
        Field(
            gt=0,
            le=MAX_ITERATIONS,
            title="Iterations",
            description="Stop sampling, CFR+, DCFR or PCFR+ after N iterations.",
        ),
        Asked(wanted=f"a whole number from 1 to {MAX_ITERATIONS}"),
    ] = None
    seconds: Annotated[
        float | None,
        Field(
            gt=0, title="CPU seconds", description="Sampling stops after so many CPU seconds; 60, if nothing is said."
        ),
        Asked(wanted="a positive number of CPU seconds", page_most=1e6),
    ] = None
    refine: Annotated[
        Refine,
        Field(
            title="Refine",
            description="Take the optimal strategies that score most against uniform play, or quasi-perfect ones, "
            "best against rare errors; auto: uniform, in small games.",
        ),
    ] = "auto"
    lock: Annotated[
        Player | None,
        Field(
            title="Locked policy",
            description="A policy that is fixed where it has probabilities; the rest of the game is solved.",
        ),
        Asked("agent", on_page=False),
    ] = None
    seat: Annotated[
        int | None,
        Field(ge=1, le=2, title="Locked seat", description="Lock this seat only, 1 or 2."),
        Asked(wanted="1 or 2", on_page=False),
    ] = None
    lock_weight: Annotated[
        Text | None,
        Field(
            title="Weight of the lock",
            description="The lock holds with this probability, as in 0.9, else its owner is free: a restricted Nash "
            "response.",
        ),
        Asked(on_page=False),
    ] = None
    against: Annotated[
        Player | None,
        Field(
            title="Opponent", description="Of the optimal strategies take those that score most against this policy."
        ),
        Asked("agent", on_page=False),
    ] = None
    safety: Annotated[
        Text | None,
        Field(
            title="Safety",
            description="How much less than the value the strategies may secure, as in 0.01, to score more with "
            "--against.",
        ),
        Asked(on_page=False),
    ] = None

    def check(self) -> None:
        from ..solving.methods import find_solve_method

        exact = find_solve_method(self.solver).exact
        if self.exact and not exact:
            raise WrongField("exact", f"--exact needs a vertex: take --method auto or lp, not {self.solver}")
        if (self.refined or self.against) and not exact:
            raise WrongField("refine", f"a refinement needs a vertex: take --method auto or lp, not {self.solver}")
        if self.against and self.refine in ("none", "quasi-perfect"):
            raise WrongField("refine", f"--against refines the strategies: leave out --refine {self.refine}")
        if self.lock is None and (self.seat, self.lock_weight) != (None, None):
            raise WrongField("lock", "--seat and --lock-weight are for a locked policy: add --lock POLICY")
        if self.against is None and self.safety is not None:
            raise WrongField("against", "--safety is for an opponent to gain from: add --against POLICY")
        if not 0 < self.fraction("lock_weight", 1) <= 1:
            raise WrongField("lock_weight", f"--lock-weight is {self.lock_weight}: it must be above 0 and at most 1")
        if self.fraction("safety", 0) < 0:
            raise WrongField("safety", f"--safety is {self.safety}: it must be 0 or more")
        method = find_solve_method(self.solver)
        iterations = None if method.iterates else self.iterations
        if not method.samples and (self.seed, iterations, self.seconds) != (0, None, None):
            names = "--seed and --seconds" if method.iterates else "--seed, --iterations and --seconds"
            raise ValueError(f"{names} are for methods that sample, as {SAMPLING}, not for {self.solver}")

    @property
    def refined(self) -> bool:
        """True if refined strategies are required."""
        return self.refine in ("uniform", "quasi-perfect")

    @property
    def samples(self) -> bool:
        from ..solving.methods import find_solve_method

        return find_solve_method(self.solver).samples

    def fraction(self, name: Literal["lock_weight", "safety"], default: int) -> Fraction:
        """Return a field that is a number in text, or raise WrongField."""
        text: str | None = getattr(self, name)
        try:
            return Fraction(default) if text is None else parse_fraction(text)
        except (ValueError, ZeroDivisionError):
            told = f"--{name.replace('_', '-')} is {shorten(text)}: it must be a number, as in 0.1 or 1/10"
            raise WrongField(name, told) from None

    def resolved(self, store: Path) -> Self:
        """Return the request with the digests of its policies."""
        if self.lock is None and self.against is None:
            return self
        from ..solving.sources import find_source
        from .request import StoredAgent

        game = find_source(self.game).as_game(self.memory)
        given = {name: getattr(self, name) for name in ("lock", "against")}
        found = {name: agent and StoredAgent.of(game, agent.spec, store, self.seed) for name, agent in given.items()}
        return self.model_copy(update=found)

    def to_json(self, problem: "GameSource | None" = None) -> "Json":
        """Return row 0 of the run; only sampling methods store a seed and budgets."""
        from ..core.find import spec_of
        from ..solving.methods import choose_solve_method
        from ..solving.sources import find_source

        if problem is None:
            words = spec_of(self.game)
            problem = find_source(self.game if words is None else words.absolute)
            choose_solve_method(self.solver, problem)
        left = {name for name in self.choices if getattr(self, name) in (None, "auto")}
        if not self.samples:
            left |= {name for name in OF_SAMPLING if name != "iterations" or self.iterations is None}
        asked = {key: value for key, value in self.fields_json().items() if key not in left}
        body = {"game": problem.name} | asked | {"source": problem.source, "method": self.kind}
        return body | {"rules": problem.version, "fogspiel": __version__}

    @classmethod
    def row_types(cls) -> dict[str, Any]:
        return super().row_types() | {"source": str}

    @classmethod
    def from_json(cls, ask: "Json", source: str | None = None) -> Self:
        """Return the request of row 0, for the game at `source`."""
        return super().from_json(ask | {"game": source or ask["source"]})


class BoundsRequest(Request):
    """Prove bounds on the value of any game, exact ones if it can be solved; they narrow as long as time lasts."""

    command_name, tab = "bounds", "Bounds"
    kind: Literal["bounds"] = "bounds"
    game: Annotated[
        GameName,
        Asked("game", argument=True, page="phantom-ponnuki-4x4", hint="The smaller the game, the closer the bounds."),
    ]
    seconds: Annotated[
        float,
        Field(gt=0, title="Seconds of CPU time", description="Stop after so many seconds of CPU time."),
        Asked(page=60.0, page_most=1e6),
    ] = 300.0
    memory: Annotated[
        Memory, Field(description="Stop when about so many GiB are used."), Asked(page=1.0, page_most=64)
    ] = 1.0
    iterations: Annotated[
        int | None,
        Field(
            gt=0,
            le=MAX_ITERATIONS,
            title="Iterations",
            description="Stop each learning method after so many iterations, not by --time.",
        ),
        Asked(wanted=f"a whole number from 1 to {MAX_ITERATIONS}"),
    ] = None
    seed: Annotated[Seed | None, Field(title="Seed", description="Of methods that sample; 0 by default.")] = None
    informed: Annotated[
        Text | None,
        Field(
            title="Opponent is shown the board",
            description="Lemma 2: the opponent is shown the board before the player's move, one stone late: `every` "
            "turn, `every:K`, `once`, `once:K`, `never`. Literally, at White's turns of a set T: `T:all`, `T:1,3`.",
        ),
    ] = None

    def check(self) -> None:
        from ..core.game import known_game
        from ..solving.bounds import Schedule, board_of, demand_size
        from ..solving.bounds.lemma_two import Turns, informed_board

        known_game(self.game)
        if self.informed is None:
            return
        literal = self.informed.startswith("T:")
        try:
            (informed_board if literal else board_of)(self.game)
        except ValueError as error:
            raise WrongField("game", str(error)) from None
        if literal:
            Turns.parse(self.informed)
        else:
            Schedule.parse(self.informed)
            demand_size(self.game)

    def to_json(self) -> "Json":
        asked = {name: given for name, given in self.fields_json().items() if given is not None}
        return {"game": self.game} | asked | {"method": self.kind} | versions(self.game)


class PaperRequest(Request):
    """Reproduce the tables of a paper, its numbers beside ours. Some take hours; quick ones minutes."""

    command_name, tab, once = "paper", "Paper", True
    selecting: ClassVar[tuple[str, ...]] = ("only", "methods", "games", "score_games", "nodes")  # stored where given
    lacking = ("name", "quick", "race", "scale", "seed", "rules")
    kind: Literal["paper"] = "paper"
    name: Annotated[
        Text,
        Field(title="Table or figure", description="Which table or figure: see below."),
        Asked("paper", argument=True, hint=""),
    ]
    quick: Annotated[
        bool,
        Field(title="Quick: smaller numbers, some ten minutes", description="Ten minutes on two cores."),
        Asked(page=True),
    ] = False
    seeds: Annotated[
        int | None,
        Field(ge=1, title="Training seeds", description="Tables: training seeds for every cell (10; 3 if quick)."),
        Asked(wanted="at least 1", page_most=1e4, hint="Seeds per table cell; empty for the default."),
    ] = None
    race: Annotated[Race, Field(description="Tables: the race that the methods decide by.")] = DEFAULT_RACE
    scale: Annotated[
        float,
        Field(gt=0, title="Scale", description="Stored ones: multiply all numbers of games by this."),
        Asked(page_most=1e4, hint="All numbers of games are multiplied by this."),
    ] = 1.0
    seed: Seed = 1
    only: Annotated[
        Text | None,
        Field(title="Only these", description="Only these games (war,pig) or engines, where a part has a choice."),
        Asked(hint="Names with commas between them; empty for all."),
    ] = None
    methods: Annotated[
        Text | None,
        Field(title="Methods", description="Tables: these tuning methods, of plug-ins too, as in seeds,iterative."),
        Asked(hint="Names with commas between them; empty for the paper's."),
    ] = None
    games: Annotated[
        int | None,
        Field(ge=2, title="Games", description="Games of every training run (tables) or match (engines)."),
        Asked(wanted="at least 2", page_most=MANY, hint="Empty for the default of each game."),
    ] = None
    score_games: Annotated[
        int | None,
        Field(ge=2, title="Games of a score", description="Tables and section 5: fresh games of every score."),
        Asked(wanted="at least 2", page_most=MANY, hint="Empty for the default of each game."),
    ] = None
    nodes: Annotated[
        int | None,
        Field(ge=1, title="Nodes a move", description="Matches limited by nodes: nodes of both engines a move."),
        Asked(wanted="at least 1", page_most=1e9, hint="Empty for the default of the part."),
    ] = None

    def check(self) -> None:
        from ..stats.race import Race

        Race(self.race)

    def names(self, field: Literal["only", "methods"]) -> tuple[str, ...] | None:
        """Return the names that a field lists, each once; None if it is not given."""
        given: str | None = getattr(self, field)
        return None if given is None else tuple(dict.fromkeys(filter(None, map(str.strip, given.split(",")))))

    def to_json(self) -> "Json":
        left = {"name", *(field for field in self.selecting if getattr(self, field) is None)}
        asked = {key: value for key, value in self.fields_json().items() if key not in left}
        return {"game": self.name, "method": self.kind, **asked, "fogspiel": __version__}

    @classmethod
    def from_json(cls, ask: "Json") -> Self:
        return super().from_json(ask | {"name": ask["game"]})


class ExploitRequest(Request):
    """Measure a policy exactly: its score against best responses, and the decisions that cost most."""

    command_name, tab = "exploit", "Exploit"
    kind: Literal["exploit"] = "exploit"
    game: Annotated[GameName, Asked("game", argument=True, page="kuhn", hint="")]
    policy: Annotated[
        Player,
        Field(
            title="Policy",
            description="A name, a run, a certificate, a table (.json, .csv), answers (.jsonl), or FILE.py:FUNCTION.",
        ),
        Asked("agent", argument=True, page="uniform", hint=AGENT),
    ]
    second: Annotated[
        Player | None,
        Field(title="Policy of the second seat", description="The policy of the second seat, if it is another one."),
        Asked("agent", argument=True),
    ] = None
    worst: Annotated[
        int,
        Field(ge=0, title="Costly decisions", description="List so many of the most costly decisions."),
        Asked(wanted="0 or more", page=10, page_most=100),
    ] = 0
    missing: Annotated[
        Literal["refuse", "uniform"],
        Field(
            title="Where the policy has no answer", description="Where the policy has no answer: refuse, or uniform."
        ),
        Asked(hint=""),
    ] = "refuse"
    memory: Annotated[
        Memory, Field(description="The most memory that the game may take, in GiB."), Asked(page=2.0, page_most=16)
    ] = DEFAULT_MEMORY
    seed: Annotated[Seed, Field(description="For a policy that is drawn at random, as `fixed` is.")] = 1


class SampledExploitRequest(Request):
    """Bound the exploitability of an agent from below by fresh games of a best responder that searches."""

    command_name = "exploit --sampled"
    shown = ("nodes", "seed")
    kind: Literal["sampled-exploit"] = "sampled-exploit"
    game: Annotated[GameName, Asked("game", argument=True)]
    policy: Annotated[Player, Field(title="Policy"), Asked("agent", argument=True)]
    games: Annotated[int | None, Field(gt=0, title="Games")] = None
    seconds: Annotated[float | None, Field(gt=0, title="CPU seconds")] = None
    nodes: Annotated[int, Field(gt=0, le=10**9, title="Positions per decision")] = 100_000
    seed: Seed = 1

    def check(self) -> None:
        if (self.games is None) == (self.seconds is None):
            raise ValueError("give --games or --seconds, not both: one of them ends the games")


class DiagnoseRequest(Request):
    """Diagnose tuned players: who exploits them, what they forgot, whether they went in circles."""

    command_name, tab = "diagnose", "Diagnose"
    shown = ("games", "report_games", "pair_games", "seed")
    kind: Literal["diagnose"] = "diagnose"
    runs: Annotated[
        tuple[Text, ...],
        Field(min_length=1, title="Tuning runs", description="Tuning runs, finished or not."),
        Asked("tuned runs", argument=True, hint="One or more with blanks between them."),
    ]
    games: Annotated[
        int,
        Field(
            ge=MIN_EXPLOITER_GAMES,
            title="Training games of the exploiter",
            description="Training games of the exploiter of each run.",
        ),
        Asked(wanted=f"at least {MIN_EXPLOITER_GAMES}", page=100_000, page_most=1e7),
    ] = 400_000
    report_games: Annotated[
        int,
        Field(ge=1, title="Fresh games for the score", description="Fresh games that score the exploiter."),
        Asked(wanted="at least 1", page=20_000, page_most=1e7),
    ] = 20_000
    pair_games: Annotated[
        int,
        Field(
            ge=1, title="Games for each pair of checkpoints", description="Fresh games for each pair of checkpoints."
        ),
        Asked(wanted="at least 1", page=2_000, page_most=1e7),
    ] = 4_000
    seed: Seed = 1

    def to_json(self, game: str = "") -> "Json":
        """Return row 0 of the run, which is named after the game of the first tuning run."""
        return {"game": game, "method": self.kind, **self.fields_json(), **versions(game)}


class VerifyRequest(Request):
    """Check a certificate by the rules of the game alone, in exact arithmetic."""

    command_name, lacking = "verify", ("rules",)
    kind: Literal["verify"] = "verify"
    what: Annotated[
        Text,
        Field(title="Certificate", description="A certificate: its file, or whose it is."),
        Asked("certificate", argument=True),
    ]
    seconds: Annotated[
        float, Field(gt=0, title="CPU seconds", description="Refuse what takes more CPU seconds to check.")
    ] = 600.0
    size: Annotated[
        float, Field(gt=0, title="Size (MiB)", description="Refuse a larger file, in MiB."), Asked(option="max-mib")
    ] = 64.0
    memory: Annotated[Memory, Field(description="The most memory that the check may take, in GiB.")] = DEFAULT_MEMORY

    def find_certificate(self, store: Path) -> "Body":
        """Return the certificate of a file, of a stored run, or shipped with the package."""
        from ..solving.known_values import known_values
        from ..solving.proofs import read_certificate
        from .store import Store

        if Path(self.what).exists():
            return read_certificate(Path(self.what), self.size)
        if self.what.rpartition("-")[2].isdecimal() and store.exists():  # as the names of runs end
            from .kind import kind_of

            with Store.open(store, write=False) as runs:
                if self.what in runs.names():
                    run = runs.read(self.what)
                    found = kind_of(run).certificate(run)
                    if found is None:
                        raise ValueError(f"run {self.what} has no certificate: it must be a finished solution or proof")
                    return found
        known = known_values().get(self.what)
        if known is None or known.shipped is None:
            raise NotFound(
                f"there is no certificate {self.what!r}: name a file, a solved run, or a game of `fogspiel values`"
            )
        return read_certificate(known.shipped, self.size)

    def to_json(self, game: str = "", digest: str = "") -> "Json":
        """Return row 0 of the run: the game and the digest of the checked certificate."""
        row = {"game": game, "method": self.kind, **self.fields_json(), "digest": digest}
        return row | {"fogspiel": __version__}


def check_method(name: str) -> None:
    from ..tuning.methods import find_tune_method

    find_tune_method(name)


def check_race(name: str) -> None:
    from ..stats.race import Race

    Race(name)


def check_route(name: str) -> None:
    from ..solving.methods import find_solve_method

    find_solve_method(name)


# Checks of a text by its type of name; kinds of slices list more.
NAMED: dict[str, Callable[[str], None]] = {"method": check_method, "race": check_race, "route": check_route}
