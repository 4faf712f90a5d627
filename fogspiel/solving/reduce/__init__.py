"""Presolve: make a game smaller before it is solved, without changing its value."""
