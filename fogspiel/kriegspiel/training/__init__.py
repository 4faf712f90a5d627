"""Training from game records: replies of opponents, and values of boards."""
