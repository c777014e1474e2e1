"""Further files of a report: cells with statuses, model-based estimates, the programme, and what was drawn."""

from __future__ import annotations

import csv
import io
import math

import numpy as np

from workbench.core.arrays import Bools, Floats
from workbench.core.published import Published
from workbench.products.outcome_reports.files.added_bins import drawn_bins
from workbench.products.outcome_reports.files.layouts import NOT_COMPUTED, OK, SUPPRESSED
from workbench.products.outcome_reports.model_based.report import modelled
from workbench.products.outcome_reports.published_outcomes import MARGINS, NAMES

_LONG = ("count", "mean", "p25", "p50", "p75")
_STATUS = ("status_count", "status_earnings", "status_percentiles")


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


def long_file(table: Published) -> bytes:
    """One row for each cell and year, each statistic with its status: 1, 5 left out for its margin, −1 not computed.

    A count below one is left out: it says that people are too few beside the noise. All follows from noisy values.
    """
    texts = {name: table.units(name).texts() for name in (*NAMES, *MARGINS)}
    known = {name: table.units(name).given() for name in NAMES}
    some = table.units(NAMES[0]).integers >= 1
    texts[NAMES[0]] = [text if at else "" for text, at in zip(texts[NAMES[0]], some.tolist(), strict=True)]
    parts = () if table.beside is None else table.beside.names
    drawn = (
        True,
        bool(parts),
        "noisy_people" in parts,
    )  # what was drawn was computed, also where all of it is left out
    flags = [
        _flags(there, computed=each or bool(there.any()))
        for there, each in zip((some, known[NAMES[1]], known[NAMES[3]]), drawn, strict=True)
    ]
    header = [*(key.name for key in table.keys), *_LONG, *_STATUS, *MARGINS]
    columns = [*(key.texts() for key in table.keys), *(texts[name] for name in NAMES), *flags]
    columns += [texts[name] for name in MARGINS]
    return csv_text(header, [list(row) for row in zip(*columns, strict=True)])


def _flags(there: Bools, *, computed: bool) -> list[str]:
    if not computed:
        return [str(NOT_COMPUTED)] * len(there)
    return [str(OK if each else SUPPRESSED) for each in there.tolist()]


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
