"""Chess for a referee: positions, legal moves, and what each side may try without seeing the other."""
