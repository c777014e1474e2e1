"""What a cell counts, whatever table it is in: its codes by column."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.baselines.suppression.lattice import Key

Meaning = frozenset[tuple[str, str]]  # codes by column, the totals left out


def meaning(names: Sequence[str], key: Key) -> Meaning:
    """The same cell has the same name in every table, whatever its columns."""
    return frozenset((name, code) for name, code in zip(names, key, strict=True) if code is not None)
