"""Runs: the store, the kinds of run, and the execution of independent jobs."""
