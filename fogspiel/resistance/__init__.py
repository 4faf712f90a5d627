"""The Resistance solved: optimal strategies of both teams for 5 to 13 players and for variants, with certificates.

Bossle (2018) solved up to 8 players; Christiano (2018) has a closed form of the value for all sizes. `orbits` counts
histories up to relabelling the players, and has a rule of one sentence for each team. `variants` retains only the
decisions that matter and adds the votes, which the thesis omits. `linear_program` and `certificate` solve the rest and
make the solution exact. `balance` searches for fair missions. `explain` and `player` present and play solutions,
also that of spies who do not know each other.
"""
