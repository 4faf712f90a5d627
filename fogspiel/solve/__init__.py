"""Solve."""
