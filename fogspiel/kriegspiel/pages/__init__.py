"""Web pages of Kriegspiel: rule sets, engines and draws of games with people, PGN, analysis, problems."""
