"""What stands between a click on the icon and the window: nothing that only a review needs."""

from __future__ import annotations

import subprocess
import sys

_START = """
import sys
from workbench.ui.app import make_app
from workbench.ui.main_window import MainWindow
from workbench.ui.settings import Settings
app = make_app()
window = MainWindow(Settings())
window.show()
app.processEvents()
print(*sorted(sys.modules), flush=True)
import os; os._exit(0)
"""
_LATER = (
    "numpy",
    "pandas",
    "pyqtgraph",
    "duckdb",
    "scipy",
    "opendp",
    "workbench.mechanisms",
    "workbench.products.contract",
)


def test_that_the_window_is_painted_before_anything_that_only_a_review_needs_is_loaded() -> None:
    done = subprocess.run([sys.executable, "-c", _START], capture_output=True, text=True, check=True)
    loaded = done.stdout.split()
    assert "workbench.ui.main_window" in loaded
    assert [name for name in _LATER if name in loaded] == []
