"""Margins: sums of what was drawn, consistent with each other, at no further cost; and what is refused."""

from __future__ import annotations

import csv
import dataclasses
import io
from typing import Any

import numpy as np
import pytest

from tests.contract.samples import compared
from tests.products.employment_tables import hand_made
from tests.products.employment_tables.test_selection import SMALL, by_key, params, prepared
from workbench.core.params import problems_of, to_plain
from workbench.core.progress import QUIET
from workbench.core.published import Published
from workbench.core.randomness import ReleaseRandom
from workbench.products.employment_tables.mechanisms import laplace
from workbench.products.employment_tables.mechanisms.block import gamma as block_gamma
from workbench.products.employment_tables.mechanisms.block.post import PostProcessing
from workbench.products.employment_tables.product import SPEC as PRODUCT
from workbench.products.employment_tables.tabulation.margin_names import margins_of
from workbench.products.employment_tables.tabulation.margins import cells_in, margin_cells, sums
from workbench.products.employment_tables.usefulness import margin_error

EVERY = params({}, worker=("sex",), marginals=("all",))


def published(mechanism: Any, chosen: Any, made: Any = EVERY) -> tuple[Published, Published]:
    cells = prepared(SMALL, made)
    table = PRODUCT.public_table(cells, mechanism.release(cells, chosen, ReleaseRandom(), QUIET))
    assert table.published_beside is not None
    return table, table.published_beside


def rows_of(table: Published) -> list[dict[str, str]]:
    file = next(file for file in PRODUCT.outputs(table) if file.kind == "margins")
    return list(csv.DictReader(io.StringIO(file.write().decode("utf-8"))))


def test_that_all_margins_are_every_coarser_table_once() -> None:
    found = margins_of(("all",), ("place", "sector", "sex"))
    assert len(found) == len(set(found)) == 7
    assert found[0] == ("place", "sector")
    assert found[-1] == ()


def test_that_margins_add_up_and_agree_with_each_other() -> None:
    table, _ = published(block_gamma.SPEC, block_gamma.BlockGammaParams())
    rows = rows_of(table)
    total = int(table.units("jobs").integers.sum())
    assert [int(row["jobs"]) for row in rows if row["margin"] == "total"] == [total]
    for margin in {row["margin"] for row in rows}:
        assert sum(int(row["jobs"]) for row in rows if row["margin"] == margin) == total
    by_place = {row["place"]: int(row["jobs"]) for row in rows if row["margin"] == "place"}
    fine = [row for row in rows if row["margin"] == "place × sector"]
    for place, jobs in by_place.items():
        assert sum(int(row["jobs"]) for row in fine if row["place"] == place) == jobs
    assert {row["sector"] for row in rows if row["margin"] == "place"} == {"all"}
    assert "sum_of_cells" not in rows[0]


@pytest.mark.parametrize("kind", [PostProcessing.NON_NEGATIVE, PostProcessing.CONSISTENT, PostProcessing.COMPONENTS])
def test_that_margins_beside_changed_cells_say_by_how_much_they_differ(kind: PostProcessing) -> None:
    table, margins = published(block_gamma.SPEC, block_gamma.BlockGammaParams(post_processing=kind))
    assert margins.units("sum_of_cells").integers[-1] == table.units("jobs").integers.sum()


def test_that_margins_of_clipped_cells_stay_right_on_average() -> None:
    drawn = [published(laplace.SPEC, laplace.LaplaceParams(clip_at_zero=True))[1] for _ in range(60)]
    sums_drawn = [margins.units("jobs").integers[-1] for margins in drawn]
    sums_printed = [margins.units("sum_of_cells").integers[-1] for margins in drawn]
    assert abs(np.mean(sums_drawn) - 74) < 5
    assert np.mean(sums_printed) > np.mean(sums_drawn) + 2


def test_that_a_margin_is_the_table_that_its_attributes_alone_would_give() -> None:
    fine = prepared(SMALL, params({}, worker=("sex",)))
    for made, margin in [
        (params({}, workplace=("place",)), ("place",)),
        (params({}, workplace=("sector",), worker=("sex",)), ("sector", "sex")),
        (params({}, workplace=(), without_workplace=True), ()),
        (params({}, workplace=(), without_workplace=True, worker=("sex",)), ("sex",)),
    ]:
        told, own = margin_cells(fine, margin), prepared(SMALL, made)
        for name in ("count", "establishments", "largest", "largest_total"):
            assert by_key(told, getattr(told, name).reveal()) == by_key(own, getattr(own, name).reveal())
        assert told.workplace_largest.reveal().tolist() == own.workplace_largest.reveal().tolist()


def test_that_sums_are_exact_whole_numbers() -> None:
    cells = hand_made.cells()
    where, named = cells_in(cells.domain, ("sector",))
    values = np.arange(cells.domain.cells, dtype=np.int64) * 10**9 + 1
    assert sums(values, where, len(named)).sum() == values.sum()


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (("place", "place"), "are the same"),
        (("place*sex", "sex*place"), "are the same"),
        (("place*sector*sex",), "is the table itself"),
        (("plce",), "names “plce”, which is no attribute"),
        (("place*place",), "names an attribute twice"),
        (("all", "place"), "and others beside them"),
    ],
)
def test_that_a_list_of_margins_that_cannot_be_meant_says_so(asked: tuple[str, ...], said: str) -> None:
    found = problems_of(params({}, worker=("sex",), marginals=asked))
    assert any(said in problem.what and problem.do for problem in found)


def test_that_margins_make_no_other_table_and_old_plans_keep_their_digest() -> None:
    assert PRODUCT.same_table(EVERY) == PRODUCT.same_table(params({}, worker=("sex",)))
    assert "marginals" not in to_plain(params({}))


def test_that_the_measure_tells_the_error_of_every_margin() -> None:
    comparison = compared(PRODUCT, block_gamma.SPEC)
    chosen = margin_error.MarginErrorParams()
    [none] = margin_error.SPEC.run(comparison, chosen, QUIET)
    assert "No margin" in none.sentence
    cells = dataclasses.replace(comparison.prepared, margins=margins_of(("all",), ("place", "sector", "sex")))
    [found] = margin_error.SPEC.run(dataclasses.replace(comparison, prepared=cells), chosen, QUIET)
    assert [row[0] for row in found.tables[0].rows][-1] == "total"
    assert len(found.tables[0].rows) == 7
    assert found.tables[0].columns[-1] == "99 % half-width, jobs"
    assert found.tables[0].rows[-1][-1] is None  # draws of one total are too few to tell
    assert "e(ε_c)/e(ε)" in found.sentence
