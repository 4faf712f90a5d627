"""The games of a stored match or round robin of Kriegspiel engines, as PGN."""

from collections.abc import Iterator

from ..kriegspiel.pgn import RESULTS, write_pgn
from ..runs.kinds.kriegspiel import parse_ask, rows_in
from ..runs.store import Run


def texts_of(run: Run, viewer: str) -> Iterator[str]:
    """Every game of a run, with the engines, the bout and the seed in its tags."""
    request = parse_ask(run.ask)
    for rows in rows_in(run):
        for row in rows:
            for game in row["games"]:
                names = [row["first"], row["second"]]
                white = game["white"]
                score = game["result"] if white == 0 else 2 - game["result"]
                tags = {
                    "Event": run.name,
                    "Round": f"{row['number'] + 1}.{white + 1}",
                    "White": names[white],
                    "Black": names[1 - white],
                    "Seed": str(request.seed),
                    "PlyCount": str(game["plies"]),
                    "Termination": game["ending"],
                }
                yield write_pgn(game["record"], tags, viewer, switches=request.switches, result=RESULTS[score])
