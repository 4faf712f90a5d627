"""The permutation version of phantom tic-tac-toe, solved."""
