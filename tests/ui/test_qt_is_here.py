"""The window's tests need Qt itself."""

from __future__ import annotations


def test_that_qt_can_be_imported(qapp: object) -> None:
    assert qapp is not None
