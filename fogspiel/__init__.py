"""fogspiel: a workbench for games in which players cannot see everything."""

__version__ = "0.1.0"
