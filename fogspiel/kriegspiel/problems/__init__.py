"""Problems: forced mates where only a set of possible boards is known."""
