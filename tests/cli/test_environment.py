"""Passphrases given in the environment are not handed on to programs that this one starts."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

_LOOK = """
import os, subprocess, sys
from workbench.cli import main as program
from workbench.cli import passphrases

def look(words):
    seen = subprocess.run([sys.executable, "-c", "import os; print(*os.environ)"], capture_output=True, text=True)
    print([name for name in seen.stdout.split() if "PASSPHRASE" in name], passphrases._given("DWB_PASSPHRASE").reveal())
    return 0

program._dispatch = look
sys.argv = ["dwb", "list"]
program.main()
"""


def test_that_a_child_sees_no_passphrase_and_the_program_still_has_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DWB_PASSPHRASE", "DWB_KEY_PASSPHRASE", "DWB_NEW_PASSPHRASE", "DWB_PASSPHRASE_FROM"):
        monkeypatch.setenv(name, "correct horse battery")
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run([sys.executable, "-c", _LOOK], cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[] correct horse battery"
