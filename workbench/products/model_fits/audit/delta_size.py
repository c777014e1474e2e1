"""Is δ small beside the number of people? With δ ≥ 1/n a method may publish somebody's row and still keep it."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.audit.contract import Subject
from workbench.core.findings import Finding, Status
from workbench.core.progress import Context
from workbench.core.quantities import show
from workbench.products.model_fits.fit_data import FitData


@dataclass(frozen=True, slots=True, kw_only=True)
class DeltaSizeParams:
    """Nothing to set."""


@dataclass(frozen=True, slots=True)
class DeltaSize:
    """Warns where δ is at or above one divided by the number of people."""

    id: str = "delta-size"
    version: int = 1
    title: str = "Size of δ"
    summary: str = "Whether δ is below 1 divided by the number of people."
    params: type[DeltaSizeParams] = DeltaSizeParams
    of_loss: bool = False

    def run(self, subject: Subject, params: DeltaSizeParams, context: Context) -> tuple[Finding, ...]:  # noqa: ARG002 - there are none
        context.step(0.0, "looking at δ")
        prepared: FitData = subject.prepared
        delta = subject.mechanism.claim(prepared, subject.params).delta
        large = delta > 0 and float(delta) * len(prepared.outcome.reveal()) >= 1.0
        if not delta:
            sentence = "The claim has no δ: ε holds for every published fit."
        elif large:
            sentence = (
                f"δ = {show(delta)} is at or above 1 divided by the number of people. A method that publishes one "
                "person's row at random would keep such a claim. Choose a δ that is far smaller."
            )
        else:
            sentence = f"δ = {show(delta)} is below 1 divided by the number of people."
        context.step(1.0, "δ looked at")
        return (
            Finding(
                id=self.id,
                title=self.title,
                status=Status.WARN if large else Status.PASS,
                sentence=sentence,
                values={"claimed_delta": delta},
                does_not_prove="That δ is small enough for these data: that is a judgement.",
            ),
        )


SPEC = DeltaSize()
