"""Text read as numbers: which mark is the decimal one, what groups the digits, and the reading itself."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.core.errors import UserProblem
from workbench.microdata.options import DecimalMark, ReadOptions, Thousands

_GROUP = {"none": "", "comma": ",", "point": ".", "space": " ", "apostrophe": "'"}
_SPACES = "\u00a0\u202f\u2009"  # the spaces that type-setters put between digits
_ONE_GROUP = re.compile(r"^[+-]?[1-9]\d{0,2}([.,])\d{3}$")  # 1,234 may be a thousand or a bit more than one
_DIGITS = r"[+-]?\d+"
_EXPONENT = r"(?:[eE][+-]?\d+)?"
PLAIN_NUMBER = rf"^\s*[+-]?(?:\d+\.?\d*|\.\d+){_EXPONENT}\s*$"
FRACTION = r"[.eE]"
# Texts that mean "no number" wherever numbers are expected.
NO_NUMBER = ("na", "nan", "n/a", ".", "-", "null", "none", "#n/a")


@dataclass(frozen=True, slots=True)
class Notation:
    """How numbers are written. `certain` is false where 1,234 could be either and nobody has said.

    `lone_points` is true where every number with a point looks like 1.000: read as a fraction, but worth a word.
    """

    decimal: str = "."
    thousands: str = ""
    certain: bool = True
    lone_points: bool = False

    def words(self) -> str:
        if not self.certain:
            return "numbers like 1,234 can be read in two ways; set decimal or thousands"
        names = {"": "none", ",": "comma", ".": "point", " ": "space", "'": "apostrophe"}
        said = f"decimal {names[self.decimal]}, thousands separator {names[self.thousands]}"
        if self.lone_points:
            said += (
                "; numbers like 1.000 are read as 1, not as a thousand: set thousands to point if they are thousands"
            )
        return said


@dataclass(slots=True)
class _Evidence:
    comma_groups: bool = False
    comma_decimal: bool = False
    point_groups: bool = False
    point_decimal: bool = False
    spaces: bool = False
    apostrophes: bool = False
    comma_either: bool = False
    point_either: bool = False


def guess_notation(cells: Iterable[str], options: ReadOptions, *, comma_separates_fields: bool) -> Notation:
    """Find out from sample cells how numbers are written.

    Sure signs: two groups (1,234,567), both marks (1,234.5), or digits after a mark that are not three (0,5). A lone
    1,234 is a thousand where commas separate the fields too (it was quoted for that reason), and a lone 1.234 is a
    fraction unless commas are decimal; otherwise it is a question for a person.
    """
    seen = _Evidence()
    for cell in {cell.strip() for cell in cells if not cell.isdecimal()}:  # digits alone tell nothing
        _look(cell, seen)
    if options.decimal is DecimalMark.AUTO:
        decimal = "," if seen.comma_decimal or options.thousands is Thousands.POINT else "."
    else:
        decimal = "," if options.decimal is DecimalMark.COMMA else "."
    if options.thousands is not Thousands.AUTO:
        return Notation(decimal, _GROUP[options.thousands.value])
    if options.decimal is DecimalMark.AUTO and seen.comma_decimal and (seen.comma_groups or seen.point_decimal):
        return Notation(".", "", certain=False)
    thousands = _grouping(seen, decimal)
    lone = seen.comma_either and options.decimal is DecimalMark.AUTO and decimal == "." and not thousands
    if lone and not seen.point_decimal:
        return Notation(".", ",", certain=comma_separates_fields)
    unsaid = options.decimal is DecimalMark.AUTO and decimal == "." and not comma_separates_fields
    lone_points = unsaid and seen.point_either and not seen.point_decimal
    return Notation(decimal, "," if lone else thousands, lone_points=lone_points)


def _grouping(seen: _Evidence, decimal: str) -> str:
    if seen.spaces or seen.apostrophes:
        return " " if seen.spaces else "'"
    if decimal == "." and (seen.comma_groups or (seen.comma_either and seen.point_decimal)):
        return ","
    return "." if decimal == "," and (seen.point_groups or seen.comma_decimal) else ""


def _look(cell: str, seen: _Evidence) -> None:
    if not cell or not cell[-1].isdigit() or not (cell[0].isdigit() or cell[0] in "+-.,"):
        return
    if lone := _ONE_GROUP.match(cell):
        seen.comma_either |= lone.group(1) == ","
        seen.point_either |= lone.group(1) == "."
    elif re.match(r"^[+-]?\d{1,3}(,\d{3})+(\.\d+)?$", cell):
        seen.comma_groups = True
        seen.point_decimal |= "." in cell
    elif re.match(r"^[+-]?\d{1,3}(\.\d{3})+(,\d+)?$", cell):
        seen.point_groups = True
        seen.comma_decimal |= "," in cell or cell.count(".") > 1
    elif re.match(rf"^[+-]?\d*,\d+{_EXPONENT}$", cell):
        seen.comma_decimal = True
    elif re.match(rf"^[+-]?\d*\.\d+{_EXPONENT}$", cell):
        seen.point_decimal = True
    elif re.match(rf"^[+-]?\d{{1,3}}([ {_SPACES}]\d{{3}})+([.,]\d+)?$", cell):
        seen.spaces = True
        seen.comma_decimal |= "," in cell
    elif re.match(r"^[+-]?\d{1,3}(['’]\d{3})+([.,]\d+)?$", cell):
        seen.apostrophes = True


def as_plain(texts: Any, notation: Notation) -> Any:
    """Arrow text with grouping removed and a decimal point, ready to be read as numbers."""
    import pyarrow.compute as pc

    if notation.thousands == " ":
        texts = pc.replace_substring_regex(texts, f"[ {_SPACES}]", "")
    elif notation.thousands == "'":
        texts = pc.replace_substring_regex(texts, "['’]", "")
    elif notation.thousands:
        texts = pc.replace_substring(texts, notation.thousands, "")
    if notation.decimal == ",":
        texts = pc.replace_substring(texts, ",", ".")
    return texts


def all_numbers(texts: Any, notation: Notation) -> bool:
    """Whether every text of an Arrow array is a number in this notation."""
    import pyarrow.compute as pc

    matched = pc.all(pc.match_substring_regex(as_plain(texts, notation), PLAIN_NUMBER), min_count=0).as_py()
    return bool(matched)


def read_numbers(texts: Any, notation: Notation, column: str) -> NDArray[np.float64]:
    """The numbers that distinct texts stand for; not-a-number for texts that say so. Asks where it is ambiguous."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not notation.certain and pc.any(pc.match_substring(texts, ","), min_count=0).as_py():
        raise UserProblem(
            f"Numbers of “{column}” such as 1,234 can mean a thousand or a little more than one", column,
            "Set the option decimal (point or comma) or thousands (comma or none)",
        )  # fmt: skip
    absent = pc.is_in(pc.utf8_lower(pc.utf8_trim_whitespace(texts)), value_set=pa.array(NO_NUMBER))
    plain = pc.if_else(absent, pa.scalar(None, pa.string()), as_plain(texts, notation))
    good = pc.fill_null(pc.match_substring_regex(plain, PLAIN_NUMBER), True)
    if not pc.all(good, min_count=0).as_py():
        raise UserProblem(
            f"“{column}” has the role of numbers but holds text that is not a number", column,
            "Give it another role, or set the options decimal, thousands or missing",
        )  # fmt: skip
    numbers = pc.cast(pc.replace_substring_regex(pc.utf8_trim_whitespace(plain), r"^\+", ""), pa.float64())
    read: NDArray[np.float64] = numbers.to_numpy(zero_copy_only=False)
    return read
