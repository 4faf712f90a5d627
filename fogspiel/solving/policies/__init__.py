"""Policies: their files, best responses, exploitability, and question sheets."""
