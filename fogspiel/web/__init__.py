"""The local web page and its JSON API: players see their views, and everything stays on this machine."""

from ..core.page_contract import JsonObject as JsonObject
