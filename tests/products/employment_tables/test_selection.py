"""Tables of chosen values: what they hold, what each definition allows them to claim, and what is refused."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from tests.products.employment_tables import hand_made
from workbench.audit import exact_loss
from workbench.audit.contract import Subject
from workbench.core.claims import Definition
from workbench.core.errors import UserProblem
from workbench.core.findings import Status
from workbench.core.params import Rows, parse, problems_of, to_plain
from workbench.core.progress import QUIET
from workbench.microdata.inputs import Inputs
from workbench.products.employment_tables.audit import requirements
from workbench.products.employment_tables.mechanisms import laplace, node_truncation
from workbench.products.employment_tables.mechanisms.block import gamma as block_gamma
from workbench.products.employment_tables.mechanisms.cell import (
    log_laplace,
    log_staircase,
    smooth_gamma,
    smooth_laplace,
)
from workbench.products.employment_tables.params import DomainKind, EmploymentTablesParams, SelectedValues
from workbench.products.employment_tables.product import SPEC as PRODUCT
from workbench.products.employment_tables.tabulation.cells import Cells
from workbench.products.employment_tables.words import JOBS

ALPHA = Fraction(1, 10)
CELL_BY_CELL = (log_laplace.SPEC, smooth_gamma.SPEC, smooth_laplace.SPEC, log_staircase.SPEC)
SMALL = [("A", 0, 0, (3, 17)), ("B", 0, 0, (0, 30)), ("C", 1, 0, (12, 1)), ("D", 2, 1, (5, 5)), ("E", 2, 2, (1, 0))]


def params(select: dict[str, tuple[str, ...]], **more: Any) -> EmploymentTablesParams:
    chosen = Rows({name: SelectedValues(values=values) for name, values in select.items()})
    return EmploymentTablesParams(**{"workplace": ("place", "sector"), "domain": DomainKind.ALL, **more}, select=chosen)


def prepared(rows: Any, made: EmploymentTablesParams) -> Cells:
    inputs = Inputs(microdata=hand_made.microdata(rows), roles=hand_made.ROLES)
    return PRODUCT.prepare(inputs, made, QUIET)


def by_key(cells: Cells, values: Any) -> dict[tuple[str, ...], int]:
    return dict(zip(cells.domain.keys(range(cells.domain.cells)), values.tolist(), strict=True))


def test_that_one_kind_of_worker_is_counted_per_cell_and_whole_sizes_stay() -> None:
    cells = prepared(SMALL, params({"sex": ("F",)}))
    count = by_key(cells, cells.count.reveal())
    assert count["hamlet", "11", "F"] == 3
    assert count["village", "11", "F"] == 12
    assert sum(count.values()) == 21
    assert cells.domain.worker_combinations == 1
    sizes = dict(zip(map(tuple, cells.domain.workplace_cells.tolist()), cells.workplace_largest.reveal(), strict=True))
    values = [attribute.values for attribute in cells.domain.workplace]
    assert sizes[values[0].index("hamlet"), 0] == 30  # B employs no woman, and is the largest all the same
    assert by_key(cells, cells.largest.reveal())["hamlet", "11", "F"] == 3
    assert by_key(cells, cells.largest_total.reveal())["hamlet", "11", "F"] == 20


def test_that_chosen_places_leave_the_others_out_and_keep_their_words() -> None:
    whole = prepared(SMALL, params({}, worker=("sex",)))
    some = prepared(SMALL, params({"place": ("hamlet", "town")}, worker=("sex",)))
    assert {key[0] for key in some.domain.keys(range(some.domain.cells))} == {"hamlet", "town"}
    for name in ("count", "establishments", "largest", "largest_total"):
        before, after = by_key(whole, getattr(whole, name).reveal()), by_key(some, getattr(some, name).reveal())
        assert after == {key: value for key, value in before.items() if key[0] in ("hamlet", "town")}


def test_that_values_of_an_attribute_that_is_not_shown_are_added_up() -> None:
    whole = prepared(SMALL, params({}, workplace=("place",)))
    two = prepared(SMALL, params({"sector": ("11", "22")}, workplace=("place",)))
    assert by_key(two, two.count.reveal()) == {
        ("city", "11; 22"): 0, ("hamlet", "11; 22"): 50, ("town", "11; 22"): 10, ("village", "11; 22"): 13,
    }  # fmt: skip
    assert by_key(whole, whole.count.reveal())[("town",)] == 11


def test_that_one_query_is_one_row() -> None:
    one = prepared(SMALL, params({"sex": ("F",), "place": ("hamlet",), "sector": ("11",)}, workplace=(),
                                 without_workplace=True))  # fmt: skip
    assert one.count.reveal().tolist() == [3]
    assert one.workplace_largest.reveal().tolist() == [30]


def test_that_the_total_alone_and_worker_cells_alone_are_tables_too() -> None:
    total = prepared(SMALL, params({}, workplace=(), without_workplace=True))
    assert total.count.reveal().tolist() == [74]
    assert total.workplace_largest.reveal().tolist() == [30]
    sexes = prepared(SMALL, params({}, workplace=(), without_workplace=True, worker=("sex",)))
    assert sexes.count.reveal().tolist() == [21, 53]
    table = PRODUCT.public_table(total, laplace.SPEC.study(total, laplace.LaplaceParams(), _study(), QUIET).reveal())
    assert table.rows == 1


def _study() -> Any:
    from workbench.core.randomness import StudyRandom

    return StudyRandom(1)


def test_that_naming_every_value_restricts_nothing() -> None:
    every = prepared(SMALL, params({"sex": ("F", "M")}))
    assert not every.domain.leaves_out_workers
    assert every.count.reveal().sum() == 74


TABLES = {
    "women": params({"sex": ("F",)}),
    "women of two places": params({"sex": ("F",), "place": ("hamlet", "village")}, workplace=("sector",)),
    "total": params({}, workplace=(), without_workplace=True),
    "sexes alone": params({}, workplace=(), without_workplace=True, worker=("sex",)),
    "women alone": params({"sex": ("F",)}, workplace=(), without_workplace=True),
    "some places by sex": params({"place": ("hamlet", "town")}, worker=("sex",)),
}
EVERY_TABLE = pytest.mark.parametrize("made", TABLES.values(), ids=TABLES)


def strong_steps() -> Iterator[list[Any]]:
    """Every strong step of the small data: any establishment, any number of workers it may gain, of any kinds."""
    for place, (name, where, sector, (women, men)) in enumerate(SMALL):
        most = max(int(ALPHA * (women + men)), 1)
        for gained in range(1, most + 1):
            for more in range(gained + 1):
                grown = (name, where, sector, (women + more, men + gained - more))
                yield [*SMALL[:place], grown, *SMALL[place + 1 :]]


@EVERY_TABLE
def test_that_a_strong_step_moves_a_block_by_no_more_than_its_scale(made: EmploymentTablesParams) -> None:
    """By brute force through the product's own tabulation: one workplace cell, in L1, and its scale by 1 + α."""
    before = prepared(SMALL, made)
    width = before.domain.worker_combinations
    scale = np.maximum(before.workplace_largest.reveal() / 10, 1)
    for rows in strong_steps():
        after = prepared(rows, made)
        moved = np.abs(after.count.reveal() - before.count.reveal()).reshape(-1, width).sum(axis=1)
        grown = np.maximum(after.workplace_largest.reveal() / 10, 1)
        touched = np.flatnonzero((moved > 0) | (grown != scale))
        assert len(touched) <= 1
        assert np.all(moved <= scale + 1e-12)
        assert np.all(grown <= 1.1 * scale + 1e-12)


@EVERY_TABLE
def test_that_one_worker_and_one_establishment_move_a_table_by_what_is_claimed(made: EmploymentTablesParams) -> None:
    before = prepared(SMALL, made).count.reveal()
    for place, sex in itertools.product(range(len(SMALL)), (0, 1)):
        name, where, sector, by_sex = SMALL[place]
        fewer = tuple(jobs - (number == sex and jobs > 0) for number, jobs in enumerate(by_sex))
        rows = [*SMALL[:place], (name, where, sector, fewer), *SMALL[place + 1 :]]
        assert np.abs(prepared([row for row in rows if any(row[3])], made).count.reveal() - before).sum() <= 1
        without = [*SMALL[:place], *SMALL[place + 1 :]]
        moved = np.abs(_truncated(without, made, 20) - _truncated(SMALL, made, 20)).sum()
        assert moved <= 20


def _truncated(rows: Any, made: EmploymentTablesParams, theta: int) -> Any:
    cells = prepared(rows, made)
    return cells.count.reveal() - node_truncation.left_out(cells, theta)


def weak_steps() -> Iterator[list[Any]]:
    """Steps in which women, men and all of them each grow by no more than the weak definition allows."""
    for place, (name, where, sector, (women, men)) in enumerate(SMALL):
        for more in itertools.product(range(3), range(4)):
            allowed = [max(int(ALPHA * size), 1) for size in (women, men, women + men)]
            if any(more) and all(m <= most for m, most in zip((*more, sum(more)), allowed, strict=True)):
                grown = (name, where, sector, (women + more[0], men + more[1]))
                yield [*SMALL[:place], grown, *SMALL[place + 1 :]]


@EVERY_TABLE
def test_that_a_weak_step_moves_each_cell_by_no_more_than_its_own_scale(made: EmploymentTablesParams) -> None:
    before = prepared(SMALL, made)
    scale = np.maximum(before.largest.reveal() / 10, 1)
    for rows in weak_steps():
        after = prepared(rows, made)
        assert np.all(np.abs(after.count.reveal() - before.count.reveal()) <= scale + 1e-12)
        assert np.all(np.maximum(after.largest.reveal() / 10, 1) <= 1.1 * scale + 1e-12)


@pytest.mark.parametrize("mechanism", CELL_BY_CELL, ids=lambda each: str(each.id))
def test_that_noise_cell_by_cell_is_never_strong_where_workers_are_left_out(mechanism: Any) -> None:
    """Not even for one cell: all the growth of a large employer may be women, of whom it has a few."""
    chosen = mechanism.params()
    assert mechanism.claim(prepared(SMALL, TABLES["women"]), chosen).definition is Definition.WEAK
    assert mechanism.claim(prepared(SMALL, TABLES["women alone"]), chosen).definition is Definition.WEAK
    assert mechanism.claim(prepared(SMALL, TABLES["total"]), chosen).definition is Definition.STRONG
    one = mechanism.claim(prepared(SMALL, TABLES["women"]), chosen)
    assert one.epsilon == chosen.epsilon
    assert "worker cells" not in one.sentence  # one cell spends all of ε


def test_that_block_noise_stays_strong_and_its_one_cell_needs_less_epsilon() -> None:
    cells = prepared(SMALL, TABLES["women"])
    claim = block_gamma.SPEC.claim(cells, block_gamma.BlockGammaParams())
    assert claim.definition is Definition.STRONG
    found = exact_loss.SPEC.run(_subject(block_gamma.SPEC, cells), exact_loss.SPEC.params(), QUIET)
    assert found[0].status is Status.PASS


def _subject(mechanism: Any, cells: Cells) -> Subject:
    return Subject(words=JOBS, prepared=cells, mechanism=mechanism, params=mechanism.params())


class _OwnCountsOnly(type(block_gamma.SPEC)):  # type: ignore[misc]
    """Block noise scaled by the chosen workers alone: the mistake that whole sizes prevent."""

    def laws(self, prepared: Any, params: Any) -> Any:
        import dataclasses

        small = dataclasses.replace(prepared, workplace_largest=prepared.largest)
        return super().laws(small, params)


def test_that_the_audit_sees_a_scale_that_forgets_the_workers_left_out() -> None:
    cells = prepared(SMALL, TABLES["women"])
    honest = exact_loss.SPEC.run(_subject(block_gamma.SPEC, cells), exact_loss.SPEC.params(), QUIET)
    wrong = exact_loss.SPEC.run(_subject(_OwnCountsOnly(), cells), exact_loss.SPEC.params(), QUIET)
    assert Status.FAIL not in {finding.status for finding in honest}
    assert Status.FAIL in {finding.status for finding in wrong}


def test_that_the_requirement_matrix_counts_workers_that_the_table_leaves_out() -> None:
    cells = prepared(SMALL, TABLES["women"])
    reached = {}
    for mechanism in (smooth_gamma.SPEC, block_gamma.SPEC):
        found = requirements.SPEC.run(_subject(mechanism, cells), requirements.RequirementsParams(), QUIET)[0]
        (row,) = (row for row in found.tables[0].rows if "within one step" in str(row[1]))
        reached[mechanism.id] = row[2]
    assert reached["smooth-gamma"] == np.inf
    assert reached["block-gamma"] == pytest.approx(2.0, abs=1e-6)


@pytest.mark.parametrize(
    ("made", "where", "said"),
    [
        (params({"sex": ()}), "select.sex.values", "names no value"),
        (params({"sex": ("F", "F")}), "select.sex.values", "names “F” twice"),
        (params({"place": ("town",)}), "select.place.values", "leaves one value for every cell"),
        (params({}, without_workplace=True), "without_workplace", "but place, sector are chosen"),
        (params({}, workplace=()), "workplace", "No workplace attribute"),
    ],
)
def test_that_a_selection_that_cannot_be_meant_says_so(made: Any, where: str, said: str) -> None:
    (problem,) = problems_of(made)
    assert said in problem.what
    assert problem.where == where
    assert problem.do


def test_that_a_value_outside_the_dictionary_names_its_nearest_kin() -> None:
    inputs = Inputs(microdata=hand_made.microdata(SMALL), roles=hand_made.ROLES)
    (problem,) = PRODUCT.problems(inputs, params({"place": ("twon", "city")}))
    assert problem.what == "“twon” is not a value of “place”"
    assert problem.do == "Did you mean “town”?"
    (column,) = PRODUCT.problems(inputs, params({"note": ("n",)}))
    assert "has the role ignore" in column.what


def test_that_choices_that_no_workplace_has_together_are_refused() -> None:
    made = params({"place": ("city",), "sector": ("22",)}, workplace=(), without_workplace=True,
                  domain=DomainKind.ESTABLISHMENTS)  # fmt: skip
    with pytest.raises(UserProblem, match="leaves no workplace cell"):
        prepared(SMALL, made)


def test_that_plans_without_a_selection_keep_their_digest_and_others_differ() -> None:
    plain = EmploymentTablesParams(workplace=("place",))
    assert set(to_plain(plain)) == {"workplace", "worker", "domain", "value_name"}
    chosen = params({"sex": ("F",)})
    assert parse(EmploymentTablesParams, to_plain(chosen)) == chosen
    assert PRODUCT.same_table(chosen) != PRODUCT.same_table(params({"sex": ("M",)}))
    assert PRODUCT.same_table(chosen) != PRODUCT.same_table(params({}))


def test_that_the_live_count_is_the_number_of_cells() -> None:
    inputs = Inputs(microdata=hand_made.microdata(SMALL), roles=hand_made.ROLES)
    for made in TABLES.values():
        assert PRODUCT.size(inputs, made) == PRODUCT.prepare(inputs, made, QUIET).domain.cells
