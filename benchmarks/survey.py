"""Survey microdata: what a central file loses beside sampling, against the source's file, and what attacks find.

Simulated surveys of 15,000 × 40, each drawn from a population of 600,000, seeded, three of them with other questions;
with `--acs FILE` also on the ACS excerpt (17 categorical columns of at most 20 levels), which is not part of this
program.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np

from workbench.audit.contract import Subject
from workbench.core.arrays import Floats, Integers
from workbench.core.confidential import Confidential
from workbench.core.progress import QUIET
from workbench.core.published import Published
from workbench.core.quantities import Epsilon
from workbench.core.randomness import StudyRandom
from workbench.noise import discrete_laplace
from workbench.products.survey_microdata.audit import linkage
from workbench.products.survey_microdata.central import pairs_file, pairs_gaussian
from workbench.products.survey_microdata.central.pairs_file import PairsFileParams
from workbench.products.survey_microdata.central.params import PairsParams
from workbench.products.survey_microdata.estimation.crosstabs import as_counted, corrected, true_tables
from workbench.products.survey_microdata.estimation.decoding import designs_of
from workbench.products.survey_microdata.estimation.regression import as_published, linear, logistic, scored
from workbench.products.survey_microdata.estimation.shares import estimates, true_estimates
from workbench.products.survey_microdata.estimation.table_regression import read_moments, regression
from workbench.products.survey_microdata.layout import published, variable_column
from workbench.products.survey_microdata.local import joint_rr, krr_laplace
from workbench.products.survey_microdata.local.grid_levels import mean_variance
from workbench.products.survey_microdata.params import Kind
from workbench.products.survey_microdata.product import SPEC
from workbench.products.survey_microdata.survey_data import SurveyData, Variable, class_starts, weighing
from workbench.products.survey_microdata.twin.attitudes import WORDING, answers
from workbench.products.survey_microdata.twin.vocabulary import QUESTIONS

POPULATION, SAMPLE = 600_000, 15_000
Seeds = tuple[int, int, int, int]  # population, sample, noise, and what the questions measure
FIRST: Seeds = (11, 5, 7, WORDING)
FRESH: tuple[Seeds, ...] = (  # nothing was chosen on these; the method was developed on populations 1001 to 1007
    (101, 102, 103, WORDING), (201, 202, 203, WORDING), (301, 302, 303, WORDING), (401, 402, 403, WORDING),
    (501, 502, 503, 31_415), (601, 602, 603, 27_182), (701, 702, 703, 16_180),
)  # fmt: skip
SAMPLES = 120  # fresh samples for the coverage of regressions
MEANS = 20  # draws of either file for the means of percentages
ACS_COLUMNS = (
    "PUMA", "SEX", "MSP", "HISP", "RAC1P", "NOC", "NPF", "HOUSING_TYPE", "OWN_RENT", "INDP_CAT", "EDU",
    "PINCP_DECILE", "DVET", "DREM", "DPHY", "DEYE", "DEAR",
)  # fmt: skip

Line = tuple[str, float, str, float]  # what, measured, at most or at least, limit


def main() -> int:
    missed = False
    for what, measured, sense, limit in _lines():
        kept = measured <= limit if sense == "at most" else measured >= limit
        missed |= not kept
        print(f"{what}: {measured:.3f} ({sense} {limit:g}){'' if kept else '  MISSED'}", flush=True)
    print("missed a target" if missed else "every target met")
    return 1 if missed else 0


def _lines() -> Iterator[Line]:
    everybody = answers(POPULATION, 11)
    yield from _local()
    yield from _central(everybody, FIRST)
    for seeds in FRESH:
        yield from _central(answers(POPULATION, seeds[0], seeds[3]), seeds)
    yield from _coverage(everybody)
    if "--acs" in sys.argv:
        yield from _acs(Path(sys.argv[sys.argv.index("--acs") + 1]))


def variables() -> tuple[Variable, ...]:
    return tuple(
        Variable(name=question.name, kind=Kind.CATEGORY, values=question.answers, labels=question.answers)
        if question.answers
        else Variable(name=question.name, kind=Kind.NUMBER, lower=0, upper=100, starts=class_starts(0, 100, 5))
        for question in QUESTIONS
    )


def survey(rows: Integers) -> SurveyData:
    return SurveyData(variables=variables(), answers=Confidential(rows), bounded=True)


def _local() -> Iterator[Line]:
    noise = discrete_laplace.variance(discrete_laplace.scale_for(100, Fraction(7)))
    yield "grid of 21 levels at ε 7, variance over Laplace", mean_variance(7.0, 21, 0, 100) / noise, "at most", 0.10
    data = survey(answers(100, 1))
    kept = joint_rr.threshold(data, joint_rr.JointRrParams()) / 2**64
    yield "whole-record yardstick at ε 80, records kept", kept, "at least", 0.99


def _central(everybody: Integers, seeds: Seeds) -> Iterator[Line]:
    random = np.random.default_rng(seeds[1])
    seen = f"survey {seeds[0]}" if seeds[3] == WORDING else f"survey {seeds[0]} with other questions"
    data = survey(everybody[random.permutation(POPULATION)[:SAMPLE]])
    true, own = _scaled(survey(everybody)), true_tables(data)
    sampling = rms(own - true)
    drawn = krr_laplace.SPEC.study(data, krr_laplace.KrrLaplaceParams(), StudyRandom(6), QUIET).reveal()
    file = published(data.variables, drawn)
    source = rms(as_counted(data.variables, file) - own)
    print(f"{seen}: its own error {sampling:.1f} respondents; the source's file as it stands {source:.1f}")
    limits = {"8": (1.08, 0.25), "4": (1.20, 0.36), "2": (1.55, 0.52), "1": (2.2, 0.75)}
    for epsilon, (against_own, against_source) in limits.items():
        params = PairsFileParams(epsilon=Epsilon(epsilon))
        made = published(data.variables, pairs_file.SPEC.study(data, params, StudyRandom(seeds[2]), QUIET).reveal())
        cells = as_counted(data.variables, made)
        cells = cells * (SAMPLE / cells.sum() * len(list(_pairs(data))))
        what = f"central file, ε {epsilon}, {seen}"
        yield f"{what}, error over sampling", rms(cells - true) / sampling, "at most", against_own
        yield f"{what}, over the source's", rms(cells - own) / source, "at most", against_source
        if epsilon == "4" and seeds == FIRST:
            yield "means of percentages, ε 4, over the source's", _means(data, params), "at most", 0.6
            yield from _attacks(data, params)


def _means(data: SurveyData, params: PairsFileParams) -> float:
    """Error of the six means over that of the source's file, over many draws of both. One draw of each says little: the
    ratio of six and six errors lies anywhere between a half and twice the expected one."""
    true, errors = true_estimates(data).means, []
    for mechanism, settings in ((pairs_file.SPEC, params), (krr_laplace.SPEC, krr_laplace.KrrLaplaceParams())):
        draws = (mechanism.study(data, settings, StudyRandom(seed), QUIET).reveal() for seed in range(MEANS))  # type: ignore[attr-defined]
        errors.append(
            rms(np.stack([estimates(data.variables, published(data.variables, drawn)).means - true for drawn in draws]))
        )
    return errors[0] / errors[1]


def _pairs(data: SurveyData) -> Iterator[tuple[int, int]]:
    size = len(data.variables)
    return ((i, j) for i in range(size) for j in range(i + 1, size))


def _scaled(everybody: SurveyData) -> Floats:
    return true_tables(everybody) * (SAMPLE / POPULATION)


def rms(away: Floats) -> float:
    return float(np.sqrt(np.mean(away**2)))


def _attacks(data: SurveyData, params: PairsFileParams) -> Iterator[Line]:
    settings = linkage.LinkageParams(targets=600, people=5000)
    for mechanism, chosen in ((krr_laplace.SPEC, krr_laplace.KrrLaplaceParams()), (pairs_file.SPEC, params)):
        subject = Subject(words=SPEC.words, prepared=data, mechanism=mechanism, params=chosen)
        (found,) = linkage.SPEC.run(subject, settings, QUIET)
        if mechanism is krr_laplace.SPEC:
            yield "linkage on the source's file, 40 known", float(str(found.values["linked_all"])), "at least", 0.99
        else:
            off = abs(float(str(found.values["membership_auc"])) - 0.5)
            yield "membership of the central file, area away from .5", off, "at most", 0.04
            yield "attribute gain of members", float(str(found.values["attribute_gain"])), "at most", 0.05


def _coverage(everybody: Integers) -> Iterator[Line]:
    """Of nominal 95 %: cells of noisy tables, and coefficients over fresh samples."""
    random = np.random.default_rng(8)
    data = survey(everybody[random.permutation(POPULATION)[:SAMPLE]])
    true = _scaled(survey(everybody))
    for epsilon in ("1", "4"):
        params = PairsParams(epsilon=Epsilon(epsilon))
        tables = published(data.variables, pairs_gaussian.SPEC.study(data, params, StudyRandom(9), QUIET).reveal())
        first = 1 + int(data.categories.sum())
        margin = tables.units("margin_of_error").numbers()[first : first + len(true)]
        cells = corrected(data.variables, tables)
        assert cells is not None
        held = float((np.abs(cells - true) <= margin).mean())
        yield f"cells of noisy tables held, ε {epsilon}", held, "at least", 0.94
        yield f"cells of noisy tables held, ε {epsilon}", held, "at most", 0.96
    yield from _weighted(everybody, true / SAMPLE, random)
    yield from _regressions(everybody, random)


def _weighted(everybody: Integers, shares: Floats, random: np.random.Generator) -> Iterator[Line]:
    """Race and language groups drawn at .4 and .5 of the others' chance, weights up to 5: cells whose margins hold."""
    names = [question.name for question in QUESTIONS]
    chance = np.where(everybody[:, names.index("race")] > 0, 0.4, 1.0)
    chance *= np.where(everybody[:, names.index("language")] > 0, 0.5, 1.0)
    chance /= chance.sum()
    chosen = random.choice(POPULATION, SAMPLE, p=chance)
    units = np.rint(100.0 / (POPULATION * chance[chosen])).astype(np.int64)
    data = replace(
        survey(everybody[chosen]), weighing=weighing(5), weights=Confidential(np.minimum(units, 500)), planned=SAMPLE
    )
    for epsilon in ("8", "1"):
        params = PairsParams(epsilon=Epsilon(epsilon))
        tables = published(data.variables, pairs_gaussian.SPEC.study(data, params, StudyRandom(9), QUIET).reveal())
        first, total = 1 + int(data.categories.sum()), tables.units("estimate").numbers()[0]
        cells = corrected(data.variables, tables)
        assert cells is not None
        margin = tables.units("margin_of_error").numbers()[first : first + len(cells)]
        held = float((np.abs(cells - total * shares) <= margin).mean())
        yield f"cells of weighted tables held, ε {epsilon}", held, "at least", 0.94
        yield f"cells of weighted tables held, ε {epsilon}", held, "at most", 0.96


def _regressions(everybody: Integers, random: np.random.Generator) -> Iterator[Line]:
    """pct1 on q01, q24 and pct2 from local files; q07 on q13, q16 and age from tables; q23 on sex and q01, logistic."""
    names = [question.name for question in QUESTIONS]
    at = {name: names.index(name) for name in ("pct1", "pct2", "q01", "q24", "q07", "q13", "q16", "age", "q23", "sex")}
    keep = [at[name] for name in at]
    few = tuple(variables()[place] for place in keep)
    rows = everybody[:, keep]
    where = {name: place for place, name in enumerate(at)}
    exact = _exact(rows, where)
    for epsilon in ("7", "2"):
        held = np.zeros((SAMPLES, 4), dtype=bool)
        naive, events = np.zeros(SAMPLES, dtype=bool), np.zeros((SAMPLES, 3), dtype=bool)
        for number in range(SAMPLES):
            data = SurveyData(variables=few, answers=Confidential(rows[random.integers(0, len(rows), SAMPLE)]))
            params = krr_laplace.KrrLaplaceParams(epsilon=Epsilon(epsilon))
            file = published(few, krr_laplace.SPEC.study(data, params, StudyRandom(number), QUIET).reveal())
            held[number], naive[number], events[number] = _local_fits(few, file, exact)
        for place, name in enumerate(("intercept", "q01", "q24", "pct2")):
            yield f"corrected slope of {name} held, ε {epsilon}", float(held[:, place].mean()), "at least", 0.90
        yield f"naive slope of pct2 held, ε {epsilon} (shown to fail)", float(naive.mean()), "at most", 0.90
        for place, name in enumerate(("intercept", "sex", "q01")):
            yield f"corrected logistic {name} held, ε {epsilon}", float(events[:, place].mean()), "at least", 0.90
    for epsilon in ("4", "1"):
        params_ = PairsParams(epsilon=Epsilon(epsilon))
        kept = np.zeros((SAMPLES, 4), dtype=bool)
        for number in range(SAMPLES):
            data = SurveyData(variables=few, answers=Confidential(rows[random.integers(0, len(rows), SAMPLE)]))
            tables = published(few, pairs_gaussian.SPEC.study(data, params_, StudyRandom(number), QUIET).reveal())
            scores = tuple(np.arange(few[where[n]].categories, dtype=np.float64) for n in ("q07", "q13", "q16", "age"))
            found = regression(read_moments(few, tables, ("q07", "q13", "q16", "age"), scores))
            kept[number] = np.abs(found.estimate - exact["tables"]) <= 1.96 * found.error
        for place, name in enumerate(("intercept", "q13", "q16", "age")):
            yield f"slope of {name} from tables held, ε {epsilon}", float(kept[:, place].mean()), "at least", 0.90


def _exact(rows: Integers, where: dict[str, int]) -> dict[str, Floats]:
    """The same regressions over the whole population."""
    column: Callable[[str], Floats] = lambda name: rows[:, where[name]].astype(np.float64)  # noqa: E731
    ones = np.ones(len(rows))
    linear_x = np.stack([ones, column("q01"), column("q24"), column("pct2")], axis=1)
    table_x = np.stack([ones, column("q13"), column("q16"), column("age")], axis=1)
    event_x = np.stack([ones, column("sex"), column("q01")], axis=1)
    event, beta = (column("q23") == 1).astype(np.float64), np.zeros(3)
    for _ in range(30):
        p = 1.0 / (1.0 + np.exp(-event_x @ beta))
        beta = beta + np.linalg.solve((event_x * (p * (1 - p))[:, None]).T @ event_x, event_x.T @ (event - p))
    return {
        "local": np.linalg.lstsq(linear_x, column("pct1"), rcond=None)[0],
        "tables": np.linalg.lstsq(table_x, column("q07"), rcond=None)[0],
        "logistic": beta,
    }


def _local_fits(few: tuple[Variable, ...], file: Published, exact: dict[str, Floats]) -> tuple[Floats, bool, Floats]:
    designs = designs_of(few, file)
    assert designs is not None
    by_name = {design.variable.name: design for design in designs}
    column = {variable.name: variable_column(file, variable) for variable in few}
    outcome = by_name["pct1"].decoded(column["pct1"])
    fit = linear(outcome, [scored(by_name[name], column[name]) for name in ("q01", "q24", "pct2")])
    plain = linear(column["pct1"], [as_published(column[name]) for name in ("q01", "q24", "pct2")])
    event = logistic(
        by_name["q23"], (by_name["sex"], by_name["q01"]), (column["q23"], column["sex"], column["q01"])
    )  # fmt: skip
    held = np.abs(fit.estimate - exact["local"]) <= 1.96 * fit.error
    naive = abs(plain.estimate[3] - exact["local"][3]) <= 1.96 * plain.error[3]
    events = np.abs(event.estimate - exact["logistic"]) <= 1.96 * event.error
    return held, bool(naive), events


def acs(file: Path) -> SurveyData:
    """The excerpt's categorical columns; their lists stand for the declared ones."""
    with file.open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    columns, found = [], []
    for name in ACS_COLUMNS:
        listed = tuple(sorted({row[name] for row in rows}))
        columns.append(np.array([listed.index(row[name]) for row in rows], dtype=np.int64))
        found.append(Variable(name=name, kind=Kind.CATEGORY, values=listed, labels=listed))
    return SurveyData(variables=tuple(found), answers=Confidential(np.stack(columns, axis=1)))


def within_four(data: SurveyData, file: Published) -> float:
    """The share of proportions that come back within four standard errors, as the corrected estimate tells them."""
    found, truth = estimates(data.variables, file), true_estimates(data)
    return float((np.abs(found.shares - truth.shares) <= 4.0 / 1.96 * found.share_margins + 1e-9).mean())


def _acs(excerpt: Path) -> Iterator[Line]:
    data = acs(excerpt)
    own = true_tables(data)
    drawn = krr_laplace.SPEC.study(data, krr_laplace.KrrLaplaceParams(), StudyRandom(3), QUIET).reveal()
    file = published(data.variables, drawn)
    source = rms(as_counted(data.variables, file) - own)
    yield "ACS, protected proportions within 4 standard errors", within_four(data, file), "at least", 1.0
    study = pairs_gaussian.SPEC.study(data, PairsParams(epsilon=Epsilon(4)), StudyRandom(4), QUIET).reveal()
    cells = corrected(data.variables, published(data.variables, study))
    assert cells is not None
    print(f"ACS: {len(own):,} cells, largest list {int(data.categories.max())}")
    yield "ACS, noisy tables at ε 4 over the source's file", rms(cells - own) / source, "at most", 0.90


if __name__ == "__main__":
    sys.exit(main())
