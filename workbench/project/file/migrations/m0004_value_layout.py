"""Version 4: tables of several value columns, with decimals, or of records. A fossil: never edit it.

The column allows NULL: rows written before stay verifiable, and NULL reads as "one column of whole numbers".
"""

from __future__ import annotations

from typing import Any


def upgrade(db: Any) -> None:
    """Room for the layout of published values, as JSON."""
    db.execute("ALTER TABLE published ADD COLUMN layout TEXT")
