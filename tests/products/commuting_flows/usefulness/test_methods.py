"""Errors of files, by hand: what is misplaced, how far off distances and sizes are, and methods in one table."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.contract.samples import compared
from tests.products.commuting_flows import hand_made_flows as made
from workbench.core.progress import QUIET
from workbench.products.commuting_flows.flows.structures import BlockFlows
from workbench.products.commuting_flows.product import SPEC
from workbench.products.commuting_flows.usefulness import both
from workbench.products.commuting_flows.usefulness.errors import ROWS, Truth, errors_of


def test_that_the_truth_has_no_error() -> None:
    prepared = made.listed()
    truth = Truth.of(prepared)
    errors = errors_of(truth, prepared.flows.reveal(), truth.grid)
    assert set(errors) == set(ROWS)
    for name in set(ROWS) - {"kl_file_all", "kl_file_small"}:  # a file has one worker spread over the grid
        assert errors[name] == pytest.approx(0.0, abs=1e-12), name


def moved(flows: BlockFlows, entry: int, block: int) -> BlockFlows:
    homes = flows.block.copy()
    homes[entry] = block
    return replace(flows, block=homes)


def test_that_one_flow_elsewhere_is_misplaced_by_its_share() -> None:
    """Twelve workers of 0222 who live in tract 011 are put into tract 012, in the same PUMA."""
    prepared = made.listed()
    flows = prepared.flows.reveal()
    blocks = prepared.geography.blocks
    (entry,) = (
        i for i, (p, b) in enumerate(zip(flows.population, flows.block, strict=True))
        if prepared.work_area[prepared.area_of[p]] == "0222" and blocks[b] == "0101"
    )  # fmt: skip
    errors = errors_of(Truth.of(prepared), moved(flows, entry, blocks.index("0121")))
    share = 12 / int(flows.workers.sum())
    assert errors["tract_flows"] == pytest.approx(share)
    assert errors["labour_shed"] == pytest.approx(share)
    assert errors["commute_shed"] == pytest.approx(0.0, abs=1e-12)
    assert errors["puma_flows"] == pytest.approx(0.0, abs=1e-12)
    assert errors["size"] == 0.0
    assert 0.0 < errors["distance"] < errors["distance_of_tract"] * 3


def test_that_workers_far_away_and_empty_populations_are_counted() -> None:
    prepared = made.listed()
    flows = prepared.flows.reveal()
    far = prepared.geography.blocks.index("0412")
    whole = int(flows.workers.sum())
    away = errors_of(Truth.of(prepared), moved(flows, 1, far))
    assert away["far"] == pytest.approx(100 * int(flows.workers[1]) / whole)
    one = int(np.flatnonzero(prepared.size == 1)[0])
    without = flows.population != one
    gone = BlockFlows(population=flows.population[without], block=flows.block[without], workers=flows.workers[without])
    errors = errors_of(Truth.of(prepared), gone)
    small = np.count_nonzero((prepared.size > 0) & (prepared.size < 10))
    assert errors["empty"] == pytest.approx(1 / small)
    assert errors["size"] == pytest.approx(1 / prepared.populations)


@pytest.mark.parametrize("number", [0, 1])
def test_that_both_methods_and_suppression_stand_side_by_side(number: int) -> None:
    (finding,) = both.SPEC.run(compared(SPEC, SPEC.mechanisms[number]), both.SPEC.params(), QUIET)
    (table,) = finding.tables
    assert table.columns == ("error", "Suppression of small flows", "Synthetic residences", "Noisy flows")
    assert len(table.rows) == len(ROWS) + 1
    assert table.rows[0][1] == "none"
    assert finding.values["kl_all_noisy_flows"] is not None
    assert finding.values["size_synthetic_residences"] == 0.0
