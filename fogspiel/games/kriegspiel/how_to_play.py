"""Rules of Kriegspiel for a first-time player."""

from ...core.game import Game

LINES = (
    "Chess, but you see your own men only. A referee sees both sides.",
    "Try any move that could be legal as far as you know. The referee refuses those that are not: try another one.",
    "A refused attempt costs nothing, and tells you something: the other is not told of it.",
    "The referee announces captures with their square, not who took.",
    "The referee announces checks with their direction: rank, file, long diagonal, short diagonal or knight.",
    "Before your move the referee says how many captures your pawns have (pawn tries).",
    "What exactly is announced depends on the rule set, which you choose before the game.",
    "Checkmate wins. Stalemate, fifty moves without capture or pawn move, and a third repetition are draws.",
    "On the board you can place guesses of where the other's men stand; they stay in your browser.",
)


def how_to_play(game: Game) -> tuple[str, ...]:
    """The rules, a sentence or two per line."""
    return LINES
