"""The twin of the sample of outcome reports at any size: earnings, people, businesses and the data dictionary."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from workbench.core.params import param
from workbench.core.progress import Context
from workbench.microdata.twins.columns import identifiers
from workbench.microdata.twins.contract import Format, format_for
from workbench.products.outcome_reports.twin.histories import (
    FEWEST,
    MOST,
    SECTORS,
    TITLES,
    YEARS,
    Histories,
    histories,
)
from workbench.products.outcome_reports.twin.other_keys import GRADUATES, VETERANS, write_other_keys

OTHERS = 2400  # people of each of the two samples with other keys, whatever the size of the first

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeReportsTwinParams:
    persons: int = param(3000, "Persons", "How many people left; each has up to twelve years.", ge=FEWEST, le=MOST)
    institutions: int = param(3, "Institutions", "How many universities there are.", ge=1, le=500)


@dataclass(frozen=True, slots=True)
class OutcomeReportsTwin:
    params: type[OutcomeReportsTwinParams] = OutcomeReportsTwinParams

    def write(self, folder: Path, params: OutcomeReportsTwinParams, *, seed: int, context: Context) -> tuple[Path, ...]:
        context.step(0.0, "simulating histories")
        made = histories(params.persons, seed, institutions=params.institutions)
        kind = format_for(len(made.pay))
        files = []
        for place, (name, table) in enumerate(_tables(made, params.persons).items()):
            context.step(0.4 + 0.15 * place, f"writing {name}")
            files.append(_written(folder / f"{name}.{kind}", table, kind))
        context.step(0.95, "writing the data dictionary")
        files.append(_dictionary(folder / "dictionary.csv", made))
        for keys in (GRADUATES, VETERANS):
            files += write_other_keys(folder, keys, OTHERS, seed)
        context.step(1.0, "histories written")
        return tuple(files)


def institution_codes(many: int) -> np.ndarray:
    return identifiers("U", many, 3)


def _tables(made: Histories, persons: int) -> dict[str, pa.Table]:
    import pyarrow as pa

    names = {
        "person": identifiers("P", persons, 8),
        "institution": institution_codes(made.institutions),
        "business": identifiers("B", made.businesses, 4),
        "title": np.array(list(TITLES)),
        "sector": np.array(list(SECTORS)),
    }

    def texts(name: str, codes: np.ndarray) -> pa.Array:
        return pa.DictionaryArray.from_arrays(pa.array(codes.astype(np.int32)), pa.array(names[name].tolist()))

    key = made.person * made.institutions + made.institution
    _, first = np.unique(key, return_index=True)
    return {
        "earnings": pa.table(
            {
                "person": texts("person", made.person),
                "institution": texts("institution", made.institution),
                "business": texts("business", made.business),
                "year": pa.array([str(year) for year in range(1, YEARS + 1)]).take(pa.array(made.year - 1)),
                "earnings": pa.array(made.pay),
            }
        ),
        "people": pa.table(
            {
                "person": texts("person", made.person[first]),
                "institution": texts("institution", made.institution[first]),
                "title": texts("title", made.title[first]),
            }
        ),
        "businesses": pa.table(
            {
                "business": names["business"],
                "sector": texts("sector", np.arange(made.businesses) // (made.businesses // len(SECTORS))),
            }
        ),
    }


def _written(path: Path, table: pa.Table, kind: Format) -> Path:
    import pyarrow as pa
    import pyarrow.csv
    import pyarrow.parquet

    if kind == "parquet":
        pa.parquet.write_table(table, path)
        return path
    plain = pa.table({name: _decoded(table[name]) for name in table.column_names})
    pa.csv.write_csv(plain, path, pa.csv.WriteOptions(quoting_style="none"))
    return path


def _decoded(column: pa.ChunkedArray) -> pa.ChunkedArray:
    import pyarrow as pa

    return column.cast(pa.string()) if pa.types.is_dictionary(column.type) else column


def _dictionary(path: Path, made: Histories) -> Path:
    listed = {
        "institution": {
            code: f"University {place + 1}" for place, code in enumerate(institution_codes(made.institutions))
        },
        "title": TITLES,
        "sector": SECTORS,
    }
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(("column", "value", "label"))
        for name, labels in listed.items():
            writer.writerows((name, code, label) for code, label in labels.items())
    return path


TWIN = OutcomeReportsTwin()
