"""A published report in the official layouts, where its columns are those of the layout.

PSEO: keys institution, degree_level, cipcode and grad_cohort (the last two may be absent: all). VEO: key cohort (may be
absent: all) and those of one of the 13 tables. A year that is not published has status −1; a value that was left out,
or is a count below one, has 5, decided from noisy values; everything else 1. Published percentiles are needed:
history-histogram gives them.
"""

from __future__ import annotations

import numpy as np

from workbench.core.published import Published
from workbench.products.outcome_reports.files.coarser_levels import ALL, Cells, cip_level, coarser_cells
from workbench.products.outcome_reports.files.layouts import (
    IPEDS_NOT_AVAILABLE,
    NOT_COMPUTED,
    OK,
    PSEO,
    SUPPRESSED,
    VEO_ALL_COHORTS,
    VEO_COHORT_YEARS,
    VEO_KEYS,
    YEARS,
    status_of,
    veo_columns,
    veo_status_of,
)
from workbench.products.outcome_reports.files.official import OfficialTable

_DIGITS = 4  # significant digits of VEO


def fits_pseo(table: Published) -> bool:
    names = [key.name for key in table.keys[:-1]]
    return {"institution", "degree_level"} <= set(names) <= {"institution", "degree_level", *ALL}


def veo_table_of(table: Published) -> str | None:
    """Which of the 13 tables has these keys."""
    names = {key.name for key in table.keys[:-1]} - {"cohort"}
    return next((name for name, keys in VEO_KEYS.items() if set(keys) == names), None)


def pseo_table(table: Published) -> OfficialTable:
    """The cells of the report, then the coarser levels that follow from them."""
    cells = _by_cell(table)
    coarser = coarser_cells(table, [keys for keys, _ in cells])
    rows = [_pseo_row(keys, values) for keys, values in (*cells, *coarser)]
    return OfficialTable(columns=PSEO, rows=tuple(tuple(row[name] for name in PSEO) for row in rows))


def veo_table(table: Published, name: str) -> OfficialTable:
    columns = veo_columns(name)
    rows = [_veo_row(name, cells, values) for cells, values in _by_cell(table)]
    return OfficialTable(columns=columns, rows=tuple(tuple(row[column] for column in columns) for row in rows))


def _by_cell(table: Published) -> list[tuple[Cells, dict[str, Cells]]]:
    """Cell by cell its keys, and by year its published texts."""
    *others, year = table.keys
    texts = {name: table.units(name).texts() for name in ("count", "p25_earnings", "p50_earnings", "p75_earnings")}
    each, years = len(year.values), year.texts()
    keys = {key.name: key.texts() for key in others}
    found = []
    for start in range(0, table.rows, each):
        values = {
            years[row]: {name: column[row] for name, column in texts.items()} for row in range(start, start + each)
        }
        found.append(({name: column[start] for name, column in keys.items()}, values))
    return found


def _pseo_row(cells: Cells, by_year: dict[str, Cells]) -> Cells:
    cip = cells.get("cipcode", ALL["cipcode"])
    cohort = cells.get("grad_cohort", ALL["grad_cohort"])
    level = cip_level(cip)
    row = {
        "agg_level_pseo": str(38 + {"A": 0, "2": 2, "4": 4}[level] + (6 if cohort != "0000" else 0)),
        "inst_level": "I",
        "institution": f"{cells['institution']:>08}",
        "degree_level": f"{cells['degree_level']:>02}",
        "cip_level": level,
        "cipcode": cip,
        "grad_cohort": cohort,
        "grad_cohort_years": "3" if cells["degree_level"] == "05" else "5",
        "geo_level": "N",
        "geography": "00",
        "ind_level": "A",
        "industry": "00",
    }
    for year in YEARS:
        values = by_year.get(year, {})
        for name in ("p25_earnings", "p50_earnings", "p75_earnings", "grads_earn"):
            text = _people(values.get("count", "")) if name == "grads_earn" else values.get(name, "")
            row[f"y{year}_{name}"] = text
            row[status_of(f"y{year}_{name}")] = _flag(year in by_year, text)
        row[f"y{year}_ipeds_count"] = ""
        row[f"status_y{year}_ipeds_count"] = str(IPEDS_NOT_AVAILABLE)
    return row


def _veo_row(name: str, cells: Cells, by_year: dict[str, Cells]) -> Cells:
    cohort = cells.get("cohort", "0")
    years = VEO_ALL_COHORTS if cohort == "0" else VEO_COHORT_YEARS.get(name, 2)
    row = {"cohort": cohort, "cohort_years": str(years), **{key: cells[key] for key in VEO_KEYS[name]}}
    for column in veo_columns(name):
        if column in row or column.startswith("status"):
            continue
        year, what = column.split("_", 1)
        values = by_year.get(year[1:], {})
        text = _people(values.get("count", "")) if what == "emp" else values.get(what, "")
        row[column] = _significant(text)
        row[veo_status_of(column)] = _flag(year[1:] in by_year and what != "nonemp", text)
    return row


def _people(text: str) -> str:
    """No count below one: the layouts know none, and it says no more than that people are few beside the noise."""
    return text if text and int(text) >= 1 else ""


def _flag(computed: bool, text: str) -> str:
    return str(NOT_COMPUTED if not computed else OK if text else SUPPRESSED)


def _significant(text: str) -> str:
    """Four significant digits, half up by size."""
    if not text or text.lstrip("-") == "0":
        return text
    value = int(text)
    step = 10 ** max(len(str(abs(value))) - _DIGITS, 0)
    return str(int(np.sign(value)) * ((abs(value) + step // 2) // step * step))
