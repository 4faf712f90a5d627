"""Beliefs of engines: metapositions, probability matrices, particles, and their updates by messages."""
