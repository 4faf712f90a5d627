"""External programs: anything that maps parameters and a seed to a score can be tuned like a strategy."""
