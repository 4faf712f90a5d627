"""What an engine can know: metapositions, probability matrices, particles, and how messages change them."""
