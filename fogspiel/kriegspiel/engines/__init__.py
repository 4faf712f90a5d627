"""One file per engine or family of engines; each lists its own in ENGINES."""
