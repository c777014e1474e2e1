"""Opening a data file, or saying in one sentence why it cannot be opened."""

from __future__ import annotations

import codecs
import gzip
import os
import zipfile
import zlib
from enum import StrEnum
from pathlib import Path, PurePath
from typing import BinaryIO, cast

from workbench.core.errors import UserProblem
from workbench.core.files import require_regular, require_utf8_name


class Kind(StrEnum):
    DELIMITED = "delimited text"
    PARQUET = "Parquet"
    STATA = "Stata"
    SAS = "SAS"
    SAS_TRANSPORT = "SAS transport"
    SPSS = "SPSS"
    EXCEL = "Excel"
    DUCKDB = "DuckDB"
    SQLITE = "SQLite"
    PARQUET_FOLDER = "a folder of Parquet files"
    FRAME = "a data frame"


EXTENSIONS: dict[str, Kind] = {
    ".csv": Kind.DELIMITED, ".tsv": Kind.DELIMITED, ".tab": Kind.DELIMITED, ".txt": Kind.DELIMITED,
    ".parquet": Kind.PARQUET, ".pq": Kind.PARQUET,
    ".dta": Kind.STATA, ".sas7bdat": Kind.SAS, ".xpt": Kind.SAS_TRANSPORT,
    ".duckdb": Kind.DUCKDB, ".ddb": Kind.DUCKDB,
    ".sqlite": Kind.SQLITE, ".sqlite3": Kind.SQLITE, ".db": Kind.SQLITE,
    ".sav": Kind.SPSS, ".zsav": Kind.SPSS, ".xlsx": Kind.EXCEL, ".xlsm": Kind.EXCEL,
}  # fmt: skip

# Text and spreadsheets shrink ten- to fiftyfold; what shrinks more, and is large, was made to fill the memory.
_LARGE, _MOST_TIMES = 256 * 2**20, 100

# How other files begin; a text file that begins so is not a text file.
_BEGINNINGS: tuple[tuple[bytes, str], ...] = (
    (b"PAR1", "a Parquet file"), (b"PK\x03\x04", "a zip or Excel file"), (b"\x1f\x8b", "a gzip file"),
    (b"\x89PNG", "an image"), (b"\xff\xd8\xff", "an image"), (b"%PDF", "a PDF"), (b"\x7fELF", "a program"),
    (b"MZ\x90", "a program"), (b"SQLite format 3", "a database"), (b"$FL2", "an SPSS file"), (b"$FL3", "an SPSS file"),
    (b"<stata_dta>", "a Stata file"), (b"\xd0\xcf\x11\xe0", "an old Office file"),
)  # fmt: skip
_NO_DATA = ("an image", "a PDF", "a program")


def kind_of(path: Path) -> Kind:
    """What kind of file the name promises; `.csv.gz` and the like are text."""
    name = path.name.lower()
    kind = EXTENSIONS.get(Path(name_inside(path)).suffix)
    if is_zip(path) and kind is not Kind.DELIMITED:
        what = "The zip file holds something else than a text file"
        raise UserProblem(what, path.name, "Unpack it first; text such as .csv can stay packed")
    if kind is None or (name.endswith(".gz") and kind is not Kind.DELIMITED):
        raise UserProblem(
            "The name does not end like that of a data file",
            path.name,
            f"Known endings: {', '.join(EXTENSIONS)}, .csv.gz, .zip; or choose a folder of Parquet files",
        )
    return kind


def name_inside(path: Path) -> str:
    """The name of what is packed, in small letters; the file's own where nothing is."""
    return _member(path).filename.lower() if is_zip(path) else path.name.lower().removesuffix(".gz")


def is_zip(path: Path) -> bool:
    return path.name.lower().endswith(".zip")


def _member(path: Path) -> zipfile.ZipInfo:
    """The only file in a zip file."""
    try:
        with zipfile.ZipFile(path) as packed:
            inside = [
                each for each in packed.infolist() if not each.is_dir() and not each.filename.startswith("__MACOSX/")
            ]
    except (zipfile.BadZipFile, OSError):
        raise UserProblem(
            "The zip file is damaged", path.name, "Pack it again, or unpack it and choose the file"
        ) from None
    if len(inside) != 1:
        what = f"The zip file holds {len(inside)} files where one is expected"
        raise UserProblem(what, path.name, "Unpack it and choose the file")
    if inside[0].flag_bits & 1:
        raise UserProblem("The zip file is encrypted", path.name, "Unpack it and choose the file")
    return inside[0]


def is_pattern(path: Path) -> bool:
    """Whether the name stands for several files, as year-*.parquet does."""
    return any(mark in path.name for mark in "*?[") and not path.exists()


def parquet_files(path: Path) -> tuple[Path, ...]:
    """The Parquet files of a folder, those of folders inside it too, or those that a pattern names; by their names."""
    home, within = (path.parent, path.parent.glob(path.name)) if is_pattern(path) else (path, path.rglob("*"))
    named = tuple(within)
    for each in named:
        if each.is_symlink() and each.is_dir():  # its files would be left out, and nobody told
            do = "Copy the folder itself there, or remove the link"
            raise UserProblem(f"{each.name} is a link to a folder, which is not read", str(path), do)
    found = tuple(sorted(each for each in named if each.suffix.lower() in (".parquet", ".pq")))
    if not found:
        do = "Choose a data file, or a folder of Parquet files"
        where = "No Parquet file has such a name" if is_pattern(path) else "The folder holds no Parquet file"
        raise UserProblem(where, str(path), do)
    for each in found:
        if odd := next(filter(_is_hidden, each.relative_to(home).parts), None):  # every cluster would leave it out
            do = "Move it out of the folder, or rename it"
            raise UserProblem(f"{odd} begins as hidden or unfinished files do", str(path), do)
        if not each.resolve().is_relative_to(home.resolve()):  # who allowed the folder has not allowed that file
            raise UserProblem(f"{each.name} is a link to a file elsewhere", str(path), "Copy the file itself there")
        require_regular(each, "a Parquet file")
    return found


def _is_hidden(name: str) -> bool:
    return name.startswith(".") or (name.startswith("_") and "=" not in name)


def is_gzip(path: Path) -> bool:
    return path.name.lower().endswith(".gz")


def require_readable(path: Path) -> Kind:
    """The kind of a file that exists, may be read and is not empty. Otherwise a problem in one sentence."""
    require_utf8_name(path)
    require_regular(path, "a data file")
    if not path.exists() and not is_pattern(path):
        raise UserProblem("There is no such file", str(path), "Check the path")
    if path.is_dir() or is_pattern(path):
        parquet_files(path)
        return Kind.PARQUET_FOLDER
    kind = kind_of(path)
    try:
        with path.open("rb") as stream:
            first = stream.read(1)
    except OSError as wrong:
        raise unreadable(path, wrong) from None
    if not first:
        raise UserProblem("The file is empty", path.name, "Choose a file with data")
    return kind


def unreadable(path: Path, wrong: OSError) -> UserProblem:
    """The operating system's refusal in words."""
    if isinstance(wrong, PermissionError):
        return UserProblem("The file may not be read by you", str(path), "Ask for permission to read it")
    reason = os.strerror(wrong.errno) if wrong.errno else "the system gave no reason"
    return UserProblem(f"The file cannot be read ({reason})", str(path))


def corrupt(path: Path, kind: Kind) -> UserProblem:
    """For a file whose inside is not what its name promises."""
    return UserProblem(
        f"The file is damaged or not really {kind.value}",
        path.name,
        "Export it again, or correct the ending of its name",
    )


def require_modest(path: Path, *, packed: int, unpacked: int) -> None:
    """Refuse a part of a file that says it is far larger once unpacked than any data are: it would fill the memory."""
    if unpacked > _LARGE and unpacked > _MOST_TIMES * max(packed, 1):
        times = unpacked // max(packed, 1)
        raise UserProblem(
            f"A part of the file is {times:,} times as large once unpacked, {unpacked / 2**20:,.0f} MB",
            path.name,
            "Check where the file comes from, or save it again without cells of many millions of characters",
        )


def no_rows(path: PurePath) -> UserProblem:
    """For a file that names its columns and ends there."""
    return UserProblem("The file names columns but holds no rows", path.name, "Choose a file with data")


def open_bytes(path: Path) -> BinaryIO:
    """The bytes of a text file, decompressed where it is gzip."""
    if is_zip(path):
        return cast(BinaryIO, zipfile.ZipFile(path).open(_member(path)))
    return cast(BinaryIO, gzip.open(path, "rb") if is_gzip(path) else path.open("rb"))


def first_bytes(path: Path, count: int) -> bytes:
    """The first bytes of a text file after decompression."""
    try:
        with open_bytes(path) as stream:
            return stream.read(count)
    except (gzip.BadGzipFile, zipfile.BadZipFile, NotImplementedError, EOFError, zlib.error):
        raise corrupt(path, Kind.DELIMITED) from None
    except OSError as wrong:
        raise unreadable(path, wrong) from None


def require_text(path: Path, head: bytes) -> None:
    """Refuse a binary file that is named like a text file. UTF-16 and UTF-32 are text though full of zero bytes."""
    for beginning, what in _BEGINNINGS:
        if head.startswith(beginning):
            do = "Choose a data file" if what in _NO_DATA else "Correct the ending of its name"
            do = "Save it as .xlsx or as text" if "Office" in what else do
            raise UserProblem(f"The name says text but this is {what}", path.name, do)
    marked = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE)  # UTF-32's other mark begins like UTF-16's
    if head.startswith(marked) or utf16_without_mark(head):
        return
    sample = head[:65536]
    controls = sum(sample.count(bytes([code])) for code in (*range(9), *range(14, 27), *range(28, 32)))
    if b"\0" in sample or controls > len(sample) // 100:
        raise UserProblem("The name says text but the content is binary", path.name, "Choose a text file, or rename it")


def utf16_without_mark(head: bytes) -> str:
    """The byte order of UTF-16 text without a mark (every other byte zero), or an empty string."""
    sample = head[: min(len(head), 4096) // 2 * 2]
    even, odd = sample[0::2], sample[1::2]
    if not sample or b"\0\0" in sample:
        return ""
    if odd.count(0) > 0.7 * len(odd) and not even.count(0):
        return "utf-16-le"
    return "utf-16-be" if even.count(0) > 0.7 * len(even) and not odd.count(0) else ""
