"""Kinds of run of The Resistance."""
