"""Ciancarini2010."""
