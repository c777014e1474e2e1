"""Words of files and people are shown as they are written, never read as HTML."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from PySide6.QtGui import QTextDocument

import workbench.ui
from workbench.ui.widgets.plain_tip import plain_tip

_UI = Path(workbench.ui.__file__).parent
_OURS = ("help", "summary", "_help")  # words of the program itself


@pytest.mark.parametrize("text", ["<img src='/x/probe.png'>", "<b>jobs</b>\nsecond", "<html>", "a < b", "no sign"])
def test_that_what_looks_like_html_is_shown_as_written(text: str) -> None:
    """As Qt's own reader of tooltips understands it: the same words, and no picture."""
    shown = plain_tip(text)
    read = QTextDocument()
    read.setHtml(shown) if shown != text else read.setPlainText(shown)
    assert read.toPlainText() == text
    assert "<img" not in shown


def test_that_every_tooltip_is_a_sentence_of_ours_or_goes_through_the_one_helper() -> None:
    loose = [
        f"{file.relative_to(_UI)}:{call.lineno}"
        for file in sorted(_UI.rglob("*.py"))
        for call in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and call.func.attr == "setToolTip"
        and not _safe(call.args[0])
    ]
    assert loose == []


def _safe(words: ast.expr) -> bool:
    if isinstance(words, ast.IfExp):
        return _safe(words.body) and _safe(words.orelse)
    if isinstance(words, ast.Call):
        named = words.func
        return (isinstance(named, ast.Name) and named.id == "plain_tip") or (
            isinstance(named, ast.Attribute) and isinstance(named.value, ast.Attribute) and named.value.attr in _OURS
        )
    return isinstance(words, ast.Constant) or (isinstance(words, ast.Attribute) and words.attr in _OURS)
