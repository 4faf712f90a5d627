"""Plotly's own script, from the installed package, for pages with charts."""

from functools import cache
from pathlib import Path

from fastapi.responses import FileResponse, Response

from ..site import Site

KEEP = {"cache-control": "private, max-age=86400"}
"""Browsers may keep the script for a day: it changes with the installed package only."""


@cache
def plotly_script() -> Path:
    """Where the installed package keeps its script."""
    import plotly

    return Path(plotly.__file__).parent / "package_data" / "plotly.min.js"


def add_to(site: Site) -> None:
    """The script beside our own."""

    @site.routes.get("/static/plotly.min.js", include_in_schema=False)
    def script() -> Response:
        return FileResponse(plotly_script(), media_type="text/javascript", headers=KEEP)
