"""The terms that a report uses, each with its meaning, from the glossary that the window shows too."""

from __future__ import annotations

import re
from functools import cache

from workbench.core.plain import plain
from workbench.core.resources import resource
from workbench.report.model import ApprovalReport

_ENTRY = re.compile(r"^- \*\*(.+?)\*\*(.*?): (.+?)(?=^- |^#|\Z)", re.MULTILINE | re.DOTALL)
_NAMES = re.compile(r"\*\*(.+?)\*\*")


def terms_in(report: ApprovalReport) -> tuple[tuple[str, str], ...]:
    """Every entry of the glossary of which a name occurs in the report, in the glossary's order."""
    text = " ".join(_texts(plain(report))).casefold()
    return tuple(entry for entry in _glossary() if any(_stands(name, text) for name in _said(entry[0])))


def _stands(name: str, text: str) -> bool:
    """As a word of its own, also in the plural: “cell” and “cells”, not “cellar”."""
    return re.search(rf"(?<!\w){re.escape(name.casefold())}s?(?!\w)", text) is not None


def _said(names: str) -> list[str]:
    return [part.strip() for part in re.split(r",| and ", names) if part.strip()]


@cache
def _glossary() -> tuple[tuple[str, str], ...]:
    """Names and meaning of each entry; what stands in brackets behind a name is another name or a hint, left out."""
    text = resource("help", "glossary.md").read_text(encoding="utf-8")
    found = []
    for first, more, meaning in _ENTRY.findall(text):
        names = ", ".join((first, *_NAMES.findall(more)))
        found.append((names, " ".join(meaning.split())))
    return tuple(found)


def _texts(value: object) -> list[str]:
    if isinstance(value, dict):
        return [text for each in value.values() for text in _texts(each)]
    if isinstance(value, list):
        return [text for each in value for text in _texts(each)]
    return [value] if isinstance(value, str) else []
