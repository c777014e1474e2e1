"""The changes of the file format, in order: fossils that import nothing of ours and are never edited.

The n-th takes a file from version n − 1 to n; it is given a sqlite-utils database inside a transaction. A column that
a later migration adds to an existing table must allow NULL: the journal's digests leave NULL out, so rows written
before stay verifiable.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from workbench.project.file.migrations import (
    m0001_first_tables,
    m0002_policies_and_exceptions,
    m0003_keys_and_signatures,
    m0004_value_layout,
    m0005_words_judged,
    m0006_columns_and_parts,
    m0007_people_and_programmes,
    m0008_signed_actions,
)

Migration = Callable[[Any], None]
MIGRATIONS: tuple[Migration, ...] = (
    m0001_first_tables.upgrade,
    m0002_policies_and_exceptions.upgrade,
    m0003_keys_and_signatures.upgrade,
    m0004_value_layout.upgrade,
    m0005_words_judged.upgrade,
    m0006_columns_and_parts.upgrade,
    m0007_people_and_programmes.upgrade,
    m0008_signed_actions.upgrade,
)
