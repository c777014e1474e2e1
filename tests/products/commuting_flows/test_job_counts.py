"""Four job counts of every row: they nest, cost ε once, and add up from classes that divide the jobs."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
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
from workbench.products.commuting_flows.job_counts import CLASSES, classes_of, counts_of
from workbench.products.commuting_flows.noisy_flows import SPEC, NoisyFlowsParams
from workbench.products.commuting_flows.noisy_flows.counts import shape_of, true_counts
from workbench.products.commuting_flows.noisy_flows.layout import layout_of
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
