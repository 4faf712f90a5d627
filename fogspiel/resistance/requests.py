"""The request of the sweep for fair tables of The Resistance."""

from typing import TYPE_CHECKING, Annotated, Any, Literal, Self, TypedDict

from pydantic import Field

from .. import __version__
from ..runs.request import Asked, Request, Text

if TYPE_CHECKING:
    from ..runs.store import Json
    from .balance import TableSpace


class SpaceJson(TypedDict):
    """A space of tables in a first row."""

    players: int
    spies: int
    smallest: int
    largest: int
    stars: list[list[int]]


class BalanceRequest(Request):
    """Sweep the mission tables of The Resistance for those that are nearest to fair."""

    command_name, once = "balance", True
    kind: Literal["balance"] = "balance"
    game: Annotated[
        Literal["resistance"],
        Field(title="Game", description="resistance."),
        Asked(argument=True, subject="the game", wanted="resistance, as balance is for resistance alone"),
    ]
    players: Annotated[int, Field(title="Players", description="How many play, at most 14.")]
    spies: Annotated[
        int | None, Field(title="Spies", description="How many of them are spies (a third, rounded up).")
    ] = None
    smallest: Annotated[int, Field(title="Smallest mission", description="Players on the smallest mission.")] = 2
    largest: Annotated[
        int | None, Field(title="Largest mission", description="On the largest one (as many as are no spies).")
    ] = None
    fails: Annotated[
        Text | None,
        Field(
            title="Sabotages",
            description="The Resistance: sabotages that each mission takes, as 1,1,1,2,1 (a star) or 1,1,1,1,1.",
        ),
    ] = None
    nearest: Annotated[
        int, Field(ge=1, title="Nearest", description="How many tables to print."), Asked(wanted="at least 1")
    ] = 10

    def check(self) -> None:
        _ = self.space

    @property
    def space(self) -> "TableSpace":
        from .balance import STARS, TableSpace
        from .game import whole_numbers

        spies = -(-self.players // 3) if self.spies is None else self.spies
        stars = STARS if self.fails is None else (whole_numbers(self.fails, "fails"),)
        largest = self.players - spies if self.largest is None else self.largest
        return TableSpace(self.players, spies, self.smallest, largest, stars)

    def to_json(self) -> "Json":
        from .game import VERSION

        asked = {"game": self.game, "method": self.kind, "space": self.space.to_json(), "nearest": self.nearest}
        return asked | {"rules": VERSION, "fogspiel": __version__}

    @classmethod
    def row_types(cls) -> dict[str, Any]:
        types = super().row_types()
        return {key: types[key] for key in ("rules", "fogspiel", "nearest")} | {"space": SpaceJson}

    @classmethod
    def from_json(cls, ask: "Json") -> Self:
        space = {key: ask["space"][key] for key in ("players", "spies", "smallest", "largest")}
        stars = ask["space"]["stars"]
        fails = ",".join(map(str, stars[0])) if len(stars) == 1 else None
        return cls(game=ask["game"], **space, fails=fails, nearest=ask["nearest"])
