"""Command groups, one per file; each registers its commands and is discovered automatically."""
