"""Published values as versions 1 to 5 of the project file stored them: keys as JSON, numbers as 64-bit integers.

They are never written any more. Reading them gives the same rows, the same bytes of a CSV and the same digest as ever.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from workbench.core.plain import digest

if TYPE_CHECKING:
    from workbench.core.published import Published, Units

MOST_KEYS = 2**29  # bytes; the keys of several million rows


def old_values(row: Mapping[str, Any]) -> Published | None:
    """The table of a stored row, or None where it does not have the SHA-256 that the release is known by."""
    import numpy as np

    from workbench.core.published import Published, coded

    keys, numbers, layout = _unpacked(row)
    if _digest(keys, numbers, layout) != row["digest"]:
        return None
    integers = np.frombuffer(numbers, dtype="<i8").astype(np.int64)
    values = value_columns(row["value_name"], layout, integers)
    named = zip(json.loads(row["columns"]), json.loads(keys), strict=True)
    records = bool(json.loads(layout)["records"]) if layout else False
    return Published(columns=(*(coded(name, texts) for name, texts in named), *values), records=records)


def old_values_hold(row: Mapping[str, Any]) -> bool:
    """True where the stored values still give the SHA-256 that the release is known by."""
    return bool(_digest(*_unpacked(row)) == row["digest"])


def value_columns(name: str, layout: str, integers: Any = None) -> tuple[Units, ...]:
    """The value columns that a layout names; without one, a column of whole numbers none of which is missing."""
    import numpy as np

    from workbench.core.published import Units

    told = json.loads(layout)["values"] if layout else ()
    many = max(len(told), 1)
    wide = np.zeros((0, many), np.int64) if integers is None else integers.reshape(-1, many)
    if not told:
        return (Units(name=name, integers=np.ascontiguousarray(wide[:, 0])),)
    return tuple(
        Units(**each, gaps=True, integers=np.ascontiguousarray(wide[:, place])) for place, each in enumerate(told)
    )


def _unpacked(row: Mapping[str, Any]) -> tuple[bytes, bytes, str]:
    """Keys, numbers and layout. Raises zlib.error where they are broken, or larger than they can be.

    A file may be made to unpack to more than the memory holds: numbers are as many as the row says, keys have a limit.
    """
    layout = row.get("layout") or ""  # a file of an earlier version has no such column
    wide = max(1, len(json.loads(layout)["values"])) if layout else 1
    return _inflated(row["keys"], MOST_KEYS), _inflated(row["numbers"], 8 * wide * int(row["length"])), layout


def _inflated(packed: bytes, most: int) -> bytes:
    stream = zlib.decompressobj()
    content = stream.decompress(packed, most + 1)
    if len(content) > most or not stream.eof:
        raise zlib.error("larger than it can be, or cut short")
    return content


def _digest(keys: bytes, numbers: bytes, layout: str) -> str:
    """SHA-256 over the unpacked keys, then the unpacked numbers. This is what reviewers signed.

    With a layout, over the SHA-256 of each and the layout: the same integers in other units are other values.
    """
    if not layout:
        return hashlib.sha256(keys + numbers).hexdigest()
    return digest([hashlib.sha256(keys).hexdigest(), hashlib.sha256(numbers).hexdigest(), layout])
