"""Windows of one turn as arrays: the outcomes of the planner's tries and of the unseen answers.

A window is a turn of the planner and the opponent's answer. The opponent knows the planner's stones `own` and its own,
the world k; the planner knows the weights of the worlds. Infosets of the planner are sets of failed tries, numbered so
that a failed try leads to a later one; sequence s of infoset i tries cell[s] and leads to infoset down[s] if that is
illegal. If the stone stays the opponent answers with a cell d, and the planner picks a vector, which pays its entry for
the world k + d. An illegal answer reveals the stone to the opponent (more than it does in the phantom game).

`leaf[k, c, d]` is the number of the world k + d among those after stone c, or BARRED, or OPPONENT_WINS.
"""

import numpy as np

from ...core.compile.kernel import kernel
from ...games.boards.board import GOES_ON, ILLEGAL, WINS
from .beliefs import LOST, fate, perfect_outcome, permute

BARRED, OPPONENT_WINS = -1, -2
# Score of a try that fails, or is neither won with perfect information nor lost at once; a won one scores 1.
FAILS, SURVIVES = 0.5, 0.3
LOW = 1e-12


@kernel
def subset_ranks(cells, out):
    """Write the rank of each set of cells among the sets of its size."""
    counts = np.zeros(cells + 1, np.int64)
    for stones in range(1 << cells):
        size = 0
        for cell in range(cells):
            size += (stones >> cell) & 1
        out[stones] = counts[size]
        counts[size] += 1


@kernel
def pack(stones, own, cells):
    """Return the stones with the cells of `own` left out."""
    out, at = 0, 0
    for cell in range(cells):
        if not (own >> cell) & 1:
            out |= ((stones >> cell) & 1) << at
            at += 1
    return out


@kernel
def world_ranks(worlds, own, shift, ranks, out):
    """Write the rank of each world among all worlds beside the image of `own`, after a permutation of the cells."""
    image = permute(own, shift)
    for k in range(len(worlds)):
        out[k] = ranks[pack(permute(worlds[k], shift), image, len(shift))]


@kernel
def walk_answers(ground, player, own, worlds, cells, outcomes, leaf, free, after, count, seen):
    """Write the outcome of every try in every world, and the world after every answer.

    `after[c]` becomes the worlds after stone c, count[c] of them; `seen` is workspace, one number per set of cells, -1.
    """
    for k in range(len(worlds)):
        for c in range(cells):
            if not ((own | worlds[k]) >> c) & 1:
                free[k, 0] += 1
                free[k, free[k, 0]] = c
    for c in range(cells):
        count[c] = 0
        for k in range(len(worlds)):
            outcomes[k, c] = fate(ground, player, own, worlds[k], c)
            for d in range(cells):
                leaf[k, c, d] = BARRED
            if outcomes[k, c] != GOES_ON:
                continue
            for d in range(cells):
                answer = fate(ground, 1 - player, worlds[k], own | (1 << c), d)
                if answer == WINS:
                    leaf[k, c, d] = OPPONENT_WINS
                elif answer == GOES_ON:
                    world = worlds[k] | (1 << d)
                    if seen[world] < 0:
                        seen[world] = count[c]
                        after[c, count[c]] = world
                        count[c] += 1
                    leaf[k, c, d] = seen[world]
        for j in range(count[c]):
            seen[after[c, j]] = -1


@kernel
def judge_worlds(ground, player, own, worlds, keys, values, used, most, out):
    """Write each world's outcome with perfect information, the player to move; return False if the table is full."""
    for k in range(len(worlds)):
        if 2 * (used[0] + most) > len(keys):
            return False
        out[k] = perfect_outcome(ground, player, own, worlds[k], keys, values, used, most)
    return True


@kernel
def score_tries(ground, player, own, worlds, outcomes, leaf, cells, keys, values, used, most, out):
    """Write each try's score in each world, by the perfect-information game; return False if its table is full."""
    for k in range(len(worlds)):
        for c in range(cells):
            if outcomes[k, c] == WINS:
                out[k, c] = 1.0
            elif outcomes[k, c] == ILLEGAL:
                out[k, c] = FAILS
            else:
                if 2 * (used[0] + most) > len(keys):
                    return False
                lost = perfect_outcome(ground, 1 - player, worlds[k], own | (1 << c), keys, values, used, most) == LOST
                out[k, c] = 1.0 if lost else SURVIVES
                for d in range(cells):
                    if leaf[k, c, d] == OPPONENT_WINS:
                        out[k, c] = 0.0
    return True


@kernel
def build_infosets(worlds, weights, outcomes, scores, own, cells, width, failed, first, cell, down):
    """Number the planner's infosets and sequences, and return the size of both.

    Each infoset has the `width` most promising tries, or a dominating one alone. Return zero infosets without space.
    """
    infosets, sequences, at = 1, 0, 0
    failed[0] = 0
    first[0] = 0
    worth, wins, going = np.zeros(cells), np.zeros(cells, np.int64), np.zeros(cells, np.int64)
    begin = 0  # infosets come in layers, by the number of failed tries
    end = 1
    while begin < end:
        for i in range(begin, end):
            for c in range(cells):
                worth[c] = 0.0
                wins[c] = 0
                going[c] = 0
            for k in range(len(worlds)):
                if weights[k] <= 0.0:
                    continue
                inside = True
                for c in range(cells):
                    if (failed[i] >> c) & 1 and outcomes[k, c] != ILLEGAL:
                        inside = False
                if inside:
                    for c in range(cells):
                        worth[c] += weights[k] * scores[k, c]
                        wins[c] += outcomes[k, c] == WINS
                        going[c] += outcomes[k, c] == GOES_ON
            first[i] = sequences
            forced = -1
            for c in range(cells):
                if wins[c] > 0 and going[c] == 0 and not ((own | failed[i]) >> c) & 1:
                    forced = c
                    break
            taken = 0
            for _ in range(width if forced < 0 else 1):
                best = forced
                if forced < 0:
                    for c in range(cells):
                        if (taken >> c) & 1 or wins[c] + going[c] == 0:
                            continue
                        if best < 0 or worth[c] > worth[best] + LOW:
                            best = c
                if best < 0:
                    break
                taken |= 1 << best
            for c in range(cells):
                if not (taken >> c) & 1:
                    continue
                if sequences >= len(cell):
                    return 0, 0
                cell[sequences] = c
                down[sequences] = -1
                after = failed[i] | (1 << c)
                possible = False
                for k in range(len(worlds)):
                    if weights[k] > 0.0:
                        inside = True
                        for x in range(cells):
                            if (after >> x) & 1 and outcomes[k, x] != ILLEGAL:
                                inside = False
                        if inside:
                            possible = True
                            break
                if possible:
                    for j in range(end, infosets):
                        if failed[j] == after:
                            down[sequences] = j
                    if down[sequences] < 0:
                        if infosets + 1 >= len(failed):
                            return 0, 0
                        failed[infosets] = after
                        down[sequences] = infosets
                        infosets += 1
                sequences += 1
        begin = end
        end = infosets
        at = end
    first[at] = sequences
    return infosets, sequences
