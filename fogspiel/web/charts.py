"""Charts on pages: plotly's own script from the installed package, and what it needs to be let in."""

from functools import cache
from pathlib import Path

from fastapi import APIRouter
from fastapi.responses import FileResponse, HTMLResponse
from starlette.responses import Response

from .security import CHARTS_POLICY


@cache
def plotly_script() -> Path:
    """Where the installed package keeps its script."""
    import plotly

    return Path(plotly.__file__).parent / "package_data" / "plotly.min.js"


def with_charts(answer: HTMLResponse) -> HTMLResponse:
    """A page on which plotly may set styles."""
    answer.headers["content-security-policy"] = CHARTS_POLICY
    return answer


def routes() -> APIRouter:
    """Plotly's script; browsers may keep it for a day, for it changes with the installed package only."""
    router = APIRouter()

    @router.get("/static/plotly.min.js", include_in_schema=False)
    def script() -> Response:
        return FileResponse(
            plotly_script(), media_type="text/javascript", headers={"cache-control": "private, max-age=86400"}
        )

    return router
