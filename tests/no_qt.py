"""A pytest plug-in that makes Qt unimportable: what passes with it needs no window."""

from __future__ import annotations

import sys
from importlib.abc import MetaPathFinder

import pytest


class _NoQt(MetaPathFinder):
    def find_spec(self, fullname: str, path: object = None, target: object = None) -> None:
        if fullname.split(".")[0] in {"PySide6", "shiboken6", "pyqtgraph"}:
            raise ImportError(f"{fullname} is hidden in this test run")


def pytest_configure(config: object) -> None:
    loaded = [name for name in sys.modules if name.split(".")[0] in {"PySide6", "pyqtgraph"}]
    assert not loaded, f"Qt was imported before the tests began: {loaded}"
    sys.meta_path.insert(0, _NoQt())


def pytest_addoption(parser: pytest.Parser) -> None:
    """Know the settings of pytest-qt, which is switched off in this run."""
    for name in ("qt_api", "qt_log_level_fail", "qt_log_ignore"):
        parser.addini(name, "known to pytest-qt only")
