"""The phantom version of any game of perfect information: players do not see each other's actions.

The player to move tries an action of the game. It is done, or refused because of actions that this player has not
seen; then it tries another one. A player sees its own actions and refusals, that it is its turn, and the end.
`phantom-of-NAME` is that version of the game NAME, in every command; `phantom_of` makes it of a game of the user's.

A player may try what was ever possible in the game for its seat, but not

- what was refused earlier in the turn,
- what it has done before, if such an action is never possible again in the game (stones stay), and
- what was refused in any turn, if a refused action is never possible again.

The last two are read off the game: they hold in all positions of PLAYOUTS random games, or the call says so.

Data sheet of a state (int64 cells)
    0 the game's own state
  +S MOVER    the player to move, or OVER
 +S+1 LAST    for each player the number of its entries
 +S+3 RECORD  for each player its tries in order, twice the number of the action in `tried`, plus 1 if it was done
Data sheet of a view: the player, 1 if it is to move, its result or -1, the number of its entries, and these.

Action k is that of the game, and its words are the game's.
"""

from typing import NamedTuple

import numpy as np

from ..core import NotFound
from ..core.compile.kernel import interpreted, kernel
from ..core.game import CHANCE, OVER, Game, Resample, Rules, Sizes, known_game, new_cells
from ..core.rng import stream_of
from .boards.board import pick

PLAYOUTS, SEED = 400, 5  # random games from which the actions of a game are read
PREFIX = "phantom-of-"
NO_RESULT = -1
MAX_LENGTH = 4000  # actions of a game
SEEN_PLAYER, SEEN_TURN, SEEN_RESULT, SEEN_COUNT, SEEN_RECORD = 0, 1, 2, 3, 4
RESAMPLES = 200  # random games that are tried for another state of an information set


class Habits(NamedTuple):
    """Properties of a game read off random games: actions of each seat, the longest game, what stays impossible."""

    actions: tuple[tuple[int, ...], tuple[int, ...]]
    moves: int
    done_stays: bool  # what a player has done is never possible for it again
    refused_stays: bool  # nor what was impossible for it at an earlier turn


def habits_of(game: Game) -> Habits:
    """Play random games with open eyes; raise ValueError for a game that has no phantom version."""
    rules, stream, seen = game.rules, stream_of(SEED), (set[int](), set[int]())
    games: list[list[tuple[int, frozenset[int], int]]] = []
    with interpreted():
        for _ in range(PLAYOUTS):
            state, room, turns = new_cells(game.sizes.state), new_cells(game.sizes.actions), []
            rules.start(state)
            while (who := int(rules.mover(state))) != OVER:
                if who == CHANCE:
                    raise ValueError(f"{game.name} has moves of chance: a phantom version needs a game without them")
                actions = room[: rules.legal(state, room)].tolist()
                seen[who].update(actions)
                action = pick(actions, stream)
                turns.append((who, frozenset(actions), action))
                rules.apply(state, action)
                if len(turns) > MAX_LENGTH:
                    raise ValueError(f"{game.name} has games of more than {MAX_LENGTH} actions: give a shorter one")
            games.append(turns)
    done_stays, refused_stays = True, True
    for turns in games:
        for player in (0, 1):
            own = [(actions, action) for who, actions, action in turns if who == player]
            for number, (actions, action) in enumerate(own):
                later = frozenset[int]().union(*(others for others, _ in own[number + 1 :]))
                done_stays = done_stays and action not in later
                refused_stays = refused_stays and not (later - actions)
    return Habits((tuple(sorted(seen[0])), tuple(sorted(seen[1]))), max(map(len, games)), done_stays, refused_stays)


def entries_of(habits: Habits) -> int:
    """Return the most tries of a player that its record holds; earlier ones are dropped where there are more."""
    most = max(map(len, habits.actions))
    if habits.done_stays and habits.refused_stays:
        return most
    turns = habits.moves // 2 + 1
    return turns + most if habits.refused_stays else turns * most


def rules_of(game: Game, habits: Habits) -> Rules:
    """Make the six rules of those of the game."""
    inner, size, width = game.rules, game.sizes.state, game.sizes.actions
    start_inner, mover_inner, legal_inner = inner.start, inner.mover, inner.legal
    apply_inner, score_inner = inner.apply, inner.score
    first_actions, second_actions = (np.array(part, np.int64) for part in habits.actions)
    entries, top = entries_of(habits), game.max_score
    done_stays, refused_stays = habits.done_stays, habits.refused_stays
    mover_at, count_at, record_at = size, size + 1, size + 3

    @kernel
    def start(state):
        for cell in range(len(state)):
            state[cell] = 0
        start_inner(state[:size])
        state[mover_at] = mover_inner(state[:size])

    @kernel
    def mover(state):
        return state[mover_at]

    @kernel
    def legal(state, out):
        player, count = state[mover_at], 0
        actions = first_actions if player == 0 else second_actions
        begin, number = record_at + player * entries, state[count_at + player]
        for k in range(len(actions)):
            closed, this_turn = False, True
            for back in range(number):  # from the last entry on: refusals up to the last action done are of this turn
                entry = state[begin + number - 1 - back]
                done = entry & 1 == 1
                this_turn = this_turn and not done
                if entry >> 1 == k and ((done and done_stays) or (not done and (this_turn or refused_stays))):
                    closed = True
                    break
            if not closed:
                out[count] = actions[k]
                count += 1
        return count

    @kernel
    def apply(state, action):
        player, choices, number, possible = state[mover_at], np.empty(width, np.int64), 0, 0
        actions = first_actions if player == 0 else second_actions
        for k in range(len(actions)):
            if actions[k] == action:
                number = k
        for i in range(legal_inner(state[:size], choices)):
            if choices[i] == action:
                possible = 1
        begin, count = record_at + player * entries, state[count_at + player]
        if count == entries:  # the earliest entry gives way
            for place in range(begin, begin + entries - 1):
                state[place] = state[place + 1]
            count -= 1
        state[begin + count] = 2 * number + possible
        state[count_at + player] = count + 1
        if possible:
            apply_inner(state[:size], action)
            state[mover_at] = mover_inner(state[:size])

    @kernel
    def view(state, player, out):
        over = state[mover_at] == OVER
        out[SEEN_PLAYER], out[SEEN_TURN], out[SEEN_RESULT] = player, 1 if state[mover_at] == player else 0, NO_RESULT
        if over:
            result = score_inner(state[:size])
            out[SEEN_RESULT] = result if player == 0 else top - result
        out[SEEN_COUNT] = state[count_at + player]
        for k in range(entries):
            out[SEEN_RECORD + k] = state[record_at + player * entries + k]

    @kernel
    def score(state):
        return score_inner(state[:size])

    return Rules(start, mover, legal, apply, view, score)


def phantom_of(game: Game) -> Game:
    """Return the phantom version of a game of perfect information without chance."""
    habits = habits_of(game)
    rules, entries, size = rules_of(game, habits), entries_of(habits), game.sizes.state
    actions = habits.actions

    def tries(record: np.ndarray, player: int) -> str:
        entries_seen = [(actions[player][entry >> 1], entry & 1) for entry in record.tolist()]
        return ", ".join(f"{game.label(action)}{'' if done else ' refused'}" for action, done in entries_seen) or "none"

    def show(seen: np.ndarray) -> str:
        player, turn, result, count = seen[:SEEN_RECORD].tolist()
        status = "your turn" if turn else "wait"
        if result >= 0:
            status = ENDS[(result * 2 > game.max_score) - (result * 2 < game.max_score)]
        return f"player {player + 1}, {status}\nyour tries: {tries(seen[SEEN_RECORD : SEEN_RECORD + count], player)}"

    def reveal(state: np.ndarray) -> str:
        lines = [game.reveal(state[:size])]
        for player in (0, 1):
            begin = size + 3 + player * entries
            lines.append(f"player {player + 1} tried: {tries(state[begin : begin + state[size + 1 + player]], player)}")
        return "\n".join(lines)

    return Game(
        name=f"{PREFIX}{game.name}",
        title=f"Phantom version of {game.title}",
        rules=rules,
        sizes=Sizes(size + 3 + 2 * entries, SEEN_RECORD + entries, max(map(len, actions))),
        version=game.version,
        show=show,
        reveal=reveal,
        label=game.label,
        payoffs=game.payoffs,
        family="phantom_of",
        category="Boards",
        source=f"The phantom version of {game.name}, made of its rules: see `games/phantom_of.py`.",
        resample=resampler(rules, actions),
    )


ENDS = {-1: "you have lost", 0: "a draw", 1: "you have won"}


def resampler(rules: Rules, universe: tuple[tuple[int, ...], tuple[int, ...]]) -> Resample:
    """Make a sampler of states of an information set: random games in which the player's tries end as they did."""

    def seen_by(player: int, state: np.ndarray) -> np.ndarray:
        out = np.zeros_like(state)
        rules.view(state, player, out)
        return out

    def resample(state: np.ndarray, player: int, stream: np.ndarray) -> np.ndarray:
        wanted, room = seen_by(player, state), new_cells(len(state))
        entries = wanted[SEEN_RECORD : SEEN_RECORD + wanted[SEEN_COUNT]].tolist()
        own = [universe[player][entry >> 1] for entry in entries]
        for _ in range(RESAMPLES):
            other, done = np.zeros_like(state), 0
            rules.start(other)
            while (who := int(rules.mover(other))) != OVER and not np.array_equal(seen_by(player, other), wanted):
                actions = room[: rules.legal(other, room)].tolist()
                if who == player:
                    if done == len(own) or own[done] not in actions:
                        break
                    rules.apply(other, own[done])
                    done += 1
                else:
                    rules.apply(other, int(pick(actions, stream)))
            if np.array_equal(seen_by(player, other), wanted):
                return other
        return state.copy()

    return resample


def named_game(name: str) -> Game | None:
    """Make the phantom version of a game of the catalogue; None for another name."""
    if not name.startswith(PREFIX):
        return None
    try:
        return phantom_of(known_game(name.removeprefix(PREFIX)))
    except ValueError as error:
        raise NotFound(f"there is no game {name[:60]}: {error}") from None


GAMES: tuple[Game, ...] = ()
