"""Games by the rules that a person has chosen: Kriegspiel has several rule sets, every other game has one.

A session file keeps `kriegspiel`, or `kriegspiel berkeley` for another rule set than that of the Internet Chess Club.
"""

from ..core.game import Game, known_game
from ..core.session import Session
from ..kriegspiel.game.rule_sets import ICC, find_rule_set
from ..kriegspiel.referee import HouseRules, kriegspiel_from, switches_in
from ..runs.agent_texts import KRIEGSPIEL


def game_by_rules(name: str, rules: str) -> Game:
    """A game by a rule set with its usual switches, or a ValueError."""
    game, chosen = known_game(name), find_rule_set(rules).name
    if chosen == ICC:
        return game
    if game.name != KRIEGSPIEL:
        raise ValueError(f"{game.name} has one set of rules: {chosen} is for {KRIEGSPIEL}")
    return kriegspiel_from(switches=HouseRules.usual(chosen))


def kept_name(session: Session) -> str:
    """The game of a session as the file keeps it."""
    name = session.game.name
    rules = switches_in(session.state).rules if name == KRIEGSPIEL else ICC
    return name if rules == ICC else f"{name} {rules}"


def find_kept_game(text: str) -> Game:
    """The game that the file keeps."""
    name, _, rules = text.partition(" ")
    return game_by_rules(name, rules or ICC)
