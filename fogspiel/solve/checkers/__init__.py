"""Checkers of certificates: they share nothing with the solvers."""
