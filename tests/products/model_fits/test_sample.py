"""The sample of model fits: two plans over the same people, at any number of rows."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.core.progress import QUIET
from workbench.review.plan.plan_text import read_plan
from workbench.review.publish.samples import write_sample
from workbench.review.run.opening import load_data
from workbench.review.run.prepare import prepare


@pytest.mark.parametrize(("name", "coefficients"), [("plan.toml", 2), ("ten_predictors.toml", 11)])
def test_that_both_plans_go_with_a_twin_of_any_size(tmp_path: Path, name: str, coefficients: int) -> None:
    write_sample("model_fits", tmp_path, twin={"rows": 300}, context=QUIET)
    plan = read_plan(tmp_path / name)
    made = prepare(load_data(plan, base=tmp_path, context=QUIET), plan, QUIET).value
    assert made.coefficients == coefficients
    assert len(made.outcome.reveal()) == 300
    assert made.bounded
    assert made.beyond.reveal() == made.left_out.reveal() == 0


def test_that_education_raises_the_chance_of_being_married_in_the_sample(tmp_path: Path) -> None:
    write_sample("model_fits", tmp_path, twin={"rows": 20_000}, context=QUIET)
    plan = read_plan(tmp_path / "plan.toml")
    made = prepare(load_data(plan, base=tmp_path, context=QUIET), plan, QUIET).value
    slope = (made.change_of_units @ made.exact.reveal())[1]
    assert 0.08 < slope < 0.16, "drawn with .13 beside nine others, which weakens it a little"
