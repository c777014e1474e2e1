"""Writes the kept file of the present version: `python -m tests.project.file.keep_version`, before it is released.

A kept file is never written again once its version has been released: files of that version are in the field.
"""

from __future__ import annotations

import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

from tests.project.samples import reviewed
from workbench.project.file import action
from workbench.project.file.files import APPLICATION_ID
from workbench.project.file.migrations import MIGRATIONS

KEPT = Path(__file__).parent / "kept"


def main() -> None:
    action.workplace = lambda: {"account": "ann", "computer": "pc-17", "program": "0.1.0"}
    with tempfile.TemporaryDirectory() as folder:
        path = reviewed(Path(folder) / "review.dwb")
        with closing(sqlite3.connect(path)) as connection:
            lines = [*connection.iterdump()]
    heading = [f"PRAGMA application_id = {APPLICATION_ID};", f"PRAGMA user_version = {len(MIGRATIONS)};"]
    text = "\n".join([*heading, *lines]) + "\n"
    (KEPT / f"v{len(MIGRATIONS)}.sql").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
