"""Attacks: what current SDL gives away, and whether the release under review gives away the same.

Attacks of Haney et al. (2017), section 5.2, on input noise infusion published exactly and rounded, and on the
release: the shape of an establishment, its size from one known count, its size with nothing known, and the attributes
of a worker who is the only one with some value. A fifth takes the published total for the size: the gap in the factors
makes that wrong under noise infusion, but it is what noise meant for single workers leaves open (section 6).
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

import numpy as np

from workbench.audit.contract import Subject
from workbench.core.arrays import Floats
from workbench.core.errors import Problem
from workbench.core.figures import Axis, Figure, Kind, Mark, Series
from workbench.core.findings import Finding
from workbench.core.params import param
from workbench.core.progress import Context, Part
from workbench.core.randomness import StudyRandom
from workbench.products.employment_tables import noise_infusion
from workbench.products.employment_tables.audit.attacks.findings import (
    Attacked,
    baseline_finding,
    not_attacked,
    promised,
    release_finding,
)
from workbench.products.employment_tables.audit.attacks.nothing_known import FactorRange, size_posterior
from workbench.products.employment_tables.audit.attacks.scene import Scene, scene_of
from workbench.products.employment_tables.audit.attacks.trial import KnownCell, Rules, run_attacks
from workbench.products.employment_tables.tabulation.cells import Cells
from workbench.tabulation.factors import Shape


@dataclass(frozen=True, slots=True, kw_only=True)
class AttacksParams:
    least: Decimal = param(
        Decimal("0.05"), "Minimum distortion A", "Of the factors attacked. Not the agency's own.", gt=0, lt=1
    )
    most: Decimal = param(
        Decimal("0.15"), "Maximum distortion B", "Of the factors attacked. Not the agency's own.", gt=0, lt=1
    )
    shape: Shape = param(
        Shape.RAMP,
        "Density of the factor",
        "Ramp: most factors close to the least distortion. Uniform: all distortions alike.",
        labels={"ramp": "Ramp (triangular)", "uniform": "Uniform"},
    )
    known: KnownCell = param(
        KnownCell.LARGEST,
        "Count the attacker knows",
        "Of one group of workers in the establishment, above the small-cell limit.",
        labels={"largest": "Its largest group", "smallest": "Its smallest group"},
    )
    tolerance: Decimal = param(
        Decimal("0.02"),
        "Closeness of a right answer",
        "By which share of itself a size, or a group's share of the workforce, may be off in a right answer.",
        gt=0,
        lt="0.5",
    )
    few: int = param(1, "Few sizes", "With nothing known: at most so many sizes left count as exposed.", ge=1, le=100)
    alpha: Decimal = param(
        Decimal("0.1"),
        "Size window α",
        "To judge right answers by, where the mechanism has none of its own.",
        gt=0,
        lt=1,
        advanced=True,
    )
    seed: int = param(1, "Seed", "Of the factors and of the study draw; recorded.", ge=0, advanced=True)

    def check(self) -> tuple[Problem, ...]:
        return self.baseline().check()

    def baseline(self) -> noise_infusion.NoiseInfusionParams:
        return noise_infusion.NoiseInfusionParams(least=self.least, most=self.most, shape=self.shape, rounded=False)


@dataclass(frozen=True, slots=True)
class AttacksCheck:
    """Informs about the baseline; fails where a release that promises to protect establishments is exposed."""

    id: str = "sdl-attacks"
    version: int = 1
    title: str = "Attacks on the published table"
    summary: str = "What attackers recover from current SDL, and the same attacks on this release."
    params: type[AttacksParams] = AttacksParams
    of_loss: bool = False

    def run(self, subject: Subject, params: AttacksParams, context: Context) -> tuple[Finding, ...]:
        context.step(0.0, "finding establishments that are alone")
        prepared = subject.prepared
        if not isinstance(prepared, Cells) or prepared.contributions is None:
            return (not_attacked("who is in which cell stays with the engine that reads the rows; memory knows it"),)
        scene = scene_of(prepared)
        context.step(0.05, "protecting the table by current SDL")
        if not len(scene.alone):
            return (not_attacked("no establishment is alone in its workplace cell"),)
        rules = _rules(subject, params)
        tables = _today(prepared, scene, params, rules, Part(context, 0.05, 0.7))
        values, drawn = _released(subject, params, Part(context, 0.7, 0.8))
        outcomes = run_attacks(scene, values, rules, exact=False, context=Part(context, 0.8, 1.0))
        released = Attacked(name="this release", outcomes=outcomes)
        claim = subject.claim
        return (
            baseline_finding(tables, released, prepared.domain, _posterior_figure(params)),
            release_finding(released, claim, prepared.domain, drawn=drawn),
        )


def _rules(subject: Subject, params: AttacksParams) -> Rules:
    claim = subject.claim
    return Rules(
        factors=_factors(params),
        known=params.known,
        tolerance=float(params.tolerance),
        few=params.few,
        alpha=float(params.alpha if claim.alpha is None else claim.alpha),
        epsilon=float(claim.epsilon),
        delta=float(claim.delta),
        promised=promised(claim),
    )


def _factors(params: AttacksParams) -> FactorRange:
    return FactorRange(least=float(params.least), most=float(params.most))


def _today(
    prepared: Cells, scene: Scene, params: AttacksParams, rules: Rules, context: Context
) -> tuple[Attacked, ...]:
    protected = noise_infusion.SPEC.protect(
        prepared, params.baseline(), StudyRandom(params.seed), Part(context, 0.0, 0.5)
    ).values.reveal()
    exact = run_attacks(scene, protected, rules, exact=True, context=Part(context, 0.5, 0.8))
    rounded = run_attacks(scene, np.rint(protected), rules, exact=False, context=Part(context, 0.8, 1.0))
    return Attacked(name="current SDL, exact", outcomes=exact), Attacked(name="current SDL, rounded", outcomes=rounded)


def _released(subject: Subject, params: AttacksParams, context: Context) -> tuple[Floats, bool]:
    """The released values, or a study draw where there are none that fit the table."""
    cells = subject.prepared.domain.cells
    if subject.release is not None and subject.release.values.shape == (cells,):
        context.step(1.0, "attacking the release")
        return subject.release.values.astype(np.float64), True
    draw = subject.mechanism.study(subject.prepared, subject.params, StudyRandom(params.seed), context)
    return draw.reveal().values.astype(np.float64), False


def _posterior_figure(params: AttacksParams) -> Figure:
    """What one published value says about the size, for a published 100: the gap rules the value itself out."""
    published = 100
    factors = _factors(params)
    reach = max(factors.most, 0.1)
    sizes = np.arange(int(published / (1 + 1.5 * reach)), int(published / (1 - min(1.3 * reach, 0.9))) + 1)
    prior = np.full(len(sizes), 1.0 / len(sizes))
    posterior = size_posterior(published, sizes, prior, factors, params.shape)
    x = tuple(sizes.astype(np.float64).tolist())
    return Figure(
        kind=Kind.LINES,
        title="What a published 100 says about an establishment under current SDL",
        subtitle="All sizes equally likely beforehand; the gap around 1 rules the published value itself out",
        x=Axis(label="Size of the establishment", unit="jobs"),
        y=Axis(label="Probability"),
        series=(
            Series(name="before", x=x, y=tuple(prior.tolist()), dashed=True, muted=True),
            Series(name="after publication", x=x, y=tuple(posterior.tolist())),
        ),
        marks=(Mark(name="published", value=float(published), vertical=True),),
    )


SPEC = AttacksCheck()
