"""How a file is to be read. Everything is detected unless a person says otherwise."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from workbench.core.errors import Problem
from workbench.core.params import param

AUTO = "auto"


class Delimiter(StrEnum):
    AUTO = "auto"
    COMMA = "comma"
    SEMICOLON = "semicolon"
    TAB = "tab"
    PIPE = "pipe"

    @property
    def character(self) -> str:
        """The character itself; empty for `auto`."""
        return {"comma": ",", "semicolon": ";", "tab": "\t", "pipe": "|"}.get(self.value, "")


class Header(StrEnum):
    AUTO = "auto"
    PRESENT = "present"
    ABSENT = "absent"


class DecimalMark(StrEnum):
    AUTO = "auto"
    POINT = "point"
    COMMA = "comma"


class Thousands(StrEnum):
    AUTO = "auto"
    NONE = "none"
    COMMA = "comma"
    POINT = "point"
    SPACE = "space"
    APOSTROPHE = "apostrophe"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadOptions:
    """Settings of a reader. `auto` means: found out from the file, and asked where the file does not tell."""

    delimiter: Delimiter = param(
        Delimiter.AUTO, "Delimiter", "What separates the fields of a text file.",
        labels={"auto": "detect automatically", "comma": "comma ,", "semicolon": "semicolon ;", "pipe": "bar |"},
    )  # fmt: skip
    encoding: str = param(
        AUTO, "Encoding", "How a text file writes its characters: utf-8, utf-16, cp1252, latin-1 …; auto detects it."
    )
    header: Header = param(
        Header.AUTO, "First line", "Whether the first line of a text file, or first row of a sheet, names the columns.",
        labels={"auto": "detect automatically", "present": "names the columns", "absent": "is already data"},
    )  # fmt: skip
    decimal: DecimalMark = param(
        DecimalMark.AUTO, "Decimal mark", "What separates units from tenths where text is read as numbers.",
        labels={"auto": "detect automatically", "point": "point 1.5", "comma": "comma 1,5"},
    )  # fmt: skip
    thousands: Thousands = param(
        Thousands.AUTO, "Thousands separator", "What groups digits by three where text is read as numbers.",
        labels={"auto": "detect automatically", "comma": "comma 1,000", "point": "point 1.000", "space": "space 1 000",
                "apostrophe": "apostrophe 1'000"},
    )  # fmt: skip
    missing: tuple[str, ...] = param(
        (),
        "Missing-value codes",
        "Cells with one of these texts count as missing, for example NA or -9. Blank cells always do.",
    )
    sheet: str = param(
        AUTO, "Sheet or table", "The sheet of an Excel file, or the table of a database; auto takes the only one."
    )

    def check(self) -> tuple[Problem, ...]:
        """A decimal mark cannot group digits too, and an encoding must exist."""
        found = []
        if self.decimal is not DecimalMark.AUTO and self.decimal.value == self.thousands.value:
            found.append(Problem("The decimal mark and the thousands separator are the same", "thousands"))
        if self.encoding != AUTO and not _known(self.encoding):
            found.append(Problem("The encoding is not known", "encoding", "Give utf-8, utf-16, cp1252 or latin-1"))
        return tuple(found)


def _known(encoding: str) -> bool:
    try:
        return "é".encode(encoding) is not None
    except (LookupError, UnicodeError):
        return encoding.lower() in {"ascii", "us-ascii"}
