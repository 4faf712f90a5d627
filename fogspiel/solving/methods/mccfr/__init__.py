"""Monte Carlo regret minimisation directly on the rules, for games whose trees are too large to be built."""
