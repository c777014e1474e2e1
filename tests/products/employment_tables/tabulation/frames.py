"""Small microdata from plain lists, and a slow, obvious tabulation to compare with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import product

import numpy as np

from workbench.core.confidential import Confidential
from workbench.microdata.roles import Role
from workbench.microdata.table import MISSING, CodedColumn, Fingerprint, Microdata

ROLES = {
    "worker": Role.WORKER,
    "establishment": Role.ESTABLISHMENT,
    "place": Role.GEOGRAPHY,
    "sector": Role.WORKPLACE,
    "sex": Role.PERSON,
    "education": Role.PERSON,
}


def coded(
    name: str,
    texts: Sequence[str | None],
    labels: Mapping[str, str] | None = None,
    populations: Mapping[str, int] | None = None,
) -> CodedColumn:
    values = sorted({text for text in texts if text is not None})
    codes = np.array([MISSING if text is None else values.index(text) for text in texts], dtype=np.int32)
    return CodedColumn(
        name=name,
        codes=Confidential(codes),
        values=tuple(values),
        labels=labels or {},
        populations=populations or {},
        title=name.title(),
    )


def microdata(columns: Mapping[str, CodedColumn]) -> Microdata:
    rows = len(next(iter(columns.values())).codes.reveal())
    return Microdata(name="jobs.csv", rows=rows, columns=columns, fingerprint=Fingerprint(file="", content=""))


Row = Mapping[str, str]
Key = tuple[str, ...]


def slow_cells(rows: Sequence[Row], names: tuple[str, ...]) -> dict[Key, tuple[int, int, int, int]]:
    """Per non-empty cell: jobs, establishments, largest contribution, total size of that establishment."""
    total = Counter(row["establishment"] for row in rows)
    who: dict[Key, Counter[str]] = {}
    for row in rows:
        who.setdefault(tuple(row[name] for name in names), Counter())[row["establishment"]] += 1
    return {
        key: (sum(jobs.values()), len(jobs), *max((n, total[e]) for e, n in jobs.items())) for key, jobs in who.items()
    }


def slow_keys(
    rows: Sequence[Row], workplace: tuple[str, ...], worker: tuple[str, ...], values: Mapping[str, Sequence[str]],
    everything: bool,
) -> list[Key]:  # fmt: skip
    """The cells of the domain, in order."""
    combinations = list(product(*(values[name] for name in worker)))
    places = sorted({tuple(row[name] for name in workplace) for row in rows})
    if everything:
        places = list(product(*(values[name] for name in workplace)))
    return [place + combination for place in places for combination in combinations]
