"""Arrow arrays of any type as text, and Arrow text as numpy or Python text, without stalling other threads."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.core.progress import Context

FEW = 10_000  # up to so many values a tuple of texts is handier than an array
_AT_ONCE = 1 << 15
_WIDEST = 64  # wider text would make a fixed-width array waste memory


def smallest_integer(count: int) -> type[np.int8] | type[np.int16] | type[np.int32]:
    """The smallest integer type for codes 0 … count-1 and -1."""
    if count <= np.iinfo(np.int8).max + 1:
        return np.int8
    return np.int16 if count <= np.iinfo(np.int16).max + 1 else np.int32


def as_text(array: Any) -> Any:
    """Distinct values of any Arrow type as text: whole numbers without '.0', decimals without trailing zeros."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = array.type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return array
    if pa.types.is_floating(kind):
        return _float_text(array.cast(pa.float32()) if pa.types.is_float16(kind) else array)
    try:
        text = pc.cast(array, pa.string())
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return _written_out(array)
    if pa.types.is_decimal(kind):
        return pc.replace_substring_regex(text, r"\.0+$|(\.\d*?[1-9])0+$", r"\1")
    if pa.types.is_timestamp(kind):
        return pc.replace_substring_regex(text, r"(?: 00:00:00)?(?:\.0+)?$", "")
    return text


def as_doubles(array: Any) -> Any:
    """Numbers of any Arrow type as the nearest doubles. Arrow's own cast of a decimal may miss the nearest by one."""
    import pyarrow as pa
    import pyarrow.compute as pc

    exact = pc.cast(array, pa.string()) if pa.types.is_decimal(array.type) else array
    return pc.cast(exact, pa.float64(), safe=False)


def _written_out(array: Any) -> Any:
    """Values that Arrow cannot turn into text, such as bytes that are no text: each in Python's own notation."""
    import pyarrow as pa

    values = array.to_pylist()
    texts = [v.decode("utf-8", "backslashreplace") if isinstance(v, bytes) else str(v) for v in values]
    return pa.array([None if v is None else text for v, text in zip(values, texts, strict=True)], pa.string())


def _float_text(array: Any) -> Any:
    """Shortest text that reads back as the same number; whole numbers as digits only; not-a-number as missing."""
    import pyarrow as pa
    import pyarrow.compute as pc

    finite = pc.is_finite(array)
    whole = pc.and_(pc.and_(finite, pc.equal(pc.floor(array), array)), pc.less(pc.abs(array), 2.0**53))
    digits = pc.cast(pc.cast(pc.if_else(whole, array, 0.0), pa.int64(), safe=False), pa.string())
    text = pc.if_else(whole, digits, pc.cast(array, pa.string()))
    return pc.if_else(pc.is_nan(array), pa.scalar(None, pa.string()), text)


def as_values(texts: Any, context: Context) -> tuple[str, ...] | NDArray[np.str_]:
    """Arrow text as a tuple where it is short or wide, else as a numpy array."""
    import pyarrow.compute as pc

    if len(texts) <= FEW:
        return tuple(texts.to_pylist())
    width = pc.max(pc.utf8_length(texts)).as_py()
    if width > _WIDEST:
        return tuple(text for part in _blocks(texts, context) for text in part.to_pylist())
    values = np.empty(len(texts), f"<U{width}")
    points = values.view(np.uint32).reshape(len(texts), width)
    done = 0
    for part in _blocks(texts, context):
        points[done : done + len(part)] = _code_points(part, width)
        done += len(part)
    return values


def _blocks(texts: Any, context: Context) -> Any:
    """Slices small enough that other threads get their turn in between."""
    for start in range(0, len(texts), _AT_ONCE):
        context.step(start / len(texts), "Listing the distinct values")
        yield texts.slice(start, _AT_ONCE)


def _code_points(texts: Any, width: int) -> NDArray[np.uint32]:
    """Characters as numbers, one row per text, filled up with zeros: how numpy itself stores text."""
    import pyarrow as pa
    import pyarrow.compute as pc

    joined = pc.binary_join(pa.ListArray.from_arrays([0, len(texts)], texts.cast(pa.string())), "")[0].as_py()
    points = np.frombuffer(joined.encode("utf-32-le"), np.uint32)
    lengths = pc.utf8_length(texts).to_numpy()
    block = np.zeros((len(texts), width), np.uint32)
    block[np.arange(width) < lengths[:, None]] = points
    return block
