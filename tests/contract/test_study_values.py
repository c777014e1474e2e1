"""A study is recorded by its seed, so that a later version of the program must draw the same values from it.

The SHA-256 were taken before draws became columns; a mechanism that is meant to draw otherwise gets a new version.
"""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
import pytest

from tests.contract.samples import SAMPLES
from tests.products.commuting_flows import hand_made_flows
from workbench.core.progress import QUIET
from workbench.core.published import Units
from workbench.core.randomness import StudyRandom
from workbench.core.specs import find
from workbench.products import registry

DRAWN = {
    ("commuting_flows", "synthetic-residences"): "4a4eb1436b59e4b23d37",  # version 2: nobody is dropped
    ("employment_tables", "block-gamma"): "d9118b8b959d3dcf12bb",
    ("employment_tables", "block-laplace"): "6585b1492f11a6a1afc7",
    ("employment_tables", "laplace"): "bb15bfbd975ca9417b90",
    ("employment_tables", "log-laplace"): "d55052d940fcfb367d23",
    ("employment_tables", "node-down-sensitivity"): "1a657fdf15ae8beb7ff3",
    ("employment_tables", "node-truncation"): "2fc972af0fc2329e4fa6",
    ("employment_tables", "smooth-gamma"): "d07967474a12005d6991",
    ("employment_tables", "smooth-laplace"): "e2e0aeb3a5eeb36e4d38",
}


def _data(product: str) -> Any:
    """The very data that the values were taken from: the contract's sample of flows has lists of its own since."""
    return hand_made_flows.prepared() if product == "commuting_flows" else SAMPLES[product].prepared()


@pytest.mark.parametrize(("product", "mechanism"), DRAWN, ids="-".join)
def test_that_a_seed_gives_the_values_it_always_gave(product: str, mechanism: str) -> None:
    spec = find(registry.product(product).mechanisms, mechanism, "mechanism")
    drawn = spec.study(_data(product), spec.params(), StudyRandom(5), QUIET).reveal()
    columns = [column.integers if isinstance(column, Units) else column.codes for column in drawn.columns]
    whole = np.stack(columns, axis=1) if len(columns) > 1 else columns[0]
    assert hashlib.sha256(whole.astype("<i8").tobytes()).hexdigest().startswith(DRAWN[product, mechanism])
