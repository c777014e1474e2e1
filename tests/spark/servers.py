"""Spark servers on loopback for tests: started from the package in `.venv-spark`, stopped by their process groups."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

HOME = Path(__file__).parents[2]
ENVIRONMENT = HOME / ".venv-spark"
ARCHIVE = ENVIRONMENT / "spark.jsa"  # classes that Java need not load one by one: tests.spark.archive makes it
LONGEST_START = 120.0  # seconds, on a busy machine
# What lives for a minute gains nothing from more threads, nor from throwing away what it has compiled.
_PLAIN = (
    "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:ReservedCodeCacheSize=256m -XX:-UseCodeCacheFlushing "
    "-XX:MetaspaceSize=256m"
)
_ROOM = "-Xms1g -XX:NewSize=500m"  # of a server that answers hundreds of questions: it tidies up a third as often
_UNCOMPILED = (
    "spark.sql.codegen.wholeStage=false",
    "spark.sql.codegen.factoryMode=NO_CODEGEN",
    "spark.sql.adaptive.enabled=false",
)
CONNECT = "org.apache.spark.sql.connect.service.SparkConnectServer"


def _quick() -> str:
    return f"{_PLAIN} -XX:SharedArchiveFile={ARCHIVE}" if ARCHIVE.exists() else _PLAIN


def spark_home() -> Path:
    return next(ENVIRONMENT.glob("lib/python3*/site-packages/pyspark"))


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@dataclass
class Running:
    """Processes of one server; the first is the one that clients speak to."""

    port: int
    folder: Path
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)

    @property
    def remote(self) -> str:
        return f"sc://127.0.0.1:{self.port}"

    @property
    def logs(self) -> list[Path]:
        """Everything that the server, its workers and executors wrote."""
        return [path for path in self.folder.rglob("*") if path.is_file()]

    def start(self, name: str, command: Sequence[str], said: str) -> subprocess.Popen[bytes]:
        made = self.launch(name, command)
        self.wait_for(name, said, made)
        return made

    def launch(self, name: str, command: Sequence[str]) -> subprocess.Popen[bytes]:
        """The process, which may take a while until it works."""
        log = self.folder / f"{name}.log"
        environment = {
            **os.environ, "SPARK_HOME": str(spark_home()), "SPARK_LOCAL_IP": "127.0.0.1", "SPARK_NO_DAEMONIZE": "1",
            "PYSPARK_PYTHON": str(ENVIRONMENT / "bin" / "python"), "SPARK_WORKER_DIR": str(self.folder / "work"),
            # A Connect server would take them too, but it has options of its own, or none where it is measured.
            "SPARK_DAEMON_JAVA_OPTS": "" if name == "server" else _quick(),
        }  # fmt: skip
        environment.pop("PYTHONPATH", None)
        environment.pop("SPARK_CONNECT_AUTHENTICATE_TOKEN", None)
        with log.open("wb") as output:
            made = subprocess.Popen(
                list(command), stdout=output, stderr=subprocess.STDOUT, env=environment, cwd=self.folder,
                start_new_session=True,
            )  # fmt: skip
        self.processes.append(made)
        return made

    def wait_for(self, name: str, said: str, made: subprocess.Popen[bytes]) -> None:
        log, end = self.folder / f"{name}.log", time.monotonic() + LONGEST_START
        while said not in log.read_text(encoding="utf-8", errors="replace"):
            assert made.poll() is None, log.read_text(encoding="utf-8", errors="replace")[-2000:]
            assert time.monotonic() < end, f"{name} did not start within {LONGEST_START:.0f} s"
            time.sleep(0.1)

    def stop(self) -> None:
        for process in reversed(self.processes):
            kill(process)


def kill(process: subprocess.Popen[bytes]) -> None:
    """The process and everything that it started, which includes the executors of a worker."""
    kill_group(process.pid)
    process.wait(timeout=20)


def kill_group(leader: int) -> None:
    with suppress(ProcessLookupError):
        os.killpg(leader, signal.SIGKILL)


@contextmanager
def local_server(
    folder: Path, *settings: str, memory: str = "1g", quick: bool = True, options: str = ""
) -> Iterator[Running]:
    """A Connect server that works by itself, with its event log readable. `options` are those of Java."""
    running = Running(port=free_port(), folder=folder)
    try:
        # Compiling every small query takes longer than answering it. The cluster below compiles, as servers do.
        asked = (*(_UNCOMPILED if quick else ()), *settings)
        java = f"{_PLAIN} {options}" if options else f"{_quick()} {_ROOM}" if quick else ""
        running.wait_for(
            "server", "Connect server started", _launch_connect(running, "local[2]", asked, memory, java=java)
        )
        yield running
    finally:
        running.stop()


def _launch_connect(
    running: Running, master: str, settings: Sequence[str], memory: str = "1g", *, java: str | None = None
) -> subprocess.Popen[bytes]:
    events = running.folder / "events"
    events.mkdir(parents=True, exist_ok=True)
    said = [
        "spark.connect.grpc.binding.address=127.0.0.1", f"spark.connect.grpc.binding.port={running.port}",
        "spark.ui.enabled=false", "spark.connect.progress.reportInterval=200ms",
        "spark.sql.shuffle.partitions=1", f"spark.sql.warehouse.dir={running.folder}/house",
        # What an agency's server may have by default, and the session must not follow.
        "spark.sql.parser.escapedStringLiterals=true", "spark.sql.files.ignoreCorruptFiles=true",
        "spark.sql.ansi.enabled=false", "spark.sql.caseSensitive=false",
        "spark.eventLog.enabled=true", f"spark.eventLog.dir=file://{events}", "spark.eventLog.compress=false",
        "spark.driver.host=127.0.0.1", "spark.driver.bindAddress=127.0.0.1", *settings,
    ]  # fmt: skip
    options = [part for setting in said for part in ("--conf", setting)]
    submit = [str(spark_home() / "bin" / "spark-submit"), "--master", master, "--driver-memory", memory]
    java = _quick() if java is None else java
    submit += ["--driver-java-options", java] if java else []
    return running.launch("server", [*submit, "--class", CONNECT, *options, "spark-internal"])


@contextmanager
def cluster(folder: Path) -> Iterator[Running]:
    """A real master with two workers of one core each, and a Connect server whose executors they run.

    The processes are, in this order, master, workers and server.
    """
    running = Running(port=free_port(), folder=folder)
    port, run = free_port(), str(spark_home() / "bin" / "spark-class")
    quiet = ["--webui-port", "0", "--host", "127.0.0.1"]
    master = "org.apache.spark.deploy.master.Master"
    worker = ["org.apache.spark.deploy.worker.Worker", *quiet, "--cores", "1", "--memory", "700m"]
    try:
        running.start("master", [run, master, *quiet, "--port", str(port)], "I have been elected leader")
        address = f"spark://127.0.0.1:{port}"
        workers = [running.launch(f"worker{number}", [run, *worker, address]) for number in (1, 2)]
        settings = (
            "spark.executor.memory=512m", "spark.executor.cores=1", "spark.cores.max=2",
            f"spark.executor.extraJavaOptions={_quick()}",
        )  # fmt: skip
        server = _launch_connect(running, address, settings)  # while the workers start: all wait for the master alone
        for number, each in enumerate(workers, start=1):
            running.wait_for(f"worker{number}", "Successfully registered", each)
        running.wait_for("server", "Connect server started", server)
        yield running
    finally:
        running.stop()


LOCAL, CLUSTER = "local", "cluster"
_READY, _WANTED, _FAILED = "ready.json", "wanted", "failed"
_SERVERS: dict[str, Callable[[Path], AbstractContextManager[Running]]] = {LOCAL: local_server, CLUSTER: cluster}


@dataclass(frozen=True, kw_only=True)
class Found:
    """A server that another process keeps."""

    port: int
    processes: list[int]
    folder: Path

    @property
    def remote(self) -> str:
        return f"sc://127.0.0.1:{self.port}"

    @property
    def logs(self) -> list[Path]:
        return [path for path in self.folder.rglob("*") if path.is_file()]


class Kept:
    """Servers for several processes of tests: the local one starts at once, the cluster when somebody wants it.

    What is known of each is in the file `ready.json` of its folder.
    """

    def __init__(self, folder: Path) -> None:
        self.folder, self._over = folder, threading.Event()
        self._keeping = [threading.Thread(target=self._keep, args=(name,), daemon=True) for name in _SERVERS]
        for name, thread in zip(_SERVERS, self._keeping, strict=True):
            (folder / name).mkdir(parents=True)
            thread.start()
        want(folder, LOCAL)

    def _keep(self, name: str) -> None:
        home = self.folder / name
        while not (home / _WANTED).exists():
            if self._over.wait(0.1):
                return
        try:
            with _SERVERS[name](home) as running:
                told = {"port": running.port, "processes": [process.pid for process in running.processes]}
                _put(home / _READY, json.dumps(told))
                self._over.wait()
        except BaseException as wrong:  # noqa: BLE001 - told where somebody waits for the server
            _put(home / _FAILED, str(wrong))

    def stop(self) -> None:
        self._over.set()
        for thread in self._keeping:
            thread.join(LONGEST_START)


def want(folder: Path, name: str) -> None:
    (folder / name / _WANTED).touch()


def found(folder: Path, name: str) -> Found:
    """The server, once it answers."""
    home, end = folder / name, time.monotonic() + LONGEST_START
    while not (home / _READY).exists():
        assert not (home / _FAILED).exists(), (home / _FAILED).read_text(encoding="utf-8")
        assert time.monotonic() < end, f"The {name} server did not start within {LONGEST_START:.0f} s"
        time.sleep(0.05)
    return Found(**json.loads((home / _READY).read_text(encoding="utf-8")), folder=home)


def _put(path: Path, text: str) -> None:
    """Whole, for whoever waits for the file."""
    path.with_suffix(".new").write_text(text, encoding="utf-8")
    path.with_suffix(".new").rename(path)
