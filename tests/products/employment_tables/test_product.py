"""Employment tables: what is asked for, what comes out, and what a reviewer is told before any noise."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

from tests.products.employment_tables import hand_made
from tests.published import released
from workbench.core.confidential import Confidential
from workbench.core.findings import Audience, Finding, Status
from workbench.core.params import problems_of
from workbench.core.progress import QUIET
from workbench.microdata.inputs import Inputs
from workbench.microdata.roles import Role
from workbench.microdata.table import CodedColumn
from workbench.products.employment_tables import job_index
from workbench.products.employment_tables.params import DomainKind, EmploymentTablesParams
from workbench.products.employment_tables.product import SPEC
from workbench.products.employment_tables.tabulation.cells import Cells

PLACE_SECTOR_SEX = EmploymentTablesParams(workplace=("place", "sector"), worker=("sex",), domain=DomainKind.ALL)


def hand_made_inputs() -> Inputs:
    return Inputs(microdata=hand_made.microdata(), roles=hand_made.ROLES)


def by_name(cells: Cells, values: Confidential[Any]) -> dict[tuple[str, ...], int]:
    keys = cells.domain.keys(range(cells.domain.cells))
    return dict(zip(keys, values.reveal().tolist(), strict=True))


def facts(cells: Cells) -> dict[str, Finding]:
    return {finding.id: finding for finding in SPEC.describe(cells)}


def test_that_the_table_is_the_one_added_up_by_hand() -> None:
    made = SPEC.prepare(hand_made_inputs(), PLACE_SECTOR_SEX, QUIET)
    wanted = hand_made.cells()
    for name in ("count", "establishments", "largest", "largest_total"):
        assert by_name(made, getattr(made, name)) == by_name(wanted, getattr(wanted, name)), name
    assert made.contributions is not None
    assert made.jobs == wanted.jobs


def test_that_only_cells_with_establishments_are_listed_by_default() -> None:
    params = dataclasses.replace(PLACE_SECTOR_SEX, domain=DomainKind.ESTABLISHMENTS)
    made = SPEC.prepare(hand_made_inputs(), params, QUIET)
    full = hand_made.cells()
    listed = {key[:2] for key, count in by_name(full, full.count).items() if count}
    assert {key[:2] for key in made.domain.keys(range(made.domain.cells))} == listed
    assert SPEC.size(hand_made_inputs(), params) == 2 * len(listed) == made.domain.cells


def test_that_choosing_other_attributes_does_not_arrange_the_jobs_again() -> None:
    data = hand_made.microdata()
    first = job_index.index_of(data, hand_made.ROLES)
    SPEC.prepare(Inputs(microdata=data, roles=hand_made.ROLES), EmploymentTablesParams(workplace=("sector",)), QUIET)
    assert job_index.index_of(data, dict(hand_made.ROLES)) is first
    other = {**hand_made.ROLES, "sex": Role.IGNORE}
    assert job_index.index_of(data, other) is not first
    assert job_index.index_of(hand_made.microdata(), hand_made.ROLES) is not first


def test_that_the_published_column_has_the_name_that_was_asked_for() -> None:
    params = dataclasses.replace(PLACE_SECTOR_SEX, value_name="employment")
    made = SPEC.prepare(hand_made_inputs(), params, QUIET)
    release = released(np.zeros(made.domain.cells, dtype=np.int64))
    table = SPEC.public_table(made, release)
    assert table.names == ("place", "sector", "sex", "employment")
    assert set(table.coded("sector").values) == set(hand_made.SECTORS)


def test_that_rows_are_flagged_by_the_rule_in_words() -> None:
    data = hand_made.cells([("E1", 0, 0, (100, 0)), ("E2", 1, 0, (10, 0)), ("E3", 2, 0, (1000, 0))])
    true = data.count.reveal()
    values = true + np.where(true == 100, 26, np.where(true == 10, -10, np.where(true == 1000, 200, 0)))
    values[true == 0] = 11
    release = released(values)
    (beside,) = SPEC.side_by_side(data, SPEC.public_table(data, release), ())
    flagged = beside.flagged.reveal()
    assert flagged[true == 100].all()  # 26 %, 26 jobs
    assert not flagged[true == 10].any()  # 100 %, but only 10 jobs
    assert not flagged[true == 1000].any()  # 200 jobs, but only 20 %
    assert flagged[true == 0].all()  # 11 jobs where there are none
    assert "25 %" in beside.flag_rule
    assert "10 jobs" in beside.flag_rule
    assert beside.key_titles == ("Place", "Sector", "sex")
    assert set(beside.keys[1]) == {"Farming", "Utilities", "Factories"}


def test_that_sparsity_and_dominance_are_counted_cell_by_cell() -> None:
    data = hand_made.cells()
    count, largest = data.count.reveal().tolist(), data.largest.reveal().tolist()
    found = facts(data)
    assert found["table-sparsity"].values["cells"] == 24
    assert found["table-sparsity"].values["empty_cells"] == count.count(0)
    shares = [x / n for x, n in zip(largest, count, strict=True) if n]
    assert found["table-dominance"].values["dominated_share"] == pytest.approx(
        sum(share > 0.65 for share in shares) / len(shares)
    )
    single = sum(e == 1 for e in data.establishments.reveal().tolist())
    assert found["table-dominance"].values["single_establishment_cells"] == single
    (figure,) = found["table-dominance"].figures
    assert figure.series[0].y[-1] == pytest.approx(1.0)
    assert figure.series[0].y[50] == pytest.approx(sum(share <= 0.5 for share in shares) / len(shares))
    assert found["table-dominance"].audience is Audience.INTERNAL


def test_that_a_list_of_cells_taken_from_the_data_is_warned_of() -> None:
    assert facts(hand_made.cells())["table-domain"].status is Status.PASS
    taken = facts(hand_made.cells(from_data=("sector",)))["table-domain"]
    assert taken.status is Status.WARN
    assert "sector" in taken.sentence
    data = hand_made.microdata()
    sector = data.columns["sector"]
    assert isinstance(sector, CodedColumn)
    undeclared = dataclasses.replace(data, columns={**data.columns, "sector": dataclasses.replace(sector, labels={})})
    made = SPEC.prepare(Inputs(microdata=undeclared, roles=hand_made.ROLES), PLACE_SECTOR_SEX, QUIET)
    assert facts(made)["table-domain"].status is Status.WARN


def test_that_a_list_that_came_inside_the_data_file_is_warned_of() -> None:
    """Labels in a statistics package's file may have been made from the data; nobody can tell."""
    data = hand_made.microdata()
    sector = data.columns["sector"]
    assert isinstance(sector, CodedColumn)
    inside = dataclasses.replace(
        data, columns={**data.columns, "sector": dataclasses.replace(sector, labels_inside=True)}
    )
    params = dataclasses.replace(PLACE_SECTOR_SEX, domain=DomainKind.ALL)
    made = SPEC.prepare(Inputs(microdata=inside, roles=hand_made.ROLES), params, QUIET)
    assert made.domain.listed_inside == ("sector",)
    found = facts(made)["table-domain"]
    assert found.status is Status.WARN
    assert "sector are listed inside the data file" in found.sentence
    assert found.values["attributes_listed_inside"] == "sector"
    without = SPEC.prepare(
        Inputs(microdata=inside, roles=hand_made.ROLES), dataclasses.replace(params, workplace=("place",)), QUIET
    )
    assert facts(without)["table-domain"].status is Status.PASS


def test_that_a_weight_that_no_count_uses_is_told_of() -> None:
    data, inputs = hand_made.microdata(), hand_made_inputs()
    plain = SPEC.prepare(inputs, PLACE_SECTOR_SEX, QUIET)
    assert "table-weights" not in {finding.id for finding in SPEC.describe(plain)}
    weight = dataclasses.replace(data.columns["sex"], name="w")
    weighted = dataclasses.replace(data, columns={**data.columns, "w": weight})
    roles = {**hand_made.ROLES, "w": Role.WEIGHT}
    made = SPEC.prepare(Inputs(microdata=weighted, roles=roles), PLACE_SECTOR_SEX, QUIET)
    (told,) = (finding for finding in SPEC.describe(made) if finding.id == "table-weights")
    assert told.status is Status.WARN
    assert told.sentence.startswith("“w” has the role weight")
    assert np.array_equal(made.count.reveal(), plain.count.reveal())


def test_that_one_is_counted_in_the_singular() -> None:
    one = facts(hand_made.cells([("E1", 3, 0, (1, 0))]))["table-sparsity"].sentence
    assert "1 holds one or two jobs" in one
    assert "1 job at 1 establishment." in one


def test_that_a_list_of_cells_that_shows_where_jobs_are_is_warned_of() -> None:
    """Taking out the only worker of a cell would take its row out of the table, which no noise covers."""
    for domain, status in ((DomainKind.ESTABLISHMENTS, Status.WARN), (DomainKind.ALL, Status.PASS)):
        params = dataclasses.replace(PLACE_SECTOR_SEX, domain=domain)
        made = SPEC.prepare(hand_made_inputs(), params, QUIET)
        assert facts(made)["table-domain"].status is status


def test_that_a_table_of_empty_cells_can_still_be_described() -> None:
    assert facts(hand_made.cells([]))["table-sparsity"].values["empty_share"] == 1.0


@pytest.mark.parametrize(
    ("params", "words"),
    [
        (EmploymentTablesParams(), "No workplace attribute"),
        (EmploymentTablesParams(workplace=("place", "place")), "more than once"),
        (EmploymentTablesParams(workplace=("place",), value_name=" "), "no name"),
        (EmploymentTablesParams(workplace=("place",), value_name="place"), "already names"),
    ],
)
def test_that_impossible_choices_are_refused_in_words(params: EmploymentTablesParams, words: str) -> None:
    assert any(words in problem.what for problem in problems_of(params))


@pytest.mark.parametrize(
    ("workplace", "worker", "words"),
    [
        (("plase",), (), "Did you mean “place”"),
        (("sex",), (), "has the role worker attribute"),
        (("place",), ("sector",), "has the role workplace attribute"),
        (("note",), (), "has the role ignore"),
    ],
)
def test_that_a_column_that_does_not_fit_is_named(
    workplace: tuple[str, ...], worker: tuple[str, ...], words: str
) -> None:
    params = EmploymentTablesParams(workplace=workplace, worker=worker)
    problems = SPEC.problems(hand_made_inputs(), params)
    assert any(words in problem.sentence() for problem in problems)


def test_that_two_establishment_columns_are_one_too_many() -> None:
    roles = {**hand_made.ROLES, "note": Role.ESTABLISHMENT}
    (problem,) = SPEC.problems(Inputs(microdata=hand_made.microdata(), roles=roles), PLACE_SECTOR_SEX)
    assert "employer, note" in problem.what


def test_that_all_problems_of_a_table_come_at_once() -> None:
    params = EmploymentTablesParams(workplace=("plase",), worker=("sect",), value_name="")
    assert len(SPEC.problems(Inputs(microdata=hand_made.microdata(), roles={}), params)) == 5
