"""One local server and one cluster for all tests of the Spark engine, however many processes run them, and one opened
data set of every kind of column."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.spark.servers import CLUSTER, ENVIRONMENT, LOCAL, Found, Kept, found, want
from tests.tabulation.engines.questions import ROLES, with_plants, write_parquet
from tests.tabulation.frames import Frame, people, shuffled
from workbench.core.progress import QUIET
from workbench.microdata.table import Microdata
from workbench.tabulation.engines.choice import EngineParams
from workbench.tabulation.engines.in_spark import SparkEngine
from workbench.tabulation.engines.opening_spark import open_spark

SECRET = b"Sixteen bytes or more: blau, gelb, rot"
_KEPT = pytest.StashKey[Kept]()
_FOLDER = "spark_servers"
# The longest file first: with two processes each begins with one half of the tests and then takes from the other.
_ORDER = ("test_digits", "test_journey", "test_faults", "test_products", "test_others", "test_shaped")


def pytest_configure(config: pytest.Config) -> None:
    """The process that starts the others starts the servers too, before any test is collected."""
    if ENVIRONMENT.exists() and not hasattr(config, "workerinput") and not config.option.collectonly:
        config.stash[_KEPT] = Kept(Path(tempfile.mkdtemp(prefix="spark-tests-")))


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    node.workerinput[_FOLDER] = str(node.config.stash[_KEPT].folder)


def pytest_unconfigure(config: pytest.Config) -> None:
    kept = config.stash.get(_KEPT, None)
    if kept is not None:
        kept.stop()
        shutil.rmtree(kept.folder, ignore_errors=True)


def _servers(config: pytest.Config) -> Path:
    assert ENVIRONMENT.exists(), "make test-spark sets up the server that these tests need"
    if hasattr(config, "workerinput"):
        return Path(config.workerinput[_FOLDER])
    return config.stash[_KEPT].folder


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: _ORDER.index(item.path.stem))
    for item in items:
        item.add_marker(pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning"))
    if any("two_workers" in item.fixturenames for item in items if isinstance(item, pytest.Function)):
        want(_servers(config), CLUSTER)  # it starts while the other server answers


@pytest.fixture(scope="session")
def server(pytestconfig: pytest.Config) -> Found:
    return found(_servers(pytestconfig), LOCAL)


@pytest.fixture(scope="session")
def two_workers(pytestconfig: pytest.Config) -> Found:
    return found(_servers(pytestconfig), CLUSTER)


@pytest.fixture(scope="session")
def engine(params: EngineParams) -> Iterator[SparkEngine]:
    """One session for every test that needs no more: each of its own takes a second."""
    made = SparkEngine.connected(params, QUIET)
    yield made
    made.close()


@pytest.fixture
def one_session(params: EngineParams, engine: SparkEngine, monkeypatch: pytest.MonkeyPatch) -> EngineParams:
    """Every opening takes that session."""
    monkeypatch.setattr(SparkEngine, "connected", lambda *_: engine)
    return params.of_kind("spark")


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
def params(server: Found, key_file: Path) -> EngineParams:
    return EngineParams(remote=server.remote, key_file=str(key_file))


@pytest.fixture(scope="session")
def opened(params: EngineParams, engine: SparkEngine, folder: Path) -> Microdata:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(SparkEngine, "connected", lambda *_: engine)
        return open_spark(str(folder), ROLES, None, QUIET, params=params)
