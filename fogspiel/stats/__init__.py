"""Statistics: counts in, numbers out."""
