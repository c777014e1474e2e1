"""Shared places for tests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

_REAL_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
_GOLDEN = Path(__file__).resolve().parent / "golden"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Real public data that is never committed; tests that need it are skipped where it is absent."""
    if not _REAL_DATA.is_dir():
        pytest.skip("the real data are not here")
    return _REAL_DATA


@pytest.fixture(scope="session")
def golden() -> Any:
    """Reads a table of expected values by name: worked out apart from the program, by closed forms or by quadrature."""

    def read(name: str) -> dict[str, Any]:
        table: dict[str, Any] = json.loads((_GOLDEN / f"{name}.json").read_text(encoding="utf-8"))
        return table

    return read
