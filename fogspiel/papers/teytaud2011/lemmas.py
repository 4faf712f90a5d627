"""Lemmas 1 to 4 of Teytaud and Teytaud 2011 as claims: sizes with and without, values by T, and random play."""

from fractions import Fraction
from math import prod

from ...solving.bounds import board_of
from ...solving.bounds.lemma_two import InformedGame, Turns, informed_board
from ...solving.bounds.sure_win import random_play_bounds
from ...solving.known_values import known_values
from ..claims import Claim, Clause, fact
from .five import bounded
from .tictactoe_claims import listing

SETS = {  # sets T of White's turns, from large to small
    "phantom-ponnuki-2x2": ("T:all", "T:2", "T:none"),
    "phantom-ponnuki-2x3": ("T:all", "T:2", "T:3", "T:none"),
    "phantom-ponnuki-3x3": ("T:all",),
    "phantom-ttt": ("T:all",),
}
# Boards of section IV by their winner with open eyes.
BLACK_WINS, WHITE_WINS = ("3x3", "5x5"), ("2x2", "4x4")


# Lemmas 1 and 3: symmetric strategies, and dominating moves


def reduction_claims() -> list[Claim]:
    """Solve the games G' of all turns of White with and without each lemma: histories, and values."""
    found = []
    for game in SETS:
        board, every = informed_board(game), Turns.parse("T:all")
        both = InformedGame(board, every)
        value = both.value()
        for lemma, without in (
            ("Lemma 1", InformedGame(board, every, symmetric=False)),
            ("Lemma 3", InformedGame(board, every, dominating=False)),
        ):
            same = fact("value with and without", without.value() == value, f"{value} and {without.value()}")
            factor = without.histories / both.histories
            fewer = f"{without.histories:,} to {both.histories:,}, a factor of {factor:.2f}"
            words = "a concise representation without loss"
            clauses = fact("histories", factor >= 1, fewer), same
            found.append(Claim(lemma, words, f"{game}, White informed at all turns", clauses))
    return found


# Lemma 2: a better informed opponent is no weaker


def information_claims() -> list[Claim]:
    """Return Black's exact value in the game G' of several sets T, none above the value of the game."""
    found = []
    for game, sets in SETS.items():
        board = informed_board(game)
        values = {words: InformedGame(board, Turns.parse(words)).value() for words in sets}
        whole = values["T:none"] if "T:none" in values else known_values()[game].lower
        clauses = [
            Clause(words, bounded(value, value), most=whole) for words, value in values.items() if words != "T:none"
        ]
        if len(values) > 2:
            differ = len(set(values.values())) > 1
            clauses.append(fact("the value depends on T", differ, listing(values)))
        sentence = "the value of G' is at most that of the game, " + str(whole)
        command = f"fogspiel bounds {game} --informed {sets[0]}"
        found.append(Claim("Lemma 2", sentence, game, tuple(clauses), command=command))
    return found


# Lemma 4: random play of the winner with open eyes


def random_play_claims() -> list[Claim]:
    """Judge section IV's bounds as printed, 1 - 1/(..), and by the lemma, 1/(..)."""
    found = []
    for winner, sizes, less in (("Black", BLACK_WINS, 2), ("White", WHITE_WINS, 1)):
        product = f"((N - {less}) x (N - {less + 2}) x .. x 1)"
        for printed, text, note in (
            (True, f"1 - 1/{product}", "misprint: Lemma 4 gives the complement"),
            (False, f"1/{product}", "as the paper itself goes on for 4x4"),
        ):
            clauses = []
            for size in sizes:
                board = board_of(f"phantom-ponnuki-{size}")
                share = Fraction(1, prod(range(board.cells - less, 0, -2)))
                claimed = 1 - share if printed else share
                known = known_values()[f"phantom-ponnuki-{size}"]
                lemma = random_play_bounds(board)[1]
                low, high = max(known.lower, lemma[0]), min(known.upper, lemma[1])
                value = bounded(low, high) if winner == "Black" else bounded(1 - high, 1 - low)
                clauses.append(Clause(f"{size}, {claimed}", value, least=claimed))
            games = ", ".join(f"phantom-ponnuki-{size}" for size in sizes)
            found.append(Claim("IV", f"{winner} wins at least so often", games, tuple(clauses), text, note))
    return found
