"""What is printed: every price as it was proved, and conditions where something is not."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from tests.products.commuting_flows import hand_made_flows as made
from workbench.core.claims import Definition, Standing
from workbench.core.quantities import Epsilon
from workbench.microdata.roles import Role
from workbench.products.commuting_flows.flows.structures import PopulationList
from workbench.products.commuting_flows.noisy_flows import SPEC, NoisyFlowsParams
from workbench.products.commuting_flows.noisy_flows.params import Unit
from workbench.products.commuting_flows.product import SPEC as PRODUCT

JOB, HOME = NoisyFlowsParams(), NoisyFlowsParams(unit=Unit.HOME, epsilon=Epsilon(4))


def test_that_the_job_sentence_prices_presence_home_and_record_apart() -> None:
    claim = SPEC.claim(made.listed(), JOB)
    assert claim.epsilon == 4
    for price in ("(ε 4)", "(ε 6.4)", "(ε 8)"):
        assert price in claim.sentence
    assert "J times these ε" in claim.sentence
    assert "Each year adds" in claim.sentence
    assert "o exceptions" not in claim.sentence
    assert claim.definition is Definition.EDGE
    assert [(part.name, part.epsilon) for part in claim.parts] == [
        ("sizes of populations", Decimal("0.8")), ("homes", Decimal("3.2")),
    ]  # fmt: skip
    assert claim.exact == ()


def test_that_several_jobs_multiply_every_price() -> None:
    claim = SPEC.claim(made.listed(jobs_per_worker=2), JOB)
    assert claim.epsilon == 8
    for price in ("up to 2 jobs", "(ε 8)", "(ε 12.8)", "(ε 16)"):
        assert price in claim.sentence
    home = SPEC.claim(made.listed(jobs_per_worker=2), HOME)
    assert home.epsilon == 8
    assert "up to 2 jobs" in home.sentence


def test_that_the_home_unit_says_that_nobody_is_protected_in_presence() -> None:
    claim = SPEC.claim(made.listed(), HOME)
    assert claim.definition is Definition.RESIDENCE
    assert claim.epsilon == 4
    assert "nobody's presence" in claim.sentence
    assert "with one job" in claim.sentence
    assert claim.exact, "true sizes are told"
    assert claim.formal


def test_that_a_list_from_the_data_is_conditional_for_jobs_and_says_so() -> None:
    listed = made.listed(populations=PopulationList.DATA)
    claim = SPEC.claim(listed, JOB)
    assert claim.standing is Standing.NOT_FORMAL
    assert "taken from these data" in claim.condition
    assert "does not hide which populations exist" in claim.sentence
    assert "register" in claim.remedy
    assert SPEC.claim(listed, HOME).formal, "sizes are public there, so the list is too"


def test_that_what_nobody_can_check_must_be_declared() -> None:
    claim = SPEC.claim(made.listed(), JOB)
    assert claim.standing is Standing.PROVED_IF
    assert any("last_year.csv is public" in each for each in claim.provided)
    assert any("no worker has more than 1 job" in each for each in claim.provided)


def with_age(dictionary: bool) -> Any:
    import dataclasses

    data = made.table(
        "jobs.csv", {"work": ["0101"] * 4, "home": ["0101", "0211", "0101", ""], "age": ["1", "2", "1", "1"]}
    )
    if dictionary:
        columns = dict(data.columns)
        columns["age"] = dataclasses.replace(columns["age"], labels={"1": "young", "2": "middle", "3": "old"})  # type: ignore[type-var]
        data = dataclasses.replace(data, columns=columns)
    roles = {"work": Role.GEOGRAPHY, "home": Role.PERSON, "age": Role.PERSON}
    inputs = dataclasses.replace(made.listed_inputs(), microdata=data, roles=roles)
    from workbench.core.progress import QUIET

    return PRODUCT.prepare(inputs, made.listed_params(jobs="", characteristics=("age",)), QUIET)


def test_that_values_without_a_dictionary_are_conditional_and_declared_ones_are_all_listed() -> None:
    met = SPEC.claim(with_age(dictionary=False), JOB)
    assert not met.formal
    assert any("“age”" in each for each in met.assumptions)
    listed = with_age(dictionary=True)
    assert listed.facts.keys == (("1",), ("2",), ("3",))
    assert listed.characteristic == ("young", "middle", "old")
    assert listed.populations == 3 * len(made.BLOCKS)
    assert SPEC.claim(listed, JOB).formal


@pytest.mark.parametrize("unit", list(Unit))
def test_that_years_add_and_imputation_is_named(unit: Unit) -> None:
    claim = SPEC.claim(made.listed(), NoisyFlowsParams(unit=unit))
    assert "each year included" in claim.composition
    assert any("after imputation" in each for each in claim.assumptions)
    assert any("ε is in the ledger" in each for each in claim.assumptions)
