"""Input noise infusion: how employer-employee tables are protected today. It makes no formal promise.

Formula: establishment w keeps one confidential factor f_w in [1−B, 1−A] ∪ [1+A, 1+B]; a cell's value is Σ_w f_w·h(w, c)
over its establishments. Zero stays zero. A true count above 0 and below the small-cell limit is replaced by a draw on
{1, 2} from the row of a posterior predictive table that belongs to the true count. There are rows for 1 and 2 only, so
the limit is at most 3.
Guarantee: none. One establishment alone in a cell gives f away as soon as one of its counts is known; zeros are
published as they are, so the loss between 0 and 1 is infinite.
Rounding: to the nearest integer, if asked. Version 2 keeps factors as whole billionths, so that every engine adds up to
the same digits; version 1 added floating-point factors and could differ by about 10⁻⁹ of a value.
Source: Haney et al. (2017), section 5.1; Abowd, Stephens and Vilhuber (2006). The bounds A and B an agency uses are
confidential; the defaults are ours.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

import numpy as np
from numpy.typing import NDArray

from workbench.baselines.alternatives import CellValues, ExpectedError, ProtectedValues
from workbench.baselines.secret_key import KEY_VARIABLE, key_for, path_problems
from workbench.core.confidential import Confidential
from workbench.core.errors import Defect, Problem
from workbench.core.params import param
from workbench.core.progress import Context, Part
from workbench.core.randomness import StudyRandom
from workbench.products.employment_tables.tabulation.cells import Cells
from workbench.tabulation.factors import BILLION, Factors, Shape
from workbench.tabulation.sums import sums

SMALL_CELL_LIMIT = 2.5  # the source's; also of the factors that the attacks take
_CHUNK = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class NoiseInfusionParams:
    least: Decimal = param(
        Decimal("0.05"),
        "Minimum distortion A",
        "Every establishment is distorted by at least this share. The agency's own value is confidential.",
        gt=0,
        lt=1,
        unit="of size",
    )
    most: Decimal = param(
        Decimal("0.15"),
        "Maximum distortion B",
        "No establishment is distorted by more than this share. The agency's own value is confidential.",
        gt=0,
        lt=1,
        unit="of size",
    )
    shape: Shape = param(
        Shape.RAMP,
        "Density of the factor",
        "Ramp: most factors close to the least distortion. Uniform: all distortions alike.",
        labels={"ramp": "Ramp (triangular)", "uniform": "Uniform"},
    )
    small_cell_limit: Decimal = param(
        Decimal(str(SMALL_CELL_LIMIT)),
        "Small-cell limit",
        "True counts above 0 and below it are redrawn as 1 or 2. 0 redraws none; more than 3 is not offered.",
        ge=0,
        le=3,
        unit="jobs",
        advanced=True,
        later=True,
    )
    one_stays_one: Decimal = param(
        Decimal("0.7"), "P(1 published | 1 true)", "For cells with a single job.", ge=0, le=1, advanced=True
    )
    two_becomes_one: Decimal = param(
        Decimal("0.4"), "P(1 published | 2 true)", "For cells with two jobs.", ge=0, le=1, advanced=True
    )
    rounded: bool = param(True, "Round to whole jobs", "As published. Without it the exact product stays visible.")
    key_file: str = param(
        "",
        "Key file",
        "Whole path of a file of random bytes, kept outside project and report, that fixes every establishment's "
        f"factor. Empty: the file named by the environment variable {KEY_VARIABLE}, or else a key made from the "
        "study's seed.",
        advanced=True,
        file=True,
    )

    def check(self) -> tuple[Problem, ...]:
        order = Problem(
            f"The most distortion B = {self.most} must exceed the least distortion A = {self.least}",
            "most",
            f"Use a value above {self.least}",
        )
        wrong_order = () if self.least < self.most else (order,)
        return (*wrong_order, *(path_problems(self.key_file) if self.key_file else ()))


@dataclass(frozen=True, slots=True)
class NoiseInfusion:
    """See the module's docstring for formula, guarantee and rounding."""

    id: str = "noise-infusion"
    version: int = 2
    title: str = "Input noise infusion"
    summary: str = (
        "Current SDL: a permanent confidential factor per establishment, small cells redrawn. A, B, the factors, their "
        "key and both probabilities of redrawing must stay secret."
    )
    params: type[NoiseInfusionParams] = NoiseInfusionParams

    def protect(
        self, prepared: Cells, params: NoiseInfusionParams, rng: StudyRandom, context: Context
    ) -> ProtectedValues:
        key = Confidential(key_for(params.key_file, rng))
        factors = Factors(key=key, least=float(params.least), most=float(params.most), shape=params.shape)
        values = _distorted(prepared, factors, context) / BILLION
        if params.rounded:
            values = np.rint(values)
        count = prepared.count.reveal()
        drawn = _small_cells_redrawn(values, count, params, rng)
        if prepared.contributions is None:  # whoever reads the rows keeps them: only this draw's errors are known
            return ProtectedValues(values=Confidential(drawn))
        contributions = prepared.contributions.reveal()

        def expected() -> ExpectedError:
            from workbench.products.employment_tables.expected_distortion import expected_distortion

            return expected_distortion(contributions, count, params, prepared.domain.worker_combinations)

        return ProtectedValues(values=CellValues(drawn, expected))


def _distorted(prepared: Cells, factors: Factors, context: Context) -> NDArray[np.int64]:
    """Σ f·h per cell in billionths: of the contributions, a slice at a time, or by whoever reads the rows."""
    if prepared.contributions is None:
        if prepared.distort is None:
            raise Defect("noise infusion needs the establishments' contributions, which were not tabulated")
        return prepared.distort(factors, context).reveal()
    contributions = prepared.contributions.reveal()
    of_unit = factors.of(contributions.identifiers, Part(context, 0.0, 0.7))
    values = np.zeros(prepared.domain.cells, dtype=np.int64)
    total = len(contributions.jobs)
    for start in range(0, total, _CHUNK):
        context.step(0.7 + 0.3 * start / total, "adding up distorted establishments")
        part = slice(start, start + _CHUNK)
        distorted = of_unit[contributions.establishment[part]] * contributions.jobs[part]
        values += sums(contributions.cell[part], distorted, len(values), most=int(distorted.max(initial=0)))
    context.step(1.0, "distorted establishments added up")
    return values


def redrawn(count: NDArray[np.int64], params: NoiseInfusionParams) -> NDArray[np.bool_]:
    """Which cells are redrawn, whatever their factors."""
    return (count > 0) & (count < float(params.small_cell_limit))


def _small_cells_redrawn(
    values: NDArray[np.float64], count: NDArray[np.int64], params: NoiseInfusionParams, rng: StudyRandom
) -> NDArray[np.float64]:
    """Replace what stands for a true count below the limit by a draw on {1, 2}. Zero stays zero."""
    small = np.flatnonzero(redrawn(count, params))
    one = np.where(count[small] == 1, float(params.one_stays_one), float(params.two_becomes_one))
    values[small] = np.where(rng.generator.random(len(small)) < one, 1.0, 2.0)
    return values


SPEC = NoiseInfusion()
