"""Values to plain JSON and back to bytes that always hash the same."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
from collections.abc import Mapping
from decimal import Decimal
from enum import Enum
from pathlib import Path
from types import MappingProxyType
from typing import Any

from workbench.core.confidential import Confidential
from workbench.core.errors import Defect

LATER: Mapping[str, bool] = MappingProxyType({"later": True})  # metadata of a field that came after values were stored


def plain(value: Any) -> Any:
    """Turn dataclasses, enums, decimals, numpy scalars and arrays into JSON values.

    Infinities become the string "inf", not-a-number becomes null; decimals become JSON numbers where that is exact
    enough to round-trip and text otherwise. A confidential value is a defect, never output.

    A field marked LATER is left out while it has its default: a value that was written before the field existed keeps
    its bytes, and with them every digest, signature and exported report that stands on them. For the same reason a
    class names in WRITTEN_STILL what fields it no longer has are written as.
    """
    if isinstance(value, Confidential):
        raise Defect("a confidential value was about to be written out")
    if value is None or (isinstance(value, bool | str) and not isinstance(value, Enum)):
        return value
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, Decimal):
        return _decimal(value)
    if isinstance(value, float):
        return _float(value)
    if isinstance(value, Path):
        return value.as_posix()
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        told = (field for field in dataclasses.fields(value) if not _left_out(field, getattr(value, field.name)))
        said = {field.name: plain(getattr(value, field.name)) for field in told}
        return {**said, **getattr(type(value), "WRITTEN_STILL", {})}
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(item) for item in value]
    if hasattr(value, "tolist"):  # numpy scalars and arrays, without importing numpy
        return plain(value.tolist())
    raise Defect(f"no plain form for a value of type {type(value).__name__}")


def _left_out(field: dataclasses.Field[Any], value: Any) -> bool:
    """True for a field of a later version that still says nothing. Its default must be a plain immutable value."""
    return bool(field.metadata.get("later")) and type(value) is type(field.default) and value == field.default


def _decimal(value: Decimal) -> int | float | str | None:
    if value.is_nan():
        return None
    if value.is_infinite():
        return "inf" if value > 0 else "-inf"
    if value == value.to_integral_value() and abs(value) < 2**53:
        return int(value)
    return float(value) if Decimal(repr(float(value))) == value else str(value)


def _float(value: float) -> float | str | None:
    if math.isnan(value):
        return None
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    return value


def canonical(value: Any) -> bytes:
    """The one way to write a value as bytes: sorted keys, no spaces, UTF-8. What hashes are taken of."""
    return json.dumps(plain(value), sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode("utf-8")


def digest(value: Any) -> str:
    """SHA-256 of the canonical bytes, in hexadecimal."""
    return hashlib.sha256(canonical(value)).hexdigest()
