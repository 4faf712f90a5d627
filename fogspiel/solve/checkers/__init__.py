"""Independent checkers of certificates: each knows the rules of its games and a best answer, and no solver.

A module with a FORMAT and `verify(body) -> (lower, upper)` is the checker of that format.
"""
