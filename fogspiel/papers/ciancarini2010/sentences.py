"""Sentences and figures of Ciancarini & Favini (2010) that a calculation decides, and those that nothing here can.

Matches decide the claims on strength (`paper kriegspiel`). Here are the constants of the model, the
backup operators of figures 6 and 8, the boards of approach A, and the arithmetic of Elo.
"""

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from ...core.rng import stream_of
from ...games.chess.bitboards import BISHOP, KING, KNIGHT, PAWN, QUEEN, ROOK
from ...games.chess.fen import START, position_of
from ...games.chess.position import MEN, POSITION
from ...kriegspiel.beliefs.consistent_boards import AT_FIRST
from ...kriegspiel.beliefs.matrix_motion import predict_quiet_move
from ...kriegspiel.beliefs.probability_matrices import KNOWN, new_record, place_at_home
from ...kriegspiel.engine import SearchLimit, find_engine
from ...kriegspiel.engines.mcts import PerceptionEngine
from ...kriegspiel.referee import Referee, play_game
from ...kriegspiel.search.approach_a import A_FILE, draw_board
from ...kriegspiel.search.perception_search import NO_CHILD, PerceptionTree
from ...runs.report import Report
from ...stats.evaluate import elo_of, score_of
from ..claims import NOTE, Claim, Clause, Evidence, claim_table, exact, fact, missing
from ..kinds import Computation, Options, Say
from .abstract_model import FITTED_C

BOARDS, QUIET_MOVES = 1000, 12  # random boards of A, and the moves without a capture before them
SEARCHED = 400  # nodes or simulations of the trees whose backups are checked
ABOUT = 20  # Elo within which a rounded sentence counts as true; ours
PLUG_IN = "tested by the plug-in folder benchmarks/plugins of the repository"
PEOPLE, PICTURE = "needs people on a chess server", "the paper shows it as a picture only"


def impossible_boards(files: bool) -> int:
    """Count random boards with a doubled pawn after quiet moves, in which no pawn can have changed its file."""
    pos, known, prob = position_of(START), new_record(KNOWN), np.zeros((3, 64), np.float32)
    known.men[:], known.own = pos[: KING + 1] & pos[MEN], pos[MEN]
    place_at_home(prob, known, 0)
    parameters, even = FITTED_C[0].matrices.record, np.ones((3, 64), np.float32)
    for _ in range(QUIET_MOVES):
        predict_quiet_move(prob, known, even, False, parameters)
    board, stream, found = np.empty(POSITION, np.int64), stream_of(1), 0
    for _ in range(BOARDS):
        draw_board(prob, known, 0, board, files, stream)
        theirs = int(board[PAWN]) & ~int(board[MEN])
        found += any((theirs & int(A_FILE) << file).bit_count() > 1 for file in range(8))
    return found


def grown_tree(name: str) -> PerceptionTree:
    """Return the tree of an engine's first move."""
    engine, other = (find_engine(one)(SearchLimit(nodes=SEARCHED), stream_of(1)) for one in (name, "random"))
    play_game((engine, other), Referee(), 1)
    assert isinstance(engine, PerceptionEngine)
    return engine.trees[0]


def maxima(tree: PerceptionTree) -> tuple[int, int]:
    """Return how many nodes have the value of their best attempt, and how many there are."""
    nodes = [node for node in tree.nodes[: tree.used[0]] if node["listed"]]
    best = [tree.attempts["value"][node["first"] : node["first"] + node["listed"]].max() for node in nodes]
    return sum(node["value"] == most for node, most in zip(nodes, best, strict=True)), len(nodes)


def means(tree: PerceptionTree) -> tuple[int, int]:
    """Return how many selected attempts have the mean of their simulations as value, and how many there are.

    The sum of an attempt's outcomes is that of the attempts below it and of one simulation from each new node, which
    ends with a whole number of men.
    """

    def summed(node: int) -> float:
        rows = slice(first := int(tree.nodes[node]["first"]), first + int(tree.nodes[node]["listed"]))
        return float(tree.attempts["visits"][rows].astype(np.float64) @ tree.attempts["value"][rows])

    selected = [attempt for attempt in tree.attempts[: tree.used[1]] if attempt["branch"] != NO_CHILD]
    right = 0
    for attempt in selected:
        children = [child for child in tree.branches[attempt["branch"]]["child"] if child != NO_CHILD]
        first = float(attempt["visits"]) * float(attempt["value"]) - sum(map(summed, children))
        right += abs(first - round(first)) < 0.01  # single precision
    return right, len(selected)


def share(counts: tuple[int, int]) -> Clause:
    return Clause("", exact(Fraction(*counts), f"{counts[0]:,} of {counts[1]:,}"), least=1)


def model_claims() -> Iterator[Claim]:
    """Yield the claims on the boards of A, the constants of the model, and the backup operators."""
    pieces = int(AT_FIRST[KNIGHT:KING].sum())
    lines = [Fraction(int(AT_FIRST[one] + AT_FIRST[QUEEN]), pieces) for one in (ROOK, BISHOP)]
    limited, anywhere = (impossible_boards(files) for files in (True, False))
    drawn = f"{BOARDS:,} boards after {QUIET_MOVES} quiet moves"
    yield Claim(
        "5.1", "The board generator knows how many pawns can be on each file", f"A:paper, {drawn}",
        (Clause("", exact(limited, f"{limited} with a doubled pawn"), most=0),),
    )  # fmt: skip
    yield Claim(
        "5.1", "Boards with an impossible doubled pawn without that", f"A:anywhere, {drawn}",
        (fact("", True, f"{anywhere} of {BOARDS:,}"),), ours=True,
    )  # fmt: skip
    printed = FITTED_C[0].matrices
    yield Claim(
        "5.2", "At most 3 of the 7 pieces attack along any one direction (c1), 2 by a knight's move",
        "starting set, model of C:paper",
        (Clause("lines", exact(max(lines)), least=Fraction(3, 7), most=Fraction(3, 7)),
         fact("the model's constants", (printed.line_share, printed.knight_share) == (3 / 7, 2 / 7), "3/7 and 2/7")),
        "3/7",
    )  # fmt: skip
    yield Claim(
        "5.2, figure 6", "The outcome of a simulation is backed up as a mean", f"B3:paper, {SEARCHED} simulations",
        (share(means(grown_tree("B3:paper"))),), note="attempts whose value is the mean below them",
    )  # fmt: skip
    yield Claim(
        "5.3, figure 8", "The backup operator is the maximum", f"C:paper, {SEARCHED} nodes",
        (share(maxima(grown_tree("C:paper"))),), note="nodes with the value of their best attempt",
    )  # fmt: skip


def between(low: float, high: float, text: str) -> Evidence:
    """Return a quantity computed from rounded figures."""
    return Evidence(lambda error: (low, high), text, False)


def elo_claims() -> Iterator[Claim]:
    """Yield the arithmetic of sections 6.1 and 6.2, the printed scores taken with their rounding."""
    expected = [score_of(elo) for elo in (200, 400)]
    yield Claim(
        "6.1", "200 Elo correspond to an expected result of about 0.75, 400 to about 0.9", "the Elo formula",
        tuple(Clause(f"{elo} Elo", exact(score, f"{score:.3f}"), least=about - 0.015, most=about + 0.015)
              for elo, score, about in zip((200, 400), expected, (0.75, 0.9), strict=True)), "0.75, 0.9",
    )  # fmt: skip
    (c_low, c_high), (old_low, old_high) = (
        [elo_of(score + sign * 0.005) for sign in (-1, 1)] for score in (0.26, 0.17)
    )
    gap, left = elo_of(0.26) - elo_of(0.17), -elo_of(0.26)
    for sentence, low, high, found, about in (
        ("0.26 and 0.17 are a gap of about 100 Elo", c_low - old_high, c_high - old_low, gap, 100),
        ("200 more are to be gained on equal terms", -c_high, -c_low, left, 200),
    ):
        evidence = between(low, high, f"{found:.0f}, by rounding {low:.0f} to {high:.0f}")
        clause = Clause("", evidence, least=about - ABOUT, most=about + ABOUT)
        note = f"about: within {ABOUT}, a limit of ours"
        yield Claim("6.2", sentence, "the paper's own scores", (clause,), str(about), note)


OPEN = (
    ("5", "About 12,000 games of people were counted", "their records are not published", "12,000"),
    ("5, figure 4", "Ten moves into the game, this player's knights are inferred with high probability",
     "their records are not published; kriegspiel model draws it for others", ""),
    ("5.1", "Boards without protection, random replies and playouts without progress hold A back", PLUG_IN, ""),
    ("5.3, figure 9", "The weighed average of Rg1 is 0.047", PICTURE, "0.047"),
    ("6.1", "The minimax program has about 1600 Elo", PEOPLE, "1600"),
    ("6.1", "The lower c of C has only a small beneficial value", "not run: the c of B is not fitted", ""),
    ("6.1", "More time than 1 to 2 seconds does not improve the minimax program", "not run", ""),
    ("7", "The simulated messages are inaccurate", PLUG_IN, ""),
    ("7", "A hybrid of B and C, or progressive strategies, would be stronger", PLUG_IN, ""),
    ("6.2", "C won the tournament of 2009 with a perfect score", "needs the other programs", ""),
)  # fmt: skip


def claims(options: Options, say: Say) -> list[Claim]:
    say("boards of A, trees of B and C")
    unknown = [
        Claim(section, sentence, "the paper's programs", (Clause("", missing(why)),), figure)
        for section, sentence, why, figure in OPEN
    ]
    return [*model_claims(), *elo_claims(), *unknown]


def compute(options: Options, say: Say) -> Report:
    title, command = "Sentences of the Kriegspiel paper", "fogspiel paper sentences"
    return Report("sentences", title, command, (NOTE,), (claim_table(claims(options, say), "Sentences and figures"),))


EXPERIMENTS = (Computation("sentences", "Ciancarini & Favini 2010", compute, place=6, claims=claims),)
