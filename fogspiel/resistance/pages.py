"""Page of The Resistance."""
