"""Solver of phantom games by private histories."""
