"""Runs: the store, the kinds of run, and the workers that do independent jobs."""
