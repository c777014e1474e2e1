"""Linking 10.9 million jobs to 527,000 workplaces beside DuckDB's join, and taking over a frame beside loading Parquet.

The link is measured twice: by itself between tables in memory, and as what it adds to a load by a plan, with reading
the workplaces, counting the matches, the fingerprint of the result and its checks.

By processor time, best of several in one process: other work on the machine lengthens wall times of both sides unlike.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from workbench.core.progress import QUIET
from workbench.microdata.load import load, load_opened
from workbench.microdata.options import ReadOptions
from workbench.microdata.readers.frame import opened_frame
from workbench.microdata.roles import Role
from workbench.microdata.shaping.linking import link_file
from workbench.microdata.shaping.params import Link
from workbench.review.plan.describing import described
from workbench.review.plan.plan import Plan
from workbench.review.run.opening import load_data

JOBS, WORKPLACES, FRAME = 10_900_000, 527_000, 10_000_000
TRIES = 3
MOST_OF_JOIN, MOST_OF_LOAD = 1.0, 0.5
ROLES_OF_LINKED = {"establishment": "establishment", "place": "geography", "sector": "workplace attribute"}
ROLES = {"establishment": Role.ESTABLISHMENT, "place": Role.GEOGRAPHY, "sector": Role.WORKPLACE, "sex": Role.PERSON}


def processor_time(work: Callable[[], Any]) -> float:
    """The least of several, in seconds."""
    found = []
    for _ in range(TRIES):
        start = time.process_time()
        work()
        found.append(time.process_time() - start)
    return min(found)


def compared(title: str, ours: float, theirs: float, most: float, beside: str) -> bool:
    ratio = ours / theirs
    print(f"{title}: {ours:.2f} s, {beside} {theirs:.2f} s of processor time")
    print(f"  ratio {ratio:.2f} (at most {most})   {'kept' if ratio <= most else 'NOT KEPT'}", flush=True)
    return ratio <= most


def join(folder: Path) -> bool:
    """Jobs and workplaces in Parquet files; what is compared begins where both are loaded."""
    import duckdb
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(1)
    names = pa.array([f"E{number:07}" for number in range(WORKPLACES)])
    held = rng.integers(0, WORKPLACES, JOBS)
    pq.write_table(pa.table({"establishment": names.take(pa.array(held))}), folder / "jobs.parquet")
    places = pa.array([f"{number:05}" for number in rng.integers(0, 3000, WORKPLACES)])
    sectors = pa.array([f"{number:02}" for number in rng.integers(0, 20, WORKPLACES)])
    there = pa.table({"establishment": names, "place": places, "sector": sectors})
    pq.write_table(there.take(pa.array(rng.permutation(WORKPLACES))), folder / "workplaces.parquet")
    jobs = load(folder / "jobs.parquet", ReadOptions(), None, None, QUIET)
    workplaces = load(folder / "workplaces.parquet", ReadOptions(), None, None, QUIET)
    link = Link(key=("establishment",))
    ours = processor_time(lambda: link_file(jobs, "w", link, workplaces, taken=("place", "sector")))
    with duckdb.connect() as base:
        for name in ("jobs", "workplaces"):
            base.execute(f"CREATE TABLE {name} AS SELECT * FROM '{folder / name}.parquet'")
        query = "CREATE OR REPLACE TABLE made AS SELECT * FROM jobs LEFT JOIN workplaces USING (establishment)"
        theirs = processor_time(lambda: base.execute(query))
    beside = "DuckDB's join"
    kept = compared("10.9 million jobs linked to 527,000 workplaces", ours, theirs, MOST_OF_JOIN, beside)
    files = {"w": folder / "workplaces.parquet"}
    shaping = {"links": {"w": {"key": ["establishment"]}}}
    alone = plan_of({"establishment": "establishment"}, path=folder / "jobs.parquet")
    linked = plan_of(ROLES_OF_LINKED, path=folder / "jobs.parquet", linked=files, shaping=shaping)
    added = processor_time(lambda: load_data(linked, base=folder, context=QUIET)) - processor_time(
        lambda: load_data(alone, base=folder, context=QUIET)
    )
    return compared("the same added to a load by a plan", added, theirs, MOST_OF_JOIN, beside) and kept


def plan_of(roles: dict[str, str], *, path: Path, **more: Any) -> Plan:
    settings = {"workplace": ["place"], "domain": "all"}
    return described("employment_tables", title="Jobs", roles=roles, path=path, settings=settings, **more)


def frame(folder: Path) -> bool:
    """A frame whose columns are categories already, against the same rows in a Parquet file."""
    import pandas as pd
    import pyarrow.parquet  # noqa: F401 - imported before anything is timed

    rng = np.random.default_rng(2)
    made = pd.DataFrame(
        {
            name: pd.Categorical.from_codes(rng.integers(0, count, FRAME), categories=[f"{n:07}" for n in range(count)])
            for name, count in (("establishment", 400_000), ("place", 3000), ("sector", 20), ("sex", 2))
        }
    )
    made.astype(str).to_parquet(folder / "frame.parquet")
    taken = processor_time(lambda: load_opened(Path("frame"), opened_frame(made), ROLES, None, QUIET))
    read = processor_time(lambda: load(folder / "frame.parquet", ReadOptions(), ROLES, None, QUIET))
    return compared("a frame of 10 million rows taken over", taken, read, MOST_OF_LOAD, "loading it from Parquet")


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        kept = [join(Path(folder)), frame(Path(folder))]
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main())
