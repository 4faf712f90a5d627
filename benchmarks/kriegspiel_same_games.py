"""Digests of Kriegspiel games by nodes, one line per engine: equal before and after a change that keeps all games.

python benchmarks/kriegspiel_same_games.py > before.txt    # at each of two commits, then: diff before.txt after.txt
"""

import hashlib
import json
import sys

from fogspiel.kriegspiel.engine import SearchLimit
from fogspiel.kriegspiel.match import EngineSpec, play_pair
from fogspiel.kriegspiel.referee import HouseRules

OPPONENT = EngineSpec("minimax", SearchLimit(nodes=500)).to_json()
ENGINES = {
    "random": 1, "greedy": 1, "los": 2000, "aosp": 2000, "hs": 2000, "fog": 3000, "minimax": 1000, "stray-C:none": 500,
    "A": 20, "B1": 200, "B10:generic": 100, "C": 2000, "A:paper": 20, "B3:paper": 200, "C:paper": 1000,
}  # fmt: skip
LONGEST = 80  # plies
RULES = ("icc", "english")

for engine in sys.argv[1:] or ENGINES:
    for rules in RULES:
        seats = [EngineSpec(engine, SearchLimit(nodes=ENGINES.get(engine, 500))).to_json(), OPPONENT]
        pair = play_pair(seats, 7, 0, LONGEST, HouseRules.usual(rules).to_json())
        digest = hashlib.sha256(json.dumps(pair, sort_keys=True).encode()).hexdigest()[:16]
        print(engine, rules, digest, [game["plies"] for game in pair["games"]], flush=True)
