"""System 1, tuning: search for strong parameters by races between vectors, within a budget."""
