"""A product's own words for its records and rows."""

from __future__ import annotations

from tests.products.employment_tables import hand_made
from workbench.core.progress import QUIET
from workbench.core.quantities import Epsilon
from workbench.core.words import JOBS, Words
from workbench.products.employment_tables.mechanisms import laplace
from workbench.products.employment_tables.usefulness.targets import target_from
from workbench.review.budget.epsilon_curve import curve_of

PEOPLE = Words(record=("person", "people"), row=("tract", "tracts"), unit="ranks")


def test_that_numbers_take_singular_and_plural() -> None:
    assert (JOBS.records(1), JOBS.rows(64_344)) == ("1 job", "64,344 cells")
    assert (PEOPLE.records(2), PEOPLE.rows(1)) == ("2 people", "1 tract")


def test_that_the_curve_speaks_the_products_words() -> None:
    params = laplace.LaplaceParams(epsilon=Epsilon(1))
    for prepared, words, subtitle in (
        (None, JOBS, "expected error of a cell of 100 jobs, all of one establishment"),
        (None, PEOPLE, "expected error of a tract of 100 people"),
        (hand_made.cells(), PEOPLE, "mean expected error over the tracts of this table"),
    ):
        figure = curve_of(laplace.SPEC, params, prepared, QUIET, words).figure
        assert figure is not None
        assert (figure.subtitle, figure.y.unit) == (subtitle, words.unit)


def test_that_a_target_is_told_in_the_products_words() -> None:
    within, mean = target_from("half within 5%"), target_from("mean error <= 1 job")
    assert within.sentence(PEOPLE) == "50 % of the tracts within 5 % of the count"
    assert (mean.sentence(), mean.sentence(PEOPLE)) == (
        "a mean absolute error of at most 1 job",
        "a mean absolute error of at most 1 ranks",
    )
