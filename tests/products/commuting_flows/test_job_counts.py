"""Four job counts of every row: they nest, cost ε once, and add up from classes that divide the jobs."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

from tests.products.commuting_flows import hand_made_flows as made
from workbench.core.errors import UserProblem
from workbench.core.progress import QUIET
from workbench.core.quantities import Epsilon
from workbench.core.randomness import ReleaseRandom
from workbench.microdata.inputs import Inputs
from workbench.microdata.roles import Role
from workbench.noise.discrete_laplace import spent
from workbench.products.commuting_flows.job_counts import CLASSES, classes_of, counts_of
from workbench.products.commuting_flows.noisy_flows import SPEC, NoisyFlowsParams
from workbench.products.commuting_flows.noisy_flows.counts import shape_of, true_counts
from workbench.products.commuting_flows.noisy_flows.layout import layout_of
from workbench.products.commuting_flows.noisy_flows.measure import tract_flows
from workbench.products.commuting_flows.noisy_flows.mechanism import question
from workbench.products.commuting_flows.noisy_flows.params import Unit
from workbench.products.commuting_flows.product import SPEC as PRODUCT

NAMES = ("JT00", "JT01", "JT02", "JT03")
ROWS = (  # workplace, home, all, primary, private, both
    ("0101", "0101", 40, 30, 25, 20),
    ("0101", "0211", 7, 5, 7, 5),
    ("0102", "0121", 1, 1, 0, 0),
    ("0121", "0412", 3, 0, 0, 0),
)
PARAMS = made.listed_params(jobs="", job_counts=NAMES)


def inputs(rows: Any = ROWS) -> Inputs:
    columns = list(zip(*rows, strict=True))
    counted = {name: [float(count) for count in column] for name, column in zip(NAMES, columns[2:], strict=True)}
    table = made.table("flows.csv", {"work": columns[0], "home": columns[1], **counted})
    roles = {"work": Role.GEOGRAPHY, "home": Role.PERSON, **dict.fromkeys(NAMES, Role.COUNT)}
    return replace(made.listed_inputs(), microdata=table, roles=roles)


def test_that_classes_and_counts_are_each_others_inverse() -> None:
    counts = np.array([[40, 30, 25, 20], [7, 5, 7, 5], [3, 0, 0, 0]])
    classes = np.stack(classes_of(counts.T), axis=1)
    assert classes.tolist() == [[20, 10, 5, 5], [5, 0, 2, 0], [0, 0, 0, 3]]
    assert np.array_equal(counts_of(classes), counts)


def test_that_the_published_counts_nest_and_come_through_with_much_epsilon() -> None:
    prepared = PRODUCT.prepare(inputs(), PARAMS, QUIET)
    release = SPEC.release(prepared, NoisyFlowsParams(epsilon=Epsilon(40)), ReleaseRandom(), QUIET)
    table = PRODUCT.public_table(prepared, release)
    assert [column.name for column in table.columns] == ["work", "home", *NAMES]
    every, primary, private, both = table.values.T
    for part, whole in ((primary, every), (private, every), (both, primary), (both, private)):
        assert (part <= whole).all()
    assert (every - primary - private + both >= 0).all()
    at = table.keys[0].is_value("0101")
    assert np.abs(table.values[at].sum(axis=0) - [47, 35, 32, 25]).max() <= 1
    (side,) = PRODUCT.side_by_side(prepared, table, ())
    assert side.compared[0].columns[-1].values.reveal().sum() == every.sum()


def test_that_one_job_moves_one_class_and_all_four_counts_cost_epsilon_once() -> None:
    more = ((*ROWS[0][:2], 41, 31, 26, 21), *ROWS[1:])
    tables = [PRODUCT.prepare(inputs(rows), PARAMS, QUIET) for rows in (ROWS, more)]
    layouts = [layout_of(each, QUIET) for each in tables]
    truths = [true_counts(each, layout) for each, layout in zip(tables, layouts, strict=True)]
    many = len(shape_of(layouts[0]).listed)
    assert np.abs(truths[0].sizes(many) - truths[1].sizes(many)).sum() == 1
    claim = SPEC.claim(tables[0], NoisyFlowsParams())
    assert Fraction(claim.epsilon or 0) == 4
    assert any("four job counts cost ε once" in each for each in claim.assumptions)
    assert tables[0].populations == 12 * len(CLASSES)


# all, primary, private, both: what one job of each class adds to the four counts of its row
PRIMARY, OTHER = (1, 1, 0, 0), (1, 0, 0, 0)


def with_jobs(*jobs: tuple[str, str, tuple[int, ...]]) -> Any:
    """The rows and these jobs of one worker beside them."""
    held = {(work, home): np.array(counts) for work, home, *counts in ROWS}
    for work, home, counts in jobs:
        held[work, home] = held.get((work, home), np.zeros(4, dtype=int)) + counts
    return PRODUCT.prepare(inputs([(*pair, *counts.tolist()) for pair, counts in held.items()]), PARAMS, QUIET)


def dearest(first: Any, second: Any, params: NoisyFlowsParams) -> Fraction:
    """Σ |shift|/scale of all that is measured, whatever populations the noisy sizes make small."""
    budget, layout = question(params).budget, layout_of(first, QUIET)
    shape = shape_of(layout)
    exact = [true_counts(each, layout) for each in (first, second)]
    assert first.work_area == second.work_area and budget.sizes is not None
    sizes = np.abs(np.subtract(*(each.sizes(first.populations) for each in exact)))
    start = shape.cell_start
    cells = [np.bincount(start[each.population] + each.cell, each.workers, int(start[-1])) for each in exact]
    shift = np.bincount(
        np.repeat(np.arange(first.populations), shape.listed), np.abs(cells[0] - cells[1]), first.populations
    ).astype(int)
    changed, most = np.flatnonzero(shift), Fraction(0)
    for kinds in product((False, True), repeat=len(changed)):
        small = np.ones(first.populations, dtype=bool)
        small[changed] = kinds
        flows = np.abs(np.subtract(*(tract_flows(shape, each, small) for each in exact)))
        loss = spent(int(flows.sum()), budget.tract_flows) + spent(int(sizes.sum()), budget.sizes)
        for population, few in zip(changed, kinds, strict=True):
            scale = budget.cells_of_small if few else budget.cells_of_larger
            loss += spent(int(shift[population]), scale)
        most = max(most, loss)
    return most


@pytest.mark.parametrize("epsilon", ["1", "4"])
def test_that_classes_cost_what_the_claim_prints_for_all_small_neighbours(epsilon: str) -> None:
    """A job, its class, a second job that takes the first one's place as primary; anywhere and at one workplace."""
    params, reached = NoisyFlowsParams(epsilon=Epsilon(epsilon)), dict[str, Fraction]()
    homes, works = ("0101", "0211"), ("0101", "0121")
    for home, work, other in product(homes, works, works):
        alone = with_jobs((work, home, PRIMARY))
        pairs = {
            "job": (with_jobs(), alone),
            "class": (alone, with_jobs((work, home, OTHER))),
            "second": (alone, with_jobs((work, home, PRIMARY), (other, home, OTHER))),
            "takes over": (alone, with_jobs((work, home, OTHER), (other, home, PRIMARY))),
        }
        for name, pair in pairs.items():
            reached[name] = max(reached.get(name, Fraction(0)), dearest(*pair, params))
    for name, times in {"job": 1, "class": 2, "second": 1, "takes over": 3}.items():
        limit = times * Fraction(Epsilon(epsilon))
        assert limit * (1 - Fraction(1, 10**9)) <= reached[name] <= limit, name
    said = " ".join(SPEC.claim(alone, params).assumptions)
    assert f"Another class of one job costs ε {2 * int(epsilon)}," in said
    assert f"both together cost ε {3 * int(epsilon)}." in said


def test_that_nobody_signs_that_workers_have_one_job_where_some_jobs_are_not_primary() -> None:
    for params in (NoisyFlowsParams(), NoisyFlowsParams(unit=Unit.HOME)):
        claim = SPEC.claim(with_jobs(), params)
        assert "A worker has one job." not in claim.assumptions
        assert not any("no worker has more than 1 job" in each for each in claim.provided)
        assert any("one job at a time" in each for each in claim.provided)


@pytest.mark.parametrize("wrong", [(5, 6, 2, 1), (5, 3, 2, 3), (5, 3, 3, 0)])
def test_that_counts_that_do_not_nest_are_refused_in_a_sentence(wrong: tuple[int, ...]) -> None:
    with pytest.raises(UserProblem, match="do not nest in some rows"):
        PRODUCT.prepare(inputs(((*ROWS[0][:2], *wrong), *ROWS[1:])), PARAMS, QUIET)


def test_that_a_wrong_choice_of_columns_is_refused() -> None:
    assert "four different columns" in made.listed_params(jobs="", job_counts=NAMES[:3]).check()[0].what
    assert "count the jobs already" in made.listed_params(job_counts=NAMES).check()[0].what


def test_that_characteristics_are_shown_in_the_words_of_the_dictionary() -> None:
    table = made.table("jobs.csv", {"work": ["0101", "0121"], "home": ["0101", "0211"], "sector": ["1", "2"]})
    column = replace(table.columns["sector"], labels={"1": "Goods", "2": "Services"})  # type: ignore[type-var]
    roles = {"work": Role.GEOGRAPHY, "home": Role.PERSON, "sector": Role.WORKPLACE}
    labelled = replace(table, columns={**table.columns, "sector": column})
    params = made.listed_params(jobs="", characteristics=("sector",))
    prepared = PRODUCT.prepare(replace(made.listed_inputs(), microdata=labelled, roles=roles), params, QUIET)
    assert prepared.characteristic == ("Goods", "Services")
    assert prepared.facts.keys == (("1",), ("2",)), "the file keeps the codes"
