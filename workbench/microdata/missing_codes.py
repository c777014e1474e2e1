"""Texts that usually stand for a missing value, found in a file so that a person can say whether they do."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

WORDS = (
    ".", "..", "-", "--", "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "None", "k.A.", "k. A.", "keine Angabe",
    "missing", "Missing", "?", "#N/A", "#NV",
)  # fmt: skip
_BELOW_ZERO = ("-1", "-7", "-8", "-9", "-99", "-999", "-9999")


def proposed(columns: Iterable[Any], already: Iterable[str]) -> tuple[str, ...]:
    """From the distinct texts of each column (Arrow): words that are written for "nothing", and a negative number that
    stands alone among numbers of zero and above. What the options name already is not proposed again.
    """
    import pyarrow.compute as pc

    found: dict[str, None] = {}
    for texts in columns:
        trimmed = pc.utf8_trim_whitespace(texts)
        found |= dict.fromkeys(word for word in WORDS if pc.index(trimmed, word).as_py() >= 0)
        negative = trimmed.filter(pc.match_substring_regex(trimmed, r"^-\d"))
        if 0 < len(negative) <= 2 and len(trimmed) > 4 and len(negative.unique()) == len(negative):
            held = set(negative.to_pylist())
            if held <= set(_BELOW_ZERO):
                found |= dict.fromkeys(code for code in _BELOW_ZERO if code in held)
    known = set(already)
    return tuple(word for word in found if word not in known)
