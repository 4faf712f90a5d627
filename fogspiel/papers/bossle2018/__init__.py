"""Bossle2018."""
