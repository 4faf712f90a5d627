"""Local web interface and its JSON API: players see only their views, and everything stays on this machine."""

from ..core.page_contract import JsonObject as JsonObject
