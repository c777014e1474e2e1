"""Excel sheets through openpyxl, row by row. The first row with content names the columns."""

from __future__ import annotations

import datetime
import itertools
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from workbench.core.errors import UserProblem
from workbench.core.progress import Context
from workbench.microdata.dictionary import code_text
from workbench.microdata.files import Kind, corrupt
from workbench.microdata.options import AUTO, ReadOptions
from workbench.microdata.readers.contract import Batch, Opened

_ROWS_AT_ONCE = 2_000


def opened(path: Path, options: ReadOptions, context: Context) -> Opened:
    """Find the sheet and its columns."""
    context.step(0.0, "Opening the Excel file")
    book = _book(path)
    try:
        name = _sheet(path, book, options)
        names = _names(path, next(_rows(book[name]), ()))
    finally:
        book.close()

    def batches(columns: tuple[str, ...]) -> Iterator[Batch]:
        return _batches(path, options, name=name, picked=[names.index(column) for column in columns], names=names)

    return Opened(kind=Kind.EXCEL, columns=names, found=("Excel file", f"sheet “{name}”"), batches=batches)


def _book(path: Path) -> Any:
    import openpyxl
    from openpyxl.utils.exceptions import InvalidFileException

    try:
        return openpyxl.load_workbook(path, read_only=True, data_only=True)
    except (InvalidFileException, zipfile.BadZipFile, KeyError, ValueError, OSError, SyntaxError):
        raise corrupt(path, Kind.EXCEL) from None


def _sheet(path: Path, book: Any, options: ReadOptions) -> str:
    names: list[str] = [sheet.title for sheet in book.worksheets]
    listed = ", ".join(f"“{name}”" for name in names)
    if options.sheet != AUTO:
        if options.sheet in names:
            return options.sheet
        raise UserProblem(f"There is no sheet “{options.sheet}”", path.name, f"Sheets: {listed}")
    filled = [name for name in names if next(_rows(book[name]), None) is not None]
    if not filled:
        raise UserProblem("No sheet holds data", path.name, "Choose a file with data")
    if len(filled) > 1:
        raise UserProblem(f"Several sheets hold data: {listed}", path.name, "Set the option sheet to say which")
    return filled[0]


def _rows(sheet: Any) -> Iterator[tuple[Any, ...]]:
    """Rows that hold anything."""
    return (row for row in sheet.iter_rows(values_only=True) if any(cell is not None for cell in row))


def _names(path: Path, row: tuple[Any, ...]) -> tuple[str, ...]:
    names = [_text(cell) or "" for cell in row]
    while names and not names[-1]:
        names.pop()
    blank = [str(position + 1) for position, name in enumerate(names) if not name]
    if blank:
        raise UserProblem(f"Column {', '.join(blank)} has no name", path.name, "Name every column in the first row")
    return tuple(names)


def _batches(
    path: Path, options: ReadOptions, *, name: str, picked: list[int], names: tuple[str, ...]
) -> Iterator[Batch]:
    import pyarrow as pa

    book = _book(path)
    try:
        sheet = book[name]
        total = max(sheet.max_row or 1, 1)
        rows = itertools.islice(_rows(sheet), 1, None)
        done = 0
        while part := list(itertools.islice(rows, _ROWS_AT_ONCE)):
            done += len(part)
            if any(cell is not None for row in part for cell in row[len(names) :]):
                raise UserProblem("A row has more cells than there are names", path.name, "Name every column")
            arrays = {names[i]: pa.array([_cell(row, i, options) for row in part], pa.string()) for i in picked}
            yield Batch(arrays, len(part), min(1.0, done / total))
    except (zipfile.BadZipFile, KeyError, ValueError, SyntaxError):
        raise corrupt(path, Kind.EXCEL) from None
    finally:
        book.close()


def _cell(row: tuple[Any, ...], position: int, options: ReadOptions) -> str | None:
    text = _text(row[position]) if position < len(row) else None
    return None if text in options.missing else text


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
