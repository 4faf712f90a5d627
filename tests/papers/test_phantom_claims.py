"""The paper's claims about phantom tic-tac-toe, and the game behind them against the rules in plain words."""

from fractions import Fraction

import pytest

from fogspiel.core.game import CHANCE, OVER
from fogspiel.papers.claims import ERROR, Verdict
from fogspiel.papers.teytaud2011 import tictactoe_claims
from fogspiel.papers.teytaud2011.tictactoe_claims import A3, B2, C1, Prescription, black_choices, family, prescribe
from fogspiel.solving.proofs.checkers.tree import PositionFacts, best_response_value

HALF, HOLDS = Fraction(1, 2), Verdict.HOLDS
LINES = [{0, 1, 2}, {3, 4, 5}, {6, 7, 8}, {0, 3, 6}, {1, 4, 7}, {2, 5, 8}, {0, 4, 8}, {2, 4, 6}]
QUARTER = {cell: 3 * (cell % 3) + 2 - cell // 3 for cell in range(9)}
MIRROR = {cell: 3 * (cell // 3) + 2 - cell % 3 for cell in range(9)}


def verdict(claim):
    return claim.verdict(ERROR)


def ours(claim):
    return claim.found(ERROR)


def frames():
    """The eight symmetries of the board, from a quarter turn and a mirror."""
    found = []
    for mirrored in (False, True):
        frame = [MIRROR[cell] if mirrored else cell for cell in range(9)]
        for _ in range(4):
            frame = [QUARTER[cell] for cell in frame]
            found.append(tuple(frame))
    return found


class Umpire:
    """Phantom tic-tac-toe by an umpire who knows only lines; White sees the board in a frame drawn at random.

    A position is (frame, who moves, the stones of both in Black's frame, both histories, tries that failed now).
    """

    def __init__(self, choices):
        self.choices = choices

    def root(self):
        return (None, 0, ((), ()), ((), ()), ())

    def look(self, position):
        frame, mover, stones, histories, failed = position
        if frame is None:
            return PositionFacts(CHANCE, list(range(8)), [Fraction(1, 8)] * 8, ())
        for player in (0, 1):
            if wins(stones[player]):
                return PositionFacts(OVER, [], [], (), Fraction(1 - player))
        if len(stones[0]) + len(stones[1]) == 8:
            last = {*range(9)} - {*stones[0], *stones[1]}
            return PositionFacts(OVER, [], [], (), Fraction(1) if wins(stones[0], last) else HALF)
        known = (histories[mover], failed)
        return PositionFacts(mover, self.choices(mover, known), [], known)

    def after(self, position, action):
        frame, mover, stones, histories, failed = position
        if frame is None:
            return (frames()[action], *position[1:])
        cell = frame[action] if mover else action
        if cell in stones[0] + stones[1]:
            return (frame, mover, stones, histories, (*failed, action))
        stones, histories = list(stones), list(histories)
        stones[mover] += (cell,)
        histories[mover] += ((failed, action),)
        return (frame, 1 - mover, tuple(stones), tuple(histories), ())


def wins(*stones):
    """Whether there is a line among the stones."""
    return any(line <= set().union(*stones) for line in LINES)


def whites_choices(known):
    """Every cell but the centre that White may not know to be occupied; first one that can only win or be illegal."""
    history, failed = known
    own = {stone for _, stone in history}
    tried = {B2, *own, *failed, *(cell for fails, _ in history for cell in fails)}
    free = [cell for cell in range(9) if cell not in tried]
    return [cell for cell in free if wins(own, {cell})][:1] or free


def plan_of(game, player):
    """The optimal strategy of one player as the checker of certificates takes it, where it can come itself."""
    treeplex, behaviour = game.form.treeplexes[player], game.exact.behaviours[player]
    reach, plan = [Fraction(1)] * treeplex.sequences, {}
    for i, known in enumerate(game.knowledge[player]):
        parent, first, choices = int(treeplex.parent[i]), int(treeplex.first[i]), game.choices[player][i]
        for s in range(first, first + len(choices)):
            reach[s] = reach[parent] * behaviour[s]
        if reach[parent]:
            above = int(treeplex.infoset_of[parent])
            after = None if above < 0 else (above, game.choices[player][above][parent - int(treeplex.first[above])])
            plan[after, known] = i, dict(zip(choices, behaviour[first : first + len(choices)], strict=True))
    return plan


@pytest.mark.thorough
@pytest.mark.parametrize(("fallback", "ensured"), [(A3, Fraction(3, 4)), (C1, Fraction(11, 16))])
def test_an_umpire_confirms_what_blacks_moves_ensure(fallback, ensured):
    told = Prescription(fallback)
    game = prescribe(told)
    assert game.exact.value == ensured
    tables = [dict(zip(game.knowledge[player], game.choices[player], strict=True)) for player in (0, 1)]
    # Black's strategy against everything that White can do, then White's strategy against all that Black may do
    free_white = Umpire(lambda player, known: whites_choices(known) if player else tables[0][known])
    assert best_response_value(free_white, plan_of(game, 0), 0) == ensured
    told_white = Umpire(lambda player, known: tables[1][known] if player else black_choices(told, known))
    assert best_response_value(told_white, plan_of(game, 1), 1) == ensured


@pytest.fixture(scope="module")
def table():
    """All claims: fourteen about the strategy, six about cases, two about the upper bound."""
    return tictactoe_claims.section_three_claims()


def test_the_families_are_those_that_the_paper_shows():
    def cell(name):
        return 3 * (int(name[1]) - 1) + "ABC".index(name[0])

    examples = {"A": "A3 B3", "B": "A3 C3", "C": "A3 C2", "D": "A3 C1", "E": "A2 B3", "F": "A2 C2"}
    for letter, pair in examples.items():
        one, other = map(cell, pair.split())
        assert {family(frame[one], frame[other]) for frame in frames()} == {letter}


@pytest.mark.slow
def test_the_paper_is_right_with_the_mirror_image_and_wrong_as_printed(table):
    mended, printed = table[:7], table[7:14]
    assert [ours(claim) for claim in mended] == ["3/4", "1", "3/4", "1", "13/16", "7/8", "3/4"]
    assert {verdict(claim) for claim in mended} == {HOLDS}
    assert [ours(claim) for claim in printed] == ["11/16", "1", "11/16", "1", "13/16", "13/16", "11/16"]
    assert [verdict(claim) != HOLDS for claim in printed] == [
        True,
        False,
        True,
        False,
        False,
        True,
        True,
    ]


@pytest.mark.thorough
def test_what_the_paper_says_on_the_way_is_right_but_for_three_sentences(table):
    found = table[14:20]
    assert [verdict(claim) == HOLDS for claim in found] == [True, True, False, False, False, True]
    assert ours(found[2]) == "A 1/2, B 1, C 1/2, D 1, E 5/8, F 3/4"
    assert ours(found[3]) == "B3 1/2, C2 1, A2 1, C1 1"
    assert ours(found[4]) == "B 1, D 1, F 5/6"


@pytest.mark.thorough
def test_black_never_loses_if_he_follows_the_mended_strategy_well():
    assert tictactoe_claims.value(Prescription(), lambda ending: Fraction(ending.score > 0)) == 1
    assert tictactoe_claims.value(Prescription(C1), lambda ending: Fraction(ending.score > 0)) < 1


@pytest.mark.thorough
def test_the_upper_bound_holds_with_room_to_spare(table):
    draw, bound = table[20:]
    assert (ours(draw), verdict(draw)) == ("1/2", HOLDS)
    assert Fraction(bound.printed) == 1 - HALF / 384
    assert Fraction(ours(bound)) == Fraction(125, 128) < Fraction(bound.printed)
    assert verdict(bound) == HOLDS


@pytest.mark.thorough
def test_the_slips_are_listed_with_what_should_be_there():
    fallback, footnote = tictactoe_claims.slips()
    assert verdict(fallback) == verdict(footnote) == Verdict.FAILS
    assert ours(fallback) == "11/16" and "3/4" in fallback.note and "C4" in footnote.note
