"""The local web page and its JSON API: players see their views, and everything stays on this machine."""

from collections.abc import Mapping

JsonObject = Mapping[str, object]
"""An answer of the API, made once and not read again; what Python reads is a TypedDict or a dataclass."""
