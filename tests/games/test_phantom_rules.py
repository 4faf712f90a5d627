"""What players of phantom games know and may try: against OpenSpiel, by examples, and by the sizes of the games."""

import random
from functools import cache

import numpy as np
import pytest

from fogspiel.core.game import OVER, known_game
from fogspiel.core.session import replay, view_of
from fogspiel.games.boards.board import BOARDS, GOES_ON, ILLEGAL
from fogspiel.games.phantom import rules

OPENSPIEL = {
    "phantom-ttt": "phantom_ttt(obstype=reveal-nothing)",
    "phantom-ttt-abrupt": "phantom_ttt(obstype=reveal-nothing,gameversion=abrupt)",
    "phantom-ttt-numturns": "phantom_ttt(obstype=reveal-numturns)",
    "dark-hex-3x3": "dark_hex(board_size=3,gameversion=cdh)",
    "dark-hex-3x3-abrupt": "dark_hex(board_size=3,gameversion=adh)",
    "dark-hex-4x3": "dark_hex(num_rows=3,num_cols=4,gameversion=cdh)",
    "dark-hex-3x4": "dark_hex(num_rows=4,num_cols=3,gameversion=cdh)",
}


# What players know


def after(name, tried):
    """The game, and the position after some tries by the names of the cells."""
    game = known_game(name)
    cells = {game.label(cell): cell for cell in range(game.sizes.actions)}
    return game, list(replay(game, [cells[cell] for cell in tried.split()]))[-1]


def listed(name, tried):
    game, position = after(name, tried)
    return " ".join(sorted(map(game.label, position.actions)))


def seen_by(player, name, tried):
    game, position = after(name, tried)
    return view_of(game, position.state, player).tolist()


def test_a_failed_try_leaves_the_turn_and_tells_the_other_nothing():
    assert after("phantom-ttt", "B2 B2")[1].mover == 1
    assert seen_by(0, "phantom-ttt", "B2 B2") == seen_by(0, "phantom-ttt", "B2")
    assert seen_by(0, "phantom-ttt", "B2 B2 A1") == seen_by(0, "phantom-ttt", "B2 C3")
    assert listed("phantom-ttt", "B2 B2") == "A1 A2 A3 B1 B3 C1 C2 C3"
    assert listed("phantom-ttt", "B2 B2 A1 A1") == "A2 A3 B1 B3 C1 C2 C3"


def test_the_order_of_failed_tries_is_forgotten_but_not_their_turn():
    assert seen_by(1, "phantom-ttt", "A1 B1 B2 A1 B2 C1") == seen_by(1, "phantom-ttt", "A1 B1 B2 B2 A1 C1")
    assert seen_by(1, "phantom-ttt", "A1 A1 B1 B2 B2 C1") != seen_by(1, "phantom-ttt", "A1 B1 B2 A1 B2 C1")


def test_an_abrupt_failure_ends_the_turn():
    assert after("phantom-ttt-abrupt", "B2 B2")[1].mover == 0
    assert seen_by(0, "phantom-ttt-abrupt", "B2 B2") == seen_by(0, "phantom-ttt-abrupt", "B2 A1")
    assert listed("phantom-ttt-abrupt", "B2 B2 A1") == "A1 A2 A3 B1 B3 C1 C2 C3"


def test_announced_tries_are_counted_by_turn():
    failed, plain = (seen_by(0, "phantom-ttt-numturns", tried) for tried in ("B2 B2 A1", "B2 A1"))
    assert failed[-5:] == [2, 0, 0, 0, 0] and plain[-5:] == [1, 0, 0, 0, 0]
    assert failed[:-5] == plain[:-5]
    assert seen_by(0, "phantom-ttt-numturns", "B2 B2")[-5:] == [1, 0, 0, 0, 0]


def test_a_ponnuki_cell_that_may_have_been_suicide_can_be_tried_again_in_a_later_turn():
    """A1 is suicide for White after B1 and A2; to him two Black stones elsewhere, or one on A1, look the same."""
    game, position = after("phantom-ponnuki-3x3", "B1 C3 A2 A1")
    assert position.mover == 1
    assert not position.state[rules.KNOWN + 1]
    assert game.show(view_of(game, position.state, 1)).splitlines()[1:4] == [" 3 . . O", " 2 . . .", " 1 ? . ."]
    assert "A1" not in listed("phantom-ponnuki-3x3", "B1 C3 A2 A1")
    assert "A1" in listed("phantom-ponnuki-3x3", "B1 C3 A2 A1 C2 C1")


def test_a_ponnuki_cell_with_too_many_liberties_to_fill_is_known_to_be_taken():
    assert after("phantom-ponnuki-3x3", "B2 B2")[1].state[rules.KNOWN + 1] == 1 << 4
    assert "B2" not in listed("phantom-ponnuki-3x3", "B2 B2 A1 C3")


def test_a_later_stone_on_its_liberty_proves_a_failed_cell_taken():
    state = after("phantom-ponnuki-3x3", "A1 C3 C1 A1 B1 C2")[1].state
    assert state[rules.KNOWN + 1] == 1


def worlds(board, player, turns, stones, failed):
    """Every set of enemy stones that a player's record allows, found by trying all of the enemy's moves."""
    found, own = {0}, 0
    for turn in range(turns):
        if turn + player > 0:
            found = {
                world | 1 << cell
                for world in found
                for cell in range(board.cells)
                if board.fate(1 - player, world, own, cell) == GOES_ON
            }
        tried = [cell for cell in range(board.cells) if failed[turn] >> cell & 1]
        found = {world for world in found if all(board.fate(player, own, world, cell) == ILLEGAL for cell in tried)}
        if stones[turn] >= 0:
            found = {world for world in found if board.fate(player, own, world, stones[turn]) == GOES_ON}
            own |= 1 << stones[turn]
    return found


def test_what_is_called_known_is_so_in_every_world():
    game, board = known_game("phantom-ponnuki-3x3"), BOARDS["ponnuki-3x3"]
    rng, proofs, state = random.Random(3), 0, np.zeros(game.sizes.state, np.int64)
    out = np.zeros(game.sizes.actions, np.int64)
    for _ in range(60):
        game.rules.start(state)
        while (player := game.rules.mover(state)) != OVER:
            record = view_of(game, state, player)[rules.SEEN_RECORD :].tolist()
            allowed = worlds(board, player, int(state[rules.TURN]) // 2 + 1, record[::2], record[1::2])
            assert int(state[rules.STONES + 1 - player]) in allowed
            known = int(state[rules.KNOWN + player])
            assert all(world & known == known for world in allowed)
            proofs += known > 0
            game.rules.apply(state, rng.choice(out[: game.rules.legal(state, out)].tolist()))
    assert proofs > 100


def test_pictures_show_what_each_side_knows():
    game, position = after("phantom-ttt-numturns", "B2 B2 A1 A1 C3")
    assert game.show(view_of(game, position.state, 1)) == (
        "you are O: your turn\n 3 . . .\n 2 . X .\n 1 O . .\n   A B C\nturn 1: A1, illegal: B2\nturn 2: nothing yet\n"
        "tries of X: 1 2"
    )
    assert game.reveal(position.state).startswith("O to move\n 3 . . X\n 2 . X .\n 1 O . .\n   A B C\nX turn 1: B2\n")
    game, position = after("dark-hex-3x3", "A1 B1 A2 C1 A3")
    shown = [game.show(view_of(game, position.state, player)) for player in (0, 1)]
    assert shown[0].startswith("you are X: you have won\n 3   X . .\n 2  X . .\n 1 X . .\n")
    assert shown[1].startswith("you are O: you have lost\n 3   . . .\n 2  . . .\n 1 . O O\n")


# OpenSpiel, where it is installed


class Twin:
    """One history in both programs: our state with each player's tries, and OpenSpiel's state."""

    def __init__(self, game, outside):
        self.game, self.theirs, self.tries = game, outside.new_initial_state(), ((), ())
        self.state = np.zeros(game.sizes.state, np.int64)
        game.rules.start(self.state)

    def infosets(self, player):
        """What the player knows, in our words (his tries and his view) and in OpenSpiel's."""
        ours = self.tries[player], view_of(self.game, self.state, player).tobytes()
        theirs = self.theirs.information_state_string(player)
        if self.game.name.startswith("dark-hex"):  # there the string counts both players' tries, even the secret ones
            lines, rows = theirs.split("\n"), int(self.state[rules.ROWS])
            theirs = "\n".join(lines[:rows] + lines[rows + 1 :])
        return ours, theirs

    def checked(self, there, here):
        """The actions, after everything that both programs say has been compared."""
        who = int(self.game.rules.mover(self.state))
        assert (who == OVER) == self.theirs.is_terminal()
        if who == OVER:
            assert 2 * float(self.game.payoffs[self.game.rules.score(self.state)]) - 1 == self.theirs.returns()[0]
            return []
        assert who == self.theirs.current_player()
        ours, theirs = self.infosets(who)
        assert there[who].setdefault(theirs, ours) == ours
        assert here[who].setdefault(ours, theirs) == theirs
        out = np.zeros(self.game.sizes.actions, np.int64)
        actions = out[: self.game.rules.legal(self.state, out)].tolist()
        assert actions == self.theirs.legal_actions()
        return actions

    def after(self, action):
        """The history one try longer."""
        longer, who = object.__new__(Twin), int(self.game.rules.mover(self.state))
        longer.game, longer.theirs, longer.state = self.game, self.theirs.child(action), self.state.copy()
        self.game.rules.apply(longer.state, action)
        longer.tries = tuple(tries + (action,) * (who == player) for player, tries in enumerate(self.tries))
        return longer


@pytest.mark.thorough
@pytest.mark.parametrize("name", OPENSPIEL)
def test_openspiel_plays_the_same_phantom_game(name):
    """All histories of up to four tries, then whole random games: actions, infosets, ends and payoffs."""
    pyspiel = pytest.importorskip("pyspiel")
    outside = pyspiel.load_game(OPENSPIEL[name])
    there, here, rng = ({}, {}), ({}, {}), random.Random(7)
    level = [Twin(known_game(name), outside)]
    for _ in range(4):
        level = [twin.after(action) for twin in level for action in twin.checked(there, here)]
    for twin in rng.sample(level, 1500):
        while actions := twin.checked(there, here):
            twin = twin.after(rng.choice(actions))


# Sizes


def private_histories(name, player, turns):
    """How many infosets and sequences a player has in so many turns, the order of tries kept, in tic-tac-toe and hex.

    A walk over the player's own histories with the set of enemy stones that are possible there; what comes after
    depends on nothing else, so that each case is counted once.
    """
    board = BOARDS[name]

    def replies(own, possible):
        return frozenset(
            world | 1 << cell
            for world in possible
            for cell in range(board.cells)
            if board.fate(1 - player, world, own, cell) == GOES_ON
        )

    @cache
    def below(own, tried, possible):
        if own.bit_count() == turns:
            return 0, 0
        untried = [cell for cell in range(board.cells) if not tried >> cell & 1]
        infosets, sequences = 1, len(untried)
        for cell in untried:
            taken = frozenset(world for world in possible if world >> cell & 1)
            played = frozenset(world for world in possible if board.fate(player, own, world, cell) == GOES_ON)
            for longer, rest in ((own, taken), (own | 1 << cell, replies(own | 1 << cell, played))):
                if rest:
                    more = below(longer, tried | 1 << cell, rest)
                    infosets, sequences = infosets + more[0], sequences + more[1]
        return infosets, sequences

    infosets, sequences = below(0, 0, frozenset({0}) if player == 0 else replies(0, {0}))
    return infosets, sequences + 1


@pytest.mark.thorough
@pytest.mark.parametrize(
    "name, player, turns, infosets, sequences",
    [
        ("ttt", 0, 4, 331_234, 1_095_634),
        ("ttt", 1, 4, 2_307_355, 5_772_466),
        ("hex-3x3", 0, 5, 3_720_850, 6_598_594),
        ("hex-3x3", 1, 4, 2_352_067, 5_857_570),
    ],
)
def test_the_raw_games_have_their_known_sizes(name, player, turns, infosets, sequences):
    """Infosets of hex: the README of exp-a-spiel. Tic-tac-toe: without Black's last turn, when one cell is left."""
    assert private_histories(name, player, turns) == (infosets, sequences)


def test_ponnuki_2x2_has_its_known_size():
    """93 pairs of histories at the start of a turn; 17 and 57 infosets where the order of tries is merged."""
    game = known_game("phantom-ponnuki-2x2")
    out, ahead = np.zeros(game.sizes.actions, np.int64), [np.zeros(game.sizes.state, np.int64)]
    game.rules.start(ahead[0])
    turns, infosets = set(), (set(), set())
    while ahead:
        state = ahead.pop()
        player = int(game.rules.mover(state))
        if player == OVER:
            continue
        views = tuple(view_of(game, state, side).tobytes() for side in (0, 1))
        infosets[player].add(views[player])
        if state[rules.record_of(state, player, state[rules.TURN] >> 1) + 1] == 0:
            turns.add(views)
        for action in out[: game.rules.legal(state, out)].tolist():
            ahead.append(state.copy())
            game.rules.apply(ahead[-1], action)
    assert len(turns) == 93
    assert (len(infosets[0]), len(infosets[1])) == (17, 57)
