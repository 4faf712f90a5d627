"""The command of papers."""
