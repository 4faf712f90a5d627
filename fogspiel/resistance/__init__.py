"""The Resistance solved: optimal strategies of both teams for 5 to 13 players and for variants, with certificates.

Bossle (2018) solved up to 8 players; Christiano (2018) has a closed form of the value for all sizes. `orbits` counts
histories up to relabelling the players, `full_sequence_form` is Bossle's own linear program, `opening` keeps only the
decisions that matter, `row_generation` solves what is left, `certificate` makes the solution exact; `simple_rules` has
a rule of one sentence for each team, `balance` looks for fair missions, `words` and `play` are for people who want to
use a solution. `lone_words` is for spies who do not know each other, `merlin` and `voting` for what the thesis
leaves out.
"""
