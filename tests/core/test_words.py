"""A product's own words for its records and rows."""

from __future__ import annotations

from workbench.core.words import Words
from workbench.products.employment_tables.usefulness.targets import target_from
from workbench.products.employment_tables.words import JOBS

PEOPLE = Words(record=("person", "people"), row=("tract", "tracts"), unit="ranks")


def test_that_numbers_take_singular_and_plural() -> None:
    assert (JOBS.records(1), JOBS.rows(64_344)) == ("1 job", "64,344 cells")
    assert (PEOPLE.records(2), PEOPLE.rows(1)) == ("2 people", "1 tract")


def test_that_a_target_is_told_in_the_products_words() -> None:
    within, mean = target_from("half within 5%"), target_from("mean error <= 1 job")
    assert within.sentence(PEOPLE) == "50 % of the tracts within 5 % of the count"
    assert (mean.sentence(JOBS), mean.sentence(PEOPLE)) == (
        "a mean absolute error of at most 1 job",
        "a mean absolute error of at most 1 ranks",
    )
