"""Published columns, findings, comparisons and ledgers as pandas data frames."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench.core.findings import Finding
from workbench.core.published import MISSING, Coded, Columns
from workbench.core.side_by_side import SideBySide

if TYPE_CHECKING:
    import pandas as pd


def table_frame(published: Columns, *, labels: bool = False) -> pd.DataFrame:
    """Keys as categories in the order of the dictionary; numbers as integers, with decimals as floats."""
    import pandas as pd

    made: dict[str, Any] = {}
    for column in published.columns:
        if isinstance(column, Coded):
            words = column.labels if labels and column.labels else column.values
            kept = list(dict.fromkeys(words))  # two codes may share a label
            position = {word: place for place, word in enumerate(kept)}
            lookup = np.array([*(position[word] for word in words), -1], dtype=np.int64)
            made[column.name] = pd.Categorical.from_codes(
                np.take(lookup, column.codes, mode="wrap"), categories=pd.Index(kept)
            )
        elif column.decimals:
            made[column.name] = column.numbers
        else:
            whole = pd.array(column.integers, dtype="Int64")
            whole[column.integers == MISSING] = pd.NA
            made[column.name] = whole if (column.integers == MISSING).any() else column.integers.copy()
    return pd.DataFrame(made)


def findings_frame(findings: Iterable[Finding]) -> pd.DataFrame:
    """One row per finding, in the order of the review."""
    import pandas as pd

    columns = ("stage", "id", "status", "title", "sentence", "does_not_prove", "audience")
    rows = [tuple(str(getattr(finding, name)) for name in columns) for finding in findings]
    return pd.DataFrame(rows, columns=list(columns)).astype({"stage": "category", "status": "category"})


def side_by_side_frame(beside: SideBySide) -> pd.DataFrame:
    """The confidential value beside every other, row by row. For a reviewer's own session; never to be stored."""
    import pandas as pd

    made: dict[str, Any] = {
        title: pd.Categorical(list(texts)) for title, texts in zip(beside.key_titles, beside.keys, strict=True)
    }
    several = len(beside.compared) > 1
    for compared in beside.compared:
        for column in compared.columns:
            heading = f"{compared.name}: {column.heading}" if several else column.heading
            made[heading] = column.values.reveal().copy()
    made["flagged"] = beside.flagged.reveal().copy()
    return pd.DataFrame(made)


def rows_frame(rows: Sequence[Mapping[str, Any]], columns: Sequence[str] | None = None) -> pd.DataFrame:
    """One row each. With `columns`, a frame without rows has them too."""
    import pandas as pd

    return pd.DataFrame([dict(row) for row in rows], columns=None if columns is None else list(columns))
