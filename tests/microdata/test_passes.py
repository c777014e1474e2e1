"""Passes over the codes in blocks find what one look at all rows finds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.core.progress import QUIET
from workbench.microdata import passes

MOST = 6


@settings(max_examples=200, deadline=None)
@given(st.lists(st.integers(-1, MOST - 1), max_size=40), st.sampled_from([1, 3, 1 << 18]))
def test_that_values_of_several_rows_are_found_within_and_across_blocks(rows: list[int], block: int) -> None:
    codes = np.array(rows, np.int8)
    times = np.bincount(codes[codes >= 0], minlength=MOST)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(passes, "_ROWS", block)
        found = passes.met_again(codes, MOST, QUIET, "")
        different = passes.all_different(codes, MOST, QUIET, "")
    assert found.tolist() == [*(times > 1).tolist(), False]
    assert different == (times <= 1).all()
