"""Table 1 in numbers: each protection against the requirements, by the losses of its own mechanism."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

import pytest

from workbench.core.findings import Audience, Finding
from workbench.core.progress import QUIET
from workbench.products.employment_tables.audit.protections import PROTECTIONS, protections, side_by_side


def table(cells: int, epsilon: str = "2", hidden: int = 0) -> Finding:
    alpha = Decimal("0.1")
    return protections(epsilon=Decimal(epsilon), alpha=alpha, cells=cells, hidden=hidden, public=True, context=QUIET)


def losses(found: Finding, key: str) -> dict[str, Any]:
    return {name.removeprefix(f"{key}_"): value for name, value in found.values.items() if name.startswith(f"{key}_")}


def test_that_the_papers_no_is_no_bound_and_its_yes_is_within_two_steps() -> None:
    found = table(8)
    assert found.audience is Audience.PUBLIC
    assert all(math.isinf(loss) for loss in losses(found, "infusion").values())
    edge = losses(found, "edge")
    assert edge["individuals"] == pytest.approx(4.0)
    assert math.isinf(edge["size"]) and math.isinf(edge["shape"])
    for key in ("node", "strong"):
        assert all(loss <= 4.0 * (1 + 1e-9) for loss in losses(found, key).values())
    weak = losses(found, "weak")
    assert weak["size_weakly"] <= 2.0 * (1 + 1e-9)
    assert math.isinf(weak["size"])
    assert math.isinf(weak["shape"])  # the source says yes; its proof lets go of the size


def test_that_a_table_without_worker_attributes_tells_nothing_of_shapes() -> None:
    found = table(1)
    assert [len(one.rows) for one in found.tables] == [len(PROTECTIONS)] * 3
    assert not any("shape" in name for name in found.values)
    assert len(side_by_side(found).columns) == 5


def test_that_a_definition_without_a_feasible_mechanism_says_so() -> None:
    told = {row[1] for one in table(8, "0.5").tables for row in one.rows if "Strong" in str(row[0])}
    assert told == {"infeasible"}


def test_that_workers_who_are_left_out_count_as_a_kind() -> None:
    """One kind counted, one left out: the cell-by-cell definition gives an informed attacker no bound on sizes."""
    assert math.isinf(losses(table(2, hidden=1), "weak")["size"])
    assert math.isfinite(losses(table(2, hidden=1), "strong")["size"])
