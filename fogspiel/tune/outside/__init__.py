"""Outside."""
