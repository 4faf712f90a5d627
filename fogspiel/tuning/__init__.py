"""System 1, tuning: parametric strategies raced against each other within a budget."""
