"""Version 5: votes and decisions remember the words they judged. A fossil: never edit it.

The columns allow NULL: rows written before stay verifiable, and say nothing of the words.
"""

from __future__ import annotations

from typing import Any


def upgrade(db: Any) -> None:
    """Room for the digest of title and context beside a vote and a decision."""
    db.execute("ALTER TABLE vote ADD COLUMN words TEXT")
    db.execute("ALTER TABLE decision ADD COLUMN words TEXT")
