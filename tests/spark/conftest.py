"""One local server for all tests of the Spark engine, and one opened data set of every kind of column."""

from __future__ import annotations

import hashlib
import subprocess
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.spark.servers import ENVIRONMENT, Running, cluster, local_server
from tests.tabulation.engines.questions import ROLES, with_plants, write_parquet
from tests.tabulation.frames import Frame, people, shuffled
from workbench.core.progress import QUIET
from workbench.microdata.table import Microdata
from workbench.tabulation.engines.asked import Asked
from workbench.tabulation.engines.choice import EngineParams
from workbench.tabulation.engines.in_spark import SparkEngine
from workbench.tabulation.engines.opening_spark import open_spark

Cluster = tuple[Running, list[subprocess.Popen[bytes]]]
SECRET = b"Sixteen bytes or more: blau, gelb, rot"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        item.add_marker(pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning"))


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    assert ENVIRONMENT.exists(), "make test-spark sets up the server that these tests need"
    with local_server(tmp_path_factory.mktemp("server")) as running:
        yield running


@pytest.fixture(scope="session", autouse=True)
def starting(
    request: pytest.FixtureRequest, server: Running, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Future[Cluster] | None]:
    """A master with two workers that starts aside, while the server answers other tests; where a test wants it."""
    del server  # first: what waits for it would wait longer
    if not any(
        "two_workers" in item.fixturenames for item in request.session.items if isinstance(item, pytest.Function)
    ):
        yield None
        return
    made = cluster(tmp_path_factory.mktemp("cluster"))
    with ThreadPoolExecutor(1) as aside:
        started = aside.submit(made.__enter__)
        yield started
        if started.exception() is None:
            made.__exit__(None, None, None)


@pytest.fixture(scope="session")
def two_workers(starting: Future[Cluster]) -> Cluster:
    return starting.result()


@pytest.fixture(scope="session")
def key_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("secrets") / "noise.key"
    path.write_bytes(SECRET)
    return path


@pytest.fixture(scope="session")
def key() -> bytes:
    return hashlib.blake2b(SECRET, digest_size=32).digest()


@pytest.fixture(scope="session")
def frame() -> Frame:
    return with_plants(people(600, 1))


@pytest.fixture(scope="session")
def folder(frame: Frame, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_parquet(shuffled(frame, 5), tmp_path_factory.mktemp("rows"), parts=2)


@pytest.fixture(scope="session")
def params(server: Running, key_file: Path) -> EngineParams:
    return EngineParams(remote=server.remote, key_file=str(key_file))


@pytest.fixture(scope="session")
def opened(params: EngineParams, folder: Path) -> Iterator[Microdata]:
    data = open_spark(str(folder), ROLES, None, QUIET, params=params)
    yield data
    engine_of(data).close()


def engine_of(data: Microdata) -> SparkEngine:
    assert isinstance(data.elsewhere, Asked)
    assert isinstance(data.elsewhere.engine, SparkEngine)
    return data.elsewhere.engine
