"""Excel sheets through openpyxl, row by row. The first row with content names the columns."""

from __future__ import annotations

import datetime
import itertools
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from workbench.core.errors import UserProblem
from workbench.core.progress import Context
from workbench.microdata.dictionary import code_text
from workbench.microdata.files import Kind, corrupt, require_modest
from workbench.microdata.header import checked_names, has_names, numbered_names
from workbench.microdata.options import AUTO, Header, ReadOptions
from workbench.microdata.readers.contract import Batch, Opened, SeveralTables, Unreadable

_ROWS_AT_ONCE = 2_000
_SAMPLE = 400
_NEVER_CALCULATED = Unreadable(
    "formulas that were never calculated",
    "Open the file in a spreadsheet program and save it, or give it the role ignore",
)


@contextmanager
def _damage_told(path: Path) -> Iterator[None]:
    """Whatever a damaged workbook makes openpyxl, zipfile and zlib stumble over is one sentence."""
    from openpyxl.utils.exceptions import InvalidFileException

    try:
        yield
    except (
        InvalidFileException, zipfile.BadZipFile, zlib.error, EOFError, OSError, SyntaxError, LookupError, ValueError,
        TypeError, AttributeError, ArithmeticError, RuntimeError,
    ):  # fmt: skip
        raise corrupt(path, Kind.EXCEL) from None


def opened(path: Path, options: ReadOptions, context: Context) -> Opened:
    """Find the sheet and its columns."""
    context.step(0.0, "Opening the Excel file")
    with _damage_told(path):
        name, sample = _sampled(path, options)
        unseen = _columns_of_formulas_only(path, name, sample)
    width = _width(sample[:1] if options.header is not Header.ABSENT else sample)
    header = has_names(path, [row[:width] for row in sample], options.header, "row") if sample else True
    names = checked_names(path, sample[0][:width], "row") if header and sample else numbered_names(width)

    def batches(columns: tuple[str, ...]) -> Iterator[Batch]:
        picked = [names.index(column) for column in columns]
        return _batches(path, name=name, picked=picked, names=names, skip=int(header))

    return Opened(
        kind=Kind.EXCEL, columns=names, found=("Excel file", f"sheet “{name}”"), batches=batches,
        unreadable={names[i]: _NEVER_CALCULATED for i in unseen if i < width},
        names_guessed=options.header is Header.AUTO,
    )  # fmt: skip


def _sampled(path: Path, options: ReadOptions) -> tuple[str, list[list[str]]]:
    """The sheet to read, and its first rows as texts."""
    with _book(path) as book:
        name = _sheet(path, book, options)
        rows = itertools.islice(_rows(book[name]), _SAMPLE)
        return name, [[_text(cell) or "" for cell in row] for _, row in rows]


def _columns_of_formulas_only(path: Path, name: str, sample: list[list[str]]) -> list[int]:
    """Columns that look empty since their formulas have no values yet: no program has calculated the file."""
    width = max((len(row) for row in sample), default=0)
    empty = [i for i in range(width) if not any(row[i] for row in sample[1:] if i < len(row))]
    if not empty or len(sample) < 2:
        return []
    with _book(path, values=False) as book:
        rows = [row for _, row in itertools.islice(_rows(book[name]), 1, _SAMPLE)]
    return [i for i in empty if any(i < len(row) and str(row[i] or "").startswith("=") for row in rows)]


@contextmanager
def _book(path: Path, *, values: bool = True) -> Iterator[Any]:
    """The workbook, with the values of its formulas or with the formulas themselves."""
    import openpyxl

    with zipfile.ZipFile(path) as packed:
        for part in packed.infolist():
            require_modest(path, packed=part.compress_size, unpacked=part.file_size)
    book = openpyxl.load_workbook(path, read_only=True, data_only=values)
    try:
        yield book
    finally:
        book.close()


def _sheet(path: Path, book: Any, options: ReadOptions) -> str:
    names: list[str] = [sheet.title for sheet in book.worksheets]
    if options.sheet != AUTO:
        if options.sheet in names:
            return options.sheet
        raise UserProblem(f"There is no sheet “{options.sheet}”", path.name, f"Sheets: {_listed(names)}")
    filled = [name for name in names if next(_rows(book[name]), None) is not None]
    if not filled:
        raise UserProblem("No sheet holds data", path.name, "Choose a file with data")
    if len(filled) > 1:
        what = f"Several sheets hold data: {_listed(filled)}"
        raise SeveralTables(what, path.name, "Set the option sheet to say which", filled)
    return filled[0]


def _listed(names: list[str]) -> str:
    return ", ".join(f"“{name}”" for name in names)


def _rows(sheet: Any) -> Iterator[tuple[int, tuple[Any, ...]]]:
    """Rows that hold anything, each with its number in the sheet."""
    rows = enumerate(sheet.iter_rows(values_only=True), 1)
    return ((number, row) for number, row in rows if any(cell is not None for cell in row))


def _width(rows: list[list[str]]) -> int:
    """How many columns there are up to the last one that holds anything."""
    return max((position for row in rows for position, cell in enumerate(row, 1) if cell), default=0)


def _batches(path: Path, *, name: str, picked: list[int], names: tuple[str, ...], skip: int) -> Iterator[Batch]:
    import pyarrow as pa

    with _damage_told(path), _book(path) as book:
        sheet = book[name]
        total = max(sheet.max_row or 1, 1)
        rows = itertools.islice(_rows(sheet), skip, None)
        done = 0
        while part := list(itertools.islice(rows, _ROWS_AT_ONCE)):
            done += len(part)
            _require_named_cells(path, part, len(names))
            arrays = {names[i]: pa.array([_cell(row, i) for _, row in part], pa.string()) for i in picked}
            yield Batch(arrays, len(part), min(1.0, done / total))


def _require_named_cells(path: Path, rows: list[tuple[int, tuple[Any, ...]]], width: int) -> None:
    for number, row in rows:
        if any(cell is not None for cell in row[width:]):
            raise UserProblem(
                f"Row {number} has more cells than there are names", path.name, "Name every column in the first row"
            )


def _cell(row: tuple[Any, ...], position: int) -> str | None:
    return _text(row[position]) if position < len(row) else None


def _text(cell: Any) -> str | None:
    if cell is None:
        return None
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, int | float):
        return code_text(cell)
    if isinstance(cell, datetime.datetime) and cell.time() == datetime.time():
        return cell.date().isoformat()
    return str(cell).strip()
