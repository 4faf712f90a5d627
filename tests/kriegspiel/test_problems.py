"""Problems: the solver against brute force with python-chess, solutions played on the referee, the shipped dozen."""

import json
import random
from dataclasses import replace

import chess
import pytest
from support.levels import default_cases
from support.problem_check import WrongSolution, check_solution

from fogspiel.core.compile.kernel import interpreted
from fogspiel.kriegspiel.problems import SHIPPED, Problem, men_from_words, put_kings, read_problems, shipped_problems
from fogspiel.kriegspiel.problems.generator import count_refusals, find_candidate
from fogspiel.kriegspiel.problems.solution import (
    ILLEGAL,
    first_scene,
    hear,
    hint,
    known_men,
    scene_after,
    solve,
    tree_lines,
)
from fogspiel.kriegspiel.problems.solver import Solver, TooManyNodes

with interpreted():
    SHIPPED_PROBLEMS = shipped_problems()
MATERIAL = ("KQ", "KR", "KRR", "KBB", "KQp", "KRPp", "KQn", "KPp", "KRBr")


def problem_of(white, kings, mate_in, black=""):
    return Problem(put_kings(men_from_words(white, black), kings.split(",")), mate_in)


# --- an oracle that shares nothing: every subset of boards by brute force ---


def heard_of(board, move):
    """What the referee says of a legal move: what was taken and where, checks with their directions, pawn captures."""
    taken = None
    if board.is_capture(move):
        square = (
            move.to_square if not board.is_en_passant(move) else chess.square(move.to_square % 8, move.from_square // 8)
        )
        taken = (square, board.piece_type_at(square) == chess.PAWN)
    after = board.copy(stack=False)
    after.push(move)
    king, checks = after.king(after.turn), set()
    for checker in after.checkers():
        right, up = checker % 8 - king % 8, checker // 8 - king // 8
        if after.piece_type_at(checker) == chess.KNIGHT:
            checks.add("knight")
        elif not right or not up:
            checks.add("file" if not right else "rank")
        else:
            rising = (right > 0) == (up > 0)
            length = {way: 7 - abs(king % 8 - (king // 8 if way else 7 - king // 8)) for way in (True, False)}
            checks.add("long" if length[rising] > length[not rising] else "short")
    tries = {
        (move.from_square, move.to_square)
        for move in after.legal_moves
        if after.piece_type_at(move.from_square) == chess.PAWN and after.is_capture(move)
    }
    return (taken, frozenset(checks), len(tries)), after


def brute_wins(fens, n, known):
    """Whether mate in n can be forced, by trying everything."""
    if n == 0:
        return False
    if (fens, n) in known:
        return known[fens, n]
    boards = [chess.Board(fen) for fen in fens]
    attempts = {move for board in boards for move in board.legal_moves}
    known[fens, n] = any(brute_works(boards, attempt, n, known) for attempt in attempts)
    return known[fens, n]


def brute_works(boards, attempt, n, known):
    parts = {}
    for board in boards:
        if attempt not in board.legal_moves:
            parts.setdefault("refused", set()).add(board.fen())
            continue
        after = board.copy(stack=False)
        after.push(attempt)
        if after.is_checkmate():
            continue
        if n == 1 or after.is_stalemate():
            return False
        heard, after = heard_of(board, attempt)
        for reply in after.legal_moves:
            said, then = heard_of(after, reply)
            then.halfmove_clock, then.fullmove_number = 0, 1
            parts.setdefault((heard, said), set()).add(then.fen())
    return all(brute_wins(frozenset(part), n - (key != "refused"), known) for key, part in parts.items())


def random_problem(draws, mate_in):
    while True:
        corner = draws.choice((0, 7, 56, 63))
        king = draws.choice([square for square in range(64) if chess.square_distance(square, corner) == 2])
        squares = [king, *draws.sample(range(64), 4)]
        white, black = [], []
        for letter, square in zip(draws.choice(MATERIAL), squares, strict=False):
            (white if letter.isupper() else black).append(letter.upper() + chess.square_name(square))
        near = [chess.square_name(s) for s in range(64) if chess.square_distance(s, corner) <= 1]
        kings = draws.sample(near, draws.choice((1, 2, 2)))
        try:
            return problem_of(",".join(white), ",".join(kings), mate_in, ",".join(black))
        except ValueError:
            continue


@pytest.mark.parametrize("seed", [pytest.param(0, marks=pytest.mark.thorough), 1])
def test_the_solver_finds_what_brute_force_finds(seed):
    draws, mates = random.Random(seed), 0
    for _ in range(25):
        problem = random_problem(draws, 2)
        found = solve(problem, Solver()).moves
        fens, known = frozenset(f"{board} w - - 0 1" for board in problem.boards), {}
        expected = next((n for n in (1, 2) if brute_wins(fens, n, known)), None)
        assert found == expected, problem
        mates += found is not None
    assert mates >= 3


def test_a_solution_ends_in_mate_on_the_referees_board_whatever_happens():
    draws, lines = random.Random(7), 0
    for _ in range(30):
        problem = random_problem(draws, 3)
        found = solve(problem, Solver())
        if found.tree:
            lines += check_solution(replace(problem, mate_in=found.moves), found.tree)
    assert lines > 5


def test_two_squares_of_a_king_are_asked_for_by_an_attempt_that_may_be_refused():
    found = solve(problem_of("Kc6,Rh1", "a8,b8", 2), Solver())
    assert found.moves == 2 and found.keys == ("c6c7",)
    assert [branch.answer for branch in found.tree.branches] == [ILLEGAL, "White moved"]
    assert next(tree_lines(found.tree)) == "1. c6c7"


def test_a_set_that_cannot_be_mated_in_time_is_refuted():
    assert solve(problem_of("Kc6,Rh1", "a8,b8,a7", 2), Solver()).moves is None
    assert solve(problem_of("Kc6,Rh1", "a8,b8,a7", 3), Solver()).moves == 3
    with pytest.raises(TooManyNodes):
        solve(problem_of("Kc6,Rh1", "a8,b8,a7", 3), Solver(most_nodes=5))


def test_boards_may_differ_in_more_than_the_king():
    boards = ("k7/8/1K6/8/8/8/8/7R", "k7/8/1K6/8/8/n7/8/7R")
    found = solve(Problem(boards, 1), Solver())
    assert found.moves == 1 and check_solution(Problem(boards, 1), found.tree) == 2
    facts = Problem(boards, 1).to_json()
    assert facts["boards"] == list(boards) and Problem.from_json(facts).boards == boards
    assert known_men(Problem(boards, 1).positions).possible == (("a3", "n"),)


def test_the_checker_refuses_a_tree_with_a_wrong_attempt_a_missing_branch_or_a_move_too_many():
    problem = problem_of("Kc6,Rh1", "a8,b8", 2)
    tree = solve(problem, Solver()).tree
    with pytest.raises(WrongSolution):
        check_solution(problem, replace(tree, attempt="h1h8"))
    with pytest.raises(WrongSolution, match="nothing after"):
        check_solution(problem, replace(tree, branches=tree.branches[:1]))
    with pytest.raises(WrongSolution, match="no mate in time"):
        check_solution(replace(problem, mate_in=1), tree)


# --- the shipped ones ---


def test_a_dozen_problems_are_shipped_and_get_harder():
    assert len(SHIPPED_PROBLEMS) == 12 and len({problem.boards for problem in SHIPPED_PROBLEMS}) == 12
    lengths = [problem.mate_in for problem in SHIPPED_PROBLEMS]
    assert lengths == sorted(lengths) and set(lengths) == {2, 3, 4}


@pytest.mark.thorough
@pytest.mark.parametrize("number", default_cases(range(1, 12), range(1, len(SHIPPED_PROBLEMS) + 1)))
def test_a_shipped_problem_has_one_key_no_shorter_mate_and_a_solution_that_holds(number):
    problem, solver = SHIPPED_PROBLEMS[number - 1], Solver()
    found = solve(problem, solver)
    assert found.moves == problem.mate_in and len(found.keys) == 1 and count_refusals(found.tree) >= 1
    assert check_solution(problem, found.tree) >= len(problem.boards)
    assert not solver.wins(problem.positions, problem.mate_in - 1)


def test_a_shipped_problem_comes_from_its_seed_and_number():
    problem = min(SHIPPED_PROBLEMS, key=lambda problem: problem.mate_in)
    seed, number = (int(word.split()[-1]) for word in problem.source.split(", ")[1:])
    assert find_candidate(seed, number).problem.to_json() == problem.to_json()
    assert "make-problems" in json.loads(SHIPPED.read_text())["recipe"]


# --- the referee who gives the worst answers ---


@pytest.mark.parametrize("problem", [SHIPPED_PROBLEMS[0], SHIPPED_PROBLEMS[5]])
def test_who_follows_the_hints_mates_in_time(problem):
    solver, scene = Solver(), first_scene(problem)
    while not scene.over:
        scene = hear(solver, scene, hint(solver, scene))
    assert scene.solved
    attempts = [heard.attempt for heard in scene.heard]
    assert scene_after(Solver(), problem, attempts) == scene, "a line determines the answers"
    assert sum(heard.answer != ILLEGAL for heard in scene.heard) == problem.mate_in


def test_whoever_begins_with_anything_but_a_key_never_mates_in_time():
    problem, solver, draws = problem_of("Kc6,Rh1", "a8,b8", 2), Solver(), random.Random(1)
    for first in set(first_scene(problem).attempts()) - {"c6c7"}:
        scene = hear(solver, first_scene(problem), first)
        assert hint(solver, scene) in (None, "c6c7")  # an attempt that is refused everywhere tells nothing
        while hint(solver, scene) is None and not scene.over:
            scene = hear(solver, scene, draws.choice(scene.attempts()))
            assert not scene.solved


def test_a_refused_attempt_costs_no_move_and_cannot_be_repeated():
    solver = Solver()
    scene = hear(solver, first_scene(problem_of("Kc6,Rh1", "a8,b8,d8", 3)), "c6c7")
    assert scene.refused == ("c6c7",) and scene.moves_left == 3 and set(scene.kings) == {"b8", "d8"}
    assert "c6c7" not in scene.attempts()
    with pytest.raises(ValueError, match="refused already"):
        scene.parse("c6-c7")
    for words, sentence in (("h1a9", "is not a move"), ("h1g2", "not how a rook moves"), ("a1a2", "has no man on a1")):
        with pytest.raises(ValueError, match=sentence):
            scene.parse(words)


def test_what_may_stand_where_is_known():
    men = known_men(problem_of("Kc6,Rh1", "a8,b8", 2, "h7").positions)
    assert men.possible == (("a8", "k"), ("b8", "k")) and men.certain.count("p") == 1
    assert men.text.splitlines()[0] == "8  ? ? . . . . . ."


# --- wrong input ---


@pytest.mark.parametrize(
    ("white", "kings", "mate_in", "sentence"),
    [
        ("Kc6,Rh1", "a8", 7, "must be in 1 to 6"),
        ("Rh1", "a8", 2, "one king"),
        ("Kc6,Xh1", "a8", 2, "is not a man"),
        ("Kc6,Qc6", "a8", 2, "two men cannot stand on c6"),
        ("Kc6,Rh1", "h8", 2, "in check although"),
        ("Kc6,Rh1", "i8", 2, "is not a square"),
        ("Kc6,h1", "a8", 2, "pawns cannot stand"),
    ],
)
def test_a_problem_that_makes_no_sense_is_refused_in_a_sentence(white, kings, mate_in, sentence):
    with pytest.raises(ValueError, match=sentence):
        problem_of(white, kings, mate_in)


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{", "[" * 9999, "{}", '{"problems": []}', '{"mate_in": 2, "men": 3, "kings": ["a8"]}',
     '{"mate_in": true, "men": "8/8/8/8/8/8/8/8", "kings": ["a8"]}', '{"mate_in": 2, "boards": "k7"}',
     '{"mate_in": 2, "men": "8", "kings": ["a8"], "run": "me"}', '{"mate_in": 2, "boards": [], "title": "x"}'],
)  # fmt: skip
def test_a_file_that_is_no_problem_is_refused_in_a_sentence(text):
    with pytest.raises(ValueError, match=r"problem"):
        read_problems(text)


def test_boards_that_white_could_tell_apart_are_no_problem():
    with pytest.raises(ValueError, match="White's men"):
        Problem(("k7/8/1K6/8/8/8/8/7R", "k7/8/1K6/8/8/8/8/6R1"), 1)
    with pytest.raises(ValueError, match="has heard"):
        Problem(("k7/8/1K6/3p4/4P3/8/8/7R", "k7/8/1K6/8/4P3/8/8/7R"), 1)
