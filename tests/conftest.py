"""Shared places for tests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

_SHARED = Path(__file__).resolve().parent.parent.parent / "shared"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Real public data that is never committed; tests that need it are skipped where it is absent."""
    folder = _SHARED / "data"
    if not folder.is_dir():
        pytest.skip("the shared data folder is not here")
    return folder


@pytest.fixture(scope="session")
def golden() -> Any:
    """Reads a table of expected values by name; skips where the tables are absent."""

    def read(name: str) -> dict[str, Any]:
        file = _SHARED / "golden" / f"{name}.json"
        if not file.is_file():
            pytest.skip("the golden tables are not here")
        table: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        return table

    return read
