"""What can be found out about a text file before it is read, and how to say it."""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import itertools
import re
import zlib
from dataclasses import dataclass
from pathlib import Path

from workbench.core.errors import UserProblem
from workbench.core.progress import QUIET, Context
from workbench.microdata.files import (
    Kind,
    corrupt,
    first_bytes,
    is_gzip,
    no_rows,
    open_bytes,
    require_readable,
    require_text,
    utf16_without_mark,
)
from workbench.microdata.header import checked_names, has_names, numbered_names
from workbench.microdata.numbers import Notation, guess_notation
from workbench.microdata.options import AUTO, ReadOptions

_SAMPLE = 1 << 18
_ROWS = 400
_TAIL = 1 << 16  # characters of the end that are kept: more than a row has
_NAMES = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
_ENCODING_WORDS = {
    "utf-8": "UTF-8", "utf-8-sig": "UTF-8 with a byte-order mark", "utf-16": "UTF-16 with a byte-order mark",
    "utf-16-le": "UTF-16", "utf-16-be": "UTF-16", "utf-32": "UTF-32 with a byte-order mark",
    "cp1252": "Windows-1252 (not UTF-8; set encoding if accents look wrong)",
    "latin-1": "Latin-1 (not UTF-8; set encoding if accents look wrong)",
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class TextLayout:
    """How a delimited text file is laid out: found out, or as the options say."""

    delimiter: str
    encoding: str
    header: bool
    quoted: bool
    columns: tuple[str, ...]
    notation: Notation
    compressed: bool = False
    blank_lines: int = 0  # before the first line that holds anything
    lines: int = 0  # of the whole file, blank ones too
    last_line: str = ""

    def words(self) -> tuple[str, ...]:
        """What was found out, one short statement each."""
        encoding = _ENCODING_WORDS.get(self.encoding, self.encoding)
        return (
            f"fields separated by {_NAMES.get(self.delimiter, self.delimiter)}",
            f"encoding {encoding}{', compressed with gzip' if self.compressed else ''}",
            "the first line names the columns" if self.header else "no line names the columns",
            "some fields are in quotation marks" if self.quoted else "no quotation marks",
            self.notation.words(),
        )


def sniff(path: Path, options: ReadOptions | None = None, context: Context = QUIET) -> tuple[str, ...]:
    """What was found out about a file, in words. Raises a problem that asks where it is truly ambiguous."""
    kind = require_readable(path)
    if kind is not Kind.DELIMITED:
        return (f"{kind.value} file",)
    return layout_of(path, options or ReadOptions(), context).words()


def layout_of(path: Path, options: ReadOptions, context: Context) -> TextLayout:
    """The layout of a text file whose readability has been checked."""
    head = first_bytes(path, _SAMPLE)
    if not head.strip(b"\xef\xbb\xbf\xff\xfe \t\r\n\0"):
        raise UserProblem("The file holds no data, only blanks", path.name, "Choose a file with data")
    require_text(path, head)
    encoding, seen = _encoding_and_marks(path, head, options.encoding, context)
    text = _decoded(path, head, encoding)
    delimiter = options.delimiter.character or _delimiter(path, text)
    rows = _sample_rows(text, delimiter)
    if not rows:
        raise _cannot_be_cut(path, text)
    header = has_names(path, rows, options.header)
    if header and len(rows) == 1 and len(head) < _SAMPLE:
        raise no_rows(path)
    names = tuple(rows[0]) if header else numbered_names(len(rows[0]))
    cells = itertools.chain.from_iterable(rows[1:] if header else rows)
    return TextLayout(
        delimiter=delimiter, encoding=encoding, header=header, quoted=seen.quoted, columns=checked_names(path, names),
        notation=guess_notation(cells, options, comma_separates_fields=delimiter == ","), compressed=is_gzip(path),
        blank_lines=_blank_lines(text), lines=seen.lines, last_line=seen.last_line,
    )  # fmt: skip


def _cannot_be_cut(path: Path, text: str) -> UserProblem:
    """Names the first line with an odd number of quotation marks: there most likely one is missing."""
    odd = next((number for number, line in enumerate(text.splitlines(), 1) if line.count('"') % 2), 0)
    where = f": line {odd} has an odd number of quotation marks" if odd else ""
    return UserProblem(
        f"The file cannot be cut into fields{where}", path.name, "Check its quotation marks and delimiter"
    )


class _Seen:
    """What the whole text shows on the way through it: quotation marks, how many lines, and the last of them."""

    def __init__(self) -> None:
        self.quoted, self._ends, self._tail = False, 0, ""

    def add(self, text: str) -> None:
        """Lines end as the reader ends them: at a line feed, at a carriage return, or at both together."""
        if not text:
            return
        self.quoted = self.quoted or '"' in text
        self._ends += text.count("\n")
        if returns := text.count("\r"):
            self._ends += returns - text.count("\r\n")
        self._ends -= text[0] == "\n" and self._tail[-1:] == "\r"
        self._tail = (self._tail + text if len(text) < _TAIL else text)[-_TAIL:]

    @property
    def lines(self) -> int:
        return self._ends + (self._tail[-1:] not in ("\n", "\r", ""))

    @property
    def last_line(self) -> str:
        """Its end alone, where it is longer than any row should be."""
        return (re.split("[\r\n]", self._tail.removesuffix("\n").removesuffix("\r")))[-1]


def _encoding_and_marks(path: Path, head: bytes, wanted: str, context: Context) -> tuple[str, _Seen]:
    """The encoding, and what is seen of marks and lines. One accent or mark may come late: the whole file counts."""
    candidates = (wanted,) if wanted != AUTO else _possible_encodings(head)
    for encoding in candidates:
        found = _seen_if_written_in(path, encoding, context)
        if found is not None:
            return encoding, found
    raise not_written_in(path, candidates[-1])


def _possible_encodings(head: bytes) -> tuple[str, ...]:
    """The encodings that a file which begins so may have, the likeliest first. Latin-1 fits every file."""
    if head.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):  # before UTF-16, whose mark begins alike
        return ("utf-32",)
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return ("utf-16",)
    if guessed := utf16_without_mark(head):
        return (guessed,)
    return "utf-8-sig" if head.startswith(codecs.BOM_UTF8) else "utf-8", "cp1252", "latin-1"


def _seen_if_written_in(path: Path, encoding: str, context: Context) -> _Seen | None:
    """What the text shows; None where the bytes are not of this encoding."""
    decoder = codecs.getincrementaldecoder(encoding)()
    size = path.stat().st_size
    seen = _Seen()
    try:
        with open_bytes(path) as stream:
            while block := stream.read(1 << 20):
                seen.add(decoder.decode(block))
                context.step(min(1.0, stream.tell() / max(size, 1)), "Detecting the text encoding")
    except UnicodeError:
        return None
    except (gzip.BadGzipFile, EOFError, zlib.error):
        raise corrupt(path, Kind.DELIMITED) from None
    try:
        decoder.decode(b"", final=True)
    except UnicodeError:
        if encoding.lower().startswith(("utf-16", "utf-32", "utf16", "utf32")):
            raise UserProblem(
                "The file is cut short: its last character is incomplete", path.name, "Export it again"
            ) from None
        return None
    return seen


def not_written_in(path: Path, encoding: str) -> UserProblem:
    """For a file whose bytes are not of the encoding that was asked for or found out."""
    do = "Set the option encoding, for example to cp1252 or auto"
    return UserProblem(f"The file is not written in {encoding}", path.name, do)


def _blank_lines(text: str) -> int:
    """How many empty lines stand before the first line: Arrow counts them where rows are to be skipped."""
    lead = text[: len(text) - len(text.lstrip("\r\n"))]
    return len(lead.splitlines())


def _decoded(path: Path, head: bytes, encoding: str) -> str:
    """The sample as text, cut at the last complete line where the file goes on."""
    try:
        text = codecs.getincrementaldecoder(encoding)().decode(head)
    except UnicodeError:
        raise not_written_in(path, encoding) from None
    text = text.removeprefix("\ufeff")
    complete = len(head) < _SAMPLE or "\n" not in text
    return text if complete else text[: text.rindex("\n") + 1]


def _delimiter(path: Path, text: str) -> str:
    """The delimiter that cuts every sampled line into the same number of fields, at least two."""
    fitting = {}
    for candidate in _NAMES:
        widths = [len(row) for row in _sample_rows(text, candidate)]
        if widths and widths[0] > 1:
            agreeing = sum(width == widths[0] for width in widths) / len(widths)
            fitting[candidate] = (agreeing, widths[0])
    exact = [candidate for candidate, (agreeing, _) in fitting.items() if agreeing == 1.0]
    if len(exact) == 1:
        return exact[0]
    if len(exact) > 1:
        named = " or ".join(_NAMES[candidate] for candidate in exact)
        raise UserProblem(f"The fields may be separated by {named}", path.name, "Set the option delimiter to say which")
    return max(fitting, key=lambda candidate: fitting[candidate], default=",")


def _sample_rows(text: str, delimiter: str) -> list[list[str]]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        return list(itertools.islice((row for row in reader if row), _ROWS))
    except csv.Error:
        return []
