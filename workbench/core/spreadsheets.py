"""Texts in files that people open in a spreadsheet: none may run as a formula there."""

from __future__ import annotations

import re

_STARTS_A_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
_NEGATIVE_NUMBER = re.compile(r"-\d+(\.\d+)?")
_GUARD = "'"


def starts_a_formula(text: str) -> bool:
    """Whether a spreadsheet might calculate this text. A negative number is no formula."""
    return text.startswith(_STARTS_A_FORMULA) and not _NEGATIVE_NUMBER.fullmatch(text)


def guarded(text: str) -> str:
    """The text with an apostrophe in front where it could run as a formula; `unguarded` takes it away again."""
    return f"{_GUARD}{text}" if starts_a_formula(text.lstrip(_GUARD)) else text


def unguarded(text: str) -> str:
    """What `guarded` was given."""
    return text[1:] if text.startswith(_GUARD) and starts_a_formula(text.lstrip(_GUARD)) else text
