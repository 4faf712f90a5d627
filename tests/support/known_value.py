"""Entries of the index of known values: `python -m support.known_value GAME`, in `tests`, adds one.

The game is solved exactly, by its whole tree with refined strategies, its certificate is verified and put beside the
index, and the entry is written; one of the same name is replaced, and lends its texts.
`python -m support.known_value --page` writes the table of docs/values.md, before a release.
"""

import argparse
import json
from pathlib import Path

import fogspiel
from fogspiel.core.game import WIN_DRAW_LOSS, known_game
from fogspiel.solving.known_values import COLUMNS, FOLDER, INDEX, POINTS, SIGNS, known_values
from fogspiel.solving.methods import AUTO, choose_solve_method
from fogspiel.solving.proofs import read_certificate, write_certificate
from fogspiel.solving.sources import find_source

PAGE = Path(__file__).parents[2] / "docs" / "values.md"


def page_row(cells) -> str:
    return f"| {' | '.join(cells)} |"


def table_rows() -> list[str]:
    """Return the rows of the table of docs/values.md, without its head."""
    return [page_row((f"`{known.game}`", *known.row()[1:])) for known in known_values().values()]


def payoffs_text(name: str) -> str:
    payoffs = known_game(name).payoffs
    return POINTS if payoffs == WIN_DRAW_LOSS else SIGNS if set(payoffs) <= {-1, 0, 1} else "points of the first player"


def new_entry(name: str, published: str, ours: str, folder: Path = FOLDER) -> dict:
    """Solve a game, write its certificate into the folder and return its entry of the index."""
    file, refine = (
        folder / f"{name}.json",
        "none" if choose_solve_method(AUTO, find_source(name)).made_for else "uniform",
    )
    write_certificate(fogspiel.solve(name, exact=True, refine=refine).certificate, file)
    more = "" if refine == "none" else f"--refine {refine} "
    proved = fogspiel.verify(file)
    return {
        "game": name,
        "lower": str(proved.lower),
        "upper": str(proved.upper),
        "payoffs": payoffs_text(name),
        "certificate": {
            "digest": read_certificate(file)["digest"],
            "bytes": file.stat().st_size,
            "file": file.name,
        },
        "make": f"fogspiel solve {name} --exact {more}--certificate {file.name}",
        "check": f"fogspiel verify {file.name}",
        "published": published,
        "ours": ours,
    }


def with_entry(index: str, entry: dict) -> str:
    """Return the text of the index with this entry, in the place of one of the same name or last."""
    entries = {old["game"]: old for old in json.loads(index)["values"]} | {entry["game"]: entry}
    return json.dumps({"values": list(entries.values())}, indent=1, ensure_ascii=False) + "\n"


def with_table(page: str) -> str:
    """Return the text of docs/values.md with the table of the present index."""
    before, head, rest = page.partition(page_row(COLUMNS) + "\n")
    rule, *lines = rest.splitlines(keepends=True)
    after = "".join(line for line in lines if not line.startswith("| `"))
    return before + head + rule + "".join(f"{row}\n" for row in table_rows()) + after


def main() -> None:
    """Add an entry, or write the page's table."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("game", nargs="?", help="a game of the catalogue that `solve --exact` takes")
    options.add_argument("--published", help="who published the value first (none that we know of)")
    options.add_argument("--ours", help="what is new (the value, with a certificate)")
    options.add_argument("--page", action="store_true", help="write the table of docs/values.md")
    chosen = options.parse_args()
    if chosen.page:
        PAGE.write_text(with_table(PAGE.read_text()))
    elif chosen.game:
        old = known_values().get(chosen.game)
        published = chosen.published or (old.published if old else "none that we know of")
        ours = chosen.ours or (old.ours if old else "the value, with a certificate")
        entry = new_entry(chosen.game, published, ours)
        entry["payoffs"] = old.payoffs if old else entry["payoffs"]
        INDEX.write_text(with_entry(INDEX.read_text(), entry))
        print(f"{entry['game']}: {entry['lower']}" if entry["lower"] == entry["upper"] else entry)
    else:
        options.error("name a game, or say --page")


if __name__ == "__main__":
    main()
