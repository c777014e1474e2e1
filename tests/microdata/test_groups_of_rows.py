"""A Parquet file gives the same codes and fingerprint in however many groups of rows it was written."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from workbench.core.errors import UserProblem
from workbench.core.progress import QUIET
from workbench.microdata.load import load
from workbench.microdata.merge import merged
from workbench.microdata.options import ReadOptions
from workbench.microdata.table import Microdata

ROWS = 40_000


def _written(path: Path, group: int) -> Path:
    rng = np.random.default_rng(3)
    worker = pa.array([f"{number:09d}" for number in rng.integers(0, 10**9, ROWS).tolist()])
    place = pa.array([None if number == 7 else f"{number:03d}" for number in rng.integers(0, 300, ROWS).tolist()])
    pq.write_table(pa.table({"worker": worker, "place": place}), path, row_group_size=group)
    return path


def _loaded(path: Path) -> Microdata:
    return load(path, ReadOptions(), None, None, QUIET)


def test_many_groups_read_as_one(tmp_path: Path) -> None:
    one = _loaded(_written(tmp_path / "one.parquet", ROWS))
    many = _loaded(_written(tmp_path / "many.parquet", 1_500))
    assert many.fingerprint.content == one.fingerprint.content
    for name in ("worker", "place"):
        assert np.array_equal(many.coded(name).codes.reveal(), one.coded(name).codes.reveal())
        assert list(many.coded(name).values) == list(one.coded(name).values)


def test_damage_in_a_later_group_is_told(tmp_path: Path) -> None:
    path = _written(tmp_path / "many.parquet", 1_500)
    raw = bytearray(path.read_bytes())
    raw[len(raw) // 2 : len(raw) // 2 + 4_000] = b"\xff" * 4_000
    path.write_bytes(bytes(raw))
    with pytest.raises(UserProblem):
        _loaded(path)


@pytest.mark.parametrize("digits", [9, 15])
def test_scattered_identifiers_are_numbered_as_sorting_would(digits: int) -> None:
    """Several stretches, with equal keys on both sides of their ends; fifteen digits leave no room for the place."""
    rng = np.random.default_rng(4)
    few = rng.integers(0, 10**digits, 50_000)
    texts = np.array([f"{number:0{digits}d}" for number in few[rng.integers(0, len(few), 300_000)].tolist()])
    found = merged([pa.array(texts)], QUIET)
    assert found is not None
    values, place = np.unique(texts, return_inverse=True)
    assert np.array_equal(np.asarray(found.values), values)
    assert np.array_equal(found.position, place)
