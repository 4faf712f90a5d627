"""Kriegspiel as PGN: any viewer replays the umpire's game, nobody's filtered game tells more than he knows."""

import contextlib
import io
import random
import re

import chess
import chess.pgn
import pytest

from fogspiel.core.rng import random_below, stream_of
from fogspiel.games.chess.fen import SIDES, move_name, parse_move
from fogspiel.kriegspiel.pgn import read_pgn, write_pgn
from fogspiel.kriegspiel.referee import HouseRules, Referee

GAMES = 80
PASSANT = "rnbqkbnr/ppp1pppp/8/8/3p4/7P/PPPPPPP1/RNBQKBNR w KQkq - 0 3"


def random_game(seed, longest=None, fen=None, switches=None):
    """The umpire of a game of two who try anything."""
    umpire, stream = Referee(fen, switches or HouseRules()), stream_of(seed, 77)
    while not umpire.over and (longest is None or umpire.plies < longest):
        actions = umpire.actions
        umpire.attempt(actions[random_below(stream, len(actions))])
    return umpire


def viewed(text):
    """The game as python-chess reads it, without errors and with the seven tags of every PGN first."""
    game = chess.pgn.read_game(io.StringIO(text))
    assert game.errors == []
    assert list(game.headers)[:7] == ["Event", "Site", "Date", "Round", "White", "Black", "Result"]
    return game


@pytest.fixture(scope="module")
def umpires():
    return [random_game(seed, longest=None if seed % 20 == 0 else 100) for seed in range(GAMES)]


@pytest.mark.thorough
def test_python_chess_replays_what_we_write_to_the_same_position_and_writes_the_same_moves(umpires):
    for umpire in umpires[::5]:
        game = viewed(write_pgn(umpire.record))
        assert game.end().board().fen(en_passant="fen") == umpire.fen
        sans, board = [], game.board()
        for move in game.mainline_moves():
            sans.append(board.san(move))
            board.push(move)
        assert sans == re.findall(r"(?:[a-hNBRQK][\w=]*[1-8][\w=]*|O-O(?:-O)?)[+#]?", _movetext(umpire))


def _movetext(umpire):
    return re.sub(r"\{[^}]*\}|\[[^\]]*\]", "", write_pgn(umpire.record)).replace(umpire_result(umpire), "")


def umpire_result(umpire):
    return ("0-1", "1/2-1/2", "1-0")[umpire.score] if umpire.over else "*"


@pytest.mark.thorough
def test_random_games_come_back_as_they_were_written_with_every_refused_attempt(umpires):
    text = "\n".join(
        write_pgn(umpire.record, {"White": 'Anna "A" \\ B', "Round": str(i)}) for i, umpire in enumerate(umpires)
    )
    games = read_pgn(text)
    assert len(games) == GAMES
    for umpire, game in zip(umpires, games, strict=True):
        assert game.record == umpire.record and game.dropped == ()
        assert game.result == umpire_result(umpire) and game.tags["White"] == 'Anna "A" \\ B'
        assert game.switches == umpire.switches


def heard_in(umpire):
    """Every message and whose it was, from a replay."""
    again, messages = Referee(switches=umpire.switches), []
    for action in umpire.record:
        answer = again.attempt(action)
        if answer.message:
            messages.append(answer.message)
    return messages


@pytest.mark.parametrize("side", (0, 1))
def test_a_filtered_game_has_the_own_attempts_and_all_messages_and_nothing_else(umpires, side):
    for umpire in umpires[:40]:
        text = write_pgn(umpire.record, viewer=SIDES[side].lower())
        (game,) = read_pgn(text)
        again, own = Referee(), []
        for action in umpire.record:
            if again.mover == side:
                own.append(action)
            again.attempt(action)
        assert game.viewer == SIDES[side].lower() and game.record == own
        told = [(m.colour, m.taken, m.square, m.checks, m.tries) for m in game.messages]
        assert told == [(m.colour, m.taken, m.square, m.checks, m.tries) for m in heard_in(umpire)]


def test_two_games_that_sound_alike_have_the_same_filtered_text():
    """What is written for White follows from White's view: Black's quiet moves and refused attempts are not in it."""
    one = [parse_move(move) for move in ("e2e4", "g8f6", "f1c4")]
    other = [parse_move(move) for move in ("e2e4", "b8c6", "f1c4")]
    with_refusal = [parse_move(move) for move in ("e2e4", "e7e5", "f1c4", "e5e4", "b8c6")]
    without = [parse_move(move) for move in ("e2e4", "e7e5", "f1c4", "b8c6")]
    assert write_pgn(one, viewer="white") == write_pgn(other, viewer="white")
    assert write_pgn(with_refusal, viewer="white") == write_pgn(without, viewer="white")
    assert write_pgn(with_refusal, viewer="black") != write_pgn(without, viewer="black")


def test_short_notation_would_tell_of_a_pin_so_players_get_the_long_one():
    fen = "4k3/8/8/b7/8/2N5/8/4K1N1 w - - 0 1"
    umpire = Referee(fen)
    umpire.attempt("g1e2")
    assert " Ne2 " in write_pgn(umpire.record, fen=fen)  # the other knight is pinned, but its owner does not know
    with pytest.raises(ValueError, match="cannot be filtered"):
        write_pgn(umpire.record, fen=fen, viewer="white")


def test_the_maryland_form_is_read():
    text = """[Event "x"]
    1. e4 d5 {(K::)} 2. exd5 {(K:e5,Bf1b5,exf5,Qz9:Td5)} Qxd5 {(K::Td5)} 3. Nc3 $1 (3. d4 e5) Qe5+
    {(K::CF)} 4. Be2 {(K:a3:)} Qxe2+ {(K::Te2,CF)} 5. Qxe2 ; a remark
    1-0"""
    (game,) = read_pgn(text)
    names = [[move_name(action) for action in turn] for turn in game.attempts]
    assert names[2] == ["e4f5", "e4d5"]
    assert game.dropped == ("e5", "Bf1b5", "Qz9")  # the first two were legal, the last is nonsense
    assert names[6] == ["a2a3", "f1e2"] and names[-1] == ["d1e2"]
    assert game.messages[5].checks == ("file",) and game.result == "1-0"


def test_the_maryland_form_is_read_in_filtered_games_as_far_as_it_goes():
    (game,) = read_pgn("1. ?? e5 2. ?? {(K::Te5)} Nc6 {(K:d6,exf4:)} 3. ?? {(K::CD)} Ke7 *")
    assert game.viewer == "black" and [len(turn) for turn in game.attempts] == [0, 1, 0, 2, 0, 1]
    assert game.messages[2].square == "e5" and game.messages[2].taken == "man"
    assert game.messages[4].checks == ("diagonal",)
    assert game.dropped == ("exf4",)  # that pawn was taken


def test_games_from_any_position_are_written_with_it_and_read_again():
    umpire = random_game(3, longest=20, fen=PASSANT)
    (game,) = read_pgn(write_pgn(umpire.record, fen=PASSANT))
    assert game.record == umpire.record and game.fen == PASSANT
    assert viewed(write_pgn(umpire.record, fen=PASSANT)).end().board().fen(en_passant="fen") == umpire.fen


def test_en_passant_promotion_castling_and_mate_are_written_as_in_chess():
    fen = "r3k2r/1P4pp/8/8/3pP3/8/8/R3K2R b KQkq e3 0 1"
    umpire = Referee(fen, HouseRules(material=False))
    for move in ("d4e3", "b7a8q", "e8e7", "e1g1"):
        assert umpire.attempt(move).accepted
    text = write_pgn(umpire.record, fen=fen, switches=umpire.switches)
    for word in ("1... dxe3", "bxa8=Q+", "Ke7", "O-O", "pawn taken on e4", "piece taken on a8", 'Material "off"'):
        assert word in " ".join(text.split())
    assert read_pgn(text)[0].record == umpire.record


def test_switches_are_told_and_obeyed_by_the_reader():
    switches = HouseRules(promotion_tries="per_piece", passant_square="arrival", fifty=False, repetition=False)
    umpire = random_game(5, longest=60, switches=switches)
    (game,) = read_pgn(write_pgn(umpire.record, switches=switches))
    assert game.switches == switches and game.record == umpire.record


def test_attempts_after_the_last_move_are_kept_for_those_who_know_them():
    record = [parse_move(move) for move in ("e2e4", "e7e5", "e4e5")]
    assert read_pgn(write_pgn(record))[0].record == record
    assert "e4e5" in write_pgn(record, viewer="white") and "e4e5" not in write_pgn(record, viewer="black")
    assert read_pgn(write_pgn(record, viewer="white"))[0].refused_last == (record[-1],)


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("1. e4 e5 2. Ke3 *", "move 2 of White (line 1): 'Ke3' is not a legal move"),
        ("1. Nf3 Nf6 2. Nc3 Nc6 3. Nd4 Nb4 4. Nb5 Na6 5. Nd4 *", "may mean several moves"),
        ("1. ?? ?? *", "hides moves of both sides"),
        ("1. e4 {never closed", "line 1 of the PGN cannot be read"),
        ("1. e4 zebra *", "'zebra' is not a legal move"),
        ('[FEN "8/8/8/8/8/8/8/8 w - - 0 1"]\n1. e4 *', "one king"),
        ('[FEN "4k3/8/8/8/8/8/8/4K2R w K - 0 1"]\n1. ?? Ke7 *', "FEN tells"),
        ("1. f3 e5 2. g4 Qh4# 3. a3 *", "after its end by checkmate"),
    ],
)
def test_what_is_no_game_is_refused_in_a_sentence(text, part):
    with pytest.raises(ValueError, match=re.escape(part)):
        read_pgn(text)


def test_damaged_files_are_read_or_refused_but_never_break_the_reader():
    dice = random.Random(1)
    for viewer in ("umpire", "white"):
        text = write_pgn(random_game(11, longest=40).record, viewer=viewer)
        for _ in range(150):
            place, end = dice.randrange(len(text)), dice.randrange(1, 12)
            damaged = text[:place] + "".join(dice.choices('abc12{}()[]";:?=QNx+#. *', k=dice.randrange(4)))
            with contextlib.suppress(ValueError):
                read_pgn(damaged + text[place + end :])
