"""The tables of expected values say where they come from: author and year, a library, or an own derivation."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
TABLES = sorted((TESTS / "golden").glob("*.json"))


@pytest.mark.parametrize("path", TABLES, ids=lambda path: path.stem)
def test_that_a_table_names_its_source(path: Path) -> None:
    table = json.loads(path.read_text(encoding="utf-8"))
    assert table["table"] == path.stem
    assert re.search(r"\(\d{4}\)|librar|dp-accounting|own derivation", table["source"]), table["source"]
    words = " ".join(str(table.get(key, "")) for key in ("source", "formula", "notes"))
    assert not re.search(r"\.\./|\.txt|\.md|\.pdf", words), words
