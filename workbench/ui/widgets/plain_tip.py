"""Words of files, columns and people in tooltips: Qt takes what looks like HTML for HTML, and loads its pictures."""

from __future__ import annotations

import html


def plain_tip(text: str) -> str:
    """The same words, shown as they are written: where they could be taken for HTML, they are written in it."""
    return f"<p style='white-space: pre-wrap'>{html.escape(text)}</p>" if "<" in text else text
