"""Confidential values by type. What is wrapped cannot be printed, logged, formatted, pickled or turned to JSON."""

from __future__ import annotations

from typing import Any, Generic, NoReturn, TypeVar

from workbench.core.errors import Defect

T = TypeVar("T")


class Confidential(Generic[T]):
    """Holds a true count, a largest contribution, a distortion factor. `reveal()` is the only way in, and greppable.

    repr, str and format show type and shape only, so a log line or an exception message stays harmless.
    """

    __slots__ = ("_value",)

    def __init__(self, value: T) -> None:
        self._value = value

    def reveal(self) -> T:
        """The value itself. Every caller answers for where it goes next."""
        return self._value

    def __repr__(self) -> str:
        shape = getattr(self._value, "shape", None)
        described = f" {tuple(shape)}" if shape is not None else ""
        return f"<confidential {type(self._value).__name__}{described}>"

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        return repr(self)

    def __reduce__(self) -> NoReturn:
        raise Defect("a confidential value was about to be pickled")

    def __bool__(self) -> NoReturn:
        raise Defect("a confidential value was used as a condition without reveal()")

    def __eq__(self, other: Any) -> NoReturn:
        raise Defect("a confidential value was compared without reveal()")

    def __hash__(self) -> NoReturn:
        raise Defect("a confidential value was hashed without reveal()")
