"""Outside programs: anything that turns parameters and a seed into a score is tuned as a strategy of a game is."""
