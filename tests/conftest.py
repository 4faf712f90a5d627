"""Every test keeps away from the user's own store."""

import pytest


@pytest.fixture(autouse=True)
def _own_store(tmp_path, monkeypatch):
    monkeypatch.setenv("FOGSPIEL_STORE", str(tmp_path / "runs.db"))
