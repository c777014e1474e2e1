"""Text from data files as it may be shown: what would be obeyed instead of read is seen."""

from __future__ import annotations

import re

# Control characters and broken code units, and the marks that turn the direction of text: with those, what is read
# differs from what is written ("approved" shown backwards, a total moved into the next word).
_NOT_TEXT = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]"
)


def escaped(text: str) -> str:
    """JSON whose strings hold no such sign as it is: each is written as an escape and stays what it was."""
    return _NOT_TEXT.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def visible(text: str) -> str:
    """What has no place in a document is seen instead of obeyed: each such sign becomes the replacement sign."""
    return _NOT_TEXT.sub("\N{REPLACEMENT CHARACTER}", text)
