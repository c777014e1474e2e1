"""A claim is proved only where the list of cells tells nothing of the jobs, and says on what that rests."""

from __future__ import annotations

import dataclasses

import pytest

from tests.products.employment_tables import hand_made
from workbench.core.claims import Claim
from workbench.core.errors import UserProblem
from workbench.core.progress import QUIET
from workbench.mechanisms.contract import AnyMechanism
from workbench.microdata.inputs import Inputs
from workbench.microdata.table import Microdata
from workbench.products.employment_tables.params import DomainKind, EmploymentTablesParams
from workbench.products.employment_tables.product import SPEC
from workbench.products.employment_tables.tabulation.cells import Cells

COVERING_WORKERS = [
    mechanism for mechanism in SPEC.mechanisms if mechanism.id not in ("node-truncation", "node-down-sensitivity")
]


SMALL: list[hand_made.Jobs] = [("A", 0, 0, (5, 4)), ("B", 0, 0, (2, 2)), ("C", 1, 1, (20, 7)), ("E", 2, 1, (3, 3))]
REGISTERED: list[hand_made.Jobs] = [*SMALL, ("D", 3, 2, (1, 0))]


def prepared_with(
    jobs: list[hand_made.Jobs],
    domain: DomainKind,
    register: Microdata | None = None,
    workplace: tuple[str, ...] = ("place",),
) -> Cells:
    inputs = Inputs(
        microdata=hand_made.microdata(jobs),
        roles=hand_made.ROLES,
        companions={} if register is None else {"register": register},
    )
    return SPEC.prepare(inputs, EmploymentTablesParams(workplace=workplace, domain=domain), QUIET)


def claim_with(mechanism: AnyMechanism, domain: DomainKind) -> Claim:
    claim: Claim = mechanism.claim(
        prepared_with(hand_made.establishments(), domain, workplace=("place", "sector")), mechanism.params()
    )
    return claim


@pytest.mark.parametrize("mechanism", COVERING_WORKERS, ids=lambda mechanism: mechanism.id)
def test_that_a_list_of_cells_from_the_data_is_no_proved_guarantee(mechanism: AnyMechanism) -> None:
    """A cell disappears with its last worker: told for certain, whatever ε is."""
    claim = claim_with(mechanism, DomainKind.ESTABLISHMENTS)
    assert not claim.formal
    assert "the list of cells was taken from these data" in claim.sentence
    assert not any("stays listed" in assumption for assumption in claim.assumptions)


@pytest.mark.parametrize("mechanism", COVERING_WORKERS, ids=lambda mechanism: mechanism.id)
@pytest.mark.parametrize("domain", [DomainKind.ESTABLISHMENTS, DomainKind.REGISTERED])
def test_that_a_list_that_happens_to_be_complete_is_not_proved(mechanism: AnyMechanism, domain: DomainKind) -> None:
    """Four places, one of them with a single worker: with him the list is complete, without him it is not. The two
    tables have 4 and 3 rows, so no ε holds, and the claim is the same for both."""
    claims, rows = [], []
    for alone in ((1, 0), None):
        made = prepared_with(SMALL + ([("D", 3, 2, alone)] if alone else []), domain)
        claims.append(mechanism.claim(made, mechanism.params()))
        rows.append(made.domain.cells)
    assert rows == [4, 3]
    assert claims[0] == claims[1]
    assert not claims[0].formal
    assert claims[0].condition == "the list of cells, taken from these data"
    assert "public file" in claims[0].remedy


@pytest.mark.parametrize("mechanism", COVERING_WORKERS, ids=lambda mechanism: mechanism.id)
def test_that_a_list_read_from_a_public_file_is_proved_if_that_file_is_public(mechanism: AnyMechanism) -> None:
    """Its cells without jobs stay in as zeros, so the rows are the same with and without the lone worker."""
    claims, rows = [], []
    for alone in ((1, 0), None):
        jobs = SMALL + ([("D", 3, 2, alone)] if alone else [])
        made = prepared_with(jobs, DomainKind.REGISTERED, register=hand_made.microdata(REGISTERED))
        claims.append(mechanism.claim(made, mechanism.params()))
        rows.append(made.domain.keys(range(made.domain.cells)))
    assert rows[0] == rows[1] and len(rows[0]) == 4
    assert claims[0] == claims[1]
    assert claims[0].formal
    assert claims[0].provided == ("jobs is public and was not made from these data",)
    assert "provided that jobs is public" in claims[0].sentence


def test_that_an_establishment_outside_the_register_stops_the_preparer() -> None:
    with pytest.raises(UserProblem, match="not listed"):
        prepared_with([*SMALL, ("D", 3, 1, (1, 0))], DomainKind.REGISTERED, register=hand_made.microdata(SMALL))


@pytest.mark.parametrize("mechanism", COVERING_WORKERS, ids=lambda mechanism: mechanism.id)
def test_that_every_combination_of_values_needs_no_proviso(mechanism: AnyMechanism) -> None:
    for claim in (claim_with(mechanism, DomainKind.ALL), mechanism.claim(None, mechanism.params())):
        assert claim.formal
        assert not claim.provided
        assert "list" not in claim.sentence


def test_that_whole_establishments_are_hidden_only_where_every_cell_is_listed() -> None:
    (truncation,) = (mechanism for mechanism in SPEC.mechanisms if mechanism.id == "node-truncation")
    proved = {domain: claim_with(truncation, domain).formal for domain in DomainKind}
    assert proved == {DomainKind.ESTABLISHMENTS: False, DomainKind.REGISTERED: False, DomainKind.ALL: True}


@pytest.mark.parametrize("mechanism", COVERING_WORKERS, ids=lambda mechanism: mechanism.id)
@pytest.mark.parametrize("place", ["from_data", "listed_inside"])
def test_that_values_from_the_data_file_are_never_a_public_list(mechanism: AnyMechanism, place: str) -> None:
    cells = hand_made.cells(worker=False)
    cells = dataclasses.replace(cells, domain=dataclasses.replace(cells.domain, **{place: ("place",)}))
    assert not mechanism.claim(cells, mechanism.params()).formal
