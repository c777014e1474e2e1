"""A plan is the same plan after it was written and read again, whole or in the two parts a project keeps."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.review.small_review import SMALL_PLAN
from workbench.core.errors import UserProblem
from workbench.core.params import fields_of
from workbench.core.quantities import Epsilon
from workbench.microdata.options import DecimalMark, Delimiter, Header, ReadOptions
from workbench.microdata.roles import ROLES
from workbench.products.registry import PRODUCTS
from workbench.review.plan.plan import DataPlan, Plan, blank
from workbench.review.plan.plan_text import context_of, from_stored, from_text, run_text, to_text
from workbench.review.plan.sections import PolicyParams, ReleaseContext, StudyParams

words = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
names = words.filter(lambda word: word.strip() != "")
positive = st.decimals(min_value=Decimal("0.0001"), max_value=50, allow_nan=False, allow_infinity=False, places=6)


@st.composite
def plans(draw: st.DrawFn) -> Plan:
    context = ReleaseContext(**{field.name: draw(words) for field in fields_of(ReleaseContext)})
    options = ReadOptions(
        delimiter=draw(st.sampled_from(Delimiter)), header=draw(st.sampled_from(Header)),
        decimal=draw(st.sampled_from(DecimalMark)), missing=tuple(draw(st.lists(words, max_size=3))),
    )  # fmt: skip
    roles = draw(st.dictionaries(names, st.sampled_from(ROLES), max_size=5))
    plan = SMALL_PLAN
    number = draw(
        st.one_of(positive, st.integers(1, 50).map(Decimal), st.sampled_from([Decimal("1E+1"), Decimal("1E-7")]))
    )
    chosen = draw(st.lists(st.sampled_from([check.id for check in blank(PRODUCTS[0]).checks]), unique=True))
    every = {choice.id: choice for choice in blank(PRODUCTS[0]).checks}
    return replace(
        plan,
        release=context,
        data=DataPlan(path=draw(words), dictionary=draw(words), roles=roles, options=options),
        mechanism=replace(plan.mechanism, params=replace(plan.mechanism.params, epsilon=Epsilon(number))),
        checks=tuple(every[name] for name in chosen),
        study=StudyParams(trials=draw(st.integers(1, 1000)), seed=draw(st.integers(0, 2**62))),
        policy=PolicyParams(budget=draw(positive)),
    )  # fmt: skip


@settings(deadline=None)
@given(plans())
def test_that_a_plan_survives_its_text(plan: Plan) -> None:
    again = from_text(to_text(plan), draft=True)
    assert again == plan
    assert again.digest() == plan.digest()
    assert again.run_digest() == plan.run_digest()
    assert to_text(again) == to_text(plan), "saving what was read changes nothing, so nothing becomes stale"


@settings(deadline=None)
@given(plans())
def test_that_a_plan_survives_the_two_parts_a_project_keeps(plan: Plan) -> None:
    again = from_stored(run_text(plan), context_of(plan), "R-0001")
    assert again == plan
    assert (run_text(again), context_of(again)) == (run_text(plan), context_of(plan))


@settings(deadline=None)
@given(plans(), plans())
def test_that_context_and_policy_are_no_part_of_what_is_run(one: Plan, other: Plan) -> None:
    """Mending a typing error in the purpose must not call for another draw."""
    mended = replace(one, release=other.release, policy=other.policy)
    assert run_text(mended) == run_text(one)
    assert mended.run_digest() == one.run_digest()


@settings(deadline=None)
@given(plans(), plans())
def test_that_two_plans_have_the_same_digest_only_where_they_are_the_same(one: Plan, other: Plan) -> None:
    assert (one.digest() == other.digest()) == (one == other)


def test_that_each_digest_moves_with_what_it_depends_on_and_with_nothing_else() -> None:
    plan = SMALL_PLAN
    data = replace(plan, data=replace(plan.data, path="other.csv"))
    product = replace(plan, product=replace(plan.product, params=replace(plan.product.params, workplace=("place",))))
    epsilon = replace(
        plan, mechanism=replace(plan.mechanism, params=replace(plan.mechanism.params, epsilon=Epsilon(3)))
    )
    moved = {
        name: (p.data_digest() != plan.data_digest(), p.prepared_digest() != plan.prepared_digest(),
               p.run_digest() != plan.run_digest())
        for name, p in {"data": data, "product": product, "epsilon": epsilon}.items()
    }  # fmt: skip
    assert moved == {"data": (True, True, True), "product": (False, True, True), "epsilon": (False, False, True)}


def test_that_an_epsilon_is_exactly_what_was_typed() -> None:
    text = to_text(SMALL_PLAN).replace("epsilon = 1.5", "epsilon = 0.1000000000000000055")
    assert from_text(text).mechanism.params.epsilon == Decimal("0.1000000000000000055")


def test_that_what_is_left_out_has_its_default() -> None:
    plan = from_text('[product]\nid = "employment_tables"\nworkplace = ["place"]\n')
    assert plan == replace(blank(PRODUCTS[0]), product=plan.product)


def test_that_a_draft_may_be_incomplete_but_not_unreadable() -> None:
    blank_text = to_text(blank(PRODUCTS[0]))
    assert from_text(blank_text, draft=True) == blank(PRODUCTS[0])
    with pytest.raises(UserProblem, match="No workplace attribute"):
        from_text(blank_text)
    with pytest.raises(UserProblem, match="not a known setting"):
        from_text(blank_text.replace("epsilon", "epsilom"), draft=True)
