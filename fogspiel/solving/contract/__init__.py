"""Checks that a game keeps the contract of its kernels."""
