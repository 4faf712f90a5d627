"""What positions, attempts and metapositions are worth."""
