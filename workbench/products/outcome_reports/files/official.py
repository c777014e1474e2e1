"""Official files as values: read, held to their layout, and written again to the byte."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from workbench.core.errors import Problem, UserProblem, raise_if
from workbench.products.outcome_reports.files.layouts import (
    NOT_COMPUTED,
    OK,
    PSEO,
    PSEO_DRAFT,
    PSEO_VALUES,
    SUPPRESSED,
    VEO_KEYS,
    status_of,
    veo_columns,
    veo_status_of,
)
from workbench.products.outcome_reports.files.reports import csv_text

_STATUS = {str(NOT_COMPUTED), str(OK), str(SUPPRESSED)}
_MOST_TOLD = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class OfficialTable:
    """Columns in the order of the layout, every cell as text; `notes` say what the reader had to mend."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()

    def written(self) -> bytes:
        return csv_text(list(self.columns), [list(row) for row in self.rows])


def layout_named(stem: str, content: bytes) -> str:
    """The layout that the end of a file's name says, as in R-0001-veoe; else the one that its columns say."""
    ending = stem.rpartition("-")[2]
    if ending in VEO_KEYS:
        return ending
    header, _ = _cells(content)
    return next((name for name in VEO_KEYS if veo_columns(name) == header), "pseo")


def read_veo(table: str, content: bytes) -> OfficialTable:
    """One of the 13 tables, by its name."""
    if table not in VEO_KEYS:
        raise UserProblem(f"There is no VEO table “{table}”", table, f"Tables: {', '.join(VEO_KEYS)}")
    header, rows = _cells(content)
    wanted = veo_columns(table)
    raise_if(_header_problems(header, (wanted,), table))
    values = tuple(name for name in wanted if name.startswith("y") and "_" in name and not name.startswith("yos"))
    raise_if(_status_problems(wanted, rows, values, veo_status_of, table))
    return OfficialTable(columns=wanted, rows=rows, notes=_without_value(wanted, rows, values, veo_status_of))


def read_pseo(content: bytes, name: str = "pseoe") -> OfficialTable:
    """PSEO earnings of any version since 2019, also where a spreadsheet ate leading zeros. It comes out as V4.14.0."""
    header, rows = _cells(content)
    raise_if(_header_problems(header, (PSEO, PSEO_DRAFT), name))
    notes: list[str] = []
    if header == PSEO_DRAFT:
        notes.append("The file is the 34-column draft of 2019: one status of IPEDS counts stands for all three years.")
        rows = tuple((*row[:-1], *_spread(row)) for row in rows)
    mended = tuple(_mended(row) for row in rows)
    if mended != rows:
        notes.append("Codes had lost zeros or had fewer characters than the schema says; they were completed.")
    raise_if(_status_problems(PSEO, mended, PSEO_VALUES[:12], status_of, name))
    notes += _without_value(PSEO, mended, PSEO_VALUES[:12], status_of)
    return OfficialTable(columns=PSEO, rows=mended, notes=tuple(notes))


def _spread(row: Sequence[str]) -> tuple[str, str, str]:
    """The draft's one status of IPEDS counts for three years: not available where there is no count."""
    counts = row[PSEO_DRAFT.index("y1_ipeds_count") : PSEO_DRAFT.index("y10_ipeds_count") + 1]
    first, second, third = (row[-1] if count else "3" for count in counts)
    return first, second, third


def _mended(row: Sequence[str]) -> tuple[str, ...]:
    cells = dict(zip(PSEO, row, strict=True))
    institution = cells["institution"]
    if cells["inst_level"] == "I" and institution.isdigit() and len(institution) < 8:
        cells["institution"] = f"{institution:>06}00"
    cells["degree_level"] = f"{cells['degree_level']:>02}"
    cells["cipcode"] = _cip(cells["cipcode"], cells["cip_level"])
    cells["grad_cohort"] = f"{cells['grad_cohort']:>04}"
    cells["geography"] = f"{cells['geography']:>02}"
    cells["industry"] = f"{cells['industry']:>02}"
    return tuple(cells.values())


def _cip(code: str, level: str) -> str:
    """52.1 of four digits was 52.10, and 1 was 01 or, of four digits, 01.00."""
    family, _, rest = code.partition(".")
    family = f"{family:>02}"
    return f"{family}.{rest or '':<02}" if level == "4" else family


def _cells(content: bytes) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    lines = csv.reader(io.StringIO(content.decode("utf-8-sig"), newline=""))
    header, *rows = [tuple(line) for line in lines] or [()]
    return header, tuple(rows)


def _header_problems(header: Sequence[str], known: Sequence[tuple[str, ...]], where: str) -> list[Problem]:
    if tuple(header) in known:
        return []
    missing = [name for name in known[0] if name not in header]
    what = (
        f"Columns are missing: {', '.join(missing[:_MOST_TOLD])}" if missing else "The columns are not in their order"
    )
    return [Problem(what, where, f"The layout has {len(known[0])} columns, {known[0][0]} first")]


def _status_problems(
    columns: Sequence[str],
    rows: Sequence[Sequence[str]],
    values: Sequence[str],
    status: Callable[[str], str],
    where: str,
) -> list[Problem]:
    """A value is there only where its status is 1."""
    place = {name: at for at, name in enumerate(columns)}
    found = []
    for number, row in enumerate(rows, start=2):
        if len(row) != len(columns):
            found.append(Problem("A row has too few or too many cells", f"{where} line {number}", "Complete it"))
            continue
        for name in values:
            flag = row[place[status(name)]]
            if flag not in _STATUS or (row[place[name]] and flag != str(OK)):
                found.append(
                    Problem(f"{name} and its status do not agree", f"{where} line {number}", "A value needs status 1")
                )
    return found[:_MOST_TOLD]


def _without_value(
    columns: Sequence[str], rows: Sequence[Sequence[str]], values: Sequence[str], status: Callable[[str], str]
) -> tuple[str, ...]:
    """The published tables have a row whose status says 1 and that has no value: read as it is, and told."""
    place = {name: at for at, name in enumerate(columns)}
    many = sum(not row[place[name]] and row[place[status(name)]] == str(OK) for row in rows for name in values)
    return (f"{many} values are missing although their status is 1.",) if many else ()
