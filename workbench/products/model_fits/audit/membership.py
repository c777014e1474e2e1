"""Who was in the data? An attacker knows everybody but one person, and everything about that person.

The attacker has the published coefficients and computes the exact fit without and with the person; whichever is nearer
is the guess. Success is measured over people at the corners of the declared bounds, half of them really
there: .5 is guessing. The same measure judges the exact fit, the coarsened fit, the source's method and this release.
It sees one attack only: that it fails proves nothing about others.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from workbench.audit.contract import Subject
from workbench.core.arrays import Floats
from workbench.core.findings import Finding, Status, Table
from workbench.core.params import param
from workbench.core.progress import QUIET, Context, Part
from workbench.core.quantities import show
from workbench.core.randomness import StudyRandom
from workbench.core.value_words import ValueName, declare
from workbench.products.model_fits.coarse_fit import CoarseFitParams, coarsened, fitted_columns
from workbench.products.model_fits.fit_data import FitData
from workbench.products.model_fits.neighbours import with_person
from workbench.products.model_fits.published_fit import DECIMALS

declare(
    {
        "success_release": ValueName("Success on this release"),
        "success_exact": ValueName("Success on the exact fit"),
        "success_coarse": ValueName("Success on the coarsened fit"),
        "smallest_visible": ValueName("Smallest success that would have been seen"),
    }
)
_NOTICEABLE = 3.0  # standard errors above guessing


@dataclass(frozen=True, slots=True, kw_only=True)
class MembershipParams:
    trials: int = param(200, "Trials", "Draws, half of them with the person.", ge=20, le=5000)
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
        pair = prepared, with_person(prepared, 1, 0)
        trials = min(params.trials, 40) if subject.mechanism.traits.slow else params.trials
        rng = StudyRandom(params.seed)

        def released(data: FitData, within: Context) -> Floats:
            drawn = subject.mechanism.study(data, subject.params, rng, within).reveal()
            estimate: Floats = drawn.units("estimate").integers / 10.0**DECIMALS
            return estimate

        ours = _success(pair, released, trials, Part(context, 0.0, 0.9))
        exact = _success(pair, _exact, 2, Part(context, 0.9, 0.95))
        coarse = _success(pair, _coarse, 2, Part(context, 0.95, 1.0))
        error = 0.5 / np.sqrt(trials)
        visible = 0.5 + _NOTICEABLE * error
        seen = ours >= visible
        table = Table(
            title="Success of the attack",
            columns=("published", "share of right guesses"),
            rows=(("exact fit", exact), ("current SDL: coarsened fit", coarse), ("this release", ours)),
            note="One half is guessing.",
        )
        context.step(1.0, "attack done")
        return (
            Finding(
                id="membership",
                title=self.title,
                status=Status.WARN if seen else Status.PASS,
                sentence=(
                    f"The attacker is right in {ours:.0%} of {show(trials)} draws of this release, "
                    f"{exact:.0%} with the exact fit and {coarse:.0%} with the coarsened fit. Guessing gives 50%."
                ),
                values={
                    "success_release": ours,
                    "success_exact": exact,
                    "success_coarse": coarse,
                    "smallest_visible": float(min(visible, 1.0)),
                },
                tables=(table,),
                does_not_prove="That other attacks fail. The guarantee rests on the claim, not on this attack.",
            ),
        )


def _exact(data: FitData, within: Context = QUIET) -> Floats:  # noqa: ARG001 - quick
    own, _ = data.in_own_units(data.exact.reveal(), np.zeros((data.coefficients, data.coefficients)))
    return own


def _coarse(data: FitData, within: Context = QUIET) -> Floats:  # noqa: ARG001 - quick
    estimates: Floats = fitted_columns(data, *coarsened(data, CoarseFitParams()))[:, 0]
    return np.nan_to_num(estimates)


def _success(
    pair: tuple[FitData, FitData], published: Callable[[FitData, Context], Floats], trials: int, context: Context
) -> float:
    """Share of right guesses by the nearer of the two exact answers of the same method without noise."""
    noiseless = _coarse if published is _coarse else _exact
    without, with_ = noiseless(pair[0]), noiseless(pair[1])
    scale = np.maximum(np.abs(with_ - without), 1e-12)
    right = 0
    for trial in range(trials):
        there = trial % 2
        seen = published(pair[there], Part(context, trial / trials, (trial + 1) / trials))
        nearer = float((np.abs(seen - with_) / scale).sum()) < float((np.abs(seen - without) / scale).sum())
        right += int(nearer == bool(there))
    return right / trials


SPEC = Membership()
