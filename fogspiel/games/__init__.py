"""One file per game; each lists its records in GAMES and is found by itself."""
