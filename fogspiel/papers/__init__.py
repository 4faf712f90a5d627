"""The papers' tables and figures, each one command."""
