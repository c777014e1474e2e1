"""Walk through a report and change every leaf: how tests reach each text and number without listing them."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from decimal import Decimal
from enum import Enum
from typing import Any

from workbench.core.figures import Figure

_SHAPE = {"outlined", "extent", "picks", "polygon"}  # of a figure: places and names that must fit its other fields
Leaf = str | int | float | Decimal


def change_leaves(value: Any, change: Callable[[str, Leaf], Leaf], path: str = "") -> Any:
    """The same value with `change(path, leaf)` in place of each text and number. Enums, flags and None stay.

    Positions in tuples are left out of the path, except those of findings, which differ in their audience.
    """
    if value is None or isinstance(value, bool | Enum):
        return value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return dataclasses.replace(
            value,
            **{
                field.name: change_leaves(getattr(value, field.name), change, f"{path}.{field.name}".lstrip("."))
                for field in dataclasses.fields(value)
                if not (isinstance(value, Figure) and field.name in _SHAPE)
            },
        )
    if isinstance(value, tuple):
        return tuple(change_leaves(item, change, _step(path, item)) for item in value)
    if isinstance(value, dict):
        return {key: change_leaves(item, change, f"{path}.{key}") for key, item in value.items()}
    return change(path, value)


def _step(path: str, item: Any) -> str:
    """Items that say for whom they are get that into their path."""
    audience = getattr(item, "audience", None)
    return f"{path}[{audience.value}]" if audience is not None else path
