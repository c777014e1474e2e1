"""The paper's findings on a small twin: the same study as at full size, in seconds."""

from __future__ import annotations

import math
import re
import tomllib
from dataclasses import replace
from decimal import Decimal
from functools import cache

import pytest

from workbench.core.errors import Cancelled, UserProblem
from workbench.core.figures import Kind
from workbench.core.findings import Audience, Status
from workbench.core.progress import QUIET
from workbench.core.quantities import Alpha, Epsilon
from workbench.core.resources import sample_folder
from workbench.products.employment_tables.mechanisms.block.post import PostProcessing
from workbench.products.employment_tables.paper.contenders import exact_delta, paper_delta
from workbench.products.employment_tables.paper.definitions import belief_figure
from workbench.products.employment_tables.paper.page import page_of, pictures_of
from workbench.products.employment_tables.paper.plan import FindingsPlan, findings_plan_from
from workbench.products.employment_tables.paper.statements import (
    BLOCK,
    GAMMA,
    LAPLACE,
    LOG,
    STATEMENTS,
    SUMMARY,
    TENTH,
    TWO,
)
from workbench.products.employment_tables.paper.study import FindingsStudy, study_findings
from workbench.products.employment_tables.paper.words import findings_of

PLAN = sample_folder("employment_tables", "findings.toml")


def read(text: str) -> FindingsPlan:
    sections = tomllib.loads(text, parse_float=Decimal)
    return findings_plan_from({key: sections[key] for key in sections if key not in ("version", "study")}, "f.toml")


def small() -> FindingsPlan:
    plan = read(PLAN.read_text(encoding="utf-8"))
    grid = replace(plan.grid, trials=3, epsilons=("0.25", "2", "4"), alphas=("0.01", "0.1", "0.2"))
    return replace(plan, twin=replace(plan.twin, jobs=60_000), grid=grid)


@cache
def study() -> FindingsStudy:
    return study_findings(small(), QUIET)


def test_that_the_shipped_plan_is_the_papers() -> None:
    plan = read(PLAN.read_text(encoding="utf-8"))
    assert plan.twin.jobs == 10_900_000
    assert plan.grid.trials == 20
    assert (plan.baseline.least, plan.baseline.most, plan.baseline.shape) == (Alpha("0.1"), Alpha("0.25"), "ramp")
    assert plan.grid.epsilon_values == tuple(Epsilon(e) for e in ("0.25", "0.5", "0.67", "1", "2", "4"))
    assert plan.grid.alpha_values == tuple(Alpha(a) for a in ("0.01", "0.05", "0.1", "0.15", "0.2"))


def test_that_tight_calibrations_cost_less_at_the_same_promise() -> None:
    paper, tight = study().paper.results, study().tight.results
    for mechanism in (LOG, GAMMA, LAPLACE):
        assert tight.ratio(1, mechanism, TWO, TENTH) < paper.ratio(1, mechanism, TWO, TENTH)
    assert tight.ratio(1, GAMMA, TWO, TENTH) < 0.7
    assert paper.ratio(1, LOG, TWO, TENTH) <= 3
    assert paper.ratio(1, LAPLACE, TWO, TENTH) < 1
    assert tight.ratio(3, BLOCK, TWO, TENTH) <= 3.7


def test_that_every_statement_of_the_paper_has_a_figure_or_a_reason() -> None:
    assert {statement.finding for statement in STATEMENTS} == {1, 2, 3, 4, 5, SUMMARY}
    findings = findings_of(study())
    told = [finding for finding in findings if finding.id.startswith("paper-finding-")]
    rows = [row for finding in told for row in finding.tables[0].rows]
    assert len(rows) == len(STATEMENTS)
    assert all(row[3] in ("yes", "no") and row[2] and row[4] for row in rows)
    assert {finding.audience for finding in findings} == {Audience.PUBLIC}
    assert all(finding.does_not_prove for finding in findings)


def test_that_sampling_confirms_the_closed_forms() -> None:
    checked = findings_of(study())[-1]
    assert checked.id == "closed-forms-checked"
    assert checked.status in (Status.PASS, Status.WARN)
    assert isinstance(checked.values["settings"], int)
    assert checked.values["settings"] > 20


def test_that_infeasible_settings_come_with_the_smallest_feasible_epsilon() -> None:
    (table,) = findings_of(study())[-2].tables
    row = next(row for row in table.rows if row[0] == "Smooth Gamma (tight)" and row[1] == Alpha("0.1"))
    assert row[2] == "0.25"
    assert float(str(row[3])) == pytest.approx(3 * math.log(1.1), abs=1e-4)


def test_that_the_figures_are_one_to_seven() -> None:
    titles = [figure.title for figure in study().figures]
    assert all(any(title.startswith(f"Figure {number}:") for title in titles) for number in range(2, 8))
    drawn = [figure for finding in findings_of(study()) for figure in finding.figures]
    assert [figure.title for figure in drawn if figure not in study().figures] == [belief_figure().title]
    assert len(drawn) == len(study().figures) + 1
    assert len({(figure.title, figure.subtitle) for figure in drawn}) == len(drawn)
    dominance = study().figures[0]
    assert dominance.kind is Kind.LINES
    at_65 = dominance.series[0].y[round(0.65 * 200)]
    assert at_65 <= 0.5  # at least half the cells have one establishment above 65 %
    assert all(math.isfinite(y) for figure in study().figures for line in figure.series for y in line.y)


def test_that_the_papers_rule_for_delta_is_far_above_the_exact_one() -> None:
    assert paper_delta(TWO, TENTH, 8) > 1  # no δ at all would allow it
    assert 0 < exact_delta(TWO, TENTH, 8) < 0.1


def test_that_the_page_says_what_was_run() -> None:
    page = page_of(study())
    assert "60,000 jobs" in page
    changed = next(finding for finding in findings_of(study()) if finding.id == "depends-on-baseline").values["changed"]
    verdicts = 2 * len(STATEMENTS) + 2 * 3 + 2 * int(str(changed))  # two baselines, ε divided by 8 and by 10, changes
    assert page.count("| yes |") + page.count("| no |") == verdicts
    assert "A 0.05, B 0.15" in page and "ε/10, as in the paper" in page


def test_that_the_page_links_every_picture_and_no_other() -> None:
    linked = re.findall(r"\]\(figure:([^)]+)\)", page_of(study()))
    assert sorted(linked) == sorted(pictures_of(study()))
    assert {name[:8] for name in linked} == {f"figure-{number}" for number in range(1, 8)}


def test_that_tables_1_and_2_are_told_with_the_papers_words_and_mistakes() -> None:
    first, second = (next(f for f in findings_of(study()) if f.id == f"paper-table-{number}") for number in (1, 2))
    rows = {str(row[0]): row[1:] for row in first.tables[0].rows}
    assert set(rows["Noise infusion"][:5]) == {"no bound"}
    assert rows["Strong employer-employee"][0] == "4, at 2ε"
    assert rows["Weak employer-employee"][1] == "no bound"
    assert first.values["edge_individuals"] == pytest.approx(4.0)
    assert any("2.13 (wrong)" in str(row[5]) and float(str(row[2])) == pytest.approx(2.77, abs=5e-3)
               for row in second.tables[0].rows)  # fmt: skip
    assert "1.45 where 0.712" in second.sentence


def test_that_a_study_can_be_cancelled() -> None:
    class Stop:
        def step(self, fraction: float, sentence: str) -> None:
            if fraction > 0.4:
                raise Cancelled

    with pytest.raises(Cancelled):
        study_findings(small(), Stop())


def test_that_every_mistake_in_a_plan_is_told_at_once() -> None:
    with pytest.raises(UserProblem) as told:
        read('twins = 1\n[twin]\njobs = 3\n[grid]\nalphas = ["2"]\ndelta = 1.5\n[tables]\nranked = ["F"]\n')
    words = " ".join(problem.sentence() for problem in told.value.problems)
    assert len(told.value.problems) >= 4
    assert "Did you mean “twin”?" in words
    assert "f.toml, [grid]" in words


def test_that_a_value_outside_its_range_is_named() -> None:
    with pytest.raises(UserProblem, match="“2” is not a number above 0 and below 1"):
        read('[grid]\nalphas = ["2", "x"]\nepsilons = []\n')


def test_that_post_processing_is_measured_and_makes_the_error_smaller_at_the_same_loss() -> None:
    """So few workplace cells leave little to borrow; what many bring is in tests of the mechanism and in docs."""
    raw, made = study().tight.results.ratio(3, BLOCK, TWO, TENTH), study().tight.processed
    assert max(made[kind, TWO] for kind in (PostProcessing.CONSISTENT, PostProcessing.NON_NEGATIVE)) < raw
    beyond = next(finding for finding in findings_of(study()) if finding.id == "beyond-the-paper")
    assert beyond.values["block_gamma_consistent"] == made[PostProcessing.CONSISTENT, TWO]
    assert any("post-processing: consistent" in str(row[0]) for row in beyond.tables[0].rows)
