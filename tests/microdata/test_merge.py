"""Packing texts into integers gives the order and the numbers that plain sorting gives."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.microdata.places import loaded
from workbench.core.progress import QUIET
from workbench.microdata import merge

VISIBLE = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=9)


@pytest.fixture(autouse=True)
def _small_is_worth_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(merge, "WORTH_IT", 1)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.lists(VISIBLE, min_size=1, max_size=20), min_size=1, max_size=4), st.sampled_from([0, 4, 10**6]))
def test_that_packed_order_is_the_order_of_the_texts(chunks: list[list[str]], close: int) -> None:
    """Both ways of numbering: sorted, and counted along a table where keys are close (here: up to a million apart)."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(merge, "CLOSE", close)
        found = _merged(chunks)
    texts = [text for chunk in chunks for text in chunk]
    expected = sorted(set(texts))
    if found is not None:
        assert list(found.values) == expected
        assert found.values.as_arrow().to_pylist() == expected
        assert bytes(found.values.separated()) == b"".join(b"\0" + text.encode() for text in expected)
        assert [expected[place] for place in found.position] == texts


def _merged(chunks: list[list[str]]) -> merge.Merged | None:
    return merge.merged([pa.array(chunk) for chunk in chunks], QUIET)


@pytest.mark.parametrize("digits", [4, 12, 19])
def test_that_identifiers_of_any_length_that_fits_are_packed(digits: int) -> None:
    rng = np.random.default_rng(digits)
    texts = [f"E{number:0{digits}d}" for number in rng.integers(0, 10 ** min(digits, 18), 5000)]
    found = merge.merged([pa.array(texts[:2000]), pa.array(texts)[2000:]], QUIET)
    assert found is not None
    assert list(found.values) == sorted(set(texts))
    assert np.asarray(found.values)[found.position].tolist() == texts


@pytest.mark.parametrize(
    "texts",
    [
        ["é", "a"],
        ["", "a"],
        [" ", "a"],
        ["a" * 25],
        [None, "a"],
        ["\x00a", "b"],
        ["a\x00", "a"],
        ["!~" * 11, "~!" * 11],
    ],
)
def test_that_texts_that_cannot_be_packed_are_left_to_others(texts: list[str]) -> None:
    assert merge.merged([pa.array(texts, pa.string())], QUIET) is None


def test_that_packed_texts_are_read_like_any_list() -> None:
    texts = sorted({f"E{number}" for number in range(0, 40_000, 3)})
    found = _merged([texts])
    assert found is not None
    listed = found.values
    assert (listed[0], listed[7], listed[-1]) == (texts[0], texts[7], texts[-1])
    assert list(listed[5:9]) == texts[5:9]
    assert bytes(listed[:20_000].separated()) == b"".join(b"\0" + text.encode() for text in texts)
    assert listed.as_arrow().to_pylist() == texts
    assert texts[7] in listed
    assert texts[0] not in repr(listed)
    with pytest.raises(IndexError):
        listed[len(texts)]


def test_that_a_column_of_identifiers_loads_the_same_either_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(5)
    ids = [f"W{number:08d}" for number in rng.integers(0, 10**8, 30_000)]
    pq.write_table(pa.table({"id": ids, "few": [text[-1] for text in ids]}), tmp_path / "x.parquet")
    packed = loaded(tmp_path / "x.parquet")
    monkeypatch.setattr(merge, "WORTH_IT", 10**9)
    hashed = loaded(tmp_path / "x.parquet")
    assert packed.fingerprint == hashed.fingerprint
    for name in ("id", "few"):
        one, other = packed.coded(name), hashed.coded(name)
        assert list(one.values) == list(other.values)
        np.testing.assert_array_equal(one.codes.reveal(), other.codes.reveal())
    assert [packed.coded("id").values[code] for code in packed.coded("id").codes.reveal()] == ids
