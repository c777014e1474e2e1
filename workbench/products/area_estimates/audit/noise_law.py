"""The noise of methods that add Laplace noise cell by cell: whether it is Laplace noise, and every draw by itself.

The official example of the source adds one draw to an estimate and to its count, and normal noise by default. The first
lets anybody confirm the true data set with certainty, the second fails far more often than the nominal ε allows. Both
show in the draws: as columns that go together, and as tails that are too short.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.audit.contract import Subject
from workbench.core.arrays import Floats
from workbench.core.findings import Finding, Status
from workbench.core.params import param
from workbench.core.progress import Context, Part
from workbench.core.quantities import show
from workbench.core.randomness import StudyRandom
from workbench.core.value_words import ValueName, declare
from workbench.products.area_estimates.area_data import AreaData

declare(
    {
        "largest_correlation": ValueName("Largest correlation between columns"),
        "tail_ratio": ValueName("Fourth moment over that of Laplace noise"),
    }
)
_TOGETHER = 0.2
_SHORT, _LONG = 0.75, 1.6  # a fourth moment of 3 instead of 6 in units of the squared variance is .5


@dataclass(frozen=True, slots=True, kw_only=True)
class NoiseLawParams:
    draws: int = param(20_000, "Draws", "Of a cell that is repeated.", ge=1000, le=1_000_000)
    seed: int = param(1, "Seed", "Of the study sampler.", ge=0)


@dataclass(frozen=True, slots=True)
class NoiseLaw:
    """Fails where two columns share a draw, or where noise is not Laplace noise."""

    id: str = "noise-law"
    version: int = 1
    title: str = "Independent Laplace noise"
    summary: str = "Whether methods with noise by cell draw Laplace noise, and every draw by itself."
    params: type[NoiseLawParams] = NoiseLawParams
    of_loss: bool = False

    def run(self, subject: Subject, params: NoiseLawParams, context: Context) -> tuple[Finding, ...]:
        context.step(0.0, "looking at the noise")
        pairs = subject.mechanism.neighbours(subject.prepared, subject.params, params.draws)
        if not pairs or pairs[0].copies < params.draws or pairs[0].second.reveal().held is None:
            context.step(1.0, "no noise by cell")
            return (
                self._info("This method adds no Laplace noise to single estimates, so that there is nothing to judge."),
            )
        repeated: AreaData = pairs[0].second.reveal()
        within = Part(context, 0.1, 0.9)
        drawn = subject.mechanism.study(repeated, subject.params, StudyRandom(params.seed), within).reveal()
        columns = [drawn.units(name).numbers() for name in (*repeated.rank_names(), "count")]
        noise = np.stack([values - values.mean() for values in columns if np.isfinite(values).all()], axis=1)
        together, ratio = _together(noise), _ratio(noise)
        context.step(1.0, "noise looked at")
        return (self._judged(together, ratio),)

    def _info(self, sentence: str) -> Finding:
        return Finding(id=self.id, title=self.title, status=Status.INFO, sentence=sentence)

    def _judged(self, together: float, ratio: float) -> Finding:
        wrong = []
        if together > _TOGETHER:
            wrong.append(
                "Two columns share a draw: an attacker who tries data sets confirms the true one with certainty."
            )
        if not _SHORT < ratio < _LONG:
            wrong.append("The noise is not Laplace noise: the nominal ε fails far more often than stated.")
        good = "Columns are drawn independently, and their noise has the tails of Laplace noise."
        return Finding(
            id=self.id,
            title=self.title,
            status=Status.FAIL if wrong else Status.PASS,
            sentence=f"{' '.join(wrong) or good} The largest correlation is {show(together, 2)}.",
            values={"largest_correlation": together, "tail_ratio": ratio},
            does_not_prove="That the scale of the noise protects anybody, which depends on where it comes from.",
        )


def _together(noise: Floats) -> float:
    if noise.shape[1] < 2:
        return 0.0
    off = np.abs(np.corrcoef(noise.T)) - np.eye(noise.shape[1])
    return float(off.max())


def _ratio(noise: Floats) -> float:
    """E z⁴ / (6·(E z²)²) of the estimates, the smallest over columns; 1 for Laplace noise, .5 for normal noise."""
    estimates = noise[:, :-1] if noise.shape[1] > 1 else noise
    fourth, second = (estimates**4).mean(axis=0), (estimates**2).mean(axis=0)
    ratios = fourth / (6.0 * second**2)
    return float(ratios[np.argmax(np.abs(np.log(ratios)))])


SPEC = NoiseLaw()
