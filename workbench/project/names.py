"""When two names are the same person's."""

from __future__ import annotations

import unicodedata


def known_as(name: str) -> str:
    """macOS writes é as two signs where Windows writes one, and signs without width cannot be seen at all."""
    composed = unicodedata.normalize("NFKC", name)
    visible = "".join(sign for sign in composed if unicodedata.category(sign) not in ("Cf", "Cc") or sign.isspace())
    return " ".join(unicodedata.normalize("NFKC", visible.casefold()).split())
