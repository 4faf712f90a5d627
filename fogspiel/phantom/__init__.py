"""Phantom games: board games in which the players do not see each other's stones."""
