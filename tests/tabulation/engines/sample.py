"""The employment sample as Parquet, in a folder of its own, with a plan that reads it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from workbench.review.publish.samples import SAMPLES

MARGINALS: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = (
    (("place", "sector", "ownership"), ()),
    (("place", "sector", "ownership"), ("sex", "education")),
    (("sector",), ("age",)),
    (("place",), ()),
    (("ownership", "place"), ("sex", "age", "education")),
)


def employment_sample(
    folder: Path, *, parts: int = 2, order: int | None = None, engine: str = "", rows: int | None = None
) -> Path:
    """The path of the plan. `rows` takes as many of the jobs, from the first."""
    source = SAMPLES["employment_tables"]
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(source / "dictionary.csv", folder / "dictionary.csv")
    frame = pd.read_csv(source / "jobs.csv", dtype=str, nrows=rows)
    if order is not None:
        frame = frame.sample(frac=1, random_state=order)
    table = pa.table({name: pa.array(frame[name].to_list(), pa.string()) for name in frame.columns})
    (folder / "jobs").mkdir()
    size = -(-table.num_rows // parts)
    for part in range(parts):
        pq.write_table(table.slice(part * size, size), folder / "jobs" / f"part{part}.parquet")
    text = (source / "plan.toml").read_text(encoding="utf-8").replace('path = "jobs.csv"', f'path = "{folder}/jobs"')
    path = folder / "plan.toml"
    path.write_text(f"{text}\n{engine}", encoding="utf-8")
    return path
