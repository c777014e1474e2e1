"""Version 8: signatures that cover a whole action. A fossil: never edit it.

The column allows NULL: signatures made before stay verifiable, and cover their own row alone.
"""

from __future__ import annotations

from typing import Any


def upgrade(db: Any) -> None:
    """Room for what a signature covers."""
    db.execute("ALTER TABLE signature ADD COLUMN form INTEGER")
