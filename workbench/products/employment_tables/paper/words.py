"""A findings study in words: findings for window and report."""

from __future__ import annotations

import math
from decimal import Decimal

from workbench.core.findings import Audience, Finding, Status, Table
from workbench.core.quantities import show
from workbench.products.employment_tables.mechanisms.block.post import PostProcessing
from workbench.products.employment_tables.paper.contenders import exact_delta, paper_delta
from workbench.products.employment_tables.paper.definitions import definitions_of, least_epsilon_finding
from workbench.products.employment_tables.paper.pictures import figures_of
from workbench.products.employment_tables.paper.statements import (
    BLOCK,
    FOUR,
    GAMMA,
    LAPLACE,
    STATEMENTS,
    SUMMARY,
    TENTH,
    TWO,
    Results,
    Statement,
)
from workbench.products.employment_tables.paper.study import Calibrated, FindingsStudy
from workbench.products.employment_tables.usefulness.contenders import Point

TITLES = {
    1: "Marginals of workplaces", 2: "Single queries with worker attributes", 3: "Marginals with worker attributes",
    4: "Size of places", 5: "Which mechanism is best", SUMMARY: "Statements of the paper's Summary",
}  # fmt: skip
_TWIN_ONLY = "A synthetic twin has the published facts of the paper's data, not its records; other data differ."


def findings_of(study: FindingsStudy) -> tuple[Finding, ...]:
    """One finding per finding of the paper, then what is new, what is infeasible and the check by sampling."""
    told = tuple(_paper_finding(study, number) for number in TITLES)
    return (
        *definitions_of(study), *told, _depending(study), _beyond(study), least_epsilon_finding(), _infeasible(study),
        _checked(study),
    )  # fmt: skip


def _verdict(statement: Statement, results: Results) -> str:
    value = statement.measure(results)
    return "yes" if not math.isnan(value) and statement.holds(value) else "no"


def _names(study: FindingsStudy) -> tuple[str, str]:
    return tuple(f"A {base.least}, B {base.most}" for base in (study.plan.baseline, study.plan.other_baseline))  # type: ignore[return-value]


def _depending(study: FindingsStudy) -> Finding:
    """Which statements hold against one setting of current SDL and not against the other."""
    names = _names(study)
    rows = tuple(
        ("Summary" if statement.finding == SUMMARY else f"{statement.finding}", statement.words, *verdicts)
        for statement in STATEMENTS
        if len(set(verdicts := [_verdict(statement, made.results) for made in (study.paper, study.other)])) > 1
    )
    return Finding(
        id="depends-on-baseline",
        title="What depends on current SDL",
        status=Status.INFO,
        sentence=(
            f"{len(rows)} of {len(STATEMENTS)} statements change when SDL's factors have {names[1]} instead of "
            f"{names[0]}. The agency's own values are confidential, so neither setting is the true one."
        ),
        values={"changed": len(rows), "statements": len(STATEMENTS)},
        tables=(Table(title="Statements that change", columns=("Finding", "The paper says", *names), rows=rows),),
        does_not_prove=_TWIN_ONLY,
        audience=Audience.PUBLIC,
    )


def _paper_finding(study: FindingsStudy, number: int) -> Finding:
    own = [statement for statement in STATEMENTS if statement.finding == number]
    first, second = _names(study)
    rows = []
    for statement in own:
        told = [cell for made in (study.paper, study.other) for cell in (statement.shown(made.results),
                _verdict(statement, made.results))]  # fmt: skip
        rows.append((statement.words, statement.rule, *told, statement.shown(study.tight.results)))
    held, other = (sum(row[place] == "yes" for row in rows) for place in (3, 5))
    columns = ("The paper says", "Rule", first, "Holds", second, "Holds", f"Tight, {first}")
    return Finding(
        id=f"paper-finding-{number}",
        title=TITLES[number] if number == SUMMARY else f"Finding {number}: {TITLES[number]}",
        status=Status.PASS if held == len(own) else Status.WARN,
        sentence=(
            f"{held} of {len(own)} statements hold on the twin with the paper's calibrations where SDL's factors "
            f"have {first}, {other} where they have {second}."
        ),
        values={"held": held, "held_other": other, "statements": len(own)},
        tables=(
            Table(title=f"Finding {number}", columns=columns, rows=tuple(rows)),
            *((_tenths(study),) if number == 3 else ()),
        ),
        figures=figures_of(study, number),
        does_not_prove=_TWIN_ONLY,
        audience=Audience.PUBLIC,
    )


def _tenths(study: FindingsStudy) -> Table:
    """Figure 6 with the paper's division of ε beside the twin's."""
    divided = (study.paper.results, study.tenths)
    rows = tuple(
        (statement.words, statement.rule, *(cell for results in divided for cell in (statement.shown(results),
         _verdict(statement, results))))
        for statement in STATEMENTS
        if statement.finding == 3
    )  # fmt: skip
    names = f"ε/{study.worker_cells}, as many as worker cells", "ε/10, as in the paper"
    columns = ("The paper says", "Rule", names[0], "Holds", names[1], "Holds")
    return Table(title="Figure 6 with ε divided in two ways", columns=columns, rows=rows)


def _beyond(study: FindingsStudy) -> Finding:
    """What the tight calibrations and block noise reach where the paper's fall short (ε 2, α 0.1)."""
    paper, tight, cells = study.paper.results, study.tight.results, study.worker_cells
    gamma = paper.ratio(1, GAMMA, TWO, TENTH), tight.ratio(1, GAMMA, TWO, TENTH)
    block = tight.ratio(3, BLOCK, TWO, TENTH)
    laplace = paper.ratio(3, LAPLACE, TWO, TENTH)
    asked, real = paper_delta(TWO, TENTH, cells), exact_delta(TWO, TENTH, cells)
    rows = (
        ("Workplaces, strong, pure ε: Smooth Gamma", _times(gamma[0]), _times(gamma[1])),
        ("Workplaces, strong, pure ε: block noise for one cell", "–", _times(tight.ratio(1, BLOCK, TWO, TENTH))),
        ("Whole marginal with workers: Smooth Laplace as published (weak, with δ)", _times(laplace), "–"),
        ("Whole marginal with workers, strong, pure ε: block noise", "–", _times(block)),
        ("… at ε 4", "–", _times(tight.ratio(3, BLOCK, FOUR, TENTH))),
        *_processed_rows(study.tight),
    )
    consistent = study.tight.processed.get((PostProcessing.CONSISTENT, TWO), math.nan)
    return Finding(
        id="beyond-the-paper",
        title="Beyond the paper",
        status=Status.INFO,
        sentence=(
            f"At ε 2 and α 0.1 the tight Smooth Gamma has {_times(gamma[1])} the error of current SDL where the "
            f"published one has {_times(gamma[0])}, both strong and at pure ε. With {cells} worker cells, block noise "
            f"has {_times(block)} under the strong definition at pure ε, {_times(consistent)} as consistent estimates, "
            "at the same ε; Smooth Laplace as published has "
            f"{_times(laplace)} under the weak one, for which the paper's own rule asks for a δ of {show(asked, 3)} "
            f"(its exact δ is {show(real, 2)})."
        ),
        values={
            "gamma_paper": gamma[0],
            "gamma_tight": gamma[1],
            "block_gamma": block,
            "block_gamma_consistent": consistent,
            "block_gamma_workplaces": tight.ratio(1, BLOCK, TWO, TENTH),
            "smooth_laplace_paper": laplace,
            "delta_paper_rule": asked,
            "delta_exact": real,
        },
        tables=(
            Table(
                title="L1 error as a ratio to current SDL, ε 2, α 0.1",
                columns=("Release", "Paper's calibration", "Ours"),
                rows=rows,
            ),
        ),
        does_not_prove=_TWIN_ONLY,
        audience=Audience.PUBLIC,
    )


def _processed_rows(made: Calibrated) -> tuple[tuple[str, str, str], ...]:
    words = {PostProcessing.NON_NEGATIVE: "negative values set to zero", PostProcessing.CONSISTENT: "consistent"}
    return tuple(
        (f"… at ε {show(epsilon)}, post-processing: {words[kind]}", "–", _times(ratio))
        for (kind, epsilon), ratio in made.processed.items()
    )


def _infeasible(study: FindingsStudy) -> Finding:
    """The points of the grid that cannot run, with the smallest ε that could."""
    rows = []
    for words, made in (("paper", study.paper), ("tight", study.tight)):
        seen: dict[tuple[str, Decimal], list[Point]] = {}
        for error in made.errors[1]:
            if not error.point.feasible:
                seen.setdefault((error.point.contender.name, error.point.alpha), []).append(error.point)
        for (name, alpha), points in seen.items():
            at = ", ".join(str(point.epsilon) for point in points)
            nearest = points[0].nearest_epsilon
            rows.append((f"{name} ({words})", alpha, at, "none" if nearest is None else _upward(nearest)))
    return Finding(
        id="infeasible-settings",
        title="Settings that cannot run",
        status=Status.INFO,
        sentence=f"{len(rows)} combinations of mechanism, calibration and α have values of ε that are infeasible.",
        values={"combinations": len(rows)},
        tables=(
            Table(
                title=f"Infeasible ε for workload 1 (δ {study.plan.grid.delta} for Smooth Laplace)",
                columns=("Mechanism", "α", "Infeasible ε", "Smallest feasible ε"),
                rows=tuple(rows),
            ),
        ),
        does_not_prove="A feasible setting can still be useless: look at its error.",
        audience=Audience.PUBLIC,
    )


def _upward(epsilon: Decimal) -> str:
    """Four decimals, rounded up so that the ε shown is itself feasible."""
    return f"{math.ceil(float(epsilon) * 10_000) / 10_000:.4f}"


def _checked(study: FindingsStudy) -> Finding:
    """How far sampling and closed forms lie apart, in standard errors of the sampling."""
    gaps = [gap for made in (study.paper, study.tight) for gap in _gaps(made)]
    worst = max(gaps, default=0.0)
    typical = sorted(gaps)[len(gaps) // 2] if gaps else 0.0
    return Finding(
        id="closed-forms-checked",
        title="Closed forms against sampling",
        status=Status.PASS if worst <= 6.0 else Status.WARN,
        sentence=(
            f"Over {len(gaps)} settings closed forms and {study.plan.grid.trials} trials differ by {show(typical, 2)} "
            f"standard errors in the median and by {show(worst, 2)} at most."
        ),
        values={"settings": len(gaps), "median": typical, "worst": worst},
        does_not_prove="Settings share their draws, so their differences are not independent.",
        audience=Audience.PUBLIC,
    )


def _gaps(made: Calibrated) -> list[float]:
    """Where the error has no variance (Log-Laplace with a wide spread) standard errors mean nothing: left out."""
    found = []
    for workload, sampled in made.sampled.items():
        for closed, mean, error in zip(made.errors[workload], sampled.mean, sampled.standard_error, strict=False):
            steady = error < 0.02 * closed.total
            if math.isfinite(closed.total) and steady and error > 0:
                found.append(abs(closed.total - mean.total) / error)
    return found


def _times(ratio: float) -> str:
    return "not feasible" if math.isnan(ratio) else f"{show(ratio, 3)} times"
