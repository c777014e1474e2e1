"""Tables as a reader holds them, written as they look on paper."""

from __future__ import annotations

import csv
import io
from decimal import Decimal

import numpy as np

from workbench.audit.differencing.tables import Protection, PublishedTable
from workbench.core.claims import Definition


def table(name: str, text: str, *, protection: Protection = Protection.EXACT, base: int = 0) -> PublishedTable:
    """From CSV text: the last column is the value, x is a suppressed one."""
    header, *rows = list(csv.reader(io.StringIO(text.replace(" ", "").strip())))
    hidden = np.array([row[-1] == "x" for row in rows])
    return PublishedTable(
        name=name, columns=tuple(header[:-1]), value_name=header[-1], protection=protection, base=base,
        keys=tuple(tuple(row[place] for row in rows) for place in range(len(header) - 1)),
        values=np.array([0 if row[-1] == "x" else int(row[-1]) for row in rows], dtype=np.int64), suppressed=hidden,
    )  # fmt: skip


def noisy(name: str, text: str, epsilon: str = "1.5", definition: Definition = Definition.EDGE) -> PublishedTable:
    """A formally private table."""
    made = table(name, text)
    return PublishedTable(
        name=name, columns=made.columns, keys=made.keys, value_name=made.value_name, values=made.values,
        protection=Protection.FORMAL, epsilon=Decimal(epsilon), definition=definition, population="data",
    )  # fmt: skip
