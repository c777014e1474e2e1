"""Shared places for tests."""

from __future__ import annotations

import gc
import json
import os
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from workbench.tabulation.sketch_key import SKETCH_KEY_VARIABLE

_REAL_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
_GOLDEN = Path(__file__).resolve().parent / "golden"

# How long one example takes is no statement of any test: on a machine with other work it would fail by chance.
settings.register_profile("suite", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("suite")


def pytest_configure() -> None:
    """Collecting makes objects that stay: looking for cycles among them took a third of its time."""
    gc.disable()


def pytest_collection_finish() -> None:
    """What collecting leaves stays to the end: the collector need not walk over a million such objects again and again.

    Cycles that tests make are collected all the same, in larger steps.
    """
    gc.enable()
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 20, 50)


def pytest_unconfigure() -> None:
    """At its end the process clears up as ever, and libraries that count what is left over count nothing of this."""
    gc.unfreeze()


@pytest.fixture(scope="session", autouse=True)
def sketch_key_of_the_tests(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Data sets are recognised by a key of the tests' own: nobody's folder is written to."""
    before = os.environ.get(SKETCH_KEY_VARIABLE)
    path = tmp_path_factory.mktemp("sketch") / "sketch.key"
    path.write_bytes(b"a key for tests and for nothing else")
    os.environ[SKETCH_KEY_VARIABLE] = str(path)
    yield
    if before is None:
        del os.environ[SKETCH_KEY_VARIABLE]
    else:
        os.environ[SKETCH_KEY_VARIABLE] = before


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Real public data that is never committed; tests that need it are skipped where it is absent."""
    if not _REAL_DATA.is_dir():
        pytest.skip("the real data are not here")
    return _REAL_DATA


@pytest.fixture(scope="session")
def golden() -> Any:
    """Reads a table of expected values by name: worked out apart from the program, by closed forms or by quadrature."""

    def read(name: str) -> dict[str, Any]:
        table: dict[str, Any] = json.loads((_GOLDEN / f"{name}.json").read_text(encoding="utf-8"))
        assert table.get("cases") or table.get("values"), "a loop over no cases would pass"
        return table

    return read


@pytest.fixture(autouse=True, scope="session")
def _shared_memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """What tests have seen of projects is nothing that the person who runs them has seen."""
    folder = tmp_path_factory.mktemp("seen")
    with pytest.MonkeyPatch.context() as changed:
        changed.setenv("DWB_SEEN", str(folder / "shared.json"))
        yield folder


@pytest.fixture(autouse=True)
def _own_memory(_shared_memory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test begins without having seen anything: many of them work in copies of one project."""
    monkeypatch.setenv("DWB_SEEN", str(_shared_memory / f"{uuid.uuid4().hex}.json"))
