"""What engines learn from game records: how opponents reply, and what a board is worth."""
