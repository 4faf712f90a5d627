"""What a tuning run proves about its answer on fresh games, as figures and in a sentence."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from ..core.game import WIN_DRAW_LOSS
from ..stats.elo import elo_of, normalised_elo
from ..tuning.validation import START, Validation
from .formatting import with_interval
from .store import Json


def validation_json(final: Validation, payoffs: Sequence[Fraction]) -> Json:
    """The figures: score and interval against the start, and Elo where games are won, drawn and lost."""
    low, span = float(payoffs[0]), float(payoffs[-1] - payoffs[0])
    figures: Json = {"against": START, "candidate": final.candidate, "proved": final.proved, "games": final.games}
    if not final.games:
        return figures
    figures |= {"score": low + span * final.score, "interval": [low + span * limit for limit in final.interval]}
    figures |= {"pairs": list(final.counts), "better": final.interval[0] > 0.5}
    if final.gain is not None:
        figures |= {"gain": span * final.gain[0], "gain_interval": [span * limit for limit in final.gain[1:]]}
    if tuple(payoffs) == WIN_DRAW_LOSS:
        figures |= {"elo": _finite(elo_of(final.score)), "elo_interval": [_finite(elo_of(x)) for x in final.interval]}
        normalised = [_finite(normalised_elo(final.counts, x)) for x in (final.score, *final.interval)]
        figures |= {"normalised_elo": normalised[0], "normalised_elo_interval": normalised[1:]}
    return figures


def proof_sentence(proof: Mapping[str, Any]) -> str:
    """The figures in a sentence."""
    if not proof["proved"]:
        return "no gain over the start could be proved, so the start is the answer"
    whose = "" if proof["candidate"] == "answer" else f" ({proof['candidate']} of the way, for the last point failed)"
    if "gain" in proof:
        gain = with_interval(proof["gain"], proof["gain_interval"])
        what = f"better against the baseline by {gain} than the start and no worse against it"
    elif not proof["better"]:
        what = "no worse than the start"
    elif "elo" in proof:
        low, high = proof["elo_interval"]
        what = f"{_signed(proof['elo'], '+')} Elo [{_signed(low, '-')}, {_signed(high, '+')}] over the start"
    else:
        what = "better than the start"
    score = with_interval(proof["score"], proof["interval"])
    return f"{what}{whose}: score {score} in {proof['games']:,} fresh games, valid at any time"


def pairs_sentence(proof: Mapping[str, Any]) -> str:
    """Normalised Elo, and how the pairs of games ended, as testers of engines read them."""
    low, high = proof["normalised_elo_interval"]
    normalised = f"{_signed(proof['normalised_elo'], '+')} [{_signed(low, '-')}, {_signed(high, '+')}]"
    return f"normalised Elo {normalised}; pairs from two losses to two wins: {' '.join(map(str, proof['pairs']))}"


def _signed(elo: float | None, infinite: str) -> str:
    return f"{infinite}inf" if elo is None else f"{elo:+.0f}"


def _finite(elo: float) -> float | None:
    """A number, or None for what is infinite or unknown."""
    return elo if abs(elo) < float("inf") else None
