"""Shared parts: kernels, random numbers, the contract of a game, agents, and the loops that play."""
