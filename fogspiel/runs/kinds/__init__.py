"""One file per kind of run, found by itself: each lists its kind under KINDS."""
