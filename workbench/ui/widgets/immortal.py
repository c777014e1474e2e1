"""Keeps the program alive on Python 3.11 with PySide6 6.12.

The wheels of that PySide6 are built as if None, True and False were immortal, which they are from Python 3.12 on
(PEP 683): every call that returns nothing, and every `Signal.emit()`, gives back a reference it never took. On 3.11 the
interpreter then aborts after some hundred signals or some thousand calls ("none_dealloc: deallocating None",
"bool_dealloc: deallocating True or False"), often only at exit. Until PySide6 is corrected we do what 3.12 does: give
the constants more references than any session can use up.
"""

from __future__ import annotations

import ctypes
import sys

_PLENTY = 2**60
_IMMORTAL_SINCE = (3, 12)


def protect_constants() -> None:
    """Raise the constants' reference counts once; does nothing where Python itself sees to it."""
    if sys.version_info >= _IMMORTAL_SINCE or sys.implementation.name != "cpython":
        return
    for constant in (None, True, False, NotImplemented, Ellipsis):
        if sys.getrefcount(constant) < _PLENTY // 2:
            ctypes.c_ssize_t.from_address(id(constant)).value += _PLENTY if sys.maxsize > 2**32 else 2**29
