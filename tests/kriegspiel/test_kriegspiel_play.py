"""A person at the terminal: every line gets an answer, nothing hidden is told, the game is saved however it ends."""

import io
import json

import pytest

from fogspiel.cli.terminal import parse_seat
from fogspiel.core.agents import PlayerAgent
from fogspiel.core.rng import stream_of
from fogspiel.core.session import PersonSession
from fogspiel.games.chess.fen import move_name, parse_move
from fogspiel.games.chess.position import PLY
from fogspiel.kriegspiel.commands._terminal import KriegspielTerminal, result_of
from fogspiel.kriegspiel.engine import SearchLimit, engine_agent, parse_engine
from fogspiel.kriegspiel.pgn import read_pgn, write_pgn
from fogspiel.kriegspiel.referee import kriegspiel_from


class Script:
    """Plays what it was told."""

    def __init__(self, *moves):
        self.moves = list(moves)

    def begin(self, side):
        self.side = side

    def choose(self, seen, actions):
        return parse_move(self.moves.pop(0))


class Played:
    """A game with these lines, and what was said; boards that come unasked are left out if they are not wanted."""

    def __init__(self, side, engine, *lines, fen=None, boards=False):
        told = []
        session = PersonSession(kriegspiel_from(fen), PlayerAgent("script", lambda stream: engine), side, 1)
        self.terminal = KriegspielTerminal(session, iter(lines), told.append)
        self.outcome = self.terminal.play()
        self.result, self.how, self.record = result_of(self.outcome), self.outcome.how, session.record
        self.plies = session.state[PLY]
        self.told = [words for words in told if boards or not words.startswith("8  ")]


def test_a_mate_is_played_and_told():
    played = Played(1, Script("f2f3", "g2g4"), "e7e5", "d8h4")
    told = played.told
    assert played.result == "0-1" and played.how == "checkmate"
    assert told[0].startswith("You are Black") and "The referee: White moved." in told
    assert told[-1] == "The referee: Black moved, check on the short diagonal; checkmate."


def test_wrong_lines_get_one_sentence_each_and_the_game_goes_on():
    wrong = ("xyzzy", "e2", "e2e9", "e4e5", "a1a2", "a1b3", "e1g1", "e2e4q", "e2e4 now", "🙂", "d1d3")
    played = Played(0, Script("e7e5", "b8c6"), *wrong, "e2e4", "e4e5", "e4e5", "e4d5", "", "  E4-E5 ", "d2d3")
    assert played.result == "*" and played.plies == 4
    answers = played.told[1:]
    assert len(answers) == len(wrong) + 8
    assert all(answer.endswith(".") and "\n" not in answer and "Traceback" not in answer for answer in answers)
    assert answers[len(wrong)] == "The referee: White moved." and answers[len(wrong) + 1] == "The referee: Black moved."
    assert answers[len(wrong) + 2] == "The referee: illegal move (e4e5)."
    assert "refused already in this turn" in answers[len(wrong) + 3] and "no pawn tries" in answers[len(wrong) + 4]
    assert played.record.count(parse_move("e4e5")) == 1


def test_tries_are_tried_in_order_until_one_is_accepted():
    played = Played(0, Script("d7d5", "a7a6"), "tries", "e2e4", "tries")
    told = played.told
    assert told[1] == "No pawn of yours can take anything: the referee has announced no tries."
    assert "1 pawn try" in told[3]
    refused = [words for words in told[4:] if "illegal move" in words]
    assert told[-2] == "The referee: White moved, pawn taken on d5." and all("(" in words for words in refused)
    assert played.record[2 + len(refused)] == parse_move("e4d5")


def test_a_promoting_pawn_becomes_a_queen_unless_told_otherwise():
    fen = "7k/P7/8/8/8/8/8/K7 w - - 0 1"
    assert Played(0, Script("h8h7"), "a7a8", fen=fen).record[0] == parse_move("a7a8q")
    assert Played(0, Script("h8h7"), "a7a8r", fen=fen).record[0] == parse_move("a7a8r")


@pytest.mark.parametrize(
    ("fen", "said", "meant"),
    (
        (None, "Nf3", "g1f3"),
        (None, "nf3", "g1f3"),
        (None, "e4", "e2e4"),
        ("4k3/8/8/3p4/2B1P3/8/8/4K2R w K - 0 1", "exd5!", "e4d5"),
        ("4k3/8/8/3p4/2B1P3/8/8/4K2R w K - 0 1", "Bxd5", "c4d5"),
        ("4k3/8/8/3p4/2B1P3/8/8/4K2R w K - 0 1", "O-O", "e1g1"),
        ("4k3/8/8/3p4/2B1P3/8/8/4K2R w K - 0 1", "0-0", "e1g1"),
        ("7k/P7/8/8/8/8/8/K7 w - - 0 1", "a8", "a7a8q"),
        ("7k/P7/8/8/8/8/8/K7 w - - 0 1", "a8=N", "a7a8n"),
        ("4k3/8/8/1p6/1B6/2P1P3/2B5/4K3 w - - 0 1", "bb3", None),  # no pawn on the file b
        ("4k3/8/8/8/8/8/3B4/R3K2R w KQ - 0 1", "Bb4", "d2b4"),
    ),
)
def test_short_forms_are_those_of_the_own_men(fen, said, meant):
    engine = Script(*["e8e7"] if fen else ["a7a6"])
    engine.choose = lambda seen, actions: actions[0]
    played = Played(0, engine, said, fen=fen)
    assert played.record[:1] == ([parse_move(meant)] if meant else [])


def test_a_short_form_tells_nothing_that_is_hidden():
    """The knight on e3 is pinned on one of the boards alone: the answers are the same, and name both knights."""
    told = []
    for fen in ("4k3/4r3/8/8/8/4N3/8/N3K3 w - - 0 1", "4k2r/8/8/8/8/4N3/8/N3K3 w - - 0 1"):
        told.append(Played(0, Script(), "Nc2", "Qd4", fen=fen).told)
    assert told[0][1] == told[1][1] == "Nc2 may be a1c2, e3c2: say which man, by both squares."
    assert "no man of yours can try this now" in told[0][-1] and told[0][-1] == told[1][-1]


def test_undo_takes_back_an_attempt_or_a_move_and_the_answer():
    session = PersonSession(kriegspiel_from(), engine_agent("greedy", SearchLimit(nodes=1)), 0, 6)
    told = []
    terminal = KriegspielTerminal(session, iter(("undo", "e4", "d4", "undo", "undo", "undo", "c4")), told.append)
    terminal.play()
    assert told.count("there is nothing to take back: you have not acted yet.") == 2
    assert told.count("Your last attempt is taken back.") == 2
    assert terminal.practice == ["undo"]
    own = [action for _, action in terminal.session.decisions]
    assert own == [parse_move("c2c4")] and terminal.session.record[0] == parse_move("c2c4")
    (game,) = read_pgn(write_pgn(terminal.session.record, {"Practice": "undo"}))
    assert game.tags["Practice"] == "undo" and game.record == terminal.session.record


@pytest.mark.parametrize("name", ("fog", "fog:level=3", "random", "hs"))
def test_an_engine_plays_on_after_an_undo(name):
    words, effort = parse_engine(name, SearchLimit(nodes=60))
    session = PersonSession(kriegspiel_from(), engine_agent(words, effort), 1, 6)
    lines = ("e5", "undo", "d6", "Nf6", "undo", "Nc6", "a6", "h6")
    terminal = KriegspielTerminal(session, iter(lines), lambda words: None)
    assert terminal.play().how == "you left it" and terminal.practice == ["undo"]
    own = [move_name(action) for _, action in terminal.session.decisions]
    assert own[:2] == ["d7d6", "b8c6"] and not terminal.session.over


def test_an_opponent_that_cannot_go_back_says_so():
    played = Played(0, Script("e7e5"), "e2e4", "undo")
    assert played.told[-1] == "script cannot take anything back: play on, or begin another game."
    assert played.terminal.practice == []


def test_a_hint_follows_from_what_the_person_knows():
    """Boards that look and sound alike get the same hint, which is an attempt of the person's own."""
    told = []
    for moves in (("d7d6", "a7a6"), ("e7e6", "h7h6")):
        played = Played(0, Script(*moves), "e2e4", "g1f3", "hint")
        told.append(played.told[-1])
        assert played.terminal.practice == ["hint"]
    assert told[0] == told[1] and told[0].startswith("Try ") and "legal on" in told[0]


def test_boards_show_the_own_men_only():
    told = Played(0, Script("e7e5"), "help", "board", "e2e4", "board", boards=True).told
    assert "tries" in told[2] and "resign" in told[2] and "Black moved" in told[-1]
    boards = [words for words in told if "a b c d e f g h" in words]
    assert len(boards) == 4
    for board in boards:
        men = "".join(line[3:] for line in board.splitlines() if line[:1].isdigit())
        assert len(men) == 8 * 15 and not set("pnbrqk") & set(men) and men.count(".") == 48


def test_resigning_loses_and_leaving_leaves():
    assert Played(0, Script(), "resign").result == "0-1"
    assert Played(1, Script("e2e4"), "RESIGN").result == "1-0"
    left = Played(0, Script(), "board")
    assert left.result == "*" and left.how == "you left it" and not left.outcome.interrupted


def test_ctrl_c_while_the_engine_thinks_ends_the_game_and_not_the_program():
    class Interrupted(Script):
        def choose(self, seen, actions):
            raise KeyboardInterrupt

    played = Played(0, Interrupted(), "e2e4")
    assert played.outcome.interrupted and played.plies == 1 and played.result == "*"


def test_the_engine_s_refused_attempts_are_told_after_the_game_only():
    played = Played(0, Script("e7e5", "e5e4", "d8h4", "h4e4"), "e2e4", "a2a3", "a3a4")
    assert "e5e4" not in "\n".join(played.told)
    after = played.terminal.epilogue()
    assert "2... Qh4 (refused: e5e4)" in after and "The umpire's board:" in after and "3... Qxe4+: pawn taken" in after


def test_whole_games_against_engines_need_no_more_than_their_words():
    stream, told = stream_of(5, 5), []
    session = PersonSession(kriegspiel_from(), engine_agent("greedy", SearchLimit(nodes=1)), 1, 6)

    def lines():
        while True:
            actions = session.choices()
            yield session.game.label(actions[int(stream[0] + len(session.record) * 7) % len(actions)])

    played = KriegspielTerminal(session, lines(), told.append).play()
    assert result_of(played) in ("1-0", "0-1", "1/2-1/2") and session.over
    assert len(told) > session.state[PLY]


def test_an_engine_that_cannot_go_on_ends_the_game_in_a_sentence():
    class Failing(Script):
        def choose(self, seen, actions):
            raise ValueError("the chess engine has ended")

    played = Played(0, Failing(), "e2e4")
    assert played.outcome.failed and played.how == "the chess engine has ended" and played.result == "*"


def test_sides_have_names():
    assert parse_seat("White", ("white", "black")) == 0 and parse_seat("black", ("white", "black")) == 1
    with pytest.raises(ValueError, match="white or black"):
        parse_seat("first", ("white", "black"))


# On the command line


@pytest.fixture
def play(fogspiel, monkeypatch, tmp_path):
    """Play with these lines, in a folder of the test's own."""

    def played(typed, *words):
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr("sys.stdin", io.StringIO(typed) if isinstance(typed, str) else typed)
        limit = () if "--level" in words else ("--nodes", 1)
        return fogspiel("kriegspiel", "play", *limit, "--seed", 1, *words)

    return played


def test_a_game_is_saved_where_it_says_with_the_result(play, tmp_path):
    outcome = play("e2e4\nnonsense\nresign\n", "--against", "random")
    assert outcome.returncode == 0 and "'nonsense' is not a move" in outcome.stdout
    (file,) = tmp_path.glob("kriegspiel-*.pgn")
    assert f"The game is saved in {file.name}." in outcome.stdout
    (game,) = read_pgn(file.read_text())
    assert game.result == "0-1" and game.tags["White"] == "you" and game.tags["Black"] == "random"
    assert len(game.messages) == 2 and "The umpire's board:" in outcome.stdout


def test_the_end_of_the_input_saves_an_unfinished_game(play, tmp_path):
    outcome = play("", "--seat", "black", "--output", "mine.pgn")
    assert outcome.returncode == 0 and "you left it, *" in outcome.stdout
    (game,) = read_pgn((tmp_path / "mine.pgn").read_text())
    assert game.result == "*" and len(game.messages) == 1 and game.tags["Termination"] == "unterminated"


def test_programs_get_one_object(play, tmp_path):
    outcome = play("e2e4\nresign\n", "--json", "--output", "mine.pgn")
    found = json.loads(outcome.stdout)
    assert found["result"] == "0-1" and found["plies"] == 2 and found["output"] == "mine.pgn"
    assert "You are White" in outcome.stderr


def test_ctrl_c_saves_the_game_and_tells_the_shell(play, tmp_path):
    class Input:
        lines = iter(("e2e4\n",))

        def readline(self):
            for line in self.lines:
                return line
            raise KeyboardInterrupt

    outcome = play(Input(), "--output", "mine.pgn")
    assert outcome.returncode == 130 and "saved in mine.pgn" in outcome.stdout
    assert read_pgn((tmp_path / "mine.pgn").read_text())[0].result == "*"


def test_a_game_that_cannot_be_saved_is_told(play):
    outcome = play("e2e4\nresign\n", "--output", "no/such/folder/mine.pgn")
    assert outcome.returncode == 2 and "cannot be written" in outcome.stderr
    assert read_pgn(outcome.stdout[outcome.stdout.index("[Event") :])[0].result == "0-1"


def test_practice_is_kept_in_the_game_and_told(play, tmp_path):
    found = json.loads(play("e4\nundo\nd4\nresign\n", "--level", 1, "--json", "--output", "mine.pgn").stdout)
    assert found["practice"] == ["undo"] and found["against"] == "fog:level=1"
    (game,) = read_pgn((tmp_path / "mine.pgn").read_text())
    assert game.tags["Practice"] == "undo" and game.tags["Black"] == "fog:level=1"


def test_wrong_options_are_refused(refused, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    refused("kriegspiel", "play", "--seat", "red", because="white or black")
    refused("kriegspiel", "play", "--level", 9, because="is not a level: write fog:level=1 to fog:level=8")
    refused("kriegspiel", "play", "--level", 3, "--against", "C", because="leave --against and its limits out")
    refused("kriegspiel", "play", "--against", "nobody", because="no Kriegspiel engine")
    refused("kriegspiel", "play", "--move-seconds", 0, because="must be positive")
    refused("kriegspiel", "play", "--move-seconds", 1, "--nodes", 1, because="exclude each other")
    assert not list(tmp_path.glob("*.pgn"))
