"""Kriegspiel: a referee to talk to, engines that play, and matches between them."""
