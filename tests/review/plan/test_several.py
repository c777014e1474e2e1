"""A plan may name several baselines and other mechanisms; one that names a single baseline is what it always was."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.cli.small import PLAN
from tests.review.small_review import SMALL_PLAN
from workbench.core.errors import UserProblem
from workbench.products.registry import PRODUCTS
from workbench.review.plan.plan import Choice
from workbench.review.plan.plan_text import context_of, from_stored, from_text, run_text, to_text

EMPLOYMENT = next(product for product in PRODUCTS if product.id == "employment_tables")
SECTION = """[baseline]
id = "noise-infusion"
least = 0.1
most = 0.25
"""
RIVALS = """
[[rivals]]
id = "log-laplace"
epsilon = 2.0
alpha = 0.1

[[rivals]]
id = "block-gamma"
"""


def with_section(section: str) -> str:
    return PLAN.replace("[study]", f"{section}\n[study]")


@pytest.mark.parametrize(
    ("text", "digest"),
    [
        (PLAN, "ca2e25af9d757e452d0311a898de4a8a085f8370f6f2f266e456c56a103a330d"),
        (
            PLAN.replace("[study]", SECTION + "\n[study]"),
            "bea2a4357fcbcfb05f27665824941d048c641b8e92e9ffdd094db62878d6cea4",
        ),
    ],
    ids=["no section", "one section"],
)
def test_that_plans_written_before_have_the_digest_they_had(text: str, digest: str) -> None:
    """What is stored names plans by their digest: another one would make every decision stale.

    A stored plan names the versions of its checks and baselines, here the first; a text takes those of the program that
    reads it.
    """
    plan = from_text(text)
    checks, baselines = (tuple(replace(one, version=1) for one in those) for those in (plan.checks, plan.baselines))
    assert replace(plan, checks=checks, baselines=baselines).run_digest() == digest


def test_that_rivals_are_read_with_their_settings_and_written_again() -> None:
    plan = from_text(PLAN + RIVALS)
    assert [rival.id for rival in plan.rivals] == ["log-laplace", "block-gamma"]
    assert float(plan.rivals[0].params.epsilon) == 2.0
    assert from_text(to_text(plan)) == plan
    assert from_stored(run_text(plan), context_of(plan), "R-0001") == plan
    assert plan.run_digest() != from_text(PLAN).run_digest()
    assert replace(plan, rivals=()).run_digest() == from_text(PLAN).run_digest()


def test_that_several_baselines_are_a_list_of_sections() -> None:
    one = SMALL_PLAN.baselines[0]
    other = replace(one, id="another")
    listed = replace(SMALL_PLAN, baselines=(one, other)).plain()["baseline"]
    assert [entry["id"] for entry in listed] == [one.id, "another"]
    assert SMALL_PLAN.plain()["baseline"] == one.plain()
    assert "baseline" not in replace(SMALL_PLAN, baselines=()).plain()


def test_that_a_list_of_one_is_the_same_plan_as_a_section() -> None:
    listed = SECTION.replace("[baseline]", "[[baseline]]")
    assert from_text(with_section(listed)) == from_text(with_section(SECTION))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[[rivals]]\nepsilon = 1.0\n", "names no mechanism"),
        ('[[rivals]]\nid = "log-laplase"\n', "Did you mean “log-laplace”"),
        ('[[rivals]]\nid = "laplace"\n\n[[rivals]]\nid = "laplace"\n', "named more than once"),
        ('[[rivals]]\nid = "laplace"\nepsilon = -1.0\n', "[[rivals]]"),
        ('[rivals]\nid = "laplace"\n', "must be a list of sections"),
    ],
    ids=["no id", "misspelt", "twice", "bad setting", "not a list"],
)
def test_that_what_is_wrong_with_a_rival_is_told_with_its_place(text: str, said: str) -> None:
    with pytest.raises(UserProblem) as wrong:
        from_text(f"{PLAN}\n{text}")
    assert said in str(wrong.value)


def test_that_a_choice_of_every_rival_is_a_valid_plan() -> None:
    plan = replace(SMALL_PLAN, rivals=tuple(Choice.of(spec) for spec in EMPLOYMENT.mechanisms[1:]))
    assert from_text(to_text(plan), draft=True) == plan
