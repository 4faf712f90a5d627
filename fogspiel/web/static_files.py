"""Scripts, styles and pictures of the pages: compressed, and kept by browsers as long as they are the same.

Pages name them by an address with a digest of all of them, such as `/static/0123456789ab/run.js`; a script names its
neighbours relative to itself, so their addresses have the digest too. What such an address gives never changes. The
plain address, `/static/run.js`, gives the same file, and browsers ask each time whether it has changed.
"""

import gzip
import hashlib
import threading
from functools import cached_property
from pathlib import Path

from fastapi import HTTPException, Request
from fastapi.responses import Response

TYPES = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
FOR_EVER, ASK = "private, max-age=31536000, immutable", "private, no-cache"
SHORTEST = 500
"""Bytes below which nothing is compressed."""
PLOTLY = "plotly.min.js"


def plotly_script() -> Path:
    """Where the installed package of plotly keeps its script."""
    import plotly

    return Path(plotly.__file__).parent / "package_data" / PLOTLY


class StaticFiles:
    """The files of a folder, and plotly's script from its package; nothing else can be named."""

    def __init__(self, folder: Path):
        self._own = {path.name: path for path in sorted(folder.iterdir()) if path.suffix in TYPES}
        self._packed: dict[str, bytes] = {}
        self._lock = threading.Lock()

    @cached_property
    def digest(self) -> str:
        """Of all files of our own, and of which script of plotly there is."""
        whole = hashlib.sha256()
        for name, path in self._own.items():
            whole.update(f"{name}\0".encode() + hashlib.sha256(path.read_bytes()).digest())
        script = plotly_script().stat()
        whole.update(f"{script.st_size} {script.st_mtime_ns}".encode())
        return whole.hexdigest()[:12]

    @property
    def prefix(self) -> str:
        """What the addresses of files begin with on a page."""
        return f"/static/{self.digest}"

    def respond(self, request: Request, name: str, digest: str | None = None) -> Response:
        """A file, compressed if the browser reads that."""
        path = plotly_script() if name == PLOTLY else self._own.get(name)
        if path is None or digest not in (None, self.digest):
            raise HTTPException(404, "there is nothing at this address")
        headers = {"cache-control": ASK if digest is None else FOR_EVER, "vary": "accept-encoding"}
        headers["etag"] = f'"{self.digest}"'
        if request.headers.get("if-none-match") == headers["etag"]:
            return Response(status_code=304, headers=headers)
        kind = TYPES[path.suffix]
        if "gzip" in request.headers.get("accept-encoding", "") and path.stat().st_size >= SHORTEST:
            return Response(self._pack(name, path), media_type=kind, headers=headers | {"content-encoding": "gzip"})
        return Response(path.read_bytes(), media_type=kind, headers=headers)

    def _pack(self, name: str, path: Path) -> bytes:
        """A file compressed, once."""
        with self._lock:
            if name not in self._packed:
                self._packed[name] = gzip.compress(path.read_bytes(), 6, mtime=0)
            return self._packed[name]
