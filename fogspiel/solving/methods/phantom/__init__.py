"""Routes to the solutions of phantom games; `solve.routes` says what a route is."""
