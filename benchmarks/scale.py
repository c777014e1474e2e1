"""Three engines on the same files: digits, processor time per row, and DuckDB within a limit against without.

`python -m benchmarks.scale [ROWS …] [--spark] [--only NAME] [--folder KEPT]`. Rows default to one million. Each engine
runs in a process of its own and is compared by processor time, since wall time on a shared machine says little. With
--spark a server on loopback is started from `.venv-spark` (`make test-spark` makes it); what its tasks took is read
from its event log, step by step. --folder keeps the files for the next time; --only runs one engine; --growth compares
Spark's first marginal alone at several sizes whose files are kept.
"""

from __future__ import annotations

import hashlib
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

CHUNK = 1_000_000
LIMIT = 1_000_000_000
PLACES = 550  # with 20 sectors and 3 kinds of ownership, by sex and education: 264,000 cells
HEAP = "4g"  # of the Spark server, which is driver and executors in one
RESIDENT = 1_500  # MB that DuckDB may take within its limit
DESK = 600  # MB that this process may take while a cluster counts
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
    of = {"place": rng.integers(0, PLACES, establishments), "sector": rng.integers(0, 20, establishments),
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
    from workbench.microdata.content import of_columns
    from workbench.microdata.roles import role_called
    from workbench.products.employment_tables.params import DomainKind
    from workbench.products.employment_tables.tabulation.engine import index, tabulate
    from workbench.tabulation.watched import Digest

    roles = {name: role_called(role) for name, role in ROLES.items()}
    steps: dict[str, tuple[float, float, float]] = {}

    def timed(name: str, work: Callable[[], Any]) -> Any:
        wall, processor = time.time(), time.process_time()
        made = work()
        steps[name] = time.process_time() - processor, wall, time.time()
        return made

    data = timed("open", lambda: _opened(kind, folder, roles, int(memory), remote))
    made = timed("index", lambda: index(data, roles, QUIET))
    digests, cells = [], 0
    for number, (place, worker) in enumerate(MARGINALS):
        found = timed(
            f"m{number + 1}",
            lambda place=place, worker=worker: tabulate(  # type: ignore[misc]
                made, workplace=place, worker=worker, domain=DomainKind.ALL, context=QUIET
            ),
        )
        digest, cells = Digest(), max(cells, found.domain.cells)
        for column in (found.count, found.establishments, found.largest, found.largest_total, found.workplace_largest):
            digest.take("cells", column)
        digests.append(digest.text()[:16])
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
    content = data.fingerprint.content if data.elsewhere else of_columns(data.columns, data.rows, QUIET)
    print(json.dumps({"digests": [content[:16], *digests], "steps": steps, "peak": peak, "cells": cells, **_written()}))


def _opened(kind: str, folder: str, roles: Any, memory: int, remote: str) -> Any:
    from workbench.core.progress import QUIET
    from workbench.microdata.load import load
    from workbench.microdata.options import ReadOptions
    from workbench.tabulation.engines.choice import EngineParams
    from workbench.tabulation.engines.opening import open_duckdb

    if kind == "memory":
        return load(Path(folder), ReadOptions(), roles, None, QUIET)
    if kind == "duckdb":
        return open_duckdb(Path(folder), roles, None, QUIET, memory=memory or None)
    from workbench.tabulation.engines.opening_spark import open_spark

    return open_spark(folder, roles, None, QUIET, params=EngineParams(remote=remote))


def first_marginal(folder: str, remote: str) -> None:
    """In a process of its own: the first marginal alone, from files whose lists are known. Opening takes far longer."""
    from workbench.core.progress import QUIET
    from workbench.tabulation.engines.choice import EngineParams
    from workbench.tabulation.engines.in_spark import SparkEngine
    from workbench.tabulation.engines.placing import placed
    from workbench.tabulation.engines.relation import Relation
    from workbench.tabulation.engines.source import Holds, expressions
    from workbench.tabulation.engines.units import SqlUnits
    from workbench.tabulation.grid import Grid
    from workbench.tabulation.keys import Key
    from workbench.tabulation.units.arrangement import Unit
    from workbench.tabulation.watched import Digest

    engine = SparkEngine.connected(EngineParams(remote=remote), QUIET)
    names = ("establishment", *MARGINALS[0][0])
    columns = expressions(engine.dialect, dict.fromkeys(names, Holds.TEXT), frozenset(), names, "")
    relation = Relation.of_source("jobs", columns=columns, numbers=frozenset(), source=engine.source(folder))
    sizes = {"place": PLACES, "sector": 20, "ownership": 3}
    keys = placed(engine, relation, [Key.listed(name, [str(n) for n in range(size)]) for name, size in sizes.items()])
    units = SqlUnits(
        engine=engine, relation=relation, unit=Unit(column="establishment", one="establishment", many="establishments"),
        rows=0, units=0, sizes=sizes, of_unit=dict(zip(sizes, keys, strict=True)), of_row={},
        held=np.zeros((0, len(sizes)), dtype=np.int32),
    )  # fmt: skip
    grid = Grid(listed=tuple(sizes), listed_sizes=tuple(sizes.values()), crossed=(), crossed_sizes=())
    steps = {}
    for name in ("warm", "m1"):
        began = time.time()
        digest = Digest()
        digest.take("cells", units.cells(grid, context=QUIET))
        steps[name] = (0.0, began, time.time())
    engine.close()
    print(json.dumps({"digest": digest.text()[:16], "steps": steps}))


def grown(sizes: Sequence[int], home: Path) -> int:
    """The first marginal of Spark at several sizes, one server: processor time of its executors a row."""
    from tests.spark.servers import local_server

    found = {}
    with tempfile.TemporaryDirectory() as temporary:
        settings = "spark.sql.shuffle.partitions=200"
        with local_server(Path(temporary), settings, memory=HEAP, quick=False) as server:
            for rows in sizes:
                command = [
                    sys.executable,
                    "-m",
                    "benchmarks.scale",
                    "--first",
                    str(home / f"jobs-{rows}"),
                    server.remote,
                ]
                environment = {**os.environ, "PYTHONPATH": ".venv-spark/client"}
                done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
                told = json.loads(done.stdout.splitlines()[-1])
                found[rows] = 1e6 * executor_seconds(Path(temporary), told["steps"])["m1"] / rows
                print(f"Spark, {rows:,} rows: m1 {found[rows]:.2f} µs a row, digits {told['digest']}", flush=True)
    ratio = found[sizes[-1]] / found[sizes[0]]
    print(f"Spark m1 a row, {sizes[-1]:,} rows against {sizes[0]:,}: {ratio:.2f} (target 1.5)")
    return 0 if ratio <= 1.5 else 1


def _written() -> dict[str, int]:
    """Bytes that this process has sent to any disk, where the system says so."""
    try:
        lines = Path("/proc/self/io").read_text(encoding="ascii").splitlines()
    except OSError:
        return {}
    return {"written": int(dict(line.split(": ") for line in lines)["write_bytes"])}


def run(kind: str, folder: Path, *, memory: int = 0, remote: str = "") -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.scale", "--measure", kind, str(folder), str(memory), remote]
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    if kind == "spark":
        environment["PYTHONPATH"] = ".venv-spark/client"
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if done.returncode:
        raise SystemExit(f"{kind} did not finish: {done.stderr.strip().splitlines()[-1]}")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def _shown(name: str, found: dict[str, Any], rows: int) -> None:
    steps = ", ".join(f"{step} {1e6 * taken[0] / rows:.3f}" for step, taken in found["steps"].items())
    wrote = f", {found['written']:,} bytes written" if "written" in found else ""
    print(f"{name:<16} digits {hashlib.sha256(repr(found['digests']).encode()).hexdigest()[:12]}", flush=True)
    print(f"{name:<16} peak {found['peak']:,.0f} MB{wrote}; processor µs a row: {steps}", flush=True)
    if "executors" in found:
        said = ", ".join(f"{step} {1e6 * seconds / rows:.2f}" for step, seconds in found["executors"].items())
        print(f"{'  its executors':<16} processor µs a row: {said}", flush=True)


def main() -> int:
    named = {word: sys.argv[place + 1] for place, word in enumerate(sys.argv) if word in ("--only", "--folder")}
    sizes = [int(word) for word in sys.argv[1:] if word.isdigit()] or [1_000_000]
    if "--growth" in sys.argv:
        return grown(sizes, Path(named["--folder"]))
    met, spark_m1 = True, dict[int, float]()
    for rows in sizes:
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(named.get("--folder", temporary)) / f"jobs-{rows}"
            if not folder.exists():
                folder.mkdir(parents=True)
                write_jobs(folder, rows)
            found = _all(folder, Path(temporary), named.get("--only", ""), rows)
        met &= _judged(found, rows)
        if "Spark" in found:
            spark_m1[rows] = found["Spark"]["executors"]["m1"] / rows
    if len(spark_m1) > 1:
        growth = spark_m1[max(spark_m1)] / spark_m1[min(spark_m1)]
        met &= growth <= 1.5
        print(f"Spark m1 a row, {max(spark_m1):,} rows against {min(spark_m1):,}: {growth:.2f} (target 1.5)")
    return 0 if met else 1


def _all(folder: Path, temporary: Path, only: str, rows: int) -> dict[str, dict[str, Any]]:
    """What every engine found and took, each shown as soon as it is done."""
    found: dict[str, dict[str, Any]] = {}
    here = {"memory": ("memory", 0), "DuckDB": ("duckdb", 16 * LIMIT), "DuckDB in 1 GB": ("duckdb", LIMIT)}
    for name, (kind, memory) in here.items():
        if only in ("", kind):
            found[name] = run(kind, folder, memory=memory)
            _shown(name, found[name], rows)
    if "--spark" in sys.argv or only == "spark":
        from tests.spark.servers import local_server

        (temporary / "server").mkdir()
        partitions = "spark.sql.shuffle.partitions=200"  # what Spark has by itself; the server of the tests has one
        with local_server(temporary / "server", partitions, memory=HEAP, quick=False) as server:
            found["Spark"] = run("spark", folder, remote=server.remote)
        found["Spark"]["executors"] = executor_seconds(temporary / "server", found["Spark"]["steps"])
        _shown("Spark", found["Spark"], rows)
    return found


def _judged(found: dict[str, dict[str, Any]], rows: int) -> bool:
    """Prints whether the targets are met."""
    first = next(iter(found.values()))
    met = [all(each["digests"] == first["digests"] for each in found.values())]
    cells = first["cells"]
    print(
        f"{rows:,} rows, five marginals of at most {cells:,} cells and the content on {len(found)} engines: "
        f"{'the same digits' if met[0] else 'DIGITS DIFFER'}"
    )
    if "DuckDB in 1 GB" in found:
        narrow, wide = found["DuckDB in 1 GB"], found["DuckDB"]
        ratio = _processor(narrow) / _processor(wide)
        met += [ratio <= 1.5, narrow["peak"] <= RESIDENT, not narrow.get("written", 0)]
        print(
            f"DuckDB in 1 GB: {ratio:.2f} times the processor time of 16 GB (target 1.5), {narrow['peak']:,.0f} MB "
            f"resident (target {RESIDENT:,}), {narrow.get('written', 0):,} bytes written (target 0)"
        )
    if "Spark" in found:
        m2 = 1e6 * found["Spark"]["executors"]["m2"] / rows
        met += [m2 <= 8.0, found["Spark"]["peak"] <= DESK]
        print(f"Spark: m2 {m2:.2f} µs a row (target 8), {found['Spark']['peak']:,.0f} MB here (target {DESK})")
    return all(met)


def _processor(found: dict[str, Any]) -> float:
    return sum(taken[0] for step, taken in found["steps"].items() if step != "open")


def executor_seconds(folder: Path, steps: dict[str, list[float]]) -> dict[str, float]:
    """Processor time of the tasks that ended within each step, from the event log."""
    total = dict.fromkeys(steps, 0.0)
    for log in (folder / "events").rglob("*"):
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines() if log.is_file() else ()
        for end in (json.loads(line) for line in lines if '"SparkListenerTaskEnd"' in line):
            ended = end["Task Info"]["Finish Time"] / 1000
            taken = int((end.get("Task Metrics") or {}).get("Executor CPU Time", 0)) / 1e9
            step = next((name for name, (_, began, over) in steps.items() if began <= ended <= over + 0.05), None)
            total[step or next(iter(steps))] += taken
    return total


if __name__ == "__main__":
    if "--measure" in sys.argv:
        measure(*sys.argv[2:6])
    elif "--first" in sys.argv:
        first_marginal(*sys.argv[2:4])
    else:
        sys.exit(main())
