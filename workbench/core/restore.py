"""The way back from plain JSON to frozen values: what the project file stores, window and report read again."""

from __future__ import annotations

import dataclasses
import functools
import math
import types
import typing
from collections.abc import Mapping
from decimal import Decimal
from enum import Enum
from typing import Any, TypeVar

T = TypeVar("T")
_MOST_DIGITS = 5000  # of a number that somebody may have meant


def restore(cls: type[T], data: Any) -> T:
    """Rebuild a dataclass from what `plain` made of it. Unknown keys are ignored, so newer fields do no harm."""
    made: T = _value(cls, data)
    return made


def _value(hint: Any, data: Any) -> Any:
    origin = typing.get_origin(hint)
    if data is None:
        return math.nan if hint is float else None  # as `plain` writes not-a-number
    if origin in (typing.Union, types.UnionType):
        return _union(typing.get_args(hint), data)
    if origin is tuple:
        return _tuple(typing.get_args(hint), data)
    if origin in (dict, Mapping):
        _, item = typing.get_args(hint)
        return {key: _value(item, entry) for key, entry in data.items()}
    if isinstance(hint, type) and dataclasses.is_dataclass(hint):
        return _dataclass(hint, data)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return hint(data)
    if isinstance(hint, type) and issubclass(hint, Decimal):
        return _number(hint(str(data).replace("inf", "Infinity")))
    if hint is float:
        return float(data)
    return data


def stored_number(text: str) -> Decimal:
    """A number as a project stores it. Raises ValueError or InvalidOperation for what no program of ours wrote."""
    made: Decimal = _number(Decimal(text))
    return made


def _number(made: Any) -> Any:
    """Not-a-number makes every comparison fail, and 1e999999999 would fill the memory with digits."""
    if made.is_nan() or (made.is_finite() and made and abs(made.adjusted()) > _MOST_DIGITS):
        raise ValueError("not a number that was stored")
    return made


def _union(options: tuple[Any, ...], data: Any) -> Any:
    """Optional dataclasses, decimals and the like; a union of plain values is kept as it was written."""
    real = [option for option in options if option is not type(None)]
    return _value(real[0], data) if len(real) == 1 else data


def _tuple(items: tuple[Any, ...], data: Any) -> tuple[Any, ...]:
    if len(items) == 2 and items[1] is Ellipsis:
        return tuple(_value(items[0], entry) for entry in data)
    return tuple(_value(item, entry) for item, entry in zip(items, data, strict=True))


def _dataclass(cls: Any, data: Mapping[str, Any]) -> Any:
    hints = _hints(cls)
    return cls(**{key: _value(hints[key], entry) for key, entry in data.items() if key in hints})


@functools.cache
def _hints(cls: Any) -> dict[str, Any]:
    """Worked out once for each class: a project of a thousand releases reads them ten thousand times."""
    hints = typing.get_type_hints(cls)
    return {field.name: hints[field.name] for field in dataclasses.fields(cls)}
