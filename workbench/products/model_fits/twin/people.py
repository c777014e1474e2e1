"""Synthetic people: married or not by education, and with nine further predictors."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from workbench.core.progress import Context

FEWEST, MOST = 100, 50_000_000
_OTHERS = 9


def people(rows: int, seed: int) -> dict[str, np.ndarray]:
    """Columns by name: an identifier, years of education in sevenths of the range, nine numbers, and the outcome."""
    random = np.random.Generator(np.random.PCG64(seed))
    education = random.choice(np.arange(8, 21, 2), size=rows, p=[0.05, 0.09, 0.32, 0.2, 0.18, 0.1, 0.06])
    others = np.round(np.clip(random.normal(0.0, 0.5, (rows, _OTHERS)), -1.0, 1.0), 3)
    slopes = np.linspace(0.6, -0.6, _OTHERS)
    odds = -1.6 + 0.13 * education + others @ slopes
    married = (random.random(rows) < 1.0 / (1.0 + np.exp(-odds))).astype(np.int64)
    columns = {"person": np.array([f"M{number:08d}" for number in random.permutation(rows)]), "education": education}
    columns |= {f"x{place + 1}": others[:, place] for place in range(_OTHERS)}
    return {**columns, "married": married}


def write_people(folder: Path, rows: int, seed: int, context: Context) -> tuple[Path, ...]:
    """people.csv, or people.parquet where it is large."""
    import pyarrow as pa
    import pyarrow.csv
    import pyarrow.parquet

    from workbench.microdata.twins.contract import format_for

    context.step(0.0, "making people")
    table = pa.table(people(rows, seed))
    context.step(0.6, "writing people")
    kind = format_for(rows)
    file = folder / f"people.{kind}"
    if kind == "csv":
        options = pyarrow.csv.WriteOptions(quoting_style="none")
        pyarrow.csv.write_csv(table, file, options)
    else:
        pyarrow.parquet.write_table(table, file)
    context.step(1.0, "people written")
    return (file,)
