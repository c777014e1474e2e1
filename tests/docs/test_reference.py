"""The plan reference is generated, complete and true."""

from __future__ import annotations

import re
from itertools import chain
from pathlib import Path

import pytest

from workbench.core.params import fields_of, problems_of
from workbench.core.specs import Spec
from workbench.microdata.options import ReadOptions
from workbench.microdata.roles import ROLES
from workbench.products.registry import PRODUCTS
from workbench.review.plan.plan import blank
from workbench.review.plan.plan_text import from_text
from workbench.review.plan.reference import main, plan_reference
from workbench.review.plan.sections import PolicyParams, ReleaseContext, StudyParams

ROOT = Path(__file__).resolve().parents[2]
KINDS = ("mechanisms", "baselines", "checks", "measures")


def plug_ins() -> tuple[Spec, ...]:
    found = (getattr(product, kind) for product in PRODUCTS for kind in KINDS)
    return (*PRODUCTS, *chain.from_iterable(found))


def test_that_the_reference_in_the_docs_is_the_generated_one() -> None:
    kept = (ROOT / "docs" / "plan.md").read_text(encoding="utf-8")
    assert kept == plan_reference(), "docs/plan.md is out of date: run `make docs`"


def test_that_the_generator_writes_the_file_it_is_given(tmp_path: Path) -> None:
    assert main([str(tmp_path / "plan.md")]) == 0
    assert (tmp_path / "plan.md").read_text(encoding="utf-8") == plan_reference()


@pytest.mark.parametrize("spec", plug_ins(), ids=lambda spec: spec.id)
def test_that_every_plug_in_is_described(spec: Spec) -> None:
    assert f"**{spec.title}**, version {spec.version}. {spec.summary}" in plan_reference()


@pytest.mark.parametrize(
    "params",
    [ReleaseContext, ReadOptions, StudyParams, PolicyParams, *dict.fromkeys(spec.params for spec in plug_ins())],
    ids=lambda params: params.__name__,
)
def test_that_every_setting_has_a_row_with_label_help_and_bounds(params: type) -> None:
    rows = plan_reference().replace("\\|", "|").splitlines()
    for field in fields_of(params):
        own = [row for row in rows if row.startswith(f"| `{field.name}` |") and f"**{field.label}**" in row]
        assert any(field.help in row and field.range_words() in row for row in own), field.name
        assert any(all(f'`"{choice}"`' in row for choice in field.choices) for row in own), field.name


def test_that_every_row_has_four_cells() -> None:
    rows = [line for line in plan_reference().splitlines() if line.startswith("|")]
    assert rows
    assert all(len(re.split(r"(?<!\\)\|", row)) == 6 for row in rows)


def test_that_every_role_is_named() -> None:
    section = plan_reference().split("### `[data.roles]`")[1].split("###")[0]
    assert all(role in section for role in ROLES)


def test_that_the_plan_at_the_end_is_a_valid_plan_with_every_default() -> None:
    (text,) = re.findall(r"```toml\n(.*?)```", plan_reference(), flags=re.DOTALL)
    plan = from_text(text)
    assert problems_of(plan.product.params) == ()
    empty = blank(PRODUCTS[0], title="A title")
    assert (plan.mechanism, plan.baselines, plan.checks) == (empty.mechanism, empty.baselines, empty.checks)
    assert (plan.study, plan.policy, plan.release) == (empty.study, empty.policy, empty.release)
