"""Monte Carlo regret minimisation on the rules themselves, for games whose trees are too large to be built."""
