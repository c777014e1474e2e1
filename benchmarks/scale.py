"""Three engines on the same files: digits, processor time per row, and DuckDB within a limit against without.

`python -m benchmarks.scale [ROWS] [--spark]`. Rows default to one million. Each engine runs in a process of its own and
is compared by processor time, since wall time on a shared machine says little. With --spark a server on loopback is
started from `.venv-spark` (`make test-spark` makes it) and its executors' time is read from its event log.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

CHUNK = 1_000_000
LIMIT = 1_000_000_000
MARGINALS: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = (
    (("place", "sector", "ownership"), ()),
    (("place", "sector", "ownership"), ("sex", "education")),
    (("sector",), ("age",)),
    (("place",), ()),
    (("ownership", "sector"), ("sex", "age", "education")),
)
ROLES = {
    "worker": "worker", "establishment": "establishment", "place": "geography", "sector": "workplace attribute",
    "ownership": "workplace attribute", "sex": "worker attribute", "age": "worker attribute",
    "education": "worker attribute",
}  # fmt: skip


def write_jobs(folder: Path, rows: int) -> None:
    """Shuffled jobs as plain strings: establishments of very different sizes, each in one place."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng, establishments = np.random.default_rng(1), max(rows // 20, 10)
    weight = rng.pareto(1.1, establishments) + 1
    cuts = np.cumsum(weight) / weight.sum()
    of = {"place": rng.integers(0, 400, establishments), "sector": rng.integers(0, 20, establishments),
          "ownership": rng.integers(0, 3, establishments)}  # fmt: skip
    for part, start in enumerate(range(0, rows, CHUNK)):
        many = min(CHUNK, rows - start)
        unit = np.minimum(np.searchsorted(cuts, rng.random(many)), establishments - 1)
        columns: dict[str, Any] = {
            "worker": pa.array((np.arange(many) + start) * 7919 % (rows * 4)).cast(pa.string()),
            "establishment": pa.array(unit).cast(pa.string()),
            **{name: pa.array(codes[unit]).cast(pa.string()) for name, codes in of.items()},
            **{
                name: pa.array(rng.integers(0, size, many)).cast(pa.string())
                for name, size in (("sex", 2), ("age", 8), ("education", 4))
            },
        }
        pq.write_table(pa.table(columns), folder / f"part-{part:03}.parquet", compression="zstd")


def measure(kind: str, folder: str, memory: str, remote: str) -> None:
    """In a process of its own: load, index, five marginals; prints digests, processor time and peak memory."""
    from workbench.core.progress import QUIET
    from workbench.microdata.load import load
    from workbench.microdata.options import ReadOptions
    from workbench.microdata.roles import role_called
    from workbench.products.employment_tables.params import DomainKind
    from workbench.products.employment_tables.tabulation.engine import index, tabulate
    from workbench.tabulation.engines.choice import EngineParams
    from workbench.tabulation.engines.opening import open_duckdb
    from workbench.tabulation.watched import Digest

    roles = {name: role_called(role) for name, role in ROLES.items()}
    began, steps = time.process_time(), {}
    if kind == "memory":
        data = load(Path(folder), ReadOptions(), roles, None, QUIET)  # type: ignore[arg-type]
    elif kind == "duckdb":
        data = open_duckdb(Path(folder), roles, None, QUIET, memory=int(memory) or None)  # type: ignore[arg-type]
    else:
        from workbench.tabulation.engines.opening_spark import open_spark

        data = open_spark(folder, roles, None, QUIET, params=EngineParams(remote=remote))  # type: ignore[arg-type]
    steps["open"] = time.process_time() - began
    began = time.process_time()
    made = index(data, roles, QUIET)  # type: ignore[arg-type]
    steps["index"] = time.process_time() - began
    digests = []
    for number, (place, worker) in enumerate(MARGINALS):
        began, digest = time.process_time(), Digest()
        cells = tabulate(made, workplace=place, worker=worker, domain=DomainKind.ALL, context=QUIET)
        steps[f"m{number + 1}"] = time.process_time() - began
        for column in (cells.count, cells.establishments, cells.largest, cells.largest_total, cells.workplace_largest):
            digest.take("cells", column)
        digests.append(digest.text()[:16])
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
    print(json.dumps({"digests": digests, "steps": steps, "peak": peak}))


def run(kind: str, folder: Path, *, memory: int = 0, remote: str = "") -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.scale", "--measure", kind, str(folder), str(memory), remote]
    environment = dict(os.environ)
    if kind == "spark":
        environment["PYTHONPATH"] = ".venv-spark/client"
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def _shown(name: str, found: dict[str, Any], rows: int) -> None:
    steps = ", ".join(f"{step} {1e6 * seconds / rows:.3f}" for step, seconds in found["steps"].items())
    print(f"{name:<16} peak {found['peak']:,.0f} MB; processor µs a row: {steps}", flush=True)


def main() -> int:
    numbers = [int(word) for word in sys.argv[1:] if word.isdigit()]
    rows = numbers[0] if numbers else 1_000_000
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "jobs"
        folder.mkdir()
        write_jobs(folder, rows)
        found = {"memory": run("memory", folder), "DuckDB": run("duckdb", folder, memory=8 * LIMIT)}
        found["DuckDB in 1 GB"] = run("duckdb", folder, memory=LIMIT)
        if "--spark" in sys.argv:
            from tests.spark.servers import local_server

            (Path(temporary) / "server").mkdir()
            with local_server(Path(temporary) / "server", "spark.driver.memory=3g") as server:
                found["Spark, here"] = run("spark", folder, remote=server.remote)
                print(f"Spark executors: {executor_seconds(server.folder) * 1e6 / rows:.2f} µs a row, all questions")
    for name, each in found.items():
        _shown(name, each, rows)
    same = all(each["digests"] == found["memory"]["digests"] for each in found.values())
    taken = {name: sum(each["steps"].values()) - each["steps"]["open"] for name, each in found.items()}
    ratio = taken["DuckDB in 1 GB"] / taken["DuckDB"]
    print(f"{rows:,} rows, five marginals: {'the same digits on every engine' if same else 'DIGITS DIFFER'}")
    print(f"DuckDB in 1 GB takes {ratio:.2f} times the processor time of DuckDB in 8 GB (target 1.5)")
    return 0 if same and ratio <= 1.5 else 1


def executor_seconds(folder: Path) -> float:
    """Processor time of all tasks, from the event log."""
    total = 0
    for log in (folder / "events").rglob("*"):
        if log.is_file():
            lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
            ends = (json.loads(line) for line in lines if '"SparkListenerTaskEnd"' in line)
            total += sum(int((end.get("Task Metrics") or {}).get("Executor CPU Time", 0)) for end in ends)
    return total / 1e9


if __name__ == "__main__":
    if "--measure" in sys.argv:
        measure(*sys.argv[2:6])
    else:
        sys.exit(main())
