"""Texts that name agents of any game, one file each, discovered automatically: each file lists its SOURCES."""
