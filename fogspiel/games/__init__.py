"""Games, one file or package each; records listed in GAMES are discovered automatically."""
