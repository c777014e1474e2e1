"""What goes wrong between the desk and a cluster: one sentence each, the same digits after a loss, and cancel."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.spark.servers import HOME, Found, free_port, kill_group
from tests.tabulation.engines.questions import PAY_OR_NOTHING, ROLES, said, with_plants, write_parquet
from tests.tabulation.frames import NUMBERS, Frame, microdata, people
from workbench.core.errors import Cancelled, UserProblem
from workbench.core.progress import QUIET
from workbench.microdata.roles import Role
from workbench.tabulation.aggregates import Count, Sum
from workbench.tabulation.engines import in_spark, probing
from workbench.tabulation.engines.choice import TOKEN_VARIABLE, EngineParams
from workbench.tabulation.engines.in_spark import SparkEngine
from workbench.tabulation.engines.opening_spark import open_spark
from workbench.tabulation.engines.probing import probe
from workbench.tabulation.engines.relation import Relation
from workbench.tabulation.engines.rows import SqlRows
from workbench.tabulation.engines.source import Holds, expressions
from workbench.tabulation.factors import Factors, Shape
from workbench.tabulation.keys import Beyond, Key
from workbench.tabulation.memory import Memory

SLOW = "SELECT sum(a.id * b.id % 7) AS n FROM range(200000000) AS a CROSS JOIN range(1000) AS b"
BUSY = "aggregate(sequence(1, 30000 + length(person)), 0L, (a, x) -> (a + x) % 7 + 1)"  # some milliseconds a row
HOLDS = {name: Holds.NUMBER if name in NUMBERS else Holds.TEXT for name in ROLES}
LEAKS = ("Traceback", "org.apache", "java.", "at scala", "/site-packages", ".py:")


def told(wrong: UserProblem) -> str:
    """The sentence, which holds no stack trace and no path of the server's program."""
    text = str(wrong)
    assert not any(leak in text for leak in LEAKS), text
    return text


class Stopping:
    """A context that somebody cancels after a moment, and that remembers what it was told."""

    def __init__(self, after: float) -> None:
        self._end, self.said = time.monotonic() + after, list[tuple[float, str]]()

    def step(self, fraction: float, sentence: str) -> None:
        self.said.append((fraction, sentence))
        if time.monotonic() > self._end:
            raise Cancelled


def test_that_cancel_frees_the_thread_at_once_and_the_next_question_is_answered(engine: SparkEngine) -> None:
    context = Stopping(after=1.5)
    with pytest.raises(Cancelled):
        engine.ask(SLOW, context, "counting")
    freed = time.monotonic() - context._end
    began = time.monotonic()
    assert engine.ask("SELECT 1 AS n", QUIET, "counting").num_rows == 1
    assert freed < 2.0 + 3.0  # two seconds on an idle machine; tests share theirs with others
    assert time.monotonic() - began < 5.0 + 10.0
    fractions = [fraction for fraction, _ in context.said]
    assert fractions == sorted(fractions)
    assert all("waiting for the cluster" in said or "pieces)" in said for _, said in context.said)


def test_that_nobody_listening_is_told_within_seconds() -> None:
    began = time.monotonic()
    with pytest.raises(UserProblem, match=r"No Spark server answers at 127\.0\.0\.1") as wrong:
        probe(f"sc://127.0.0.1:{free_port()}")
    assert time.monotonic() - began < 5
    told(wrong.value)


def test_that_a_name_that_nobody_answers_for_is_told_within_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    """A lookup that hangs, or an address that swallows every packet, is no reason to wait."""
    held = threading.Event()

    def hanging(*_: object, **__: object) -> None:
        held.wait(20)
        raise OSError

    monkeypatch.setattr(probing.socket, "create_connection", hanging)
    monkeypatch.setattr(probing, "WHOLE", 0.3)
    began = time.monotonic()
    with pytest.raises(UserProblem, match=r"No Spark server answers at spark\.agency:443"):
        probe("sc://spark.agency:443/;use_ssl=true")
    assert time.monotonic() - began < 5
    held.set()


def test_that_whoever_cancels_goes_on_although_the_server_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Telling a server that is gone takes as long as it takes, aside."""

    class Gone:
        registerProgressHandler = staticmethod(lambda _: None)  # noqa: N815 - as the client calls it

        def sql(self, query: str) -> Any:
            held.wait(30)
            raise OSError(query)

        def interruptAll(self) -> None:
            held.wait(30)

    held = threading.Event()
    engine = SparkEngine(Gone())
    engine.close.detach()
    context = Stopping(after=0.1)
    with pytest.raises(Cancelled):
        engine.ask("SELECT 1 AS n", context, "counting")
    assert time.monotonic() - context._end < 2.0 + 1.0  # tests share their machine with others
    held.set()


def test_that_a_server_without_tls_is_told_where_the_client_would_hang(
    server: Found, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(UserProblem, match="does not speak TLS"):
        probe(f"{server.remote}/;use_ssl=true")
    monkeypatch.setenv(TOKEN_VARIABLE, "a token switches TLS on in the client")
    with pytest.raises(UserProblem, match="does not speak TLS"):
        probe(server.remote)


def test_that_a_port_where_something_else_listens_is_no_spark_server() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        remote = f"sc://127.0.0.1:{other.getsockname()[1]}/;use_ssl=true"
        threading.Thread(target=lambda: other.accept()[0].close(), daemon=True).start()
        with pytest.raises(UserProblem):
            probe(remote)


def write(path: Path, **columns: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table(columns), path)


ONLY = {"plant": Role.ESTABLISHMENT, "sex": Role.PERSON}


def opening(folder: Path, params: EngineParams) -> str:
    with pytest.raises(UserProblem) as wrong:
        open_spark(str(folder), ONLY, None, QUIET, params=params)
    return told(wrong.value)


def test_that_files_that_cannot_be_one_table_are_named_before_anything_runs(
    one_session: EngineParams, tmp_path: Path
) -> None:
    params, lost = one_session, tmp_path / "lost"
    assert "no data at this path" in opening(lost, params)
    lost.mkdir()
    assert "no Parquet file" in opening(lost, params)
    types = tmp_path / "types"
    write(types / "a.parquet", plant=["p"], sex=["f"])
    write(types / "b.parquet", plant=["p"], sex=[1])
    assert "“sex” holds text in a.parquet and whole numbers in b.parquet" in opening(types, params)
    lacks = tmp_path / "lacks"
    write(lacks / "a.parquet", plant=["p"], sex=["f"])
    write(lacks / "b.parquet", plant=["p"])
    assert "do not have the same columns: “sex”" in opening(lacks, params)
    broken = tmp_path / "broken"
    write(broken / "a.parquet", plant=["p"], sex=["f"])
    (broken / "b.parquet").write_bytes(b"PAR1 this is no file PAR1")
    assert "damaged" in opening(broken, params)
    other = tmp_path / "other"
    write(other / "a.parquet", plant=["p"], gender=["f"])
    assert "There is no column “sex”" in opening(other, params)


def test_that_a_key_file_that_is_not_there_is_told_in_a_sentence(engine: SparkEngine, key: bytes) -> None:
    from workbench.core.confidential import Confidential

    factors = Factors(key=Confidential(key), least=0.05, most=0.15, shape=Shape.RAMP)
    for path, sentence in (("", "No key file on the cluster is named"), ("/nowhere/x.key", "keyed hash")):
        broken = SparkEngine(engine._session, key_file=path)
        broken.close.detach()
        with pytest.raises(UserProblem, match=sentence) as wrong:
            table = broken.factored(lambda _: "SELECT 'a' AS unit", factors, QUIET)
            broken.ask(f"SELECT sum(factor) AS n FROM {table('TRUE')}", QUIET, "adding up")
        told(wrong.value)


def test_that_a_session_that_is_gone_is_told_and_nothing_was_stored(params: EngineParams, folder: Path) -> None:
    engine = SparkEngine.connected(params, QUIET)
    engine.close.detach()
    engine._session.client.release_session()
    asking: tuple[Callable[[], object], ...] = (
        lambda: engine.ask("SELECT 1 AS n", QUIET, "counting"), lambda: engine.files(str(folder), QUIET),
        lambda: engine.source(str(folder)), lambda: engine.listed({"place": ["b0"]}),
    )  # fmt: skip
    for ask in asking:
        with pytest.raises(UserProblem, match=r"session with the Spark server was lost.*Nothing was drawn or stored"):
            ask()


def test_that_an_older_server_is_refused(params: EngineParams, monkeypatch: pytest.MonkeyPatch) -> None:
    class Old:
        version = "3.5.1"

    monkeypatch.setattr(in_spark, "_session", lambda _: Old())
    with pytest.raises(UserProblem, match=r"The server runs Spark 3.5.1"):
        SparkEngine.connected(params, QUIET)


def lives(process: int) -> bool:
    """Whether it runs: one that ended is there until the process that started it looks."""
    stat = Path(f"/proc/{process}/stat")
    return stat.exists() and stat.read_text(encoding="utf-8", errors="replace").rsplit(")", 1)[1].split()[0] not in "ZX"


class Killing:
    """A context that kills a worker as soon as the cluster has finished a piece."""

    def __init__(self, worker: int) -> None:
        self._worker, self.killed = worker, ""

    def step(self, fraction: float, sentence: str) -> None:
        if not self.killed and 0 < fraction < 1:
            kill_group(self._worker)
            self.killed = sentence


def test_that_the_digits_are_the_same_after_one_worker_of_two_is_killed(
    two_workers: Found, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each of twelve pieces takes a moment; a worker and its executor are killed once some are done."""
    frame: Frame = with_plants(people(600, 2))
    folder = write_parquet(frame, tmp_path / "rows", parts=12)
    monkeypatch.setitem(in_spark._SETTINGS, "spark.sql.files.maxPartitionBytes", "4096")
    keys = [Key.listed("title", ("t0", "t1", "t2", "t3"), Beyond.LEAVE_OUT)]
    asked = {"n": Count(), "pay": Sum(PAY_OR_NOTHING)}
    _, worker, other, _ = two_workers.processes
    engine = SparkEngine.connected(EngineParams(remote=two_workers.remote), QUIET)
    source = f"(SELECT * FROM {engine.source(str(folder))} WHERE {BUSY} > 0) AS q"
    columns = expressions(engine.dialect, HOLDS, frozenset(NUMBERS), tuple(frame), "rows")
    slow = Relation.of_source("rows", columns=columns, numbers=frozenset(NUMBERS), source=source)
    context = Killing(worker)
    found = SqlRows(engine, slow).grouped(keys, asked, context)
    assert context.killed
    assert not lives(worker)
    assert lives(other)
    engine.close()
    assert said(found) == said(Memory(microdata(frame)).grouped(keys, asked, QUIET))


def test_that_the_client_is_found_where_the_main_module_has_no_file(server: Found) -> None:
    """As in a notebook. The client takes such a process for a test of its own and ends it."""
    code = (
        "from workbench.core.progress import QUIET\n"
        "from workbench.tabulation.engines.choice import EngineParams\n"
        "from workbench.tabulation.engines.in_spark import SparkEngine\n"
        f"SparkEngine.connected(EngineParams(remote={server.remote!r}), QUIET).close()\n"
        "import __main__; print(hasattr(__main__, '__file__'))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=HOME)
    assert (done.stdout.strip(), done.stderr.strip()) == ("False", "")
