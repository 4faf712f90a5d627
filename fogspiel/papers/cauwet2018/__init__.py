"""Cauwet2018."""
