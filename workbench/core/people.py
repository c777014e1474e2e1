"""When two names are the same person's."""

from __future__ import annotations

import unicodedata

# Signs that show nothing although they are no control or format signs: joiners, fillers, variation selectors.
_UNSEEN = frozenset(
    (0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x3164, 0xFFA0, *range(0x180B, 0x1810), *range(0xFE00, 0xFE10),
     *range(0xE0000, 0xE1000))
)  # fmt: skip
_BLANK = "\u2800"  # Braille without a dot looks like a space


def same_person(one: str, other: str) -> bool:
    """Names are compared as they look: without regard to case, spacing, or how accents are put together."""
    return known_as(one) == known_as(other)


def known_as(name: str) -> str:
    """macOS writes é as two signs where Windows writes one, and signs without width cannot be seen at all."""
    composed = unicodedata.normalize("NFKC", name.replace(_BLANK, " "))
    visible = "".join(sign for sign in composed if _shows(sign) or sign.isspace())
    return " ".join(unicodedata.normalize("NFKC", visible.casefold()).split())


def _shows(sign: str) -> bool:
    return unicodedata.category(sign) not in ("Cf", "Cc") and ord(sign) not in _UNSEEN
