"""A page for each institution: every cell and year, margins of error, four columns side by side, its budget formula."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.contract.findings_contract import judge_findings
from tests.contract.samples import WORDS, studied, today
from tests.products.outcome_reports import hand_made
from workbench.core.findings import Finding
from workbench.core.progress import QUIET
from workbench.core.randomness import ReleaseRandom
from workbench.products.outcome_reports.layout import Listed
from workbench.products.outcome_reports.mechanisms import history_histogram, job_year, observed_mean
from workbench.products.outcome_reports.mechanisms.observed_mean import ObservedMeanParams
from workbench.products.outcome_reports.product import SPEC
from workbench.products.outcome_reports.published_outcomes import MARGINS, NAMES
from workbench.products.outcome_reports.source_draw import source_params
from workbench.products.outcome_reports.usefulness import institution_pages, percentage_error
from workbench.products.outcome_reports.usefulness.institution_pages import InstitutionPagesParams
from workbench.report.render import _environment
from workbench.utility.contract import Comparison

DATA = hand_made.prepared()
MECHANISM = history_histogram.SPEC
SETTINGS = hand_made.settings(MECHANISM)


@pytest.fixture(scope="module")
def comparison() -> Comparison:
    return Comparison(
        prepared=DATA,
        mechanism=MECHANISM,
        mechanism_params=SETTINGS,
        mechanisms=SPEC.mechanisms,
        rivals=(today(SPEC.baselines[0], DATA),),
        release=MECHANISM.release(DATA, SETTINGS, ReleaseRandom(), QUIET),
        seed=1,
        trials=2,
        words=WORDS,
    )


@pytest.fixture(scope="module")
def pages(comparison: Comparison) -> tuple[Finding, ...]:
    return institution_pages.SPEC.run(comparison, InstitutionPagesParams(), QUIET)


def test_that_every_institution_has_every_cell_and_year_of_its_report(
    comparison: Comparison, pages: tuple[Finding, ...]
) -> None:
    assert [page.title for page in pages] == ["A", "B"]
    judge_findings(pages, hand_made.SECRETS)
    per = DATA.rows // 2
    for place, page in enumerate(pages):
        own = slice(place * per, (place + 1) * per)
        statistics = page.tables[1:]
        assert len(statistics) == len(NAMES)
        for column, table in enumerate(statistics):
            assert table.columns == ("cell", "published", "year 1", "year 2")
            lines = {name: [row[2:] for row in table.rows if row[1] == name] for name in {row[1] for row in table.rows}}
            assert [row[0] for row in table.rows if row[0]] == [
                f"{title}, {sector}" for title in ("faculty", "student") for sector in ("business", "university")
            ]
            assert np.array(lines["confidential"]).ravel().tolist() == DATA.truth.reveal()[own, column].tolist()
            for name, published in (("this release", NAMES[column]), ("± margin of error", MARGINS[column])):
                shown = [np.nan if value is None else value for row in lines[name] for value in row]
                np.testing.assert_array_equal(shown, comparison.release.units(published).numbers()[own])
            assert {"suppressed", "source's method"} <= set(lines)


def test_that_the_columns_stand_in_their_fixed_order(pages: tuple[Finding, ...]) -> None:
    first = [row[1] for row in pages[0].tables[1].rows[:5]]
    assert first == ["confidential", "suppressed", "source's method", "this release", "± margin of error"]


def test_that_the_budget_formula_of_both_methods_stands_on_the_page(pages: tuple[Finding, ...]) -> None:
    formulas = dict(pages[0].tables[0].rows)
    assert "Σ over years of (ε employment + ε earnings)" in str(formulas["source's method"])
    assert str(formulas["source's method"]).endswith("= 1.5")
    assert str(formulas["this release"]).startswith("ε = 1.5 for each institution")


def test_that_the_source_is_drawn_at_the_plans_epsilon_or_as_the_plan_has_it() -> None:
    assert source_params(MECHANISM, SETTINGS).epsilon == SETTINGS.epsilon
    own = ObservedMeanParams(floor=7)
    assert source_params(SPEC.mechanisms[2], own) is own


def test_that_each_page_begins_a_page_of_the_paper(pages: tuple[Finding, ...]) -> None:
    assert all(page.own_page for page in pages)
    parts = _environment().get_template("parts.html.jinja").make_module({})
    drawn = replace(pages[0], figures=())
    assert "own-page" in parts.finding(drawn, "7.4", lambda: 1, lambda: 1)
    assert "own-page" not in parts.finding(replace(drawn, own_page=False), "7.4", lambda: 1, lambda: 1)


def test_that_many_years_are_cut_into_tables_that_fit_a_page() -> None:
    layout = replace(DATA.layout, year=Listed(name="year", values=tuple(map(str, range(1, 31)))))
    values = np.zeros((2, 2, 2, 30, len(NAMES)))
    found = institution_pages._tables(layout, 0, 0, (institution_pages.Way(name="confidential", values=values),))
    assert [len(table.columns) - 2 for table in found] == [12, 12, 6]


def test_that_the_source_stands_once_beside_a_release_also_where_the_plan_names_it(comparison: Comparison) -> None:
    """The sample's plan names it for the table side by side; percentage errors draw it anyway."""
    both = replace(comparison, rivals=(*comparison.rivals, studied(SPEC, observed_mean.SPEC, DATA)))
    assert [rival.id for rival in both.rivals] == ["cell-threshold", "observed-mean"]
    for made in (comparison, both):
        counts = percentage_error.SPEC.run(made, percentage_error.PercentageErrorParams(), QUIET)[0]
        (by_year,) = (table for table in counts.tables if "year" in table.columns)
        assert sum("source's method" in column for column in by_year.columns) == 1
    assert "at the same ε they are" in counts.sentence


def test_that_an_epsilon_of_one_row_is_not_called_the_same_as_that_of_a_history(comparison: Comparison) -> None:
    settings = hand_made.settings(job_year.SPEC)
    drawn = job_year.SPEC.release(DATA, settings, ReleaseRandom(), QUIET)
    made = replace(comparison, mechanism=job_year.SPEC, mechanism_params=settings, release=drawn)
    counts = percentage_error.SPEC.run(made, percentage_error.PercentageErrorParams(), QUIET)[0]
    assert "at the same ε for a whole history, instead of one row," in counts.sentence
