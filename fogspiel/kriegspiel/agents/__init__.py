"""Agents of Kriegspiel in texts."""
