"""Log-loss and calibration: how well the published coefficients predict the rows that they were fitted to."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.baselines.alternatives import ProtectedFile
from workbench.core.arrays import Floats
from workbench.core.figures import Axis, Figure, Kind, Series
from workbench.core.findings import Finding, Status, Table
from workbench.core.params import param
from workbench.core.progress import Context
from workbench.core.quantities import show
from workbench.core.value_words import ValueName, declare, share_of
from workbench.products.model_fits import logit
from workbench.products.model_fits.fit_data import FitData
from workbench.utility.contract import Comparison

declare(
    {
        "log_loss": ValueName("Log-loss of this release"),
        "log_loss_exact": ValueName("Log-loss of the exact fit"),
        "calibration_error": share_of("Calibration error of this release"),
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class FittedProbabilitiesParams:
    groups: int = param(10, "Groups", "Of equally many people, from the least to the most probable.", ge=2, le=100)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fitted:
    """One fit on the rows: its log-loss, and mean prediction and outcome in each group."""

    name: str
    loss: float
    predicted: Floats
    observed: Floats

    @property
    def off(self) -> float:
        """The mean distance between prediction and outcome over the groups."""
        return float(np.mean(np.abs(self.predicted - self.observed)))


@dataclass(frozen=True, slots=True)
class FittedProbabilities:
    """See the module's docstring."""

    id: str = "fitted-probabilities"
    version: int = 1
    title: str = "Log-loss and calibration"
    summary: str = "How well published probabilities fit the rows, beside the exact and the coarsened fit."
    params: type[FittedProbabilitiesParams] = FittedProbabilitiesParams

    def run(self, comparison: Comparison, params: FittedProbabilitiesParams, context: Context) -> tuple[Finding, ...]:
        context.step(0.0, "predicting every row")
        prepared: FitData = comparison.prepared
        if not len(prepared.outcome.reveal()):
            return (
                Finding(id=self.id, title=self.title, status=Status.INFO, sentence="There are no people to judge."),
            )
        back = np.linalg.inv(prepared.change_of_units)
        fits = {"exact fit": prepared.exact.reveal()}
        given = _coarse(comparison)
        if given is not None:
            fits["current SDL"] = back @ given
        fits["this release"] = back @ comparison.release.units("estimate").numbers()
        judged = [_fitted(name, prepared, beta, params.groups) for name, beta in fits.items()]
        context.step(1.0, "rows predicted")
        return (_finding(self.title, judged),)


def _coarse(comparison: Comparison) -> Floats | None:
    if all(isinstance(rival.gives, ProtectedFile) for rival in comparison.rivals):
        return None
    given: Floats = comparison.baseline.reveal()[:, 0]
    return None if np.isnan(given).any() else given


def _fitted(name: str, prepared: FitData, beta: Floats, groups: int) -> Fitted:
    design, outcome = prepared.people.reveal()
    p = logit.probability(design, beta)
    parts = [part for part in np.array_split(np.argsort(p, kind="stable"), groups) if len(part)]
    return Fitted(
        name=name,
        loss=float(logit.log_loss(design, outcome, beta)),
        predicted=np.array([p[part].mean() for part in parts]),
        observed=np.array([outcome[part].mean() for part in parts]),
    )


def _finding(title: str, judged: list[Fitted]) -> Finding:
    exact, ours = judged[0], judged[-1]
    figure = Figure(
        kind=Kind.LINES,
        title="Predicted and observed",
        subtitle="Groups of equally many people; a perfect fit lies on the diagonal",
        x=Axis(label="Predicted probability", unit="%"),
        y=Axis(label="Share with the outcome", unit="%"),
        series=(
            *(
                Series(name=fit.name, x=tuple((100 * fit.predicted).tolist()), y=tuple((100 * fit.observed).tolist()))
                for fit in judged
            ),
            Series(name="diagonal", x=(0.0, 100.0), y=(0.0, 100.0), dashed=True, muted=True),
        ),
    )
    return Finding(
        id="fitted-probabilities",
        title=title,
        status=Status.INFO,
        sentence=(
            f"The log-loss of this release is {show(ours.loss, 4)}, {show(ours.loss - exact.loss, 2)} above the exact "
            f"fit. Its probabilities are {show(100 * ours.off, 2)} points off on average over the groups "
            f"(exact fit: {show(100 * exact.off, 2)})."
        ),
        values={"log_loss": ours.loss, "log_loss_exact": exact.loss, "calibration_error": ours.off},
        tables=(
            Table(
                title="Fit to the rows",
                columns=("fit", "log-loss", "calibration error, points"),
                rows=tuple((fit.name, fit.loss, 100 * fit.off) for fit in judged),
            ),
        ),
        figures=(figure,),
    )


SPEC = FittedProbabilities()
