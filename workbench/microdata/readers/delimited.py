"""Delimited text through Arrow's reader. Every field stays text, so leading zeros stay."""

from __future__ import annotations

import codecs
import csv
import io
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from workbench.core.errors import Problem, UserProblem
from workbench.core.progress import Context
from workbench.core.quantities import agreeing, counted
from workbench.microdata.files import Kind, corrupt, is_zip, name_inside, open_bytes
from workbench.microdata.options import AUTO, DecimalMark, Delimiter, Header, ReadOptions, Thousands
from workbench.microdata.readers.contract import Batch, Opened
from workbench.microdata.readers.quotes import left_open, require_whole_rows
from workbench.microdata.sniff import TextLayout, layout_of, not_written_in

_BLOCK = 4 << 20
_PLAIN = ("utf-8", "utf-8-sig", "ascii", "utf-16", "utf-32")  # the last two by the mark that the file begins with
_GROUPS = {",": Thousands.COMMA, ".": Thousands.POINT, " ": Thousands.SPACE, "'": Thousands.APOSTROPHE}
_NAMED_LINES = 3  # how many ragged lines one message lists


def opened(path: Path, options: ReadOptions, context: Context) -> Opened:
    """Find out the layout, then offer the rows."""
    layout = layout_of(path, options, context)

    def batches(columns: tuple[str, ...]) -> Iterator[Batch]:
        return _batches(path, layout, options=options, columns=columns)

    return Opened(
        kind=Kind.DELIMITED, columns=layout.columns, found=layout.words(), batches=batches, notation=layout.notation,
        names_guessed=options.header is Header.AUTO, guessed=guessed(path, layout, options),
    )  # fmt: skip


def guessed(path: Path, layout: TextLayout, options: ReadOptions) -> dict[str, str]:
    """How fields, encoding and numbers are read because the rows suggest it, where that is not how plain text is read.

    One row more could suggest something else and change how all others are read. So a draw wants it said in the plan.
    Whether the first line holds names needs no word: where nobody says, it does, or the file is not read at all.
    """
    found = {}
    if options.delimiter is Delimiter.AUTO and layout.delimiter != _usual(path):
        found["delimiter"] = next(each.value for each in Delimiter if each.character == layout.delimiter)
    if options.encoding == AUTO and layout.encoding not in _PLAIN:
        found["encoding"] = layout.encoding
    if options.decimal is DecimalMark.AUTO and layout.notation.decimal != ".":
        found["decimal"] = DecimalMark.COMMA.value
    if options.thousands is Thousands.AUTO and layout.notation.thousands:
        found["thousands"] = _GROUPS[layout.notation.thousands].value
    return found


def _usual(path: Path) -> str:
    """What the ending of the name promises: tabs in .tsv and .tab, commas elsewhere."""
    return "\t" if name_inside(path).lower().endswith((".tsv", ".tab")) else ","


def _batches(path: Path, layout: TextLayout, *, options: ReadOptions, columns: tuple[str, ...]) -> Iterator[Batch]:
    import pyarrow as pa

    size = max(path.stat().st_size, 1)
    rows, arrays = 0, dict[str, Any]()
    with _raw(path) as raw:
        try:
            for batch in _reader(raw, layout, options=options, columns=columns):
                arrays = dict(zip(columns, batch.columns, strict=True))
                rows += batch.num_rows
                yield Batch(arrays, batch.num_rows, min(1.0, raw.tell() / size))
            if layout.quoted and (
                rows != layout.lines - layout.blank_lines - layout.header or left_open(layout.last_line, layout)
            ):
                for _ in require_whole_rows(path, layout):
                    yield Batch({name: array[:0] for name, array in arrays.items()}, 0, 1.0)
        except pa.ArrowInvalid as wrong:
            raise _explained(path, layout, str(wrong)) from None
        except (pa.ArrowException, OSError, EOFError, zipfile.BadZipFile):
            raise corrupt(path, Kind.DELIMITED) from None
        except UnicodeError:
            raise not_written_in(path, layout.encoding) from None


def _raw(path: Path) -> Any:
    """The bytes on disk; those of a zip file's only member unpacked as they are asked for."""
    import pyarrow as pa

    return pa.PythonFile(open_bytes(path), "r") if is_zip(path) else pa.OSFile(str(path))


def _reader(raw: Any, layout: TextLayout, *, options: ReadOptions, columns: tuple[str, ...]) -> Any:
    import pyarrow as pa
    import pyarrow.csv as pcsv

    stream = pa.CompressedInputStream(raw, "gzip") if layout.compressed else raw
    plain = layout.encoding in ("utf-8", "utf-8-sig")
    return pcsv.open_csv(
        stream,
        read_options=pcsv.ReadOptions(
            column_names=list(layout.columns), block_size=_BLOCK,
            skip_rows_after_names=layout.blank_lines + 1 if layout.header else 0,
            encoding="utf8" if plain else layout.encoding,
        ),
        parse_options=pcsv.ParseOptions(delimiter=layout.delimiter, newlines_in_values=layout.quoted),
        convert_options=pcsv.ConvertOptions(
            column_types={name: pa.dictionary(pa.int32(), pa.string()) for name in layout.columns},
            include_columns=list(columns), strings_can_be_null=True, null_values=["", *options.missing],
        ),
    )  # fmt: skip


def _explained(path: Path, layout: TextLayout, message: str) -> UserProblem:
    """Arrow's message quotes the row, which is confidential: say the same without the data."""
    long = re.search("straddling|too large", message)
    if long and (line := _long_line(path, layout)):
        what = f"Line {line} is longer than {_BLOCK >> 20} MB, which no row of a table is"
        return UserProblem(what, path.name, "Check its quotation marks and delimiter, or shorten its fields")
    if layout.quoted and "UTF" not in message:
        for _ in require_whole_rows(path, layout):  # raises, and names the line, where a mark is missing
            pass
    if "Expected" in message and "columns" in message:
        ragged = _ragged_lines(path, layout)
        if ragged:
            return UserProblem.of(ragged)
        return UserProblem("A line has too few or too many fields", path.name, "Check its quotation marks")
    if "UTF8" in message or "UTF-8" in message:
        return not_written_in(path, layout.encoding)
    if long:
        return UserProblem("A line is longer than any table's", path.name, "Check its quotation marks and delimiter")
    return UserProblem("The text cannot be cut into rows and fields", path.name, "Check its quotation marks")


def _long_line(path: Path, layout: TextLayout) -> int | None:
    """The first line that the reader cannot hold, by its number; it is not held here either."""
    plain = codecs.getincrementaldecoder(layout.encoding)("replace")
    decoder = io.IncrementalNewlineDecoder(plain, translate=True)
    number, length = 1, 0
    with open_bytes(path) as stream:
        while block := stream.read(1 << 20):
            for part in decoder.decode(block).splitlines(keepends=True):
                length += len(part)
                if length > _BLOCK:
                    return number
                if part.endswith("\n"):
                    number, length = number + 1, 0
    return None


def _ragged_lines(path: Path, layout: TextLayout) -> list[Problem]:
    """The first ragged lines by number. A slow second reading, for the message's sake only."""
    wanted = len(layout.columns)
    verb = agreeing(wanted, "is", "are")
    found: list[Problem] = []
    with open_bytes(path) as raw, io.TextIOWrapper(raw, encoding=layout.encoding, newline="") as text:
        reader = csv.reader(text, delimiter=layout.delimiter)
        start = 1
        try:
            for row in reader:
                if row and len(row) != wanted:
                    what = f"Line {start} has {counted(len(row), 'field')} where {wanted} {verb} expected"
                    found.append(Problem(what, path.name, "Correct that line, or its quotation marks"))
                    if len(found) == _NAMED_LINES:
                        break
                start = reader.line_num + 1
        except (csv.Error, UnicodeError):
            return found
    return found
