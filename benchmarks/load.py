"""Loading 10.9 million jobs (read, encode, fingerprint, check) beside a bare pyarrow.parquet.read_table.

Each measurement runs in a process of its own, so that its peak memory is its own; loads and bare reads take turns, so
that a busy machine slows both. A thread that wants a turn every 5 ms stands for the window's event loop, and the load
gives way to it as it does in the window. Its longest gap over all tries is judged. Other programs and the machine
lengthen gaps too, so two numbers are printed beside it: the quietest try and, on Linux, for how much of the longest gap
that thread was ready to run and no core was given to it. `python -m benchmarks window` measures the real event loop.

Cancel is measured as the person meets it: from the moment somebody presses it, at five moments of a load, until the
load has given up and nothing of it runs any more.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, TypeVar

from workbench.background.runner import SWITCH_SECONDS, step_back
from workbench.background.warm import WarmUp
from workbench.core.errors import Cancelled
from workbench.core.progress import QUIET
from workbench.microdata.roles import Role

JOBS = 10_900_000
TRIES = 5
MOST_OF_BARE, MOST_MEMORY, MOST_GAP, MOST_WAIT = 2.0, 2_000.0, 0.050, 0.500
CANCELS = 5
ROLES = {
    "establishment": Role.ESTABLISHMENT, "place": Role.GEOGRAPHY, "sector": Role.WORKPLACE,
    "ownership": Role.WORKPLACE, "sex": Role.PERSON, "education": Role.PERSON, "age": Role.PERSON,
    "race": Role.PERSON, "ethnicity": Role.PERSON,
}  # fmt: skip
T = TypeVar("T")


class Gap(NamedTuple):
    """Seconds between two turns of a thread, and for how many of them it was ready and had no core."""

    length: float = 0.0
    ready: float = 0.0


class Measured(NamedTuple):
    """Seconds of the load and of the checks after it, processor seconds of both, longest turn waited for, and peak
    memory in MB."""

    load: float
    check: float
    processor: float
    gap: Gap
    memory: float | None

    @property
    def seconds(self) -> float:
        return self.load + self.check


class Ticker(threading.Thread):
    """Wants a turn every 5 ms and remembers the longest time it had to wait."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.longest = Gap()
        self.done = threading.Event()

    def run(self) -> None:
        last, before = time.perf_counter(), ready_seconds()
        while not self.done.wait(0.005):
            now, ready = time.perf_counter(), ready_seconds()
            self.longest = max(self.longest, Gap(now - last, ready - before))
            last, before = now, ready


def ready_seconds() -> float:
    """For how long this thread has waited for a core so far, where the system tells: Linux does, in nanoseconds."""
    try:
        told = Path(f"/proc/self/task/{threading.get_native_id()}/schedstat").read_text(encoding="ascii")
    except OSError:
        return 0.0
    return int(told.split()[1]) / 1e9


class Cancels:
    """A context that somebody cancels some seconds after its making. It knows what the process had used by then."""

    def __init__(self, seconds: float) -> None:
        self.moment = time.perf_counter() + seconds
        self.used = time.process_time()

    def step(self, fraction: float, sentence: str) -> None:
        del fraction, sentence
        if time.perf_counter() >= self.moment:
            raise Cancelled
        self.used = time.process_time()


def peak_megabytes() -> float | None:
    """The most memory this process ever had, where the operating system tells."""
    if sys.platform == "win32":
        return None
    import resource

    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return used / (1024 * 1024 if sys.platform == "darwin" else 1024)


def warm_up() -> None:
    """The imports that the window makes while it is idle."""
    warming = WarmUp()
    warming.start()
    while not warming.done:
        time.sleep(0.05)


def measure_load(data: Path, words: Path, roles: dict[str, Role]) -> Measured:
    """Load and check once."""
    from workbench.microdata.checks import check
    from workbench.microdata.dictionary import read_csv
    from workbench.microdata.job_checks import JOB_CHECKS
    from workbench.microdata.load import load
    from workbench.microdata.options import ReadOptions

    warm_up()
    dictionary = read_csv(words)
    ticker = Ticker()
    ticker.start()
    sys.setswitchinterval(SWITCH_SECONDS)
    step_back()
    start, used = time.perf_counter(), time.process_time()
    microdata = load(data, ReadOptions(), roles, dictionary, QUIET)
    middle = time.perf_counter()
    check(microdata, roles, QUIET, JOB_CHECKS)
    end, used = time.perf_counter(), time.process_time() - used
    ticker.done.set()
    ticker.join()
    return Measured(middle - start, end - middle, used, ticker.longest, peak_megabytes())


def measure_cancel(data: Path, words: Path, roles: dict[str, Role], seconds: float) -> tuple[float, float]:
    """The longest time that a load needs to give up, when it is cancelled at some moments of its `seconds`, and the
    most processor time that it uses from its last step on, by all threads together."""
    from workbench.microdata.dictionary import read_csv
    from workbench.microdata.load import load
    from workbench.microdata.options import ReadOptions

    warm_up()
    dictionary, longest, most = read_csv(words), 0.0, 0.0
    step_back()
    for number in range(CANCELS):
        context = Cancels(seconds * (number + 0.5) / CANCELS)
        with contextlib.suppress(Cancelled):
            load(data, ReadOptions(), roles, dictionary, context)
            continue  # it had ended before
        longest = max(longest, time.perf_counter() - context.moment)
        most = max(most, time.process_time() - context.used)
    return longest, most


def measure_bare(data: Path, columns: list[str]) -> Measured:
    """A bare read of the same columns."""
    import pyarrow.parquet as pq

    start, used = time.perf_counter(), time.process_time()
    pq.read_table(data, columns=columns)
    return Measured(time.perf_counter() - start, 0.0, time.process_time() - used, Gap(), peak_megabytes())


def apart(work: Callable[..., T], *arguments: object) -> T:
    """Run in a fresh process."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(work, arguments)


def write_twin(folder: Path) -> tuple[Path, Path]:
    """Data and dictionary of a full-size twin. Made apart too: a child begins with its parent's peak memory."""
    from workbench.products.employment_tables.twin.employment import write_employment_twin

    columns = ("worker", *ROLES)
    files = write_employment_twin(folder, jobs=JOBS, seed=1, context=QUIET, format="parquet", columns=columns)
    return files.data, files.dictionary


def shuffle(data: Path, to: Path) -> None:
    """The same jobs in random order: the hardest file, since no dictionary page holds a run of establishments."""
    import numpy as np
    import pyarrow.parquet as pq

    table = pq.read_table(data)
    pq.write_table(table.take(np.random.default_rng(1).permutation(table.num_rows)), to)


def scatter(data: Path, to: Path) -> None:
    """The same jobs under worker numbers of nine digits drawn at random: most have no neighbour."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pq.read_table(data)
    numbers = np.random.default_rng(2).integers(0, 10**9, table.num_rows)
    place = table.column_names.index("worker")
    texts = pa.array([f"{number:09d}" for number in numbers.tolist()])
    pq.write_table(table.set_column(place, "worker", texts), to)


def compare(title: str, data: Path, *, words: Path, roles: dict[str, Role]) -> bool:
    """Print one comparison; true where every limit is kept."""
    loads, bares = [], []
    for _ in range(TRIES):
        bares.append(apart(measure_bare, data, list(roles)))
        loads.append(apart(measure_load, data, words, roles))
    load, bare = min(loads, key=lambda m: m.seconds), min(bares, key=lambda m: m.seconds)
    gap, quietest = (choose(measured.gap for measured in loads) for choose in (max, min))
    memory = max(measured.memory or 0.0 for measured in loads)
    ratio = load.seconds / bare.seconds
    used = min(m.processor for m in loads) / min(m.processor for m in bares)
    wait, busy = apart(measure_cancel, data, words, roles, load.load)
    kept = ratio <= MOST_OF_BARE and memory <= MOST_MEMORY and gap.length <= MOST_GAP and wait <= MOST_WAIT
    print(f"{title}: {data.stat().st_size / 1e6:.0f} MB")
    print(f"  load {load.load:.2f} s + check {load.check:.2f} s, bare read_table {bare.seconds:.2f} s")
    print(f"  ratio {ratio:.2f} (at most {MOST_OF_BARE:.0f}), of processor time {used:.2f}")
    print(f"  peak memory {memory:.0f} MB (at most {MOST_MEMORY:.0f}; bare read {bare.memory or 0:.0f})")
    limit = f"at most {MOST_GAP * 1000:.0f}; without a core {gap.ready * 1000:.0f}"
    limit = f"{limit}; quietest try {quietest.length * 1000:.0f}"
    print(f"  longest gap of another thread {gap.length * 1000:.0f} ms ({limit})")
    limit = f"at most {MOST_WAIT * 1000:.0f}; {busy * 1000:.0f} of processor time"
    print(f"  longest wait for cancel {wait * 1000:.0f} ms ({limit})   {'kept' if kept else 'NOT KEPT'}")
    return kept


def main() -> int:
    """Write a twin, load it in several guises, print the ratios. 0 where every limit is kept."""
    with tempfile.TemporaryDirectory() as folder:
        data, words = apart(write_twin, Path(folder))
        mixed = Path(folder) / "mixed.parquet"
        apart(shuffle, data, mixed)
        kept = compare("as written", data, words=words, roles=ROLES)
        kept &= compare("in random order", mixed, words=words, roles=ROLES)
        with_workers = {"worker": Role.WORKER, **ROLES}
        kept &= compare("with 10.9 million workers", mixed, words=words, roles=with_workers)
        apart(scatter, mixed, scattered := Path(folder) / "scattered.parquet")
        kept &= compare("with workers numbered at random", scattered, words=words, roles=with_workers)
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
