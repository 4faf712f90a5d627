"""The best response to a mixture: a depth-first search over own tries that carries along the possible worlds.

A world is one possible course of the opponent: its last entry in the mixture's tree, and its stones. All its weight is
in the entry. Half points are the responder's.

    search_reply        the stack of own tries; a frame is a course with its worlds
      offered_cells     the candidate cells
      order_cells       their order: those of the own mixture, then by a heuristic
      expand            a try in all worlds, and the opponent's answers
        answer          the opponent's turn in one world
    complete            the response at courses that the mixture never reaches

A try is pruned when even winning every game that may still be won would not beat the best one; a frame has a lower
bound, its bar, that it must exceed for the same reason.
"""

from typing import NamedTuple

import numpy as np

from ....core.compile.kernel import inlined, kernel, ones
from .tables import NONE, Mixture, PhantomTables

# Heuristic scores: a cell that wins, or blocks a line of known stones, outranks any number of threats.
WINNING, BLOCKING = 300.0, 100.0
MAX_WORLDS = 1 << 21


class Workspace(NamedTuple):
    place: np.ndarray  # of a world: its entry and outcome in the tree, as one number
    stones: np.ndarray
    weight: np.ndarray
    tag: np.ndarray  # the outcome by which the responder comes to the world
    frames: np.ndarray  # a row for each own try: see the columns below
    order: np.ndarray
    limits: np.ndarray  # for each frame and outcome of the current try: half points that its worlds may still bring
    values: np.ndarray  # for each frame: see the columns below
    tried: np.ndarray  # for each frame: the plan with the current try
    best: np.ndarray  # for each frame: the best plan
    top: np.ndarray  # the first free world, and whether the workspace sufficed


COURSE, OWN, KNOWN, BEGIN, END, KEPT, TRIES, NUMBER, COUNT, STAGE, GUIDE, ENTRY, FOUND = range(13)
GAINED, REST, BEST, BAR = range(4)


@inlined
def rule_of_thumb(setting, player, own, known, cell):
    if setting.winning[player, own] >> cell & 1:
        return WINNING
    blocks = BLOCKING if setting.winning[1 - player, known] >> cell & 1 else 0.0
    return blocks + ones(setting.winning[player, own | 1 << cell] & ~(own | known))


@inlined
def entry_of(mixture, node, cell):
    if node != NONE:
        for entry in range(mixture.first[node], mixture.first[node] + mixture.entries[node]):
            if mixture.cell[entry] == cell:
                return entry
    return NONE


@kernel
def offered_cells(setting, player, room, begin, end, own, known):
    """Return the candidate cells (bits).

    Where failures are free and secret, a cell occupied in all worlds is excluded, and one that wins comes first.
    """
    if setting.abrupt or setting.counted:
        return setting.full & ~(own | known)
    taken = setting.full
    for w in range(begin, end):
        taken &= room.stones[w]
    wins = setting.winning[player, own] & ~(known | taken)
    return wins & -wins if wins else setting.full & ~(own | known | taken)


@kernel
def order_cells(setting, player, guide, node, own, known, kept, offered, order):
    """List the offered cells, one per symmetry class, the likeliest first; return their number."""
    count = 0
    looks = np.empty(setting.cells)
    for cell in range(setting.cells):
        if not offered >> cell & 1 or not setting.least[kept, cell]:
            continue
        entry = entry_of(guide, node, cell)
        look = rule_of_thumb(setting, player, own, known, cell)
        if entry != NONE:
            look += 1e6 * guide.weight[entry] + 1e3
        spot = count
        while spot > 0 and looks[spot - 1] < look:
            looks[spot], order[spot] = looks[spot - 1], order[spot - 1]
            spot -= 1
        looks[spot], order[spot] = look, cell
        count += 1
    return count


@kernel
def answer(setting, player, theirs, room, start, stones, own, tag):
    """Play the opponent's turn from the entry `start` with its stones: add worlds; return the half points of draws."""
    outcomes = theirs.child.shape[1]
    nodes, tries = np.empty(64, np.int64), np.empty(64, np.int64)
    nodes[0], tries[0] = theirs.child[start // outcomes, start % outcomes], 1
    waiting, drawn = 1, 0.0
    while waiting > 0:
        waiting -= 1
        node, number = nodes[waiting], tries[waiting]
        for entry in range(theirs.first[node], theirs.first[node] + theirs.entries[node]):
            cell = theirs.cell[entry]
            after, outcome = stones, 0
            if own >> cell & 1:
                if not setting.abrupt:
                    nodes[waiting], tries[waiting] = theirs.child[entry, 0], number + 1
                    waiting += 1
                    continue
            else:
                if setting.winning[1 - player, stones] >> cell & 1:
                    continue
                after, outcome = stones | 1 << cell, 1
                if after | own == setting.full:
                    drawn += theirs.weight[entry]
                    continue
            top = room.top[0]
            if top == len(room.place):
                room.top[1] = 0
                return drawn
            room.place[top] = entry * outcomes + (0 if setting.counted else outcome)
            room.stones[top], room.weight[top] = after, theirs.weight[entry]
            room.tag[top] = number if setting.counted and tag > 0 else tag
            room.top[0] += 1
    return drawn


@kernel
def expand(setting, player, theirs, room, depth, cell):
    """Try a cell in all worlds of a frame: append the successors; return the half points of games that end."""
    own, tries = room.frames[depth, OWN], room.frames[depth, TRIES] + 1
    bit = 1 << cell
    wins = setting.winning[player, own] & bit != 0
    room.top[0] = room.frames[depth, END]
    gained = 0.0
    for w in range(room.frames[depth, BEGIN], room.frames[depth, END]):
        stones, start = room.stones[w], room.place[w]
        if setting.counted:
            start += tries
        if stones & bit:
            if setting.abrupt:
                gained += answer(setting, player, theirs, room, start, stones, own, 0)
            else:
                top = room.top[0]
                if top == len(room.place):
                    room.top[1] = 0
                    return gained
                room.place[top], room.stones[top], room.weight[top] = room.place[w], stones, room.weight[w]
                room.tag[top] = 0
                room.top[0] += 1
        elif wins:
            gained += 2.0 * room.weight[w]
        elif stones | own | bit == setting.full:
            gained += room.weight[w]
        else:
            gained += answer(setting, player, theirs, room, start, stones, own | bit, 1)
    return gained


@inlined
def enter(setting, player, guide, room, depth, course, own, known, begin, end, kept, tries, node, bar):
    frames = room.frames
    frames[depth, COURSE], frames[depth, OWN], frames[depth, KNOWN] = course, own, known
    frames[depth, BEGIN], frames[depth, END], frames[depth, KEPT] = begin, end, kept
    frames[depth, TRIES], frames[depth, NUMBER], frames[depth, STAGE] = tries, 0, NONE
    frames[depth, GUIDE], frames[depth, FOUND] = node, 0
    offered = offered_cells(setting, player, room, begin, end, own, known)
    frames[depth, COUNT] = order_cells(setting, player, guide, node, own, known, kept, offered, room.order[depth])
    room.values[depth, BEST], room.values[depth, BAR] = bar, bar


@kernel
def search_reply(setting, player, theirs, guide, tolerance, room):
    """Return the best response's half points, and write it to the first row of `best`; negative without space."""
    follow, end_of = setting.courses[player].follow, setting.courses[player].end
    outcomes = follow.shape[1]
    frames, values, limits = room.frames, room.values, room.limits
    room.top[0], room.top[1] = 1, 1
    room.place[0], room.stones[0], room.weight[0] = 0, 0, 1.0
    begin = 0
    if player == 1:
        begin = 1
        answer(setting, player, theirs, room, 0, 0, 0, 1)
    kept = (1 << len(setting.images)) - 1
    enter(setting, player, guide, room, 0, 0, 0, 0, begin, room.top[0], kept, 0, 0, -1.0)
    depth = 0
    while True:
        course, number, stage = frames[depth, COURSE], frames[depth, NUMBER], frames[depth, STAGE]
        if number == frames[depth, COUNT]:
            if depth == 0:
                return values[0, BEST]
            depth -= 1
            if frames[depth + 1, FOUND] == 0:
                frames[depth, NUMBER] += 1
                frames[depth, STAGE] = NONE
            else:
                values[depth, GAINED] += values[depth + 1, BEST]
                for c in range(frames[depth + 1, COURSE], end_of[frames[depth + 1, COURSE]]):
                    room.tried[depth, c] = room.best[depth + 1, c]
            continue
        cell = room.order[depth, number]
        own, known = frames[depth, OWN], frames[depth, KNOWN]
        if stage == NONE:
            values[depth, GAINED] = expand(setting, player, theirs, room, depth, cell)
            if room.top[1] == 0:
                return -1.0
            for outcome in range(outcomes):
                limits[depth, outcome] = 0.0
            for w in range(frames[depth, END], room.top[0]):
                most = 2.0 if setting.hopeful[player, room.stones[w]] else 1.0
                limits[depth, room.tag[w]] += most * room.weight[w]
            rest = 0.0
            for outcome in range(outcomes):
                rest += limits[depth, outcome]
            values[depth, REST] = rest
            frames[depth, ENTRY] = entry_of(guide, frames[depth, GUIDE], cell)
            for c in range(course, end_of[course]):
                room.tried[depth, c] = NONE
            room.tried[depth, course] = cell
            stage = 0
            limits[depth, outcomes] = room.top[0]
        while stage < outcomes and limits[depth, stage] == 0.0:
            stage += 1
        if values[depth, GAINED] + values[depth, REST] <= values[depth, BEST] + tolerance:
            frames[depth, NUMBER] += 1
            frames[depth, STAGE] = NONE
            continue
        if stage == outcomes:
            values[depth, BEST] = values[depth, GAINED]
            frames[depth, FOUND] = 1
            for c in range(course, end_of[course]):
                room.best[depth, c] = room.tried[depth, c]
            frames[depth, NUMBER] += 1
            frames[depth, STAGE] = NONE
            continue
        frames[depth, STAGE] = stage + 1
        values[depth, REST] -= limits[depth, stage]
        if stage + 1 == outcomes:
            values[depth, REST] = 0.0
        begin = np.int64(limits[depth, outcomes])
        end = begin
        for w in range(frames[depth, END], begin):
            if room.tag[w] == stage:
                if end == len(room.place):
                    return -1.0
                room.place[end], room.stones[end], room.weight[end] = room.place[w], room.stones[w], room.weight[w]
                end += 1
        bit = 1 << cell
        entry = frames[depth, ENTRY]
        enter(
            setting, player, guide, room, depth + 1, follow[course, stage],
            own | bit if stage > 0 else own, known if stage > 0 else known | bit,
            begin, end, setting.keeping[frames[depth, KEPT], cell],
            0 if stage > 0 else frames[depth, TRIES] + 1,
            guide.child[entry, stage] if entry != NONE else NONE,
            values[depth, BEST] - values[depth, GAINED] - values[depth, REST],
        )  # fmt: skip
        depth += 1


@kernel
def complete(setting, player, guide, reply):
    """Complete a response at courses that it may come to but did not: by its own mixture, or by the heuristic."""
    follow = setting.courses[player].follow
    own, known = np.zeros(len(follow), np.int64), np.zeros(len(follow), np.int64)
    node, alive = np.full(len(follow), NONE), np.zeros(len(follow), np.bool_)
    node[0], alive[0] = 0, True
    for course in range(len(follow)):
        if not alive[course]:
            reply[course] = NONE
            continue
        if reply[course] == NONE:
            best = -1.0
            for cell in range(setting.cells):
                if (own[course] | known[course]) >> cell & 1:
                    continue
                entry = entry_of(guide, node[course], cell)
                look = rule_of_thumb(setting, player, own[course], known[course], cell)
                if entry != NONE:
                    look += 1e6 * guide.weight[entry] + 1e3
                if look > best:
                    best = look
                    reply[course] = cell
        cell = reply[course]
        bit = 1 << cell
        entry = entry_of(guide, node[course], cell)
        for outcome in range(follow.shape[1]):
            following = follow[course, outcome]
            if following == NONE or (outcome > 0 and setting.winning[player, own[course]] & bit):
                continue
            alive[following] = True
            own[following] = own[course] | bit if outcome > 0 else own[course]
            known[following] = known[course] if outcome > 0 else known[course] | bit
            node[following] = guide.child[entry, outcome] if entry != NONE else NONE


def room_for(setting: PhantomTables, player: int) -> Workspace:
    deep, courses = setting.cells + 2, len(setting.courses[player].follow)
    outcomes = setting.courses[player].follow.shape[1]
    return Workspace(
        np.empty(MAX_WORLDS, np.int64),
        np.empty(MAX_WORLDS, np.int64),
        np.empty(MAX_WORLDS),
        np.empty(MAX_WORLDS, np.int8),
        np.zeros((deep, 13), np.int64),
        np.zeros((deep, setting.cells), np.int64),
        np.zeros((deep, outcomes + 1)),
        np.zeros((deep, 4)),
        np.zeros((deep, courses), np.int8),
        np.zeros((deep, courses), np.int8),
        np.zeros(2, np.int64),
    )


def best_reply(
    setting: PhantomTables, player: int, theirs: Mixture, guide: Mixture, room: Workspace, tolerance: float
) -> tuple[np.ndarray, float]:
    """Return the plan with the most half points against a mixture, completed like the mixture `guide`, and these."""
    points = search_reply(setting, player, theirs, guide, tolerance, room)
    if points < 0.0:
        raise ValueError(f"a best reply has more than {MAX_WORLDS} worlds, for which there is no room")
    plan = room.best[0].copy()
    complete(setting, player, guide, plan)
    return plan, float(points)
