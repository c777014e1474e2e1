"""When two names are the same person's."""

from __future__ import annotations

import unicodedata


def same_person(one: str, other: str) -> bool:
    """Names are compared as they look: without regard to case, spacing, or how accents are put together."""
    return known_as(one) == known_as(other)


def known_as(name: str) -> str:
    """macOS writes é as two signs where Windows writes one, and signs without width cannot be seen at all."""
    composed = unicodedata.normalize("NFKC", name)
    visible = "".join(sign for sign in composed if unicodedata.category(sign) not in ("Cf", "Cc") or sign.isspace())
    return " ".join(unicodedata.normalize("NFKC", visible.casefold()).split())
