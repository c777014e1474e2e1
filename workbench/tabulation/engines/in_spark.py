"""A Spark cluster through Spark Connect: the thin client needs no Java here, and only aggregates come back.

Noise is never drawn there: a task may run twice and nobody is told. Keys are read on the executors from a file that the
plan names; they are in no query, setting or literal, and so in no log of the cluster.
"""

from __future__ import annotations

import hashlib
import logging
import sys
import threading
import warnings
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from workbench.core.errors import Defect, UserProblem, raise_if
from workbench.core.progress import Context, Forward
from workbench.tabulation.engines.choice import EngineParams
from workbench.tabulation.engines.contract import ALL, Answered, Groups
from workbench.tabulation.engines.dialect import SparkDialect
from workbench.tabulation.engines.on_executors import keyed_factors
from workbench.tabulation.engines.probing import probe
from workbench.tabulation.engines.server_paths import PARQUET_NAMES, as_pattern, as_written, unlike_names
from workbench.tabulation.engines.source import Holds, differences
from workbench.tabulation.engines.spark_errors import not_installed, translated
from workbench.tabulation.factors import Factors

LOOK_EVERY = 0.1  # seconds between two questions whether to go on
FREE_WITHIN = 1.6  # seconds after which whoever cancels goes on, whatever the cluster says
_OLDEST = 4
_SETTINGS = {
    "spark.sql.ansi.enabled": "true",  # a count that overflows is an error, never a wrong number
    "spark.sql.caseSensitive": "true",
    "spark.sql.variable.substitute": "false",  # ${env:HOME} in a name or a text is what it says
    "spark.sql.parser.escapedStringLiterals": "false",  # the spelling of our literals, whatever the server's default
    "spark.sql.files.ignoreCorruptFiles": "false",  # a file that cannot be read is told, never passed over
    "spark.sql.files.ignoreMissingFiles": "false",
    "spark.sql.parquet.mergeSchema": "false",
    "spark.sql.session.timeZone": "UTC",  # times of files are told the same wherever this program runs
    "spark.sql.sources.partitionColumnTypeInference.enabled": "false",  # year=2025 is a text, as on every engine
    "spark.sql.files.maxPartitionBytes": str(32 << 20),  # pieces small enough that progress is seen
}


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ServerFiles:
    """What the server says of the files: path, size and time of the last change."""

    listed: tuple[tuple[str, int, str], ...]

    def manifest(self) -> str:
        """SHA-256 over the sorted list: files on a cluster have no single sum of bytes."""
        return hashlib.sha256(repr(sorted(self.listed)).encode("utf-8")).hexdigest()


class SparkEngine:
    """One session with one server. Single records are never asked for."""

    title = "the Spark cluster"
    gives_records = False

    def __init__(self, session: Any, *, key_file: str = "") -> None:
        self.dialect = SparkDialect()
        self.counts = dict[str, int]()
        self.results: list[int] = []  # rows of every answer, for whoever checks that only aggregates came
        self._session, self._key_file = session, key_file
        self._tables, self._where = 0, ""
        self._patterns = set[str]()
        self._lists = dict[bytes, str]()  # tables of the session that hold public lists, by their content
        self._pieces = _Pieces()
        session.registerProgressHandler(self._pieces)
        self.close = weakref.finalize(self, _ended, session)

    @classmethod
    def connected(cls, params: EngineParams, context: Context) -> SparkEngine:
        context.step(0.0, "Connecting to the Spark server")
        probe(params.remote)
        session = _session(params.remote)
        try:
            version = str(session.version)
            if int(version.split(".")[0]) < _OLDEST:
                do = f"Use a server of Spark {_OLDEST} or later"
                raise UserProblem(f"The server runs Spark {version}", "[engine] remote", do)
            for name, value in _SETTINGS.items():
                session.conf.set(name, value)
        except UserProblem:
            raise
        except Exception as wrong:  # noqa: BLE001 - whatever the client raises becomes one sentence
            raise translated(wrong, where="[engine] remote") from None
        context.step(1.0, "Connected to the Spark server")
        return cls(session, key_file=params.key_file)

    def files(self, path: str, context: Context) -> ServerFiles:
        """The Parquet files beneath a path, as the server lists them; their content is not read.

        A last name like year-*.parquet is a pattern only where nothing is called so.
        """
        self._where = path
        try:
            listed = self._listing(as_written(path), context)
        except UserProblem:
            if not any(mark in path.rstrip("/").rpartition("/")[2] for mark in "*?["):
                raise
            listed = self._listing(as_pattern(path), context)
            self._patterns.add(path)
        if not listed:
            raise UserProblem("The folder holds no Parquet file, as the server sees it", path, "Check the path")
        raise_if(unlike_names(path, [file for file, _, _ in listed]))
        return ServerFiles(listed=tuple(sorted(listed)))

    def _listing(self, path: str, context: Context) -> list[tuple[str, int, str]]:
        read = self._session.read.format("binaryFile").option("recursiveFileLookup", "true")

        def told() -> Any:
            frame = read.option("pathGlobFilter", PARQUET_NAMES).load(path)
            changed = frame["modificationTime"].cast("string").alias("changed")
            return frame.select("path", "length", changed).toArrow()

        found = self._run(told, context, "listing the files")
        return list(zip(*(found.column(name).to_pylist() for name in ("path", "length", "changed")), strict=True))

    def _rows(self, path: str) -> Any:
        """What is read of a path whose files were listed."""
        read = self._session.read.option("pathGlobFilter", PARQUET_NAMES)
        if path in self._patterns:  # the folder before the pattern, so that folders inside it name columns
            return read.option("basePath", path.rstrip("/").rpartition("/")[0] or "/").parquet(as_pattern(path))
        return read.parquet(as_written(path))

    def one_layout(self, path: str, files: ServerFiles, context: Context) -> dict[str, Holds]:
        """The columns of all files. A file that differs is named, before any row is read."""
        first: tuple[str, dict[str, Holds]] | None = None
        for number, (file, _, _) in enumerate(files.listed):
            schema = self._run(
                lambda file=file: self._session.read.parquet(as_written(file)).schema,  # type: ignore[misc]
                context, f"reading the layout of file {number + 1} of {len(files.listed)}",
            )  # fmt: skip
            named = file.rsplit("/", 1)[-1], {field.name: _held(field.dataType.typeName()) for field in schema}
            first = first or named
            raise_if(differences(path, first, named))
        whole = self._run(lambda: self._rows(path).schema, context, "reading the layout")
        seen = len(self._run(lambda: self._rows(path).inputFiles(), context, "listing the files"))
        if seen != len(files.listed):
            what = f"Spark would read {seen} of {len(files.listed)} files beneath this path"
            raise UserProblem(what, path, "Name folders inside it like year=2025, or move the files up")
        return {field.name: _held(field.dataType.typeName()) for field in whole}

    def source(self, path: str) -> str:
        """The files as a table of the session."""
        name = self._name("source")
        self._named(name, lambda: self._rows(path))
        return name

    def _named(self, name: str, frame: Callable[[], Any]) -> None:
        """The frame as a table of the session. The server is asked for that too, and may be gone."""
        try:
            frame().createOrReplaceTempView(name)
        except Exception as wrong:  # noqa: BLE001 - whatever the client raises becomes one sentence
            raise translated(wrong, where=self._where) from None

    def _name(self, kind: str) -> str:
        self._tables += 1
        return f"{kind}_{self._tables}"

    def listed(self, columns: Mapping[str, Any]) -> str:
        import pyarrow as pa

        table = pa.table({key: pa.array(values) for key, values in columns.items()})
        content = _digest(table)
        if content not in self._lists:  # the same few lists go with every question
            name = self._name("list")
            self._named(name, lambda: self._session.createDataFrame(table))
            self._lists[content] = name
        return self._lists[content]

    def ask(self, query: str, context: Context, sentence: str) -> Answered:
        found = self._run(lambda: self._session.sql(query).toArrow(), context, sentence)
        self.results.append(found.num_rows)
        return found

    def in_passes(
        self,
        query: Callable[[str], str],
        split: Sequence[str],
        context: Context,
        sentence: str,
        groups: Groups | None = None,
    ) -> list[Answered]:
        """The cluster splits its work itself: one pass."""
        del split, groups
        return [self.ask(query(ALL), context, sentence)]

    def factored(self, units: Callable[[str], str], factors: Factors, context: Context) -> Callable[[str], str]:
        """The key of `factors` stays here. The executors read theirs from the file that the plan names."""
        del context
        if not self._key_file:
            do = 'Write key_file = "…" under [engine]: a path on the executors. Or leave the baseline out'
            raise UserProblem("No key file on the cluster is named", "[engine] key_file", do)
        hashed = keyed_factors(self._key_file, least=factors.least, most=factors.most, shape=str(factors.shape))
        name = self._name("factors")
        self._named(name, lambda: self._session.sql(units(ALL)).mapInArrow(hashed, "unit string, factor long"))
        return lambda _: name

    def _run(self, work: Callable[[], Any], context: Context, sentence: str) -> Any:
        """Do the work aside and keep asking leave; a cancel interrupts what the cluster does for this session."""
        outcome: dict[str, Any] = {}

        def run() -> None:
            try:
                outcome["value"] = work()
            except BaseException as wrong:  # noqa: BLE001 - translated where somebody waits for it
                outcome["wrong"] = wrong

        self._pieces.begin()
        worker = threading.Thread(target=run, name="a question to Spark", daemon=True)
        worker.start()
        forward = Forward(context)
        try:
            while worker.is_alive():
                forward.step(self._pieces.share, self._pieces.sentence(sentence))
                worker.join(LOOK_EVERY)
        finally:
            if worker.is_alive():  # a server that is gone must not hold whoever cancels: it is told aside
                telling = threading.Thread(target=_interrupted, args=(self._session,), daemon=True)
                telling.start()
                telling.join(FREE_WITHIN / 2)
                worker.join(FREE_WITHIN / 2)
        wrong = outcome.get("wrong")
        if wrong is None:
            return outcome["value"]
        if not isinstance(wrong, Exception):
            raise Defect(f"a question to Spark ended with {type(wrong).__name__}")
        raise translated(wrong, where=self._where) from None


class _Pieces:
    """How far the cluster is: finished pieces of those that are known so far. Later stages join them, so the share
    that is shown never falls."""

    def __init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        self.done = self.known = self.running = 0
        self.share = 0.0

    def __call__(self, stages: Any, inflight_tasks: int, operation_id: Any, done: bool) -> None:
        del operation_id, done
        self.running = inflight_tasks
        stages = stages or ()
        self.done = sum(int(stage.num_completed_tasks) for stage in stages)
        self.known = sum(int(stage.num_tasks) for stage in stages)
        if self.known:
            self.share = max(self.share, self.done / self.known)

    def sentence(self, sentence: str) -> str:
        if not self.running and self.done >= self.known:
            return f"{sentence} (waiting for the cluster)"
        return f"{sentence} (cluster: {self.done} of {self.known} pieces)"


def _digest(table: Any) -> bytes:
    import pyarrow as pa

    made = pa.BufferOutputStream()
    with pa.ipc.new_stream(made, table.schema) as stream:
        stream.write_table(table)
    return hashlib.sha256(made.getvalue()).digest()


def _session(remote: str) -> Any:
    warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas", FutureWarning)  # none is used
    try:
        with _a_main_module():
            from pyspark.sql.connect.session import SparkSession
    except ImportError:
        raise not_installed() from None
    _quiet()
    _keep_to_itself()
    try:
        session = SparkSession.builder.remote(remote).create()
        _give_up_sooner(session)
    except Exception as wrong:  # noqa: BLE001 - whatever the client raises becomes one sentence
        raise translated(wrong, where="[engine] remote") from None
    return session


@contextmanager
def _a_main_module() -> Iterator[None]:
    """The client takes a main module without a file, as notebooks have, for a test of its own, and ends the process."""
    main = sys.modules["__main__"]
    if hasattr(main, "__file__"):
        yield
        return
    main.__file__ = ""
    try:
        yield
    finally:
        del main.__file__


def _keep_to_itself() -> None:
    """The client would send paths and lines of this program with every plan, which the server logs. It would first ask
    the oldest session of the process whether to, which may be with a server that is gone."""
    from pyspark.errors import utils

    utils._enable_debugging_cache = False


def _give_up_sooner(session: Any) -> None:
    """The client's own rule goes on trying for ten minutes; a lost server is told within half of one."""
    from pyspark.sql.connect.client.retries import DefaultPolicy

    session.client.set_retry_policies([DefaultPolicy(max_retries=5, max_backoff=4000)])


def _quiet() -> None:
    """The client writes stack traces and paths to stderr on every error: nobody but this module hears of them.

    It also warns of settings that a later server may not have, and that it has tried often enough.
    """
    warnings.filterwarnings("ignore", category=UserWarning, module="pyspark")
    for name in ("pyspark", "SQLQueryContextLogger", "DataFrameQueryContextLogger", "pyspark.sql.connect.logging"):
        logger = logging.getLogger(name)
        logger.setLevel(logging.CRITICAL + 1)
        logger.propagate = False


def _interrupted(session: Any) -> None:
    try:
        session.interruptAll()
    except Exception:  # noqa: BLE001 - a server that is gone has nothing left to interrupt
        return


def _ended(session: Any) -> None:
    """What runs is interrupted and the session released: a client that merely goes leaves its work running."""
    try:
        session.client.set_retry_policies([])  # whoever leaves does not wait for a server that is gone
        session.interruptAll()
        session.client.release_session()
        session.client.close()
    except Exception:  # noqa: BLE001 - a server that is gone has released everything
        return


def _held(kind: str) -> Holds:
    if kind in ("string", "varchar", "char"):
        return Holds.TEXT
    if kind in ("byte", "short", "integer", "long", "tinyint", "smallint", "int", "bigint"):
        return Holds.WHOLE
    if kind in ("float", "double"):
        return Holds.NUMBER
    if kind == "decimal":
        return Holds.DECIMAL
    return Holds.PLAIN if kind in ("boolean", "date") else Holds.OTHER
