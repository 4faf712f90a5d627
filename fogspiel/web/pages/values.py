"""Proved values of games in plain words; check their certificates, or one of your own."""

from collections import Counter
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path as File
from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Path, Request
from fastapi.responses import HTMLResponse, JSONResponse, Response

from ...core.game import Game, known_game, list_games, nothing_hidden
from ...runs.kinds import bounds, solve
from ...solving.known_values import SIMPLE, KnownValue, known_values, shipped_solution
from ...solving.proofs import read_certificate
from ...solving.proofs.checkers.refined import FORMAT as REFINED_FORMAT
from ...solving.proofs.checkers.tree import FORMAT
from .. import JsonObject
from ..app import Site, attachment
from ..security import LARGE
from ..session_json import scene_of
from .certificates import UPLOAD, check_json, shipped_question

PATH, TITLE = "/certificates", "Solved"
PROVING = (solve.KIND.method, bounds.KIND.method)  # methods of runs that may have a certificate

PROVED, BOUNDS, NO_FILE = "proved", "bounds", "known"
LONGEST = 999_999  # largest numerator or denominator shown as a fraction
DECIMALS = 4
GameName = Annotated[str, Path(max_length=80, description="The name of a game.")]


@dataclass(frozen=True)
class ValueCard:
    """Known value of a game as a page shows it."""

    known: KnownValue
    game: Game

    @property
    def proof(self) -> str:
        """Kind of its proof: of the value, of bounds only, or none that ships with the package."""
        if self.known.shipped is None:
            return NO_FILE
        return BOUNDS if self.known.value is None else PROVED

    @property
    def scene(self) -> str:
        return scene_of(self.game)

    @cached_property
    def words(self) -> str:
        return self.known.words

    @property
    def telling(self) -> bool:
        """True if it is exact, simple and not that of a fair game."""
        low, high = self.known.shares or (self.known.lower, self.known.upper)
        fair = low == (0 if self.known.shares is None else 0.5)
        return low == high and low.denominator <= SIMPLE and not fair

    @property
    def figure(self) -> tuple[str, ...]:
        """The first player's share of wins, or points per game: numerator and denominator, or decimals."""
        number = (self.known.shares or (self.known.lower, self.known.upper))[0]
        if max(abs(number.numerator), number.denominator) > LONGEST:
            if self.proof == BOUNDS:
                return ("?",)
            whole = abs(number.numerator) * 10**DECIMALS // number.denominator
            sign = "-" if number < 0 else ""
            return (f"{sign}{whole // 10**DECIMALS}.{whole % 10**DECIMALS:0{DECIMALS}}..",)
        parts = number.numerator, number.denominator
        return tuple(map(str, parts[: 1 if number.denominator == 1 else 2]))

    @property
    def explored(self) -> bool:
        """True if the explorer can walk through its solution."""
        return self.proof == PROVED and _shipped_is_explored(self.known.game)

    @property
    def size(self) -> str:
        proof = self.known.certificate
        return "" if proof is None else f"{proof.bytes / 1000:,.1f} kB"


def is_explored(game: Game, certificate: Any) -> bool:
    """True if a certificate lists both strategies of a game with hidden information, so that it can be explored."""
    listed = bool(certificate) and certificate.get("format") in (FORMAT, REFINED_FORMAT)
    return listed and game.resample is not nothing_hidden


@cache
def _shipped_is_explored(name: str) -> bool:
    path = shipped_solution(name)
    return path is not None and is_explored(known_game(name), read_certificate(path))


def card_of(game: Game) -> ValueCard | None:
    known = known_values().get(game.name)
    return None if known is None else ValueCard(known, game)


def gallery() -> list[ValueCard]:
    """Return all known values: one of each family and scene first, and telling ones before others."""
    cards = [ValueCard(known, known_game(name)) for name, known in known_values().items()]
    cards.sort(key=lambda card: not card.telling)
    met: Counter[tuple[str, str]] = Counter()
    places = {}
    for card in cards:
        kind = card.game.family, card.scene
        places[card.known.game] = met[kind]
        met[kind] += card.known.shipped is not None
    return sorted(cards, key=lambda card: places[card.known.game])


def variants_of(game: Game) -> list[ValueCard]:
    """Return the games of a family and scene whose share of wins is known, if there are several."""
    kind = game.family, scene_of(game)
    cards = [card for other in list_games().values() if (card := card_of(other)) is not None]
    same = [card for card in cards if (card.game.family, card.scene) == kind and card.known.shares and card.known.value]
    return same if len(same) > 1 else []


def _shipped(name: str) -> tuple[KnownValue, File]:
    known = known_values().get(name)
    if known is None or known.shipped is None:
        raise HTTPException(404, f"no certificate of {name} comes with the package: `fogspiel values` lists them")
    return known, known.shipped


def register(site: Site) -> None:
    router = APIRouter(prefix="/api/values", tags=["certificates"])

    @router.get("")
    def every_value() -> JsonObject:
        """List the known values, with their words and publications."""
        return {"values": [{**card.known.to_json(), "words": card.words} for card in gallery()]}

    @router.get("/{game}/certificate")
    def certificate(game: GameName) -> Response:
        """Return a certificate that ships with the package."""
        known, path = _shipped(game)
        headers = attachment(f"{known.game}.json")
        return Response(path.read_bytes(), media_type="application/json", headers=headers)

    @router.post("/{game}/verify", status_code=202)
    def verify(game: GameName) -> JSONResponse:
        """Check a certificate that ships with the package; poll `/api/certificates/KEY` for the result."""
        known, _ = _shipped(game)
        return JSONResponse(check_json(site, site.jobs.ask(shipped_question(known.game))), 202)

    site.routes.include_router(router)

    @site.routes.get(PATH, include_in_schema=False)
    def page(request: Request) -> HTMLResponse:
        cards = gallery()
        return site.page(
            request,
            "certificates.html",
            cards=cards,
            counts=Counter(card.proof for card in cards),
            kinds=sorted({card.game.category for card in cards if card.proof != NO_FILE}),
            runs=[line for line in site.reader.summaries() if line.method in PROVING and line.state == "finished"],
            megabytes=LARGE[UPLOAD] // 1_000_000,
        )
