"""A bot of kriegspiel.org behind our protocol: what it is shown and told is what its own site would say.

No foreign code is run: the tests write a checkout whose `bot.py` has the same entry point.
"""

import json
import subprocess
import sys
from pathlib import Path

import chess
import pytest
from kriegspiel.move import KriegspielMove, QuestionAnnouncement
from kriegspiel.move import SpecialCaseAnnouncement as Special
from support.kriegspiel_referees import of_the_package

from fogspiel.core.rng import stream_of
from fogspiel.games.chess.fen import START, move_name, parse_move
from fogspiel.kriegspiel.engine import SearchLimit, find_engine
from fogspiel.kriegspiel.engines.program import ProgramPlayer
from fogspiel.kriegspiel.referee import Referee, play_game

SHIM = Path(__file__).parents[2] / "benchmarks" / "kriegspiel_bot.py"
ONE = SearchLimit(nodes=1)
REFUSED = {"move_done": False, "announcement": "ILLEGAL_MOVE"}
SILENCE = {
    "announcement": "REGULAR_MOVE", "capture_square": None, "captured_piece_announcement": None,
    "special_announcement": None, "checks": [], "next_turn_pawn_tries": 0,
}  # fmt: skip
"""What the site says of a move of which there is nothing to say."""
BOT = """
import json, random, time
from pathlib import Path
import requests

HEARD = Path(__file__).with_name("heard")

def get_json(path):
    return requests.get(path)

def post_json(path, payload=None):
    return requests.post(path)

def keep(kind, what):
    with HEARD.open("a") as file:
        file.write(json.dumps([kind, what]) + "\\n")

def maybe_play_game(game_id, *, rng=random):
    state = get_json(f"/game/{{game_id}}/state")
    keep("state", state)
    print("attempt of a bot that prints")
    moves = list(state["allowed_moves"])
    {order}
    for move in moves:
        answer = post_json(f"/game/{{game_id}}/move", {{"uci": move}})
        keep(move, answer)
        if answer["move_done"]:
            return True
        time.sleep(600)
    return False
"""


def checkout(folder, order="rng.shuffle(moves)"):
    """A folder with a bot, and the command of the shim for it."""
    (folder / "bot.py").write_text(BOT.format(order=order))
    return [sys.executable, str(SHIM), str(folder)]


def heard(folder):
    """What the bot was shown and answered, in order."""
    return [json.loads(line) for line in (folder / "heard").read_text().splitlines()]


class Scripted:
    """A player that makes the moves of a list."""

    def __init__(self, *moves):
        self.moves = [parse_move(move) for move in moves]

    def begin(self, side):
        self.left = iter(self.moves)

    def choose(self, seen, actions):
        return next(self.left)


def play(folder, side, fen=START, longest=120, seed=3, order="rng.shuffle(moves)", other=None):
    """A game of the bot, in which it must not fail."""
    bot = ProgramPlayer(checkout(folder, order), ONE, stream_of(seed))
    other = other or find_engine("random")(ONE, stream_of(seed, 1))
    umpire = play_game((bot, other) if side == 0 else (other, bot), Referee(fen), longest)
    assert umpire.forfeit is None
    return umpire


# What it is told, beside the package of its site


def words_of(answer):
    """An answer of the package as its site hands it on."""
    square, kind, special = answer.capture_at_square, answer.captured_piece_announcement, answer.special_announcement
    return {
        "announcement": answer.main_announcement.name,
        "capture_square": None if square is None else chess.square_name(square),
        "captured_piece_announcement": kind and kind.name,
        "special_announcement": None if special == Special.NONE else special.name,
        "checks": sorted(check.name for check in (answer.check_1, answer.check_2) if check),
        "next_turn_pawn_tries": answer.next_turn_pawn_tries,
    }


def sort_checks(said):
    """A message whose directions of a double check stand in the order of their names."""
    return {**said, "checks": sorted(said["checks"])} if "checks" in said else said


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(6))
def test_messages_and_answers_are_those_of_the_package(tmp_path, seed):
    side, fen = seed % 2, START if seed < 4 else "r3k2r/pPp2ppp/8/3pP3/4p3/8/PPPP1PpP/R3K2R w KQkq d6 0 9"
    umpire = play(tmp_path, side, fen, seed=seed)
    package, left, log, turn, refusals = of_the_package(fen), heard(tmp_path), [], True, 0
    if fen != START:  # what was said of the first position is in the log, too: Black's move, as it were
        log.append({"ply": 2, **SILENCE, "next_turn_pawn_tries": package.current_turn_pawn_tries})
    for action in umpire.record:
        own, name = package._board.turn == (side == 0), move_name(action)
        if own and turn:
            kind, state = left.pop(0)
            assert kind == "state" and [sort_checks(item) for item in state["referee_log"]] == log
        answer = package.ask_for(KriegspielMove(QuestionAnnouncement.COMMON, chess.Move.from_uci(name)))
        turn = answer.move_done
        while own and left and left[0][0] != name:  # promotions to other pieces after a refusal: not tried again
            assert left.pop(0)[1] == REFUSED
        if own and not left:  # the bot's last move, after which it is not asked again
            break
        if own:
            assert sort_checks(left.pop(0)[1]) == ({"move_done": True, **words_of(answer)} if turn else REFUSED)
            refusals += not turn
        if turn:
            log.append({"ply": log[-1]["ply"] + 1 if log else 1, **words_of(answer)})
    assert not left and refusals >= 3 and len(log) >= 20


# What it is shown


@pytest.mark.parametrize("side", (0, 1))
def test_it_is_shown_its_own_men_its_turn_and_what_can_be_tried(tmp_path, side):
    umpire = play(tmp_path, side, longest=12)
    states = [what for kind, what in heard(tmp_path) if kind == "state"]
    again, colour = Referee(), ("white", "black")[side]
    for action in umpire.record:
        if again.turn == side and again.plies // 2 + 1 > len(states[: again.plies // 2]):
            state = states[again.plies // 2]
            men = chess.Board(state["your_fen"]).piece_map()
            true = chess.Board(again.fen)
            assert men == {at: man for at, man in true.piece_map().items() if man.color == (side == 0)}
            assert state["turn"] == state["your_color"] == colour and state["state"] == "active"
            assert state["possible_actions"] == ["move"] and state["move_number"] == again.plies // 2 + 1
            assert (
                set(map(move_name, again.actions)) <= set(state["allowed_moves"]) == set(sorted(state["allowed_moves"]))
            )
        again.attempt(action)
    assert len(states) == 6


def test_refused_attempts_are_followed_by_others_without_a_pause(tmp_path):
    order = "moves.sort(key=lambda move: move != 'e4e5')"
    umpire = play(tmp_path, 0, "4k3/p7/8/4p3/4P3/8/8/4K3 w - - 0 1", 1, order=order)
    assert umpire.refused[0] >= 1 and umpire.plies == 1
    kinds = [(kind, what.get("move_done")) for kind, what in heard(tmp_path)]
    assert kinds[:2] == [("state", None), ("e4e5", False)]


@pytest.mark.parametrize(
    "fen, move, replies, square",
    [
        ("4k3/P7/8/8/8/8/7p/4K3 w - - 0 1", "a7a8q", ["e8e7"], None),
        ("4k3/P7/8/8/8/8/7p/4K3 w - - 0 1", "a7a8n", ["h2h1r"], None),
        ("1r2k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7b8r", ["e8e7"], "b8"),
        ("4k3/8/8/8/8/8/p7/R3K2R w KQ - 0 1", "e1g1", ["e8e7"], None),
        ("4k3/8/8/8/8/8/p7/R3K2R w KQ - 0 1", "e1c1", ["e8e7"], None),
        ("4k3/3p4/8/4P3/8/8/8/4K3 b - - 0 1", "e5d6", ["d7d5", "e8d7"], "d5"),
    ],
)
def test_promotions_castling_and_en_passant_are_moves_as_others(tmp_path, fen, move, replies, square):
    order = f"moves = [{move!r}] if {move!r} in moves else moves"
    umpire = play(tmp_path, 0, fen, 2 * len(replies) + 1, order=order, other=Scripted(*replies))
    names = [move_name(action) for action in umpire.record]
    assert names[: len(replies) + 1] == [*replies[:-1], move, replies[-1]]
    kind, told = heard(tmp_path)[1]
    assert kind == move and told["move_done"] and told["capture_square"] == square


def test_a_promotion_that_was_refused_is_not_tried_again_for_another_piece(tmp_path):
    order = "moves.sort(key=lambda move: not move.startswith('a7a8'))"
    umpire = play(tmp_path, 0, "r3k3/P7/8/8/8/8/8/4K3 w - - 0 1", 1, order=order)
    tried = [kind for kind, _ in heard(tmp_path)[1:5]]
    assert sorted(tried) == ["a7a8b", "a7a8n", "a7a8q", "a7a8r"] and umpire.forfeit is None
    assert len([action for action in umpire.record if move_name(action)[:4] == "a7a8"]) == 1


def test_the_plies_of_black_are_even_also_where_black_begins(tmp_path):
    play(tmp_path, 0, START.replace(" w ", " b "), 6)
    last = [what for kind, what in heard(tmp_path) if kind == "state"][-1]
    assert [item["ply"] for item in last["referee_log"]] == [2, 3, 4]


def test_the_seed_of_the_game_is_that_of_the_bot(tmp_path):
    records = []
    for number, seed in enumerate((5, 5, 6)):
        folder = tmp_path / str(number)
        folder.mkdir()
        other = find_engine("random")(ONE, stream_of(1))
        records.append(play(folder, 0, longest=30, seed=seed, other=other).record)
    assert records[0] == records[1] != records[2]


# What it cannot do


def converse(words, *lines):
    """What the shim says to these lines, its exit code, and what it writes to stderr."""
    text = "".join(f"{line}\n" for line in lines)
    run = subprocess.run(words, input=text, capture_output=True, text=True, timeout=60)
    return run.stdout.splitlines(), run.returncode, run.stderr


GO = ("kriegspiel 1", "new side white", "view ply 0 men 4k3/8/8/8/8/8/8/4K3 castling -", "try e1e2", "go nodes 1")


def test_it_speaks_the_protocol_and_passes_over_what_it_does_not_know(tmp_path):
    said, code, _ = converse(checkout(tmp_path), "", "chatter", *GO, "accepted e1e2", "end 1-0 words", "quit", "go")
    assert said == ["id name kriegspiel.org bot", "kriegspielok 1", "attempt e1e2"] and code == 0


def test_a_new_game_ends_the_turn_of_the_last_one(tmp_path):
    new = ("new side black", "view ply 1 men 4k3/8/8/8/8/8/8/8 castling -", "moved taken pawn e5", "try e8e7", "go")
    said, code, _ = converse(checkout(tmp_path), *GO, "end * broken off", *new, "quit")
    assert said[2:] == ["attempt e1e2", "attempt e8e7"] and code == 0
    last = heard(tmp_path)[-1][1]
    assert last["your_color"] == "black" and last["referee_log"][0]["capture_square"] == "e5"


@pytest.mark.parametrize(
    "first", ("import socket; socket.create_connection(('127.0.0.1', 9))", "requests.get('http://localhost')")
)
def test_the_bot_cannot_open_a_connection(tmp_path, first):
    said, code, told = converse(checkout(tmp_path, first), *GO)
    assert said == ["id name kriegspiel.org bot", "kriegspielok 1"] and code == 1
    assert "plays without the network" in told or "has no attribute 'get'" in told


def test_a_bot_that_makes_no_attempt_and_a_checkout_without_one_are_one_sentence(tmp_path):
    _, code, told = converse(checkout(tmp_path, "moves = ['e1e8']"), *GO)
    assert code == 1 and "the bot has made no attempt when it was asked 100 times" in told
    _, code, told = converse([sys.executable, str(SHIM), str(tmp_path / "nowhere")])
    assert code == 1 and told.count("\n") == 1 and "give the folder with the bot's bot.py" in told


def test_the_checkout_stays_as_it_was(tmp_path):
    said, *_ = converse([*checkout(tmp_path)[:2], str(tmp_path / "bot.py")], *GO, "quit")
    assert said[2:] == ["attempt e1e2"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bot.py", "heard"]
