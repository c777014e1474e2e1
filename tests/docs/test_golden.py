"""The tables of expected values say where they come from, and every one of them is used."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
TABLES = sorted((TESTS / "golden").glob("*.json"))


@pytest.mark.parametrize("path", TABLES, ids=lambda path: path.stem)
def test_that_a_table_names_its_source_by_author_and_year(path: Path) -> None:
    table = json.loads(path.read_text(encoding="utf-8"))
    assert table["table"] == path.stem
    assert re.search(r"\(\d{4}\)|librar", table["source"]), table["source"]
    words = " ".join(str(table.get(key, "")) for key in ("source", "formula", "notes"))
    assert not re.search(r"\.\./|\.txt|\.md|\.pdf", words), words


def test_that_every_table_is_read_by_a_test() -> None:
    read = "\n".join(path.read_text(encoding="utf-8") for path in TESTS.rglob("test_*.py"))
    assert [path.stem for path in TABLES if f'"{path.stem}"' not in read] == []
