"""Workplaces by block group: codes, tracts, middles, and a geography whose codes name none."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.products.commuting_flows import hand_made_flows as made
from workbench.core.errors import UserProblem
from workbench.core.progress import QUIET
from workbench.core.randomness import ReleaseRandom
from workbench.microdata.inputs import Inputs
from workbench.products.commuting_flows.flows.grid import workplaces
from workbench.products.commuting_flows.flows.structures import PopulationList
from workbench.products.commuting_flows.noisy_flows import SPEC, NoisyFlowsParams
from workbench.products.commuting_flows.params import WorkLevel
from workbench.products.commuting_flows.product import SPEC as PRODUCT

CODES = {row[0]: f"{row[1]}{number % 4 // 2 + 1}00{number % 2}" for number, row in enumerate(made.BLOCKS)}


def inputs() -> Inputs:
    blocks = [(CODES[row[0]], *row[1:]) for row in made.BLOCKS]
    rows = [(CODES[work], CODES.get(home, ""), jobs) for work, home, jobs in made.FLOWS]
    return made.inputs(rows, places=made.geography([*blocks, made.UNKNOWN_HOME]))


def test_that_workplaces_are_published_by_block_group() -> None:
    params = made.listed_params(work_level=WorkLevel.BLOCK_GROUP)
    prepared = PRODUCT.prepare(inputs(), params, QUIET)
    assert prepared.work_area == tuple(sorted({code[:4] for code in CODES.values()}))
    assert prepared.size[prepared.work_area.index("0111")] == made.SECRET_COUNT + 7 + 1 + 1
    latitude, _ = workplaces(prepared)
    assert latitude[prepared.work_area.index("0111")] == pytest.approx((40.00 * 30 + 40.01 * 10) / 40, abs=1e-5)
    assert [prepared.geography.areas[0][tract] for tract in prepared.supports.work_tract[prepared.support_of]] == [
        code[:3] for code in prepared.work_area
    ]
    release = SPEC.release(prepared, NoisyFlowsParams(), ReleaseRandom(), QUIET)
    table = PRODUCT.public_table(prepared, release)
    assert set(table.keys[0].texts()) <= set(prepared.work_area)
    by_data = PRODUCT.prepare(inputs(), replace(params, populations=PopulationList.DATA), QUIET)
    assert np.isin(by_data.work_area, prepared.work_area).all()


def test_that_codes_without_block_groups_are_refused_in_a_sentence() -> None:
    with pytest.raises(UserProblem, match="some would lie in several tracts"):
        made.listed(work_level=WorkLevel.BLOCK_GROUP)
