"""Further files of a report: model-based estimates beside direct ones, the programme as a whole, and what was drawn."""

from __future__ import annotations

import csv
import io
import math

import numpy as np

from workbench.core.arrays import Floats
from workbench.core.published import Published
from workbench.products.outcome_reports.files.added_bins import drawn_bins
from workbench.products.outcome_reports.model_based.report import modelled
from workbench.products.outcome_reports.published_outcomes import MARGINS, NAMES


def csv_text(header: list[str], rows: list[list[str]]) -> bytes:
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return stream.getvalue().encode("utf-8")


def model_based_file(table: Published) -> bytes:
    """One row for each cell: direct and model-based estimates side by side, each with its margin of error."""
    found = modelled(table)
    keys = [key.texts() for key in table.keys]
    direct = {name: table.units(name).texts() for name in NAMES if name in found.values}
    header = [key.name for key in table.keys]
    columns = [*keys]
    for name, texts in direct.items():
        header += [f"{name}_direct", f"{name}_model_based", f"{name}_model_based_margin_of_error"]
        columns += [texts, whole(found.values[name]), whole(found.margins[name])]
    return csv_text(header, [list(row) for row in zip(*columns, strict=True)])


def programme_file(table: Published) -> bytes:
    """Over the first key, which is the institution where there is one: nothing is drawn again.

    Counts are sums of published counts and means are weighted by them; percentiles follow from sums of noisy bins.
    """
    first, *others = table.keys
    sizes = [len(key.values) for key in others]
    shape = (len(first.values), math.prod(sizes))
    count = table.units(NAMES[0]).numbers().reshape(shape)
    mean = table.units(NAMES[1]).numbers().reshape(shape)
    margin = table.units(MARGINS[0]).numbers().reshape(shape)
    total = count.sum(axis=0)
    weight = np.where(np.isfinite(mean), np.maximum(count, 0.0), 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        pooled = np.nansum(weight * np.nan_to_num(mean), axis=0) / weight.sum(axis=0)
    each = [key.texts()[: shape[1]] for key in others]
    columns = [*each, whole(total), whole(pooled), whole(np.sqrt((margin**2).sum(axis=0)))]
    header = [*(key.name for key in others), NAMES[0], NAMES[1], MARGINS[0]]
    bins = drawn_bins(table)
    if bins is not None:
        rows = np.arange(shape[0] * shape[1]).reshape(shape)
        found = np.stack([bins.percentiles(rows[:, place].tolist()) for place in range(shape[1])])
        columns += [whole(found[:, place]) for place in range(found.shape[1])]
        header += NAMES[2:]
    return csv_text(header, [list(row) for row in zip(*columns, strict=True)])


def drawn_file(beside: Published) -> bytes:
    """The noisy sums or bins themselves."""
    columns = [column.texts() for column in beside.columns]
    return csv_text([column.name for column in beside.columns], [list(row) for row in zip(*columns, strict=True)])


def whole(values: Floats) -> list[str]:
    """Whole numbers as texts, empty where there is none."""
    return ["" if not math.isfinite(value) else str(math.floor(value + 0.5)) for value in values.tolist()]
