"""Independent checkers of certificates: each has the rules of its games and a best response, but no solver.

A module with a FORMAT (or FORMATS, if old ones are still read) and `verify(body) -> (lower, upper)` is their checker.
"""
