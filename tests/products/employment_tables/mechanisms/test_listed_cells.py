"""A claim is proved only where the list of cells tells nothing of the jobs, and says on what that rests."""

from __future__ import annotations

import dataclasses

import pytest

from tests.products.employment_tables import hand_made
from workbench.core.claims import Claim
from workbench.core.progress import QUIET
from workbench.mechanisms.contract import AnyMechanism
from workbench.microdata.inputs import Inputs
from workbench.products.employment_tables.params import DomainKind, EmploymentTablesParams
from workbench.products.employment_tables.product import SPEC

COVERING_WORKERS = [
    mechanism for mechanism in SPEC.mechanisms if mechanism.id not in ("node-truncation", "node-down-sensitivity")
]


def claim_with(mechanism: AnyMechanism, domain: DomainKind) -> Claim:
    params = EmploymentTablesParams(workplace=("place", "sector"), domain=domain)
    inputs = Inputs(microdata=hand_made.microdata(), roles=hand_made.ROLES)
    claim: Claim = mechanism.claim(SPEC.prepare(inputs, params, QUIET), mechanism.params())
    return claim


@pytest.mark.parametrize("mechanism", COVERING_WORKERS, ids=lambda mechanism: mechanism.id)
def test_that_a_list_of_cells_from_the_data_is_no_proved_guarantee(mechanism: AnyMechanism) -> None:
    """A cell disappears with its last worker: told for certain, whatever ε is."""
    claim = claim_with(mechanism, DomainKind.ESTABLISHMENTS)
    assert not claim.formal
    assert "the list was taken from these data" in claim.sentence
    assert not any("stays listed" in assumption for assumption in claim.assumptions)


@pytest.mark.parametrize("mechanism", COVERING_WORKERS, ids=lambda mechanism: mechanism.id)
def test_that_a_list_declared_public_is_proved_provided_that_it_is(mechanism: AnyMechanism) -> None:
    claim = claim_with(mechanism, DomainKind.REGISTERED)
    assert claim.formal
    assert "provided that the list of cells is public" in claim.sentence


@pytest.mark.parametrize("mechanism", COVERING_WORKERS, ids=lambda mechanism: mechanism.id)
def test_that_every_combination_of_values_needs_no_proviso(mechanism: AnyMechanism) -> None:
    for claim in (claim_with(mechanism, DomainKind.ALL), mechanism.claim(None, mechanism.params())):
        assert claim.formal
        assert "list" not in claim.sentence


def test_that_whole_establishments_are_hidden_only_where_every_cell_is_listed() -> None:
    (truncation,) = (mechanism for mechanism in SPEC.mechanisms if mechanism.id == "node-truncation")
    proved = {domain: claim_with(truncation, domain).formal for domain in DomainKind}
    assert proved == {DomainKind.ESTABLISHMENTS: False, DomainKind.REGISTERED: False, DomainKind.ALL: True}


@pytest.mark.parametrize("mechanism", COVERING_WORKERS, ids=lambda mechanism: mechanism.id)
def test_that_declaring_the_list_does_not_make_values_from_the_data_public(mechanism: AnyMechanism) -> None:
    cells = hand_made.cells(worker=False, from_data=("place",))
    cells = dataclasses.replace(cells, domain=dataclasses.replace(cells.domain, declared_public=True))
    assert not mechanism.claim(cells, mechanism.params()).formal


def test_that_both_lists_hold_the_same_cells() -> None:
    inputs = Inputs(microdata=hand_made.microdata(), roles=hand_made.ROLES)
    listed = [
        SPEC.prepare(inputs, EmploymentTablesParams(workplace=("place", "sector"), domain=domain), QUIET).domain
        for domain in (DomainKind.ESTABLISHMENTS, DomainKind.REGISTERED)
    ]
    assert listed[0].workplace_cells.tolist() == listed[1].workplace_cells.tolist()
    assert [domain.declared_public for domain in listed] == [False, True]
