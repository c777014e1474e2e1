"""A published column as bytes and back: codes in as few bits as their dictionary asks for, numbers in as few bytes as
the largest of them.

The bytes follow from the column alone, so that the same values always have the same SHA-256. They are compressed where
that halves them, as it does with the sorted keys of a table; records drawn at random hardly shrink, and packing them is
all that is worth its time.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from workbench.core.errors import UserProblem
from workbench.core.published import NO_CODE, Coded, Column, ColumnRole, Units

if TYPE_CHECKING:
    from workbench.core.arrays import Integers

MOST_TEXT = 2**29  # bytes of a dictionary; the texts of several million values
MOST_BODY = 900_000_000  # bytes of a column; what SQLite holds in one value
_SAMPLE = 2**12  # bytes that tell whether compressing is worth while
_BITS = (1, 2, 4, 8, 16, 32)
_BYTES = (1, 2, 4, 8)


class Broken(Exception):
    """These bytes were never written as a column."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnBytes:
    """`described` is what a reader must know of the column beside its bytes, and their SHA-256 before compression."""

    described: dict[str, Any]
    packing: str
    dictionary: bytes
    body: bytes


def packed(column: Column) -> ColumnBytes:
    """Raises UserProblem where a column is more than a project file holds: what is written must be readable."""
    texts, body, told = _of_codes(column) if isinstance(column, Coded) else _of_numbers(column)
    if len(texts) > MOST_TEXT or len(body) > MOST_BODY:
        raise UserProblem(
            f"The column “{column.name}” is more than a project file holds", do="Publish fewer rows per release"
        )
    described = {"name": column.name, "title": column.title, **told, "texts": _sha256(texts), "body": _sha256(body)}
    small = _worth_compressing(body)
    return ColumnBytes(
        described=described,
        packing="zlib" if small else "",
        dictionary=zlib.compress(texts),
        body=zlib.compress(body, 1) if small else body,
    )


def unpacked(described: Mapping[str, Any], row: Mapping[str, Any], rows: int) -> Column:
    """The column of a stored row. Raises Broken, or what a damaged header raises, where it is not as it was written.

    A file may be made to unpack to more than the memory holds: how long the bytes are follows from what is described.
    """
    texts = _inflated(row["dictionary"], MOST_TEXT)
    length = _length(described, rows)
    body = _inflated(row["body"], length) if row["packing"] else bytes(row["body"])
    if len(body) != length or (_sha256(texts), _sha256(body)) != (described["texts"], described["body"]):
        raise Broken
    if described["kind"] == "coded":
        values, labels = json.loads(texts)
        if len(values) != described["values"]:
            raise Broken
        return _coded(described, _codes(body, described, rows), values, labels)
    return _units(described, np.frombuffer(body, f"<i{described['bytes']}").astype(np.int64))


def without_rows(described: Mapping[str, Any]) -> Column:
    """The column as it is described, without a row of it."""
    if described["kind"] == "coded":
        return _coded(described, np.zeros(0, np.int8), (), ())
    return _units(described, np.zeros(0, np.int64))


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _worth_compressing(body: bytes) -> bool:
    middle = max(0, len(body) // 2 - _SAMPLE // 2)
    sample = body[middle : middle + _SAMPLE]
    return 2 * len(zlib.compress(sample, 1)) <= len(sample)


def _inflated(content: bytes, most: int) -> bytes:
    stream = zlib.decompressobj()
    try:
        made = stream.decompress(content, most + 1)
    except zlib.error as error:
        raise Broken from error
    if len(made) > most or not stream.eof:
        raise Broken
    return made


def _of_codes(column: Coded) -> tuple[bytes, bytes, dict[str, Any]]:
    both = [list(column.values), list(column.labels)]
    texts = json.dumps(both, separators=(",", ":"), ensure_ascii=False).encode("utf-8", "backslashreplace")
    missing = bool(len(column)) and int(column.codes.min()) == NO_CODE
    told = {"kind": "coded", "role": column.role.value, "values": len(column.values), "missing": missing}
    return texts, _packed_codes(column.codes + 1 if missing else column.codes, _bits(told)), told


def _bits(described: Mapping[str, Any]) -> int:
    """As many as the values ask for, and one value more where some are missing: that is then the first."""
    levels = int(described["values"]) + bool(described["missing"])
    found = next((bits for bits in _BITS if 0 <= levels <= 2**bits), 0)
    if not found:
        raise Broken
    return found


def _packed_codes(codes: NDArray[np.signedinteger[Any]], bits: int) -> bytes:
    if bits >= 8:
        return codes.astype(f"<u{bits // 8}").tobytes()
    each = 8 // bits
    small = np.zeros(-(-len(codes) // each) * each, np.uint8)
    small[: len(codes)] = codes
    if bits == 1:
        return np.packbits(small, bitorder="little").tobytes()
    together = small.view(f"<u{each}")  # the codes of one byte side by side, a byte each; the first is the lowest
    made = together.copy()
    for place in range(1, each):
        made |= together >> ((8 - bits) * place)
    return made.astype(np.uint8).tobytes()


def _codes(body: bytes, described: Mapping[str, Any], rows: int) -> NDArray[np.signedinteger[Any]]:
    bits = _bits(described)
    if bits >= 8:
        stored = np.frombuffer(body, f"<u{bits // 8}")
        codes = stored.astype({8: np.int16, 16: np.int32, 32: np.int32}[bits])
        codes = codes.astype(np.int8) if int(described["values"]) <= 128 else codes
    else:
        codes = _spread(np.frombuffer(body, np.uint8), bits)[:rows].view(np.int8)
    return codes - codes.dtype.type(1) if described["missing"] else codes


def _spread(stored: NDArray[np.uint8], bits: int) -> NDArray[np.uint8]:
    if bits == 1:
        return np.unpackbits(stored, bitorder="little")
    each = 8 // bits
    together = stored.astype(f"<u{each}")
    made = together.copy()
    for place in range(1, each):
        made |= together << ((8 - bits) * place)
    made &= sum((2**bits - 1) << (8 * place) for place in range(each))
    return made.view(np.uint8)


def _of_numbers(column: Units) -> tuple[bytes, bytes, dict[str, Any]]:
    told = {"kind": "units", "unit": column.unit, "decimals": column.decimals, "additive": column.additive,
            "gaps": column.gaps, "bytes": _width(column.integers)}  # fmt: skip
    return b"", column.integers.astype(f"<i{told['bytes']}").tobytes(), told


def _width(integers: Integers) -> int:
    least, most = (int(integers.min()), int(integers.max())) if len(integers) else (0, 0)
    return next(width for width in _BYTES if -(2 ** (8 * width - 1)) <= least and most < 2 ** (8 * width - 1))


def _length(described: Mapping[str, Any], rows: int) -> int:
    bits = _bits(described) if described["kind"] == "coded" else 8 * _known_width(described)
    length = -(-rows * bits // 8)
    if not 0 <= length <= MOST_BODY:
        raise Broken
    return length


def _known_width(described: Mapping[str, Any]) -> int:
    if described["kind"] != "units" or described["bytes"] not in _BYTES:
        raise Broken
    return int(described["bytes"])


def _coded(described: Mapping[str, Any], codes: Any, values: Any, labels: Any) -> Coded:
    return Coded(
        name=described["name"], title=described["title"], role=ColumnRole(described["role"]), codes=codes,
        values=tuple(values), labels=tuple(labels),
    )  # fmt: skip


def _units(described: Mapping[str, Any], integers: Integers) -> Units:
    return Units(
        name=described["name"], title=described["title"], unit=described["unit"], decimals=described["decimals"],
        additive=described["additive"], gaps=described["gaps"], integers=integers,
    )  # fmt: skip
