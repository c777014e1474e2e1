"""One flipped byte anywhere in a decision's or a ledger entry's stored row is found and traced to its entry."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from workbench.core.errors import UserProblem
from workbench.project.history.verify import verify
from workbench.project.store import open_project


def _varint(content: bytes, at: int) -> tuple[int, int]:
    """SQLite's variable-length integer: its value and its length in bytes."""
    value = 0
    for length in range(1, 9):
        byte = content[at + length - 1]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, length
    return value << 8 | content[at + 8], 9


def rows_of(content: bytes, path: Path, table: str) -> list[range]:
    """Where the rows of a table lie in the file, byte for byte: the cells of its root page (a leaf, format 10).

    Layout of a b-tree page and its cells: https://www.sqlite.org/fileformat2.html, section 1.6.
    """
    connection = sqlite3.connect(path)
    root = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = ?", (table,)).fetchone()[0]
    size = connection.execute("PRAGMA page_size").fetchone()[0]
    connection.close()
    page = (root - 1) * size
    assert content[page] == 10, "the table is small enough to be one leaf of an index b-tree"
    count = int.from_bytes(content[page + 3 : page + 5], "big")
    cells = []
    for number in range(count):
        slot = page + 8 + 2 * number
        start = page + int.from_bytes(content[slot : slot + 2], "big")
        payload, length = _varint(content, start)
        cells.append(range(start, start + length + payload))
    return cells


def _flipped(content: bytes, at: int, mask: int) -> bytes:
    return content[:at] + bytes([content[at] ^ mask]) + content[at + 1 :]


def test_that_the_rows_were_located_rightly(finished: bytes, copy: Path) -> None:
    first, second = (finished[cell.start : cell.stop] for cell in rows_of(finished, copy, "decision"))
    assert b"approved with care" in first
    assert b"use fewer cells" in second
    (entry,) = rows_of(finished, copy, "ledger")
    assert b"A promise." in finished[entry.start : entry.stop]


@pytest.mark.parametrize(("table", "mask"), [("decision", 0x01), ("decision", 0xFF), ("ledger", 0x80)])
def test_that_every_byte_of_a_row_is_covered(finished: bytes, copy: Path, table: str, mask: int) -> None:
    unseen = []
    for cell in rows_of(finished, copy, table):
        for at in cell:
            copy.write_bytes(_flipped(finished, at, mask))
            if verify(copy).ok:
                unseen.append(at - cell.start)
    assert unseen == []


def test_that_changes_of_every_header_byte_are_covered(finished: bytes, copy: Path) -> None:
    """The record header is where a changed byte could leave the values as they are; so many changes are tried."""
    cell = rows_of(finished, copy, "decision")[0]
    header, length = _varint(finished, cell.start + _varint(finished, cell.start)[1])
    until = cell.start + _varint(finished, cell.start)[1] + header
    assert length == 1
    for at in range(cell.start, until):
        for mask in (*range(1, 16), 0x20, 0x40, 0x7F, 0x80, 0xFF):
            copy.write_bytes(_flipped(finished, at, mask))
            assert not verify(copy).ok, (at - cell.start, mask)


def test_that_a_flipped_byte_of_the_comment_names_the_decision(finished: bytes, copy: Path) -> None:
    start = finished.index(b"approved with care")
    assert finished.count(b"approved with care") == 1
    for at in range(start, start + len(b"approved with care")):
        copy.write_bytes(_flipped(finished, at, 0x20))
        (problem,) = verify(copy).problems
        assert problem.startswith("decision 1 of R-0001 (journal entry ")
        assert problem.endswith("was changed")


def test_that_a_flipped_byte_anywhere_else_never_crashes_verify(finished: bytes, copy: Path) -> None:
    """Every 397th byte of the whole file: found where it matters, and never an unexpected error."""
    noticed = 0
    for at in range(100, len(finished), 397):
        copy.write_bytes(_flipped(finished, at, 0xFF))
        try:
            noticed += not verify(copy).ok
        except UserProblem:
            noticed += 1
    assert noticed > 0


def test_that_a_damaged_file_reads_as_it_is_or_says_that_it_is_damaged(finished: bytes, copy: Path) -> None:
    refused = 0
    for at in range(100, len(finished), 251):
        copy.write_bytes(_flipped(finished, at, 0xFF))
        try:
            with open_project(copy, read_only=True) as project:
                project.datasets(), project.ledger(), project.journal()
                for release in project.releases():
                    project.decisions(release.id), project.votes(release.id)
                    for run in project.runs(release.id):
                        project.findings(run.id), project.published(run.id)
        except UserProblem:
            refused += 1
    assert refused > 0
