"""DuckDB straight from Parquet, beyond memory by passes: nothing is ever spilled to disk.

A file that DuckDB spills to holds readable identifiers. So there is no temporary folder at all; work that does not fit
into the memory limit goes over the rows several times, each time for the units whose hash falls into one part.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from workbench.core.errors import Defect, UserProblem
from workbench.core.progress import Context, Forward, Part
from workbench.microdata.readers.contract import Batch
from workbench.tabulation.engines.contract import ALL, Answered, Groups
from workbench.tabulation.engines.dialect import DuckDbDialect
from workbench.tabulation.engines.relation import Relation
from workbench.tabulation.engines.source import Source
from workbench.tabulation.factors import Factors

LOOK_EVERY = 0.05  # seconds between two questions whether to go on
MOST_PASSES = 4096
_BATCH = 1 << 17  # rows
_BYTES_OF_A_GROUP = 60  # measured: 44 million workers need four passes in a gigabyte
_SMALLEST = 256 * 1024 * 1024


class DuckDbEngine:
    """One opened set of Parquet files. Rows stay in this process, and so may be asked for as records."""

    title = "DuckDB"
    gives_records = True

    def __init__(self, *, memory: int | None = None, rows: int = 0, threads: int | None = None) -> None:
        import duckdb

        self.dialect = DuckDbDialect()
        self.memory = memory or half_of_free_memory()
        self.counts = dict[str, int]()
        self._rows = rows
        self._tables = 0
        self._too_large = dict[tuple[tuple[str, ...], int], int]()  # passes that work took, once fewer did not fit
        self._lock = threading.Lock()
        self._connection = duckdb.connect(":memory:")
        for setting in (
            "temp_directory = ''",
            "enable_progress_bar = true",
            "enable_progress_bar_print = false",
            "preserve_insertion_order = false",
            f"memory_limit = '{self.memory // 1024}KiB'",
            *([f"threads = {threads}"] if threads else []),
        ):
            self._connection.execute(f"SET {setting}")

    def source(self, source: Source) -> str:
        """The files as a table, with a column of text for each name that their folders give."""
        together: dict[tuple[tuple[str, str | None], ...], list[Path]] = {}
        for file, shared in zip(source.files, source.shared, strict=True):
            together.setdefault(tuple(shared.items()), []).append(file)
        parts = []
        for values, files in together.items():
            listed = ", ".join(self.dialect.text(_no_pattern(str(file))) for file in files)
            named = "".join(f", {self._value(value)} AS {self.dialect.name(name)}" for name, value in values)
            parts.append(f"SELECT *{named} FROM read_parquet([{listed}], hive_partitioning = false)")
        self._only(source.files)
        return f"({' UNION ALL BY NAME '.join(parts)})"

    def _value(self, value: str | None) -> str:
        return f"CAST(NULL AS {self.dialect.text_type})" if value is None else self.dialect.text(value)

    def _only(self, files: Sequence[Path]) -> None:
        """From now on no query, whatever it says, opens another file, and no setting can be changed."""
        spelled = dict.fromkeys(each for file in files for each in (str(file), _no_pattern(str(file))))
        listed = ", ".join("'" + each.replace("'", "''") + "'" for each in spelled)
        for setting in (f"allowed_paths = [{listed}]", "enable_external_access = false", "lock_configuration = true"):
            self._connection.execute(f"SET {setting}")

    def close(self) -> None:
        self._connection.close()

    def listed(self, columns: Mapping[str, Any]) -> str:
        import pyarrow as pa

        with self._lock:
            self._tables += 1
            name = f"l{self._tables}"
            self._connection.register(name, pa.table({key: pa.array(values) for key, values in columns.items()}))
        return name

    def ask(self, query: str, context: Context, sentence: str) -> Answered:
        """Out of memory is said in a sentence: without columns to split by there is no other way."""
        import duckdb

        try:
            return self._answer(query, context, sentence)
        except duckdb.OutOfMemoryException:
            do = "Choose fewer attributes or coarser ones, or give DuckDB more memory: [engine] memory"
            raise UserProblem("DuckDB has too little memory for this table", "[engine] memory", do) from None

    def batches(self, relation: Relation, rows: int) -> Iterator[Batch]:
        """All rows, some at a time: for what is taken of every row in this process, such as a fingerprint."""
        listed = ", ".join(f"{short} AS {self.dialect.name(name)}" for name, short in relation.short.items())
        done = 0
        with self._lock:
            reader = self._connection.sql(f"SELECT {listed} FROM {relation.rows()} AS r").to_arrow_reader(_BATCH)
            for batch in reader:
                done += batch.num_rows
                arrays = {name: batch.column(name) for name in relation.short}
                yield Batch(arrays=arrays, rows=batch.num_rows, fraction=done / max(rows, 1))

    def in_passes(
        self,
        query: Callable[[str], str],
        split: Sequence[str],
        context: Context,
        sentence: str,
        groups: Groups | None = None,
    ) -> list[Answered]:
        import duckdb

        if not split:
            return [self.ask(query(ALL), context, sentence)]
        made = groups or Groups(self._rows, self._rows)
        passes, forward = self.first_passes(split, made), Forward(context)
        while True:
            try:
                return self._passes(query, split, passes, forward, sentence)
            except duckdb.OutOfMemoryException:
                if passes >= MOST_PASSES:
                    do = "Give DuckDB more memory: [engine] memory"
                    raise UserProblem("One part of the data is too large for DuckDB's memory", "[engine]", do) from None
                passes *= 2
                self._too_large[tuple(split), made.most] = passes

    def _passes(
        self, query: Callable[[str], str], split: Sequence[str], passes: int, context: Context, sentence: str
    ) -> list[Answered]:
        found = []
        for number in range(passes):
            condition = ALL if passes == 1 else f"hash({', '.join(split)}) % {passes} = {number}"
            told = sentence if passes == 1 else f"{sentence}, pass {number + 1} of {passes}"
            found.append(self._answer(query(condition), Part(context, number / passes, (number + 1) / passes), told))
        return found

    def first_passes(self, split: Sequence[str], groups: Groups) -> int:
        """So many passes that the least groups fit into the limit, and no fewer than smaller work of the kind took.

        Most work makes far fewer groups than it could, and a pass too many costs more than a try that is given up.
        """
        known = self._too_large.items()
        passes = max((took for (by, most), took in known if by == tuple(split) and most <= groups.most), default=1)
        while passes < MOST_PASSES and groups.least * _BYTES_OF_A_GROUP / passes > self.memory:
            passes *= 2
        return passes

    def factored(self, units: Callable[[str], str], factors: Factors, context: Context) -> Callable[[str], str]:
        """Hashed in this process, pass by pass: the key is in no query."""
        import pyarrow as pa

        def table(condition: str) -> str:
            found = self._answer(units(condition), context, "listing the units")
            texts = found.column("unit").to_pylist()
            made = pa.table({"unit": pa.array(texts, pa.string()), "factor": factors.of(texts, context)})
            with self._lock:
                self._connection.register("factors", made)  # in the place of those of the pass before
            return "factors"

        return table

    def _answer(self, query: str, context: Context, sentence: str) -> Answered:
        """Run the query aside and keep asking leave; a cancel interrupts it at once."""
        import duckdb

        outcome: dict[str, Any] = {}

        def run() -> None:
            try:
                with self._lock:
                    outcome["table"] = self._connection.sql(query).to_arrow_table()
            except duckdb.Error as wrong:
                outcome["wrong"] = wrong

        work = threading.Thread(target=run, name="a question to DuckDB", daemon=True)
        work.start()
        forward = Forward(context)
        try:
            while work.is_alive():
                forward.step(max(self._connection.query_progress(), 0.0) / 100, f"{sentence} (DuckDB)")
                work.join(LOOK_EVERY)
        finally:
            if work.is_alive():
                self._connection.interrupt()
                work.join()
        wrong = outcome.get("wrong")
        if wrong is None:
            return outcome["table"]
        if isinstance(wrong, duckdb.OutOfMemoryException):
            raise wrong
        if isinstance(wrong, duckdb.IOException | duckdb.InvalidInputException):
            raise UserProblem("A file cannot be read, or is damaged", do="Get it again from its producer") from None
        raise Defect(f"a question to DuckDB failed: {type(wrong).__name__}")


def _no_pattern(path: str) -> str:
    """A path that DuckDB takes as it is written: a folder called jobs[12] is not one called jobs1."""
    return "".join(f"[{each}]" if each in "*?[" else each for each in path)


def half_of_free_memory() -> int:
    """Bytes; never less than DuckDB needs to do anything."""
    return max(_SMALLEST, free_memory() // 2)


def free_memory() -> int:
    """Bytes that can be had without swapping; 8 GB where the system does not say."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    except OSError:
        return 8 << 30
    said = dict(line.split(":", 1) for line in lines)
    return int(said["MemAvailable"].split()[0]) * 1024
