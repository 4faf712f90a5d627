"""Exact solving: from the rules of a game to its value, optimal strategies and a certificate."""
