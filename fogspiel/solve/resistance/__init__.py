"""Resistance."""
