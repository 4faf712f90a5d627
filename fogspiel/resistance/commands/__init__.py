"""Commands of The Resistance."""
