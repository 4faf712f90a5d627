"""Chess rules for a referee: positions, legal moves, and the attempts of a side that does not see its opponent."""
