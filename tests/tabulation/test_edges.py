"""Bins by a look into a table are the bins that a search finds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.tabulation.edges import between


@given(
    lower=st.integers(-(10**6), 10**6),
    width=st.sampled_from([0, 1, 5, 4_095, 4_096, 10**6, 10**12, 2**62, 2**62 + 5]),
    seed=st.integers(0, 2**32 - 1),
    edges=st.integers(1, 40),
)
def test_that_every_value_falls_where_a_search_puts_it(lower: int, width: int, seed: int, edges: int) -> None:
    rng, upper = np.random.default_rng(seed), lower + width
    listed = np.unique(rng.integers(lower - 3, upper + 4, edges))
    near = np.concatenate([listed, listed - 1, listed + 1, [lower, upper], rng.integers(lower, upper + 1, 200)])
    values = np.clip(near, lower, upper).astype(np.int64)
    expected = np.searchsorted(listed, values, side="right")
    assert np.array_equal(between(listed, values, lower=lower, upper=upper), expected)


@pytest.mark.parametrize("edges", [[0], [10], [0, 10], [-5, 3, 3_000_000]])
def test_that_edges_at_and_beyond_the_bounds_count(edges: list[int]) -> None:
    values = np.arange(0, 11)
    found = between(np.array(edges), values, lower=0, upper=10)
    assert found.tolist() == [sum(edge <= value for edge in edges) for value in values]
