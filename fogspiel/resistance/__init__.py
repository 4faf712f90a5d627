"""The Resistance solved: optimal strategies of both teams for 5 to 13 players and for variants, with certificates.

Bossle (2018) solved up to 8 players; Christiano (2018) has a closed form of the value for all sizes. `orbits` counts
histories up to relabelling the players. `variants` retains only the decisions that matter and adds what the thesis
omits (Merlin, votes). `row_generation` solves the rest, and `certificate` makes the solution exact. `simple_rules` has
a rule of one sentence for each team, `balance` searches for fair missions. `explain` and `player` present and play
solutions, also that of spies who do not know each other.
"""
