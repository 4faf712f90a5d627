"""One file per kind of run, found by itself: each has a `KIND`."""
