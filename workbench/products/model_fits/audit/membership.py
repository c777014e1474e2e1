"""Who was in the data? One made-up person, the canary, is put into the data or left out, and the attacker must tell.

The attacker knows everybody else, the canary and the method, has seen many study draws of both kinds, and sees one
published fit. Draws are split: on one half the attacker learns a direction (the best for normal errors) and a
threshold, on the other half guesses are counted. .5 is guessing; a method that keeps (ε, δ) allows
(e^ε + δ)/(1 + e^ε) at most. From the same draws ε is bounded from below (`event_search`). The same measure judges the
exact fit, the coarsened fit, the source's method and this release. The power says what the attack could have seen.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from workbench.audit.contract import Subject
from workbench.audit.event_search import largest_loss
from workbench.core.arrays import Floats
from workbench.core.claims import Claim
from workbench.core.findings import Finding
from workbench.core.params import param
from workbench.core.progress import Context, Part
from workbench.core.randomness import StudyRandom
from workbench.mechanisms.contract import AnyMechanism
from workbench.products.model_fits.audit.membership_findings import RISK, Attacked, membership_finding
from workbench.products.model_fits.coarse_fit import CoarseFitParams, coarsened, fitted_columns
from workbench.products.model_fits.fit_data import FitData
from workbench.products.model_fits.mechanisms import dp_sgd
from workbench.products.model_fits.mechanisms.neighbours import with_people
from workbench.products.model_fits.study_draws import drawn_numbers, study_draws

_NUMBERS, _FEWEST = 40_000_000, 100  # numbers that an attack looks at in all, and draws it makes in any case
_STEPS_FREE = 20  # steps on samples that cost as much as the steps of other methods on everybody
Pair = tuple[FitData, FitData]  # without the canary, and with it


@dataclass(frozen=True, slots=True, kw_only=True)
class MembershipParams:
    draws: int = param(
        4000,
        "Draws of this release",
        "For study, half of them with the person; fewer on large data. More draws see smaller breaches.",
        ge=200,
        le=1_000_000,
    )
    source_draws: int = param(
        400, "Draws of the source's method", "Fewer, because each takes many steps.", ge=100, le=1_000_000
    )
    seed: int = param(1, "Seed", "The attack can be repeated with it.", ge=0)


@dataclass(frozen=True, slots=True)
class Membership:
    """See the module's docstring."""

    id: str = "membership"
    version: int = 1
    title: str = "Membership attack"
    summary: str = "Whether an attacker who knows everybody else can tell that one person was in the data."
    params: type[MembershipParams] = MembershipParams
    of_loss: bool = False

    def run(self, subject: Subject, params: MembershipParams, context: Context) -> tuple[Finding, ...]:
        context.step(0.0, "attacking the fit")
        prepared: FitData = subject.prepared
        pair = prepared, with_people(prepared, [canary(prepared)])
        claim = subject.mechanism.claim(prepared, subject.params)
        of_the_source = subject.mechanism.id == dp_sgd.SPEC.id
        draws = params.source_draws if of_the_source else params.draws
        ours = attacked(
            "this release", pair, (subject.mechanism, subject.params), draws=draws, seed=params.seed,
            context=Part(context, 0.0, 0.6),
        )  # fmt: skip
        source = replace(ours, name="source's method") if of_the_source else _source(pair, claim, params, context)
        exact = _without_noise("exact fit", pair, _exact)
        coarse = _without_noise("current SDL: coarsened fit", pair, _coarse)
        context.step(1.0, "attack done")
        return (membership_finding(self.title, claim, (exact, coarse, source, ours)),)


def canary(prepared: FitData) -> tuple[int, int]:
    """At the upper corner, with the outcome that the exact fit finds unlikely there."""
    return 1, 0 if float(prepared.exact.reveal().sum()) > 0.0 else 1


def attacked(
    name: str, pair: Pair, method: tuple[AnyMechanism, object], *, draws: int, seed: int, context: Context
) -> Attacked:
    """The attack on a method that draws."""
    mechanism, settings = method
    half, rng = _affordable(pair[0], settings, draws) // 2, StudyRandom(seed)
    drawn = [
        drawn_numbers(
            study_draws(data, method, half, rng, Part(context, place / 2, (place + 1) / 2)),
            "estimate",
            data.coefficients,
        )
        for place, data in enumerate(pair)
    ]
    claim = mechanism.claim(pair[0], settings)
    bounds = [
        largest_loss(first, second, delta=float(claim.delta), risk=RISK / 2).lower
        for first, second in (drawn, drawn[::-1])
    ]
    return Attacked(name=name, trials=2 * (half - half // 2), success=_right(drawn[0], drawn[1]), epsilon=max(bounds))


def _affordable(data: FitData, settings: object, draws: int) -> int:
    """Fewer draws where each looks at many numbers: the power that is printed follows."""
    looked_at = data.grid.reveal().size * max(1, getattr(settings, "steps", 1) // _STEPS_FREE)
    return min(draws, max(_FEWEST, _NUMBERS // max(1, looked_at)))


def _right(without: Floats, with_: Floats) -> float:
    """Share of right guesses on the second halves, by a direction and a threshold learned on the first."""
    half = len(without) // 2
    centre = with_[:half].mean(axis=0), without[:half].mean(axis=0)
    spread = np.atleast_2d(np.cov(with_[:half].T)) + np.atleast_2d(np.cov(without[:half].T))
    direction = np.linalg.lstsq(spread, centre[0] - centre[1], rcond=None)[0]
    threshold = float(direction @ (centre[0] + centre[1])) / 2.0
    hits = np.count_nonzero(with_[half:] @ direction > threshold)
    hits += np.count_nonzero(without[half:] @ direction <= threshold)
    return float(hits) / (2 * (len(without) - half))


def _source(pair: Pair, claim: Claim, params: MembershipParams, context: Context) -> Attacked:
    """The source's method at the ε and δ of this release."""
    settings = dp_sgd.settings_for(claim, len(pair[0].outcome.reveal()))
    return attacked(
        "source's method", pair, (dp_sgd.SPEC, settings), draws=params.source_draws, seed=params.seed,
        context=Part(context, 0.6, 0.95),
    )  # fmt: skip


def _without_noise(name: str, pair: Pair, published: Callable[[FitData], Floats]) -> Attacked:
    """Nothing is drawn: both answers are alike, and the attacker guesses, or every guess is right."""
    seen = not np.array_equal(published(pair[0]), published(pair[1]))
    return Attacked(name=name, trials=2, success=1.0 if seen else 0.5, epsilon=math.inf if seen else 0.0)


def _exact(data: FitData) -> Floats:
    own, _ = data.in_own_units(data.exact.reveal(), np.zeros((data.coefficients, data.coefficients)))
    return own


def _coarse(data: FitData) -> Floats:
    return np.nan_to_num(fitted_columns(data, *coarsened(data, CoarseFitParams()))[:, 0])


SPEC = Membership()
