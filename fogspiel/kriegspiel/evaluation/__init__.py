"""Evaluation of positions, attempts and metapositions."""
