"""Tune the weights of an endgame against a lone king: `python benchmarks/kriegspiel_endings_tuning.py KBN`.

CMA-ES (the package `cma`) starts from the shipped weights. In each generation all candidates play the same random
positions against the best defence; the next generation gets others. Every few generations the script prints the mates
of the mean of the candidates on held-out positions, and at the end its weights.

The games run in one kernel, without a referee: hundreds per second instead of a few. The rules and the belief are those
of `LoneKingPlayer`, the defence that of `kriegspiel_endings.py`. A pawn promoted to a queen or a rook counts as mate.
"""

import argparse

import numpy as np

from fogspiel.core.compile.kernel import kernel, ones, trailing_zeros
from fogspiel.core.rng import random_below, random_unit, split
from fogspiel.games.chess import bitboards
from fogspiel.games.chess.bitboards import BISHOP, KINDS, KING, KNIGHT, PAWN, QUEEN, ROOK, around, bit, union
from fogspiel.games.chess.moves import MAX_MOVES
from fogspiel.games.chess.position import promotion_of
from fogspiel.kriegspiel.endings import NOISE
from fogspiel.kriegspiel.endings.search import MATED, PARTS, REFUSED, SILENT, STALEMATED, hear, list_own_moves, sight
from fogspiel.kriegspiel.endings.tablebase import (
    NO_MATE,
    begin_belief,
    endgame_table,
    let_reply,
    placement_of,
    restrict_belief,
)
from fogspiel.kriegspiel.endings.values import (
    FIFTY,
    LOOP,
    TOO_OFTEN,
    WEIGHTS,
    EndingWeights,
    empty_scratch,
    value_attempt,
)

ENDINGS = {"KQ": (QUEEN,), "KR": (ROOK,), "KP": (PAWN,), "KBB": (BISHOP, BISHOP), "KBN": (BISHOP, KNIGHT)}
MIN_STEP = 0.2
"""Lower bound of a weight's unit, which is half of the weight."""
WORST, AHEAD = EndingWeights._fields.index("worst"), EndingWeights._fields.index("ahead")
"""Indices of the weights that are shares, from 0 to 1."""
MATE, FIFTY_MOVES, STALEMATE, MAN_LOST = 0, 1, 2, 3
ENDS = 4
"""Number of results of an endgame."""
HURRY = 0.003
"""Deduction from the score of a mate for each own move."""
HELD_OUT = 1_000_000
"""Seed of the positions on which the mean is measured."""
SHOW = 5


@kernel
def draw(kinds, table, stream, men):
    """Place own pieces and a king at random with a forced mate under perfect information; return the king's square."""
    while True:
        own = np.int64(0)
        for kind in range(KINDS):
            men[kind] = 0
        for man in range(len(kinds) + 1):
            kind = KING if man == 0 else kinds[man - 1]
            square = 8 + random_below(stream, 40) if kind == PAWN else random_below(stream, 64)
            men[kind] |= bit(square)
            own |= bit(square)
        lone = random_below(stream, 64)
        if ones(own) == len(kinds) + 1 and not own >> lone & 1 and table[placement_of(men), lone] != NO_MATE:
            return lone


@kernel
def defend_by_table(square, own, free, table, number, stream):
    """Return the best move of a king that sees everything and cannot capture; ties at random."""
    replies = bitboards.KING_ATTACKS[square] & free
    best, farthest, equals = -1, -1, 0
    while replies:
        end = trailing_zeros(replies)
        replies &= replies - 1
        far = np.int64(table[number, end])
        if far > farthest:
            best, farthest, equals = end, far, 1
        elif far == farthest:
            equals += 1
            if random_below(stream, equals) == 0:
                best = end
    return best


@kernel
def play_ending(kinds, table, weights, stream):
    """Play a random endgame; return its result and the number of own moves."""
    men, here = np.zeros(KINDS, np.int64), np.empty(PARTS, np.int64)
    scratch, further = empty_scratch(), empty_scratch()
    moves, belief = np.empty(MAX_MOVES, np.int64), np.empty(64)
    values, stood = np.empty(MAX_MOVES), np.empty(FIFTY + 1, np.int64)
    lone = draw(kinds, table, stream, men)
    kings = ~(sight(men, union(men), scratch.lines) | union(men))
    begin_belief(belief, kings, men, table)
    left, made, stands = FIFTY, 0, 0
    refused = np.zeros(MAX_MOVES, np.bool_)
    listed = list_own_moves(men, moves)
    while left > 0:
        for i in range(listed):
            values[i] = value_attempt(men, kings, belief, moves[i], table, weights, scratch, further)
        best = -1
        for i in range(listed):
            if refused[i]:
                continue
            hear(men, kings, moves[i], scratch.after, scratch.lines, here)
            again, number = 0, placement_of(scratch.after)
            for j in range(stands):
                again += stood[j] == number
            values[i] += NOISE * random_unit(stream) - weights.again * again - LOOP * (again >= TOO_OFTEN)
            if best < 0 or values[i] > values[best]:
                best = i
        if best < 0:
            return STALEMATE, made
        action = moves[best]
        free = hear(men, kings, action, scratch.after, scratch.lines, here)
        if here[REFUSED] >> lone & 1:
            refused[best] = True
            kings = here[REFUSED]
            restrict_belief(belief, kings)
            continue
        made += 1
        left -= 1
        if men[PAWN] != scratch.after[PAWN]:
            left, stands = FIFTY, 0
        own, number = union(scratch.after), placement_of(scratch.after)
        if here[MATED] >> lone & 1:
            return MATE, made
        if here[STALEMATED] >> lone & 1:
            return STALEMATE, made
        if bitboards.KING_ATTACKS[lone] & free & own:
            return MAN_LOST, made
        if promotion_of(action):
            return MATE, made
        part = SILENT
        while not here[part] >> lone & 1:
            part += 1
        let_reply(belief, here[part], scratch.after, table)
        kings = around(here[part]) & free & ~own
        restrict_belief(belief, kings)
        lone = defend_by_table(lone, own, free, table, number, stream)
        for kind in range(KINDS):
            men[kind] = scratch.after[kind]
        stood[stands] = number
        stands += 1
        listed = list_own_moves(men, moves)
        for i in range(listed):
            refused[i] = False
    return FIFTY_MOVES, made


@kernel
def play_endings(kinds, table, weights, seed, games, endings):
    """Play random endgames and count their results; return the share of mates, less the deduction for moves."""
    stream, score = np.empty(1, np.uint64), 0.0
    for game in range(games):
        stream[0] = split(np.uint64(seed), game)
        ending, made = play_ending(kinds, table, weights, stream)
        endings[ending] += 1
        if ending == MATE:
            score += 1.0 - HURRY * made
    return score / games


def play(kinds: tuple[int, ...], weights: np.ndarray, seed: int, games: int) -> tuple[float, np.ndarray]:
    endings = np.zeros(ENDS, np.int64)
    table = endgame_table(*kinds).to_mate
    score = play_endings(np.array(kinds, np.int64), table, EndingWeights(*weights.tolist()), seed, games, endings)
    return float(score), endings


def main() -> None:
    import cma

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("men", choices=ENDINGS)
    parser.add_argument("--generations", type=int, default=30)
    parser.add_argument("--candidates", type=int, default=16)
    parser.add_argument("--positions", type=int, default=300)
    parser.add_argument("--sigma", type=float, default=0.4)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    kinds = ENDINGS[asked.men]
    start = np.array(WEIGHTS[kinds])
    unit = np.maximum(np.abs(start) / 2, MIN_STEP)
    if start[AHEAD] == 0:  # looking ahead takes some ten times as long, so it is not introduced here
        unit[AHEAD] = 0

    def weights_at(point: np.ndarray) -> np.ndarray:
        weights = start + unit * point
        weights[[WORST, AHEAD]] = np.clip(weights[[WORST, AHEAD]], 0.0, 1.0)
        return weights

    options = {"popsize": asked.candidates, "seed": asked.seed, "verbose": -9}
    strategy = cma.CMAEvolutionStrategy(np.zeros(len(start)), asked.sigma, options)
    for generation in range(asked.generations):
        points = strategy.ask()
        seed = HELD_OUT * (asked.seed + 1) + generation
        strategy.tell(points, [-play(kinds, weights_at(point), seed, asked.positions)[0] for point in points])
        if (generation + 1) % SHOW == 0:
            endings = play(kinds, weights_at(strategy.result.xfavorite), HELD_OUT, 1000)[1]
            print(f"generation {generation + 1}: {endings[MATE]} mates in 1000", flush=True)
    print(", ".join(f"{weight:.3f}" for weight in weights_at(strategy.result.xfavorite)))


if __name__ == "__main__":
    main()
