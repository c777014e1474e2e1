"""Larger areas, and groups of them, with an ε of their own: what a person pays, and what the ledger enters."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from tests.products.area_estimates import hand_made
from workbench.accounting.entries import entries_of
from workbench.core.params import Rows
from workbench.core.progress import QUIET
from workbench.core.quantities import Epsilon
from workbench.core.randomness import StudyRandom
from workbench.mechanisms.observed_sensitivity import losses
from workbench.microdata.roles import Role
from workbench.products.area_estimates.area_data import AreaData
from workbench.products.area_estimates.mechanisms import fractional_table, mos
from workbench.products.area_estimates.own_epsilon import OwnEpsilon, by_pool, shares
from workbench.products.area_estimates.product import SPEC
from workbench.review.publish.report_facts import allocation


def test_that_a_larger_area_can_have_its_own_epsilon_and_the_largest_counts() -> None:
    prepared = hand_made.prepared()
    own = Rows({"There": fractional_table.OwnEpsilon(epsilon=Epsilon(5))})
    params = fractional_table.FractionalTableParams(epsilon=Epsilon(1), larger=own)
    claim = fractional_table.SPEC.claim(prepared, params)
    assert claim.epsilon == 5
    assert [(part.name, part.epsilon) for part in claim.parts] == [("Here", 1), ("There", 5)]
    (entered,) = entries_of(claim)  # under every policy the largest alone is spent, with its witness in words
    assert (entered.epsilon, entered.part) == (5, "")
    assert claim.workings == (
        "ε 1 for Here; ε 5 for There. Each person has one of them in this draw, enforced, so that the largest counts."
    )
    assert allocation(claim) == f"ε = 5 in all. {claim.workings}"
    assert fractional_table.SPEC.exact_loss(prepared, params, QUIET).epsilon == pytest.approx(5)
    drawn = np.array(
        [
            fractional_table.SPEC.study(prepared, params, StudyRandom(seed), QUIET).reveal().units("count").numbers()
            for seed in range(400)
        ]
    )
    spread = drawn.std(axis=0)
    assert spread[:2] == pytest.approx(np.sqrt(8) / 0.9, rel=0.2)
    assert spread[2:] == pytest.approx(np.sqrt(8) / 4.5, rel=0.2)
    assert drawn.mean(axis=0) == pytest.approx(list(hand_made.SIZES), abs=0.6)


def test_that_a_larger_area_that_is_none_is_told() -> None:
    own = Rows({"Nowhere": fractional_table.OwnEpsilon()})
    params = fractional_table.FractionalTableParams(larger=own)
    (problem,) = fractional_table.SPEC.problems(hand_made.prepared(), params)
    assert problem.where == "larger.Nowhere"


def with_sexes() -> AreaData:
    """The hand-made file with men and women in every area."""
    sexes = hand_made.coded("sex", ["women" if place % 2 else "men" for place in range(83)], {"men": "", "women": ""})
    inputs = hand_made.inputs({"sex": sexes})
    inputs = dataclasses.replace(inputs, roles={**inputs.roles, "sex": Role.GROUP})
    prepared: AreaData = SPEC.prepare(inputs, hand_made.params(groups=("sex",)), QUIET)
    return prepared


def test_that_a_group_of_a_larger_area_can_have_its_own_epsilon() -> None:
    prepared = with_sexes()
    assert prepared.places.pool_names == ("Here × men", "There × men", "Here × women", "There × women")
    own = Rows({"Here × women": OwnEpsilon(epsilon=Epsilon(6)), "There": OwnEpsilon(epsilon=Epsilon(3))})
    params = fractional_table.FractionalTableParams(epsilon=Epsilon(1), larger=own)
    assert by_pool(prepared.places, params.epsilon, own) == (1, 3, 6, 3)
    claim = fractional_table.SPEC.claim(prepared, params)
    assert claim.epsilon == 6
    assert {part.name: part.epsilon for part in claim.parts} == {
        "Here × men": 1, "There × men, There × women": 3, "Here × women": 6,
    }  # fmt: skip
    divided = shares(prepared.places, params.epsilon, own)
    assert sorted(np.concatenate([share.cells for share in divided]).tolist()) == list(range(prepared.places.cells))
    (entered,) = entries_of(claim)
    assert entered.epsilon == 6
    assert claim.workings.startswith("ε 1 for Here × men; ε 3 for There × men, There × women; ε 6 for Here × women. ")
    drawn = np.array(
        [
            fractional_table.SPEC.study(prepared, params, StudyRandom(seed), QUIET).reveal().units("count").numbers()
            for seed in range(300)
        ]
    )
    by_cell = np.repeat([1.0, 3.0, 6.0, 3.0], 2)
    assert drawn.std(axis=0) * by_cell == pytest.approx(np.sqrt(8) / 0.9, rel=0.25)
    assert drawn.mean(axis=0) == pytest.approx(prepared.lines.reveal()[0].size.tolist(), abs=0.7)


def test_that_a_person_in_two_groups_is_in_the_first_of_both_by_name() -> None:
    """What the witness of a group rests on: area and group of a person follow from those two columns alone."""
    names, area, *_ = hand_made.rows()
    names[1] = names[0]  # two rows of one person in one area, a man's and a woman's
    sexes = ["women", "men", *["men"] * 81]
    both = []
    for order in (slice(None), slice(None, None, -1)):
        columns = {
            "person": hand_made.coded("person", names[order]),
            "tract": hand_made.coded("tract", area[order]),
            "sex": hand_made.coded("sex", sexes[order], {"men": "", "women": ""}),
        }
        inputs = hand_made.inputs(columns)
        inputs = dataclasses.replace(inputs, roles={**inputs.roles, "sex": Role.GROUP})
        data = SPEC.prepare(inputs, hand_made.params(groups=("sex",)), QUIET)
        both.append(data.lines.reveal()[0].size.tolist())
    assert both == [[29, 8, 45, 0, 0, 0, 0, 0]] * 2


def test_that_observed_sensitivity_can_spend_more_on_some_pools() -> None:
    prepared = hand_made.prepared()
    own = Rows({"There": OwnEpsilon(epsilon=Epsilon(2))})
    params = mos.MosParams(epsilon=Epsilon(8), minimum=3, larger=own)
    one, other = (mos.noise_scales(prepared, each)[1][0] for each in (params, mos.MosParams(minimum=3)))
    assert one[:3] / other[:3] == pytest.approx([1.0, 1.0, 4.0])
    claim = mos.SPEC.claim(prepared, params)
    assert claim.epsilon == 24  # of the dearest pool, once for each statistic
    assert any("the largest counts" in said and "2 in 1 pool" in said for said in claim.assumptions)
    assert sum(entry.epsilon for entry in entries_of(claim)) == 24
    cheaper = Rows({name: OwnEpsilon(epsilon=Epsilon(1)) for name in ("Here", "There")})
    assert mos.SPEC.claim(prepared, mos.MosParams(larger=cheaper)).epsilon == 3
    loss = mos.SPEC.exact_loss(prepared, params, QUIET)
    assert loss.epsilon == 24
    assert loss.delta == pytest.approx(1 - (1 - losses.joining_delta(9, 8.0)) ** 2)
    drawn = np.array(
        [
            mos.SPEC.study(prepared, params, StudyRandom(seed), QUIET).reveal().units("count").numbers()
            for seed in range(400)
        ]
    )
    assert np.abs(drawn - hand_made.SIZES)[:, 2:].mean() == pytest.approx(1 / np.sinh(2), rel=0.2)
    assert np.abs(drawn - hand_made.SIZES)[:, :2].mean() < 0.01
    assert mos.SPEC.expected_error(prepared, params).reveal()[2, -2] == pytest.approx(1 / np.sinh(2))
    wrong = mos.MosParams(larger=Rows({"Nowhere": OwnEpsilon()}))
    assert [problem.where for problem in mos.SPEC.problems(prepared, wrong)] == ["larger.Nowhere"]
