"""Pairs that are counted in bundles, against one plain histogram for each pair."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from workbench.core.progress import QUIET
from workbench.tabulation.bundles import packed, widest_bundle
from workbench.tabulation.pairs import counted_pairs


@pytest.mark.parametrize("rows", [0, 1, 40, 3000, 300_000])
@pytest.mark.parametrize("sizes", [(2, 3, 9, 2, 5, 1), (256, 2, 2), (300, 7, 2, 4), (4,), (1, 1)])
def test_that_bundles_give_the_table_of_every_pair(rows: int, sizes: tuple[int, ...]) -> None:
    random = np.random.default_rng(rows + len(sizes))
    columns = [random.integers(0, size, rows).astype(np.min_scalar_type(size)) for size in sizes]
    found = counted_pairs(columns, sizes, QUIET)
    which = list(combinations(range(len(sizes)), 2))
    assert len(found) == len(which)
    for (i, j), table in zip(which, found, strict=True):
        plain = np.zeros((sizes[i], sizes[j]), dtype=np.int64)
        np.add.at(plain, (columns[i], columns[j]), 1)
        assert table.dtype == np.int64
        assert np.array_equal(table, plain)


def test_that_a_bundle_never_outgrows_a_byte_or_the_rows() -> None:
    sizes = [6, 2, 6, 9, 5, 5, 3, 4, 2, 100, 256, 300]
    for rows in (100, 15_000, 1_000_000):
        widest = widest_bundle(rows, sizes)
        for members in packed(sizes, widest):
            joint = int(np.prod([sizes[member] for member in members]))
            assert len(members) == 1 or joint <= min(256, widest)
            assert len(members) == 1 or joint * max(sizes) * 8 <= rows
    assert sorted(sum(packed(sizes, 256), ())) == list(range(len(sizes)))
