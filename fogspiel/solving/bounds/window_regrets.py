"""Strategies in windows of one turn: their value in each world, and regret matching (CFR+) to find good ones.

A window is a turn of the planner and the opponent's answer. The opponent knows the planner's stones `own` and its own,
the world k; the planner knows the weights of the worlds. Infosets of the planner are sets of failed tries, numbered so
that a failed try leads to a later one; sequence s of infoset i tries cell[s] and leads to infoset down[s] if that is
illegal. If the stone stays the opponent answers with a cell d, and the planner picks a vector, which pays its entry for
the world k + d. An illegal answer reveals the stone to the opponent (more than it does in the phantom game).

`leaf[k, c, d]` is the number of the world k + d among those after stone c, or BARRED, or OPPONENT_WINS.
"""

from typing import NamedTuple

import numpy as np

from ...core.compile.kernel import in_place, inlined, kernel
from ...games.boards.board import GOES_ON, ILLEGAL, WINS

BARRED, OPPONENT_WINS = -1, -2
LOW = 1e-12


class Answers(NamedTuple):
    """Effects of tries and answers in each world; `free[k]` is the number of empty cells in world k, then the cells."""

    outcomes: np.ndarray
    leaf: np.ndarray
    free: np.ndarray


class Decisions(NamedTuple):
    """The planner's infosets: sequences first[i] .. first[i + 1] - 1, with cells and their successors if illegal."""

    first: np.ndarray
    cell: np.ndarray
    down: np.ndarray


class Vectors(NamedTuple):
    """A table for each stone c: entry l of row r is table[base[c] + r * wide[c] + l]."""

    base: np.ndarray
    wide: np.ndarray
    table: np.ndarray


class Setting(NamedTuple):
    """A window of one turn: the outcomes, the planner's decisions, and the vectors that continue it."""

    answers: Answers
    decisions: Decisions
    vectors: Vectors


class Plan(NamedTuple):
    """A strategy of the planner as reach probabilities of its own actions."""

    share: np.ndarray  # reach probability of each sequence
    picks: np.ndarray  # its vectors: sequence s continues with rows picks[s] of its stone's table
    shares: np.ndarray  # reach probability of each sequence with each of its vectors


class Sums(NamedTuple):
    """Sums of regret matching: sequences, sequences with their vectors, and the worlds after each sequence."""

    plan: np.ndarray
    plan_shares: np.ndarray
    beliefs: np.ndarray


@in_place
def visited(k, setting, out):
    outcomes, (first, cell, down) = setting.answers.outcomes, setting.decisions
    out[:] = False
    out[0] = True
    for i in range(len(first) - 1):
        if out[i]:
            for s in range(first[i], first[i + 1]):
                if down[s] >= 0 and outcomes[k, cell[s]] == ILLEGAL:
                    out[down[s]] = True


@inlined
def empty_cells(k, free):
    return free[k, 1 : free[k, 0] + 1]


@in_place
def match_regrets(regret, begin, end, out):
    """Write probabilities in proportion to positive regrets, uniform if there are none."""
    total = 0.0
    for s in range(begin, end):
        total += regret[s]
    for s in range(begin, end):
        out[s] = regret[s] / total if total > 0.0 else 1.0 / (end - begin)


@in_place
def answer_values(k, setting, plan, inside, value, live):
    """Write the planner's payoff in world k for each stone and answer, times the stone's probability; return its wins.

    `live` marks the stones with positive probability.
    """
    (outcomes, leaf, free), (first, cell, _), (base, wide, table) = setting
    share, picks, shares = plan
    empty = empty_cells(k, free)
    won = 0.0
    live[:] = False
    value[:] = 0.0
    for i in range(len(inside)):
        if not inside[i]:
            continue
        for s in range(first[i], first[i + 1]):
            c = cell[s]
            if share[s] <= 0.0:
                continue
            if outcomes[k, c] == WINS:
                won += share[s]
            elif outcomes[k, c] == GOES_ON:
                live[c] = True
                for j in range(picks.shape[1]):
                    weight = shares[s, j]
                    if weight > 0.0:
                        row = base[c] + picks[s, j] * wide[c]
                        for d in empty:
                            if leaf[k, c, d] >= 0:
                                value[c, d] += weight * table[row + leaf[k, c, d]]
    return won


@in_place
def worst_replies(k, answers, value, live, low):
    """Write the planner's least value after each stone, once the opponent has found it; -1 without a stone."""
    leaf, empty = answers.leaf, empty_cells(k, answers.free)
    for c in range(len(live)):
        low[c] = -1.0
        for d in empty:
            if live[c] and leaf[k, c, d] != BARRED and (low[c] < 0.0 or value[c, d] < low[c]):
                low[c] = value[c, d]  # it is 0 where the opponent wins


@kernel
def worst_answer(k, answers, value, live):
    """Return the planner's value after its stone in world k against a best-responding opponent."""
    leaf, cells = answers.leaf, len(live)
    low = np.zeros(cells)
    worst_replies(k, answers, value, live, low)
    worst = -1.0
    for d in empty_cells(k, answers.free):
        total, possible = 0.0, False
        for c in range(cells):
            if live[c]:
                possible = possible or leaf[k, c, d] != BARRED
                total += low[c] if leaf[k, c, d] == BARRED else value[c, d]
        if possible and (worst < 0.0 or total < worst):
            worst = total
    return worst if live.any() else 0.0


@kernel
def evaluate(setting, plan, out):
    """Write a strategy's guaranteed value in each world."""
    answers = setting.answers
    cells, inside = answers.outcomes.shape[1], np.zeros(len(setting.decisions.first) - 1, np.bool_)
    value, live = np.zeros((cells, cells)), np.zeros(cells, np.bool_)
    for k in range(len(out)):
        visited(k, setting, inside)
        won = answer_values(k, setting, plan, inside, value, live)
        out[k] = won + worst_answer(k, answers, value, live)


@in_place
def spread_shares(decisions, behaviour, choice, reach, share, shares):
    """Write the planner's reach probability of each sequence, and of its vectors."""
    first, _, down = decisions
    reach[:] = 0.0
    reach[0] = 1.0
    for i in range(len(reach)):
        for s in range(first[i], first[i + 1]):
            share[s] = reach[i] * behaviour[s]
            if down[s] >= 0:
                reach[down[s]] += share[s]
            for j in range(shares.shape[1]):
                shares[s, j] = share[s] * choice[s, j]


@kernel
def regret_matching(iterations, adversarial, weights, setting, picks, picked, sums):
    """Run CFR+ on a window: sum the planner's plans, and the weights of the worlds after each sequence.

    `picks[s]` are the candidates of sequence s, picked[s] of them; `adversarial` lets the opponent choose the weights.
    Iteration t has weight t, as in CFR+:

    1. all strategies from their regrets: the planner's tries and vectors, the world where the opponent chooses it;
    2. for each world with a weight:
       a. for each stone, the opponent's reply after finding it by a failed answer: regrets and value;
       b. its first answer, which it gives not knowing the stone: regrets and value;
       c. the probability of each answer after each stone, from both;
       d. the value of that to each of the planner's vectors, weighted by the world;
    3. the regrets of the worlds, then those of the planner from its last infosets to its first.
    """
    (outcomes, leaf, free), (first, cell, down), (base, wide, table) = setting
    plan, plan_shares, beliefs = sums
    infosets, cells = len(first) - 1, outcomes.shape[1]
    worlds, sequences, most = len(weights), len(cell), picks.shape[1]
    regret, behaviour, share = np.zeros(sequences), np.zeros(sequences), np.zeros(sequences)
    leaf_regret, choice, shares = np.zeros((sequences, most)), np.zeros((sequences, most)), np.zeros((sequences, most))
    first_regret, first_share = np.zeros((worlds, cells)), np.zeros(cells)
    reply_regret, reply_share = np.zeros((worlds, cells, cells)), np.zeros((cells, cells))
    world_regret = np.zeros(worlds)
    belief = weights.copy()
    reach = np.zeros(infosets)
    inside = np.zeros((worlds, infosets), np.bool_)
    value, chance = np.zeros((cells, cells)), np.zeros((cells, cells))
    live = np.zeros(cells, np.bool_)
    low, total, gain = np.zeros(cells), np.zeros(cells), np.zeros(worlds)
    worth, worth_leaf, worth_infoset = np.zeros(sequences), np.zeros((sequences, most)), np.zeros(infosets)
    for k in range(worlds):
        if weights[k] > 0.0:
            visited(k, setting, inside[k])
    for t in range(1, iterations + 1):
        # 1. The strategies of this iteration; sums of values start at zero.
        for i in range(infosets):
            match_regrets(regret, first[i], first[i + 1], behaviour)
        for s in range(sequences):
            match_regrets(leaf_regret[s], 0, picked[s], choice[s])
        worth[:] = 0.0
        worth_leaf[:] = 0.0
        spread_shares(setting.decisions, behaviour, choice, reach, share, shares)
        if adversarial:
            match_regrets(world_regret, 0, worlds, belief)
        for s in range(sequences):
            plan[s] += t * share[s]
            for j in range(picked[s]):
                plan_shares[s, j] += t * shares[s, j]
        # 2. The opponent sees the world, so each world has separate answers; the planner's values are summed over all
        # worlds.
        mean_gain = 0.0
        for k in range(worlds):
            if weights[k] <= 0.0:
                continue
            empty = empty_cells(k, free)
            won = answer_values(k, setting, Plan(share, picks, shares), inside[k], value, live)
            # a. The reply to a stone that it has found: a win if there is one, which needs no regrets.
            for c in range(cells):
                low[c] = 0.0
                if outcomes[k, c] != GOES_ON:
                    continue
                plus, options, wins = 0.0, 0, -1
                for d in empty:
                    reply_share[c, d] = 0.0
                    if leaf[k, c, d] == OPPONENT_WINS:
                        wins = d
                    elif leaf[k, c, d] >= 0:
                        plus += reply_regret[k, c, d]
                        options += 1
                if wins >= 0:
                    reply_share[c, wins] = 1.0
                    continue
                for d in empty:
                    if leaf[k, c, d] >= 0:
                        reply_share[c, d] = reply_regret[k, c, d] / plus if plus > 0.0 else 1.0 / options
                        low[c] += reply_share[c, d] * value[c, d]
                for d in empty:
                    if leaf[k, c, d] >= 0:
                        reply_regret[k, c, d] = max(reply_regret[k, c, d] + low[c] - value[c, d], 0.0)
            # b. Its first answer: the reply follows where that is barred; `total` stays -1 if every live stone bars it.
            plus, options = 0.0, 0
            for d in empty:
                total[d] = -1.0
                for c in range(cells):
                    if live[c] and leaf[k, c, d] != BARRED:
                        total[d] = 0.0
                if total[d] == 0.0:
                    for c in range(cells):
                        if live[c]:
                            total[d] += low[c] if leaf[k, c, d] == BARRED else value[c, d]
                    plus += first_regret[k, d]
                    options += 1
            expected = 0.0
            for d in empty:
                first_share[d] = 0.0
                if total[d] >= 0.0:
                    first_share[d] = first_regret[k, d] / plus if plus > 0.0 else 1.0 / options
                    expected += first_share[d] * total[d]
            for d in empty:
                if total[d] >= 0.0:
                    first_regret[k, d] = max(first_regret[k, d] + expected - total[d], 0.0)
            gain[k] = won + expected
            mean_gain += belief[k] * gain[k]
            # c. An answer is given at once, or as the reply after the stone was found.
            for c in range(cells):
                if outcomes[k, c] == GOES_ON:
                    found = 0.0
                    for d in empty:
                        if leaf[k, c, d] == BARRED:
                            found += first_share[d]
                    for d in empty:
                        chance[c, d] = found * reply_share[c, d]
                        if leaf[k, c, d] != BARRED:
                            chance[c, d] += first_share[d]
            # d. The planner: the value of each vector of each sequence in this world.
            weight = belief[k]
            if weight <= 0.0:
                continue
            for i in range(infosets):
                if not inside[k, i]:
                    continue
                for s in range(first[i], first[i + 1]):
                    c = cell[s]
                    if outcomes[k, c] == WINS:
                        worth[s] += weight
                    elif outcomes[k, c] == GOES_ON:
                        for d in empty:
                            if leaf[k, c, d] >= 0 and chance[c, d] > 0.0:
                                at = leaf[k, c, d]
                                beliefs[s, at] += t * weight * chance[c, d]
                                for j in range(picked[s]):
                                    entry = table[base[c] + picks[s, j] * wide[c] + at]
                                    worth_leaf[s, j] += weight * chance[c, d] * entry
        # 3. Regrets. The value of an infoset is that of its tries, one of which leads to a later infoset where it is
        # illegal.
        if adversarial:
            for k in range(worlds):
                if weights[k] > 0.0:
                    world_regret[k] = max(world_regret[k] + mean_gain - gain[k], 0.0)
        for i in range(infosets - 1, -1, -1):
            worth_infoset[i] = 0.0
            for s in range(first[i], first[i + 1]):
                of_leaf = 0.0
                for j in range(picked[s]):
                    of_leaf += choice[s, j] * worth_leaf[s, j]
                for j in range(picked[s]):
                    leaf_regret[s, j] = max(leaf_regret[s, j] + worth_leaf[s, j] - of_leaf, 0.0)
                worth[s] += of_leaf
                if down[s] >= 0:
                    worth[s] += worth_infoset[down[s]]
                worth_infoset[i] += behaviour[s] * worth[s]
            for s in range(first[i], first[i + 1]):
                regret[s] = max(regret[s] + worth[s] - worth_infoset[i], 0.0)


@kernel
def best_rows(cell, vectors, rows, beliefs, out):
    """Write for each sequence its stone's best vector for the weights of the worlds after it."""
    base, wide, table = vectors
    for s in range(len(cell)):
        c = cell[s]
        out[s] = 0
        best = -1.0
        for r in range(rows[c]):
            total = 0.0
            for at in range(wide[c]):
                if beliefs[s, at] > 0.0:
                    total += beliefs[s, at] * table[base[c] + r * wide[c] + at]
            if total > best + LOW:
                best = total
                out[s] = r


@kernel
def round_row(weights, least, shares, out):
    """Write weights as integers that sum to `shares`, those below the fraction `least` of the total left out."""
    total, most, kept = 0.0, 0.0, 0.0
    for j in range(len(weights)):
        total += weights[j]
        most = max(most, weights[j])
    for j in range(len(weights)):
        out[j] = 0
        if weights[j] >= min(least * total, most):
            kept += weights[j]
    if total <= 0.0:
        if len(out):
            out[0] = shares
        return
    left = shares
    for j in range(len(weights)):
        if weights[j] >= min(least * total, most):
            out[j] = np.int64(weights[j] / kept * shares)
            left -= out[j]
    while left > 0:  # the largest remainders are rounded up
        best, gap = 0, -1.0
        for j in range(len(weights)):
            if weights[j] >= min(least * total, most) and weights[j] / kept * shares - out[j] > gap:
                best, gap = j, weights[j] / kept * shares - out[j]
        out[best] += 1
        left -= 1


@kernel
def round_shares(first, plan, plan_shares, least, shares, behaviour, choice):
    """Write the behaviour of a plan and its choices of vectors as integers that sum to `shares`."""
    for i in range(len(first) - 1):
        round_row(plan[first[i] : first[i + 1]], least, shares, behaviour[first[i] : first[i + 1]])
    for s in range(len(plan)):
        round_row(plan_shares[s], least, shares, choice[s])
