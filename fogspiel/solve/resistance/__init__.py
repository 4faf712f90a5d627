"""The Resistance solved: optimal strategies of both teams for 5 to 13 players, with certificates.

Bossle (2018) solved up to 8 players; Christiano (2018) has a closed form of the value for all sizes. `orbits` counts
histories up to relabelling the players, `full` is Bossle's own linear program, `opening` keeps only the decisions that
matter, `lazy` solves what is left, `certificate` makes the solution exact, `check` verifies it independently, `explain`
and `play` are for people who want to use it.
"""
