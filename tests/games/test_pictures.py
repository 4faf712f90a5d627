"""Pictures of every game: made from views, never at a loss, and honest about actions."""

import json
import random

import numpy as np
import pytest
from support.levels import one_of_each_family

from fogspiel.core.game import (
    CHANCE,
    OVER,
    draw_state,
    draw_view,
    how_to_play,
    list_games,
    new_cells,
    news_between,
    routine_action,
)
from fogspiel.core.picture import BoardPicture, Cards, Chess, Facts, Messages, Text, picture_json
from fogspiel.core.session import view_of
from fogspiel.games.battleship import rules as battleship
from fogspiel.games.chess.bitboards import KINDS
from fogspiel.games.chess.position import MEN

NAMES = sorted(list_games())
FEW = 3
"""Actions at a time that a page can leave to its buttons: a game that never has more may draw no cell for any."""
CLICKED = ("rps", "rps-half")
"""Games with so few actions whose cells do stand for them."""
SOME_BUTTONS = {"war": {26, 28}, "batawaf": {12}}
"""Actions without a cell where the others have one: to have a packet shuffled."""
LONGEST = 90
COIN = '''"""A game of ones own, with a picture of its view."""

from dataclasses import replace

from ..core.game import Look, known_game
from ..core.picture import Messages


def draw_view(game, view):
    return (Messages((f"a picture of {game.name}",)),)


GAMES = (
    replace(known_game("rps"), name="coin", family="coin", look=Look(draw_view)),
    replace(known_game("rps"), name="plain-coin", family="", look=Look()),
)
'''
LOOKS = {"bid", "fog", "own", "other", "unknown", "refused", "marked", "red", "black", "face-down", "die", "token"}
LOOKS |= {"stone", "winning", "captured", "hand", "face", "ship", "stack", "rolling", "call", "won"}


def positions(game, seed, longest=LONGEST):
    """The states of a random game, each with its mover and what may be tried."""
    draws, state, out = random.Random(seed), new_cells(game.sizes.state), new_cells(game.sizes.actions)
    game.rules.start(state)
    for _ in range(longest):
        who = int(game.rules.mover(state))
        actions = out[: game.rules.legal(state, out)].tolist() if who != OVER else []
        yield state.copy(), who, actions
        if who == OVER:
            return
        game.rules.apply(state, draws.choice(actions))


def cells_of(parts):
    for part in parts:
        if isinstance(part, BoardPicture):
            yield from (cell for row in part.rows for cell in row)
        elif isinstance(part, Cards):
            yield from part.cards


def offers(parts, actions):
    """The actions that cells stand for, alone or (where cards are put together) as many as it takes."""
    found = set()
    for part in parts:
        summands = {cell.action for cell in cells_of([part])} - {None}
        if isinstance(part, Cards) and part.together:
            found |= {action for action in actions if action == sum(bit for bit in summands if action & bit)}
        else:
            found |= summands
    return found


@pytest.mark.parametrize("name", one_of_each_family(NAMES))
def test_every_game_has_its_own_pictures(name):
    game = list_games()[name]
    assert game.look.draw_view and game.look.draw_state


@pytest.mark.parametrize("name", one_of_each_family(NAMES))
def test_every_game_tells_its_rules_in_some_lines(name):
    game = list_games()[name]
    lines = how_to_play(game)
    assert 3 <= len(lines) <= 10 and game.source not in lines
    assert all(line.endswith((".", "?")) and len(line) < 160 for line in lines)


@pytest.mark.parametrize("name", one_of_each_family(NAMES))
def test_news_and_routine_follow_from_views_and_can_be_done(name):
    """News are words whatever the own action was; a routine action is one that can be tried."""
    game = list_games()[name]
    for seed in range(3):
        latest = {}
        for state, who, actions in positions(game, seed, 300):
            if who not in (0, 1):
                continue
            view = view_of(game, state, who)
            if who in latest:
                news = news_between(game, *latest[who], view)
                assert news is None or all(isinstance(line, str) and line for line in news)
            routine = routine_action(game, view)
            assert routine is None or routine in actions
            latest[who] = view, actions[0]


def test_a_file_of_ones_own_may_draw_its_game_and_need_not(tmp_path, monkeypatch):
    monkeypatch.setenv("FOGSPIEL_PLUGINS", str(tmp_path))
    (tmp_path / "games").mkdir()
    (tmp_path / "games" / "coin.py").write_text(COIN)
    drawn, plain = (list_games()[name] for name in ("coin", "plain-coin"))
    assert draw_view(drawn, np.zeros(2, np.int64)) == (Messages(("a picture of coin",)),)
    assert draw_state(drawn, np.full(4, -1)) == (Text("nobody has chosen"),)
    assert draw_view(plain, np.full(2, -1)) == (Text("choose rock, paper or scissors"),)


def test_a_folder_completes_its_games_by_its_look(tmp_path, monkeypatch):
    monkeypatch.setenv("FOGSPIEL_PLUGINS", str(tmp_path))
    folder = tmp_path / "games" / "penny"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text(
        "from dataclasses import replace\n"
        "from ...core.game import Exact, Look, known_game\n"
        'PENNY = replace(known_game("rps"), name="penny", family="penny", look=Look(), exact=Exact())\n'
        'GAMES = (PENNY, replace(PENNY, name="other-penny", family="rps"))\n'
    )
    (folder / "look.py").write_text('HOW_TO_PLAY = ("Throw.", "Look.", "Pay.")\n')
    penny, other = (list_games()[name] for name in ("penny", "other-penny"))
    assert how_to_play(penny) == ("Throw.", "Look.", "Pay.")
    assert other.look.how_to_play is None  # of another family than the folder's


@pytest.mark.parametrize("name", one_of_each_family(NAMES))
def test_a_picture_is_never_at_a_loss(name):
    """Views of both players, states, from the deal to the end; everything can be sent to a page."""
    game = list_games()[name]
    for seed in range(2):
        for state, _, _ in positions(game, seed):
            for parts in (
                *(draw_view(game, view_of(game, state, player)) for player in (0, 1)),
                draw_state(game, state),
            ):
                assert parts and not any(isinstance(part, Text) for part in parts)
                kinds = [piece["kind"] for piece in json.loads(json.dumps(picture_json(parts)))]
                assert len(kinds) == len(parts)
                for cell in cells_of(parts):
                    assert cell.name and set(cell.look.split()) <= LOOKS


@pytest.mark.parametrize("name", one_of_each_family(NAMES))
def test_the_end_of_a_game_can_be_drawn_and_offers_nothing(name):
    game = list_games()[name]
    state, who, _ = list(positions(game, 7, 5000))[-1]
    for player in (0, 1):
        parts = draw_view(game, view_of(game, state, player))
        assert parts and (who != OVER or all(cell.action is None for cell in cells_of(parts)))


@pytest.mark.parametrize("name", one_of_each_family(NAMES))
def test_boards_have_a_name_for_every_row_and_column_or_none(name):
    game = list_games()[name]
    for state, _, _ in positions(game, 4):
        for parts in (draw_view(game, view_of(game, state, 0)), draw_state(game, state)):
            for part in parts:
                if isinstance(part, BoardPicture):
                    assert len(part.row_names) in (0, len(part.rows))
                    assert all(len(part.column_names) in (0, len(row)) for row in part.rows)
                elif isinstance(part, Facts):
                    assert all(len(row) == 2 and all(isinstance(word, str) for word in row) for row in part.rows)
                elif isinstance(part, Messages):
                    assert all(isinstance(line, str) and line for line in part.lines)


@pytest.mark.parametrize("name", one_of_each_family(NAMES))
def test_what_a_cell_offers_to_the_mover_can_be_tried_and_the_cells_offer_everything(name):
    game = list_games()[name]
    left_out = next((rest for family, rest in SOME_BUTTONS.items() if name.startswith(family)), set())
    found = [
        (set(actions), offers(draw_view(game, view_of(game, state, who)), actions))
        for seed in range(3)
        for state, who, actions in positions(game, seed)
        if who not in (CHANCE, OVER)
    ]
    assert all(offered <= actions for actions, offered in found)
    buttons_suffice = name not in CLICKED and max(len(actions) for actions, _ in found) <= FEW
    if name == "kriegspiel" or (buttons_suffice and not any(offered for _, offered in found)):
        assert not any(offered for _, offered in found)  # actions are words or moves: no cell stands for one
    else:
        assert all(actions - offered <= left_out for actions, offered in found)


@pytest.mark.parametrize("name", one_of_each_family(NAMES))
def test_the_truth_offers_nothing(name):
    game = list_games()[name]
    for state, _, _ in positions(game, 5):
        assert all(cell.action is None for cell in cells_of(draw_state(game, state)))


@pytest.mark.slice("kriegspiel")
def test_the_own_men_are_drawn_and_no_others():
    from fogspiel.kriegspiel.game import rules

    game = list_games()["kriegspiel"]
    for state, who, _ in positions(game, 1, 400):
        for player in (0, 1):
            (chess,) = draw_view(game, view_of(game, state, player))
            own = int(state[MEN + player]) % 2**64
            assert isinstance(chess, Chess) and chess.side == player
            assert {square for square, letter in enumerate(chess.men) if letter != "."} == {
                square for square in range(64) if own >> square & 1
            }
            assert chess.men == (chess.men.upper() if player == 0 else chess.men.lower())
            assert chess.turn == (who == player)
            assert bool(chess.refused) == (who == player and bool(state[rules.REFUSED :][:64].any()))
        (whole,) = draw_state(game, state)
        assert sum(letter != "." for letter in whole.men) == sum(
            (int(state[kind]) % 2**64).bit_count() for kind in range(KINDS)
        )


@pytest.mark.slice("kriegspiel")
def test_what_the_referee_announces_is_on_the_picture():
    game = list_games()["kriegspiel"]
    heard = {"tries": 0, "checks": 0, "captured": 0, "refused": 0}
    for seed in range(4):
        for state, who, _ in positions(game, seed, 1500):
            if who == OVER:
                continue
            (chess,) = draw_view(game, view_of(game, state, who))
            for field in heard:
                heard[field] += bool(getattr(chess, field))
            assert dict(chess.counts)["the other's pawns"] >= 0
    assert all(heard.values()), heard


def test_own_and_target_sea_agree_with_the_view():
    game = list_games()["battleship"]
    for state, _, _ in positions(game, 2):
        view = view_of(game, state, 0)
        boards = [part for part in draw_view(game, view) if isinstance(part, BoardPicture)]
        own = [cell.text for row in boards[-1].rows for cell in row]
        ships = view[battleship.SEEN_SEA :][: battleship.SQUARES] % 2
        assert [text in ("■", "×") for text in own] == ships.astype(bool).tolist()


def test_the_own_stones_of_a_phantom_game_are_on_the_board():
    game = list_games()["phantom-ponnuki-4x4"]
    for state, _, _ in positions(game, 3):
        for player in (0, 1):
            board = next(
                part for part in draw_view(game, view_of(game, state, player)) if isinstance(part, BoardPicture)
            )
            drawn = sum(cell.look == "own" for row in board.rows for cell in row)
            assert drawn == int(state[6 + player]).bit_count()


def test_a_hand_shows_the_cards_of_the_view():
    game = list_games()["cheat"]
    for state, _, _ in positions(game, 3, 200):
        view = view_of(game, state, 1)
        hand = next(
            (part for part in draw_view(game, view) if isinstance(part, Cards) and part.title == "Your hand"), None
        )
        assert hand and [int(cell.text.split()[0]) for cell in hand.cards] == [n for n in view[7:11].tolist() if n]


@pytest.mark.parametrize("name", one_of_each_family(NAMES))
def test_a_picture_leaves_view_and_state_as_they_are(name):
    game = list_games()[name]
    for state, _, _ in positions(game, 6, 60):
        view = view_of(game, state, 0)
        before = view.copy(), state.copy()
        draw_view(game, view)
        draw_state(game, state)
        assert np.array_equal(view, before[0]) and np.array_equal(state, before[1])
