"""Kriegspiel: chess whose players see only their own men and receive the referee's messages.

The rules as kernels and the layout of states and views are in `rules.py`.
"""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Self

import numpy as np

from ...core.compile.kernel import ones
from ...core.game import Game, Rules, Sizes, equip
from ...core.picture import Chess, Parts
from ...core.untrusted_input import JsonRecord
from ...games.chess.bitboards import KINDS, KING, PAWN
from ...games.chess.fen import SIDES, board_text, directions_in, fen_of, men_letters, move_name, parse_move, square_name
from ...games.chess.moves import MAX_ATTEMPTS
from ...games.chess.position import MEN, MOVER, PLY, POSITION
from . import attempts, rules
from .attempts import CHECKS, MAN_TAKEN, MESSAGE, PASSANT_TAKEN, PAWN_TAKEN, PIECE_TAKEN, SQUARE, TAKEN, TRIES

# Kriegspiel rule sets by name: the referee's announcements under each, and their default switches.

ICC = "icc"
NEAR = 0.5  # minimum similarity of a suggested name


@dataclass(frozen=True)
class RuleSet:
    name: str
    title: str
    about: str  # one sentence for people
    bits: int
    fifty: bool = True  # true if fifty quiet moves are a draw by default
    repetition: bool = True
    passant_square: str = "victim"


BERKELEY = attempts.KIND_HIDDEN | attempts.TRIES_HIDDEN | attempts.REFUSALS_HEARD | attempts.LONG_LIMIT
RULE_SETS = {
    found.name: found
    for found in (
        RuleSet(ICC, "ICC", "captures by pawn or piece, the number of pawn tries, refused attempts in private", 0),
        RuleSet(
            "berkeley",
            "Berkeley",
            "captures by their square alone, nothing about pawn captures; both hear of refused attempts",
            BERKELEY,
            fifty=False,
            repetition=False,
        ),
        RuleSet(
            "berkeley-any",
            "Berkeley + Any",
            "as Berkeley, but the mover may ask whether any pawn can take, and then must take with one",
            BERKELEY | attempts.MAY_ASK | attempts.MUST_TAKE,
            fifty=False,
            repetition=False,
        ),
        RuleSet(
            "cincinnati",
            "Cincinnati",
            "captures by pawn or piece, whether any pawn can take; both hear of refused attempts",
            attempts.TRIES_YES_NO | attempts.REFUSALS_HEARD,
        ),
        RuleSet(
            "rand",
            "RAND",
            "captures by pawn or piece, the squares of pawns that can take, promotions; stalemate loses; both hear of "
            "refused attempts",
            attempts.TRIES_BY_SQUARE | attempts.REFUSALS_HEARD | attempts.PROMOTION_SAID | attempts.STALEMATE_LOSES,
        ),
        RuleSet(
            "english",
            "English",
            "captures by their square alone and en passant as such; the mover may ask whether any pawn can take, and "
            "then must try one capture; both hear of refused attempts",
            BERKELEY ^ attempts.LONG_LIMIT | attempts.MAY_ASK | attempts.PASSANT_SAID,
            repetition=False,
            passant_square="arrival",
        ),
    )
}


def find_rule_set(name: str) -> RuleSet:
    """Return the rule set of that name; suggest similar names in a ValueError."""
    words = name.strip().lower().replace("+", " ").replace("_", " ")
    found = RULE_SETS.get("-".join(words.replace("-", " ").split()))
    if found is None:
        near = get_close_matches(words, RULE_SETS, n=2, cutoff=NEAR)
        meant = f"did you mean {' or '.join(near)}? " if near else ""
        raise ValueError(f"there are no Kriegspiel rules {name[:40]!r}: {meant}there are {', '.join(RULE_SETS)}")
    return found


def rule_set_of(switches: int) -> RuleSet:
    return next(found for found in RULE_SETS.values() if found.bits == switches & attempts.RULE_SET)


# House rules: a rule set, and the switches in which houses differ.

WORDS = {"promotion_tries": ("once", "per_piece"), "passant_square": ("victim", "arrival")}
FLAGS = ("fifty", "repetition", "material")


@dataclass(frozen=True)
class HouseRules(JsonRecord):
    """House rules: the rule set and its switches."""

    KEYS = ("promotion_tries", "passant_square", "fifty", "repetition", "material", "rules")

    promotion_tries: str = "once"  # a promoting capture is one try (`once`) or four (`per_piece`)
    passant_square: str = "victim"
    fifty: bool = True  # a hundred plies without a capture or a pawn move are a draw
    repetition: bool = True  # the third occurrence of a position is a draw
    material: bool = True  # insufficient mating material is a draw
    rules: str = ICC  # the name of the rule set

    def __post_init__(self) -> None:
        given = super().to_json()
        for name, values in WORDS.items():
            if given[name] not in values:
                raise ValueError(f"{name} is {given[name]!r}: it must be {' or '.join(values)}")
        for name in FLAGS:
            if not isinstance(given[name], bool):
                raise ValueError(f"{name} is {given[name]!r}: it must be true or false")
        if self.rules not in RULE_SETS:
            find_rule_set(self.rules)
            raise ValueError(f"rules is {self.rules!r}: it must be one of {', '.join(RULE_SETS)}")
        if self.promotion_tries != "once" and self.rules != ICC:
            raise ValueError(f"promotion_tries is for the rules {ICC}, which count tries: leave it out here")

    @property
    def bits(self) -> int:
        return (
            RULE_SETS[self.rules].bits
            | attempts.PROMOTIONS_COUNT_FOUR * (self.promotion_tries == "per_piece")
            | attempts.PASSANT_AT_ARRIVAL * (self.passant_square == "arrival")
            | attempts.NO_FIFTY * (not self.fifty)
            | attempts.NO_REPETITION * (not self.repetition)
            | attempts.NO_MATERIAL * (not self.material)
        )

    @classmethod
    def from_bits(cls, bits: int) -> Self:
        return cls(
            "per_piece" if bits & attempts.PROMOTIONS_COUNT_FOUR else "once",
            "arrival" if bits & attempts.PASSANT_AT_ARRIVAL else "victim",
            not bits & attempts.NO_FIFTY,
            not bits & attempts.NO_REPETITION,
            not bits & attempts.NO_MATERIAL,
            rule_set_of(bits).name,
        )

    @classmethod
    def usual(cls, rules: str, chosen: Mapping[str, Any] | None = None) -> Self:
        """Return a rule set with its default switches, except those chosen; None means not chosen."""
        found = find_rule_set(rules)
        usual = {"fifty": found.fifty, "repetition": found.repetition, "passant_square": found.passant_square}
        own = {name: value for name, value in (chosen or {}).items() if value is not None}
        return cls.from_json({**usual, **own, "rules": found.name})

    def to_json(self) -> dict[str, bool | str]:
        """Return the switches by name; the rules of the Internet Chess Club are omitted."""
        kept = super().to_json()
        rules = kept.pop("rules")
        return kept if rules == ICC else {"rules": rules, **kept}

    @property
    def chosen(self) -> dict[str, bool | str]:
        usual = type(self).usual(self.rules).to_json()
        return {name: value for name, value in self.to_json().items() if value != usual[name]}


WILD_16 = HouseRules()


# Texts of states and views.

ENDINGS = {
    rules.CHECKMATE: "checkmate",
    rules.STALEMATE: "stalemate",
    rules.MATERIAL: "a draw: neither side has men enough to mate",
    rules.FIFTY: "a draw: fifty moves without a capture or a pawn move",
    rules.REPETITION: "a draw: the position stands for the third time",
    rules.TOO_LONG: "a draw: a thousand moves without a capture or a pawn move",
    rules.LOST_STALEMATE: "stalemate, which loses",
}
QUESTION = Chess.QUESTION  # name of the question whether any pawn can capture
ANSWERS = {rules.NO: "no", rules.YES: "yes"}
KIND_WORDS = {
    PAWN_TAKEN: "pawn taken",
    PIECE_TAKEN: "piece taken",
    MAN_TAKEN: "man taken",
    PASSANT_TAKEN: "pawn taken en passant",
}
UNTOLD = (0, 0, 0, 0)  # a turn without announcements other than that of its move


def attempt_name(action: int) -> str:
    return QUESTION if action == rules.ANY else move_name(action)


def parse_attempt(text: str) -> int:
    return rules.ANY if text == QUESTION else parse_move(text)


def refusals_text(number: int) -> str:
    return f"{number} refusal{'' if number == 1 else 's'}"


def squares_in(squares: int) -> list[str]:
    return [square_name(square) for square in range(64) if squares >> square & 1]


def tries_text(tries: int, switches: int) -> str:
    if switches & attempts.TRIES_YES_NO:
        return "a pawn can take"
    if switches & attempts.TRIES_BY_SQUARE:
        return f"pawn tries from {' '.join(squares_in(tries))}"
    return f"{tries} pawn {'try' if tries == 1 else 'tries'}"


def message_text(message: Sequence[int], colour: int, turn: Sequence[int] = UNTOLD, switches: int = 0) -> str:
    """Describe a move of this colour as announced: `White moved, pawn taken on e5, check on the file, 2 tries`."""
    words = [f"{SIDES[colour]} moved"]
    if turn[rules.REFUSED_BEFORE]:
        words.append(f"after {refusals_text(turn[rules.REFUSED_BEFORE])}")
    if turn[rules.ANSWER]:
        words.append(f"asked whether pawns can take: {ANSWERS[turn[rules.ANSWER]]}")
    if turn[rules.REFUSED_AFTER]:
        words.append(f"then {refusals_text(turn[rules.REFUSED_AFTER])}")
    if message[TAKEN]:
        words.append(f"{KIND_WORDS[message[TAKEN]]} on {square_name(int(message[SQUARE]))}")
    if turn[rules.PROMOTED]:
        words.append("a pawn promoted")
    words += [
        "check by a knight" if name == "knight" else f"check on the {name}" for name in directions_in(message[CHECKS])
    ]
    if message[TRIES]:
        words.append(tries_text(message[TRIES], switches))
    return ", ".join(words)


def recent_messages(seen: np.ndarray) -> list[str]:
    player, mover, ply = (int(seen[cell]) for cell in (rules.SEEN_PLAYER, rules.SEEN_MOVER, rules.SEEN_PLY))
    told, listed = seen.tolist(), []
    turns = (rules.SEEN_TURN, rules.SEEN_OTHER_TURN)
    for said, turn, colour in zip((rules.SEEN_OWN, rules.SEEN_OTHER), turns, (player, 1 - player), strict=True):
        # the turn of the side to move is not that of its last message, which is already known
        heard = UNTOLD if colour == mover else told[turn : turn + rules.TURN]
        listed.append(message_text(told[said : said + MESSAGE], colour, heard, told[rules.SEEN_SWITCHES]))
    return (listed if mover == player else listed[::-1])[max(2 - ply, 0) :]


def question_words(seen: np.ndarray) -> list[str]:
    answer = int(seen[rules.SEEN_TURN + rules.ANSWER])
    if seen[rules.SEEN_MOVER] != seen[rules.SEEN_PLAYER] or not answer or seen[rules.SEEN_END]:
        return []
    return ["a pawn of yours can take" if answer == rules.YES else "no pawn of yours can take"]


def ending_words(end: int) -> list[str]:
    return [f"The game is over: {ENDINGS[end]}."] if end else []


def last_message(state: np.ndarray) -> str:
    last = 1 - int(state[MOVER])
    said, turn = rules.SAID + MESSAGE * last, rules.TURNS + rules.TURN * last
    cells = state.tolist()
    return message_text(cells[said : said + MESSAGE], last, cells[turn : turn + rules.TURN], cells[rules.SWITCHES])


def refused_in(seen: np.ndarray) -> tuple[str, ...]:
    return tuple(map(move_name, refused_moves(seen[rules.REFUSALS])))


def refused_moves(cells: np.ndarray) -> list[int]:
    return [start + 64 * end for start, ends in enumerate(cells.tolist()) for end in range(64) if ends >> end & 1]


def show(seen: np.ndarray) -> str:
    player, mover, end = (int(seen[cell]) for cell in (rules.SEEN_PLAYER, rules.SEEN_MOVER, rules.SEEN_END))
    men = seen[rules.OWN_MEN]
    refused, house = refused_in(seen), rule_set_of(int(seen[rules.SEEN_SWITCHES]))
    lines = [
        f"you are {SIDES[player]}: {ENDINGS[end] if end else 'your move' if mover == player else 'the other moves'}",
        board_text(men.tolist(), -1 if player == 0 else 0),
        *recent_messages(seen),
        *question_words(seen),
    ]
    if refused:
        lines.append(f"refused: {' '.join(refused)}")
    lost_pawns, lost_pieces, won_pawns, won_pieces = seen[rules.SEEN_TAKEN : rules.SEEN_TAKEN + 4].tolist()
    if seen[rules.SEEN_SWITCHES] & attempts.KIND_HIDDEN:
        lines.append(f"you have lost {lost_pieces} men, taken {won_pieces} men")
    else:
        lost = f"{lost_pawns} pawns, {lost_pieces} pieces"
        lines.append(f"you have lost {lost}; taken {won_pawns} pawns, {won_pieces} pieces")
    return "\n".join(lines if house.name == ICC else [*lines, f"{house.title} rules"])


def reveal(state: np.ndarray) -> str:
    lines = [board_text(state[:KINDS].tolist(), int(state[MEN])), fen_of(state[:POSITION])]
    if state[PLY]:
        lines.append(last_message(state))
    if state[rules.END]:
        lines.append(ENDINGS[int(state[rules.END])])
    return "\n".join(lines)


GAMES = [
    Game(
        name="kriegspiel",
        title="Kriegspiel (Internet Chess Club rules)",
        family="kriegspiel",
        category="Boards",
        version=1,
        rules=Rules(rules.start, rules.mover, rules.legal, rules.apply, rules.view, rules.score),
        sizes=Sizes(rules.STATE, rules.VIEW, MAX_ATTEMPTS),
        show=show,
        reveal=reveal,
        label=attempt_name,
        source="The published rules of wild 16; draws by fifty moves and repetition are automatic.",
        play=rules.play,
    )
]


# Kriegspiel: the own men and the referee's messages; for the umpire all men.

SQUARES = 64
PAWNS, PIECES = 8, 7  # initial men of a side besides its king


def taken_on(messages: Sequence[np.ndarray]) -> str:
    """Return the square of the latest capture of these messages, the latest first."""
    return next((square_name(int(message[SQUARE])) for message in messages if message[TAKEN]), "")


def draw_view(game: Game, seen: np.ndarray) -> Parts:
    player, mover, switches = (int(seen[cell]) for cell in (rules.SEEN_PLAYER, rules.SEEN_MOVER, rules.SEEN_SWITCHES))
    men = seen[rules.OWN_MEN]
    own, other = (seen[at : at + MESSAGE] for at in (rules.SEEN_OWN, rules.SEEN_OTHER))
    end, turn = int(seen[rules.SEEN_END]), mover == player
    words = [f"{line}." for line in (*recent_messages(seen), *question_words(seen))] + ending_words(end)
    pawns, pieces = seen[rules.SEEN_TAKEN + 2 : rules.SEEN_TAKEN + 4].tolist()
    counts = _men_counts("your", men)
    if switches & attempts.KIND_HIDDEN:
        counts.append(("the other's pawns and pieces", PAWNS + PIECES - pieces))
    else:
        counts.append(("the other's pawns", PAWNS - pawns - max(pieces - PIECES, 0)))
        counts.append(("the other's pieces", max(PIECES - pieces, 0)))
    listens = turn and not end
    return (
        Chess(
            men=men_letters(men.tolist(), -1 if player == 0 else 0),
            side=player,
            turn=listens,
            refused=refused_in(seen),
            tries=int(other[TRIES]) if listens and not switches & attempts.TRIES_OTHERWISE else 0,
            checks=tuple(directions_in(int(other[CHECKS]))) if turn else (),
            captured=taken_on([other, own] if turn else [own, other]),
            words=tuple(words),
            counts=tuple(counts),
            over=bool(end),
            answer=ANSWERS.get(int(seen[rules.SEEN_TURN + rules.ANSWER]), "") if listens else "",
        ),
    )


def _men_counts(whose: str, men: np.ndarray) -> list[tuple[str, int]]:
    many = [ones(there) for there in men]
    return [(f"{whose} pawns", many[PAWN]), (f"{whose} pieces", sum(many) - many[PAWN] - many[KING])]


def draw_state(game: Game, state: np.ndarray) -> Parts:
    mover, end = int(state[MOVER]), int(state[rules.END])
    messages = [state[rules.SAID + MESSAGE * colour :][:MESSAGE] for colour in (1 - mover, mover)]
    words = [f"{last_message(state)}."] * bool(state[PLY]) + ending_words(end)
    counts = list[tuple[str, int]]()
    for colour, name in enumerate(SIDES):
        counts += _men_counts(f"{name}'s", state[:KINDS] & state[MEN + colour])
    return (
        Chess(
            men=men_letters(state[:KINDS].tolist(), int(state[MEN])),
            side=0,
            turn=False,
            refused=tuple(map(move_name, refused_moves(state[rules.REFUSED : rules.REFUSED + SQUARES]))),
            tries=0 if state[rules.SWITCHES] & attempts.TRIES_OTHERWISE else int(messages[0][TRIES]),
            checks=tuple(directions_in(int(messages[0][CHECKS]))),
            captured=taken_on(messages),
            words=tuple(words),
            counts=tuple(counts),
            over=bool(end),
        ),
    )


# Rules of Kriegspiel for a first-time player.

SCENE = "chess"
HOW_TO_PLAY = (
    "Chess, but you see your own men only. A referee sees both sides.",
    "Try any move that could be legal as far as you know. The referee refuses those that are not: try another one.",
    "A refused attempt costs nothing, and tells you something: the other is not told of it.",
    "The referee announces captures with their square, not who took.",
    "The referee announces checks with their direction: rank, file, long diagonal, short diagonal or knight.",
    "Before your move the referee says how many captures your pawns have (pawn tries).",
    "What exactly is announced depends on the rule set, which you choose before the game.",
    "Checkmate wins. Stalemate, fifty moves without capture or pawn move, and a third repetition are draws.",
    "On the board you can place guesses of where the other's men stand; they stay in your browser.",
)


def news_between(game: Game, before: np.ndarray, action: int, now: np.ndarray) -> list[str]:
    """Return the messages since the view before: about two moves, or one that ended the game."""
    return _said(now, int(now[rules.SEEN_PLY] - before[rules.SEEN_PLY]))


def first_news(game: Game, now: np.ndarray) -> list[str]:
    return _said(now, int(now[rules.SEEN_PLY]))


def _said(now: np.ndarray, moves: int) -> list[str]:
    messages = recent_messages(now)
    return [f"{line}." for line in messages[max(len(messages) - moves, 0) :]] + ending_words(int(now[rules.SEEN_END]))


equip(GAMES, sys.modules[__name__])
