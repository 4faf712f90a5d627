"""Sure wins at phantom ponnuki: decided twice, refuted with certificates, checked, and tampered with."""

import copy
import json
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from plugins.papers import refutation
from support.certificates import reseal

from fogspiel.core.compile.kernel import interpreted
from fogspiel.games.boards.board import BOARDS, Board, ponnuki, ponnuki_fate, rectangle_symmetries
from fogspiel.papers.kinds import Options
from fogspiel.solving.bounds.sure_win import SureWinSearch, find_sure_win, make_refutation, random_play_bounds
from fogspiel.solving.proofs import verify as verify_any
from fogspiel.solving.proofs.checkers.primitives import limit_work
from fogspiel.solving.proofs.checkers.refutation import Rules, verify

SMALL = [(2, 2), (2, 3), (3, 3)]
MIDDLE = [(3, 4), (4, 4)]
FIVE = BOARDS["ponnuki-5x5"]

pytestmark = pytest.mark.interpreted


# The second implementation: sets of coordinates, and the definition of a sure win.


class Oracle:
    """Phantom ponnuki by definition: a strategy is sure if it wins in all worlds."""

    def __init__(self, rows, columns):
        self.places = frozenset((row, column) for row in range(rows) for column in range(columns))
        self.eyes, self.sure, self.fates = cache(self._eyes), cache(self._sure), cache(self._fate)

    def near(self, place):
        row, column = place
        return self.places & {(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)}

    def captured(self, stones, others):
        """True if a chain of the stones has no liberty."""
        left = set(stones)
        while left:
            chain = {left.pop()}
            while True:
                around = frozenset().union(*map(self.near, chain))
                if not around & stones - chain:
                    break
                chain |= around & stones
            left -= chain
            if not around - stones - others:
                return True
        return False

    def lands(self, own, other, place):
        if place in own | other:
            return "illegal"
        if self.captured(other, own | {place}):
            return "wins"
        return "illegal" if self.captured(own | {place}, other) else "goes on"

    def _fate(self, own, other, place):
        found = self.lands(own, other, place)
        stuck = found == "goes on" and all(
            self.lands(other, own | {place}, reply) == "illegal" for reply in self.places
        )
        return "wins" if stuck else found

    def _eyes(self, own, other):
        """True if the player to move wins with open eyes."""
        fates = {place: self.fates(own, other, place) for place in self.places - own - other}
        going = [place for place, found in fates.items() if found == "goes on"]
        return "wins" in fates.values() or any(not self.eyes(other, own | {place}) for place in going)

    def _sure(self, own, worlds):
        """True if Black, to move in one of these worlds, wins for sure."""
        if not all(self.eyes(own, world) for world in worlds):
            return False
        for place in sorted(self.places - own):
            fates = {world: self.fates(own, world, place) for world in worlds}
            illegal = frozenset(world for world in worlds if fates[world] == "illegal")
            if illegal != worlds and (not illegal or self.sure(own, illegal)):
                going = [world for world in worlds if fates[world] == "goes on"]
                if self.survives(own | {place}, going):
                    return True
        return False

    def survives(self, own, worlds):
        """True if Black's stones win for sure with White to move in one of these worlds."""
        replies = {(w, place): self.fates(w, own, place) for w in worlds for place in self.places - own - w}
        after = frozenset(w | {place} for (w, place), found in replies.items() if found == "goes on")
        return "wins" not in replies.values() and (not after or self.sure(own, after))


def places(stones, columns):
    return frozenset(divmod(cell, columns) for cell in range(stones.bit_length()) if stones >> cell & 1)


def strategies_win(oracle, histories):
    """True if a pure strategy wins from all these histories, which look alike to Black.

    Brute force without beliefs: a history has both players' moves in order, and Black's failed tries of this turn.
    """
    own, _, failed = histories[0]
    mine = frozenset(own)
    for place in sorted(oracle.places - mine - failed):
        illegal, after = [], []
        for _, white, _ in histories:
            found = oracle.lands(mine, frozenset(white), place)
            if found == "illegal":
                illegal.append((own, white, failed | {place}))
                continue
            if found == "wins":
                continue
            for reply in oracle.places:
                landed = oracle.lands(frozenset(white), mine | {place}, reply)
                if landed != "illegal":
                    after.append(((*own, place), None if landed == "wins" else (*white, reply), frozenset()))
        lost = any(white is None for _, white, _ in after)
        if not lost and all(strategies_win(oracle, part) for part in (illegal, after) if part):
            return True
    return False


@pytest.mark.parametrize("size", [(2, 2), pytest.param((2, 3), marks=pytest.mark.thorough)])
def test_brute_force_over_histories_agrees(size):
    oracle, board = Oracle(*size), ponnuki(*size)
    for orbit in board.orbits:
        first = divmod(orbit[0], size[1])
        histories = [((first,), (reply,), frozenset()) for reply in oracle.places - {first}]
        assert strategies_win(oracle, histories) == find_sure_win(board, orbit[0]).won == False  # noqa: E712


@pytest.mark.parametrize("size", [*SMALL, *(pytest.param(size, marks=pytest.mark.thorough) for size in MIDDLE)])
def test_both_implementations_agree_on_all_openings_and_known_first_stones(size):
    oracle, board = Oracle(*size), ponnuki(*size)
    for orbit in board.orbits:
        opening = orbit[0]
        own = places(1 << opening, size[1])
        found = find_sure_win(board, opening)
        assert found.won == oracle.survives(own, [frozenset()])
        assert found.won == (size == (3, 3) and opening == 4)
        assert found.won or verify(make_refutation(board, found))[1] < 1
        for first in range(board.cells if board.cells < 16 else 0):
            if first != opening:
                known = find_sure_win(board, opening, first)
                assert known.won == oracle.sure(own, frozenset([places(1 << first, size[1])]))
                assert known.won or verify(make_refutation(board, known))[1] < 1


@pytest.mark.parametrize("size", SMALL)
def test_the_checker_has_the_rules_of_the_second_implementation(size):
    oracle, rules = Oracle(*size), Rules(*size)
    cells = size[0] * size[1]
    for own in range(1 << cells):
        for other in (own ^ mask for mask in (0b10110101, 0b01101001, 0b100010010)):
            other &= ~own & (1 << cells) - 1
            mine, theirs = places(own, size[1]), places(other, size[1])
            if oracle.captured(mine, theirs) or oracle.captured(theirs, mine):
                continue
            assert rules.wins(own, other, 10**6) == oracle.eyes(mine, theirs)
            legal = [c for c in range(cells) if oracle.lands(mine, theirs, divmod(c, size[1])) != "illegal"]
            assert [c for c in range(cells) if rules.is_legal(own, other, 1 << c)] == legal


@cache
def whole(rows, columns):
    board = ponnuki(rows, columns)
    return make_refutation(board, find_sure_win(board))


def test_the_whole_game_is_refuted_and_bounded():
    """White's random play bounds 2x2, whose value is 1/2, by 2/3."""
    assert verify(whole(2, 2)) == verify_any(whole(2, 2)) == (0, Fraction(2, 3))
    assert verify(whole(2, 3))[1] == Fraction(14, 15) and verify(whole(3, 4))[1] == 1 - Fraction(1, 10395)
    assert find_sure_win(ponnuki(3, 3)).won


@pytest.mark.thorough
def test_the_bound_of_4x4_is_that_of_the_paper_and_compilers_change_nothing():
    assert verify(whole(4, 4)) == (0, 1 - Fraction(1, 2027025))
    with interpreted():
        plain = find_sure_win(ponnuki(4, 4))
    assert plain == find_sure_win(ponnuki(4, 4))


def test_the_result_is_deterministic_and_a_limit_leaves_it_undecided():
    board = ponnuki(3, 4)
    assert find_sure_win(board) == find_sure_win(board)
    few = find_sure_win(board, limit=100)
    assert few.won is None and few.verdict == "undecided" and 100 <= few.visits < 400
    with pytest.raises(ValueError, match="only a refuted sure win"):
        make_refutation(board, few)


def test_requests_that_make_no_sense_are_rejected():
    for board in (BOARDS["ttt"], Board("ponnuki-7x7", 7, 7, ponnuki_fate(7, 7), rectangle_symmetries(7, 7))):
        with pytest.raises(ValueError, match="up to 36 cells"):
            find_sure_win(board)
    for opening, first in ((None, 3), (4, 4), (4, 9)):
        with pytest.raises(ValueError, match="only after an opening on another cell"):
            find_sure_win(ponnuki(3, 3), opening, first)
    with pytest.raises(ValueError, match="captures the first stone"):
        find_sure_win(ponnuki(1, 2), 0)


# Tampering. Every change is resealed, so that the digest is not what rejects it.


HEADS = {
    "format": ["fogspiel refutation 2", "", None, 1],
    "game": [
        *(f"phantom-ponnuki-{size}" for size in ("3x5", "4x3", "3x3", "7x7", "1x2", "3x4 ", "03x4")),
        *("ponnuki-3x4", "phantom-ttt", None, 3, ["phantom-ponnuki-3x4"]),
    ],
    "lower": ["1/2", "1", "-1", 0, None],
    "opening": [-1, 12, 0, 5, 1.0, True, "5", []],
    "upper": ["1", "0", "1/2", "10393/10395", "20788/20790", 1, None],
    "beliefs": [None, {}, [], [[]], [[0]], "beliefs", 5, [[0, 0]], [None], [[0, 0], 7]],
}
BAD_STONES = [-1, 1 << 12, 1.0, True, "1", None, [1], 0]


@pytest.mark.parametrize(("key", "to"), [(key, to) for key, values in HEADS.items() for to in values])
def test_a_changed_head_is_rejected(key, to):
    body = {**whole(3, 4), key: to}
    with pytest.raises(ValueError, match="the certificate is not valid"):
        verify(reseal(body))


def parts(body):
    """Yield the certificate without each of its beliefs and without each of its worlds."""
    for number, stones in enumerate(body["beliefs"]):
        for at in range(len(stones)):
            less = copy.deepcopy(body)
            if at:
                less["beliefs"][number].pop(at)
            else:
                less["beliefs"].pop(number)
            yield reseal(less)


def is_valid(body):
    try:
        return verify(body) is not None
    except ValueError as error:
        assert str(error).startswith("the certificate is not valid")
        return False


def test_no_belief_and_no_world_of_a_lean_certificate_can_be_left_out():
    """Spare parts are left out one after the other; then every part is needed."""
    body = whole(3, 4)
    while less := next(filter(is_valid, parts(body)), None):
        body = less
    rejected = [is_valid(less) for less in parts(body)]
    assert len(rejected) >= 15 and not any(rejected) and is_valid(body)


@pytest.mark.parametrize("bad", BAD_STONES)
def test_stones_that_are_not_possible_are_rejected(bad):
    for number, stones in enumerate(whole(3, 4)["beliefs"]):
        for at in range(len(stones)):
            body = copy.deepcopy(whole(3, 4))
            if (number, bad) == (len(body["beliefs"]) - 1, 0):
                continue  # the empty board itself
            body["beliefs"][number][at] = bad
            with pytest.raises(ValueError, match="the certificate is not valid"):
                verify(reseal(body))


def test_moved_stones_are_rejected_unless_the_belief_is_lost_as_well():
    """A stone of a belief is moved to every other cell; what is still accepted is lost by the second implementation."""
    oracle, rejected = Oracle(3, 4), 0
    for number, stones in enumerate(whole(3, 4)["beliefs"][:-1]):
        for at, before in enumerate(stones):
            for bit in (1 << cell for cell in range(12)):
                if before & bit or not before:
                    continue
                body = copy.deepcopy(whole(3, 4))
                body["beliefs"][number][at] = (before & (before - 1)) | bit
                if not is_valid(reseal(body)):
                    rejected += 1
                    continue
                own, *worlds = (places(s, 4) for s in body["beliefs"][number])
                assert not oracle.sure(own, frozenset(worlds))
    assert rejected > 100


def test_a_certificate_in_another_order_or_of_a_won_board_is_rejected():
    body = copy.deepcopy(whole(3, 4))
    body["beliefs"].reverse()
    with pytest.raises(ValueError, match="the certificate is not valid"):
        verify(reseal(body))
    won = {**whole(3, 4), "game": "phantom-ponnuki-3x3", "upper": "104/105", "beliefs": [[16, 1], [0, 0]]}
    with pytest.raises(ValueError, match="nothing refutes"):
        verify(reseal(won))


def test_an_unsealed_change_and_unknown_keys_are_rejected():
    for body in ({**whole(3, 4), "digest": "0" * 64}, {**whole(3, 4), "more": 1}, [], None, "x"):
        with pytest.raises(ValueError, match="the certificate is not valid"):
            verify(body)
    deep = []
    for _ in range(500):
        deep = [deep]
    for beliefs in (deep, [deep], [[0, deep]], [[0] * 200_001], [[0, 10**5000]]):
        with pytest.raises(ValueError, match="the certificate is not valid"):
            verify({**whole(3, 4), "beliefs": beliefs})


def test_a_check_has_a_budget():
    with limit_work(0.0), pytest.raises(ValueError, match="more CPU time"):
        verify(whole(3, 4))


# The paper's last sentence: 5x5


@pytest.mark.thorough
@pytest.mark.parametrize("opening", [0, 1, 2, 6, 7, 12])
def test_no_opening_of_5x5_wins_for_sure(opening):
    found = find_sure_win(FIVE, opening)
    body = json.loads(json.dumps(make_refutation(FIVE, found)))
    assert found.verdict == "refuted" and verify(body)[1] < 1
    assert body["beliefs"][-1][0] == 1 << opening


@pytest.mark.thorough
def test_the_opening_of_lemma_4_is_checked():
    """Black wins 5x5 with open eyes from C3; A1 and a wrong bound are rejected."""
    found, (opening, lemma) = find_sure_win(FIVE), random_play_bounds(FIVE)
    body = make_refutation(FIVE, found, opening)
    assert (opening, lemma[0]) == (12, Fraction(1, 316234143225)) and verify(body)[0] == lemma[0]
    for change in ({"opening": 0}, {"lower": "0"}, {"opening": None}, {"opening": 25}):
        with pytest.raises(ValueError, match="the certificate is not valid"):
            verify(reseal({**body, **change}))
    assert random_play_bounds(ponnuki(4, 4)) == (None, (0, 1 - Fraction(1, 2027025)))
    assert random_play_bounds(FIVE, 1000) == (None, (0, 1))


@pytest.mark.thorough
def test_5x5_is_no_sure_win():
    body = whole(5, 5)
    assert verify(body) == (0, 1 - Fraction(1, 1961990553600))
    assert len(json.dumps(body, separators=(",", ":"))) < 100_000


@pytest.mark.parametrize("columns", [3, pytest.param(5, marks=pytest.mark.thorough)])
def test_the_report_decides_openings_and_known_first_stones_and_writes_checked_certificates(
    tmp_path, monkeypatch, columns
):
    """On 3x3, which Black wins, and 3x5 as on 5x5: every refuted row has a certificate that `verify` accepts."""
    board = ponnuki(3, columns)
    centre, game = board.cells // 2, f"phantom-ponnuki-3x{columns}"
    names = {"FIVE": board, "GAME_5": game, "CENTRE": centre, "START": board.cell_name(centre)}
    for name, value in names.items():
        monkeypatch.setattr(refutation, name, value)
    openings, firsts, table = refutation.compute(Options(certificates=tmp_path), lambda text: None).tables
    assert [line[0] for line in openings.rows] == [board.cell_name(orbit[0]) for orbit in board.orbits]
    assert {line[0] for line in openings.rows if line[1] == "won"} == ({"B2"} if columns == 3 else set())
    for line in firsts.rows:
        first = next(cell for cell in range(board.cells) if board.cell_name(cell) == line[1])
        assert (line[2] == "won") == find_sure_win(board, centre, first).won
    refuted = [line for line in (*openings.rows, *firsts.rows) if "refuted" in line]
    assert len(list(tmp_path.iterdir())) == len(refuted) >= 2 and (tmp_path / f"{game}-A1.json").exists()
    for path in tmp_path.iterdir():
        assert verify_any(json.loads(path.read_text()))[1] < 1
    cells = [cell for row in table.rows for cell in row[1:]]
    assert len(cells) == board.cells and cells.count(names["START"]) == 1
    assert set(cells) <= {names["START"], "won", "refuted"}


@pytest.mark.thorough
@pytest.mark.parametrize(("first", "won"), [(0, True), (1, True), (2, True), (6, False), (7, False)])
def test_centre_of_5x5_wins_for_sure_against_a_known_first_stone_on_the_edge_only(first, won):
    found = find_sure_win(FIVE, 12, first)
    assert found.won == won
    assert won or verify(make_refutation(FIVE, found))[1] < 1


def follow(search, rules, own, worlds, done):
    """Follow the strategy of a sure win in all worlds, by the rules of the checker."""
    if (own, worlds) in done:
        return
    done.add((own, worlds))
    for bit in (1 << cell for cell in search.free(own)):
        legal = [world for world in worlds if rules.is_legal(own, world, bit)]
        going = [w for w in legal if not rules.captures(own, w, bit) and rules.can_move(w, own | bit)]
        replies = {world: set(rules.replies(world, own | bit)) for world in going}
        white = {w: {w | 1 << c for c in range(rules.cells) if rules.is_legal(w, own | bit, 1 << c)} for w in going}
        after = frozenset().union(*replies.values())
        safe = bool(legal) and replies == white  # no reply of White wins
        if safe and (not after or search.core_of(own | bit, np.array(sorted(after), np.int64)) is None):
            for stones, left in ((own | bit, after), (own, worlds - frozenset(legal))):
                if left:
                    follow(search, rules, stones, left, done)
            return
    raise AssertionError("no try wins for sure")


@pytest.mark.thorough
@pytest.mark.parametrize("first", [0, 1, 2])
def test_the_sure_wins_at_5x5_hold_by_the_rules_of_the_checker(first):
    done = set()
    follow(SureWinSearch(FIVE), Rules(5, 5), 1 << 12, frozenset([1 << first]), done)
    assert len(done) > 100
