"""Tables of other programs whose answers are known, read from the public data folder."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np

from tests.baselines.suppression.small_tables import table
from workbench.baselines.suppression.attackers import Attackers
from workbench.baselines.suppression.contributions import Behind
from workbench.baselines.suppression.hierarchy import Dimension, nested
from workbench.baselines.suppression.lattice import Key
from workbench.baselines.suppression.system import System, additive
from workbench.baselines.suppression.task import Task, task

_NESTED = {"ACTIVITY": "activity_corr_table", "NUTS": "nuts23_fr_corr_table"}
LINKED = ("turnover_act_size", "turnover_act_cj", "turnover_nuts_size", "turnover_nuts_cj")


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def small_counts(data: Path, name: str) -> System:
    """z1 of SSBtools, or the charities of ACRO by year and kind of grant."""
    if name == "z1":
        counted = {(row["region"], row["hovedint"]): float(row["ant"]) for row in _rows(
            data / "suppression_tables" / "ssbtools_z1.csv")}  # fmt: skip
    else:
        rows = _rows(data / "acro_charities" / "test_data.csv")
        counted = {key: float(many) for key, many in Counter((row["year"], row["grant_type"]) for row in rows).items()
                   if all(key)}  # fmt: skip
    across, down = sorted({key[0] for key in counted}), sorted({key[1] for key in counted})
    return table([[counted.get((one, other), 0.0) for other in down] for one in across])


def turnover(data: Path, names: Sequence[str]) -> System:
    """One or several linked turnover tables with hierarchies; a margin that two tables share is one cell."""
    folder = data / "suppression_tables"
    files = [_rows(folder / f"rtauargus_{name}.csv") for name in names]
    columns = list(dict.fromkeys(column for rows in files for column in list(rows[0])[:-3]))
    cells: dict[Key, dict[str, str]] = {}
    for rows in files:
        for row in rows:
            codes = (row.get(column, "Total") for column in columns)
            cells.setdefault(tuple(None if code.startswith("Total") else code for code in codes), row)
    values = np.array([float(row["TOT"]) for row in cells.values()])
    facts = Behind(
        total=values,
        contributors=np.array([int(row["N_OBS"]) for row in cells.values()]),
        largest=np.array([[float(row["MAX"])] for row in cells.values()]),
    )
    return additive([_dimension(folder, column) for column in columns], list(cells), values, behind=facts)


def _dimension(folder: Path, column: str) -> Dimension:
    if column not in _NESTED:
        return Dimension(name=column)
    rows = _rows(folder / f"rtauargus_{_NESTED[column]}.csv")
    levels = list(rows[0])
    pairs = [(row[fine], row[coarse]) for row in rows for coarse, fine in pairwise(levels)]
    return nested(column, [(code, parent) for code, parent in pairs if code != parent])


def turnover_task(system: System, attackers: Attackers) -> Task:
    """Below 3 contributors or one of more than 85 %; levels of 10 % of the largest contribution."""
    assert system.behind is not None
    many, largest = system.behind.contributors, system.behind.largest[:, 0]
    primary = (system.values > 0) & (((many > 0) & (many < 3)) | (largest > 0.85 * system.values))
    return task(system, primary, 0.1 * largest * primary, 0.1 * largest * primary, attackers=attackers)


def counts_task(system: System, attackers: Attackers, *, at_most: float) -> Task:
    """Counts of 1 to `at_most`, each uncertain by 1 below, as far as everybody's knowledge leaves it, and above."""
    primary = (system.values > 0) & (system.values <= at_most)
    lower = np.minimum(1.0, system.values - attackers.low) * primary
    return task(system, primary, lower, primary * 1.0, attackers=attackers)
