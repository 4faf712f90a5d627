"""The kind of run of papers."""
