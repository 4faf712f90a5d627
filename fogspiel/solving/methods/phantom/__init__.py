"""Solutions of phantom games by their private histories."""
