"""What the steps of gradient descent cost as their number grows: by Rényi divergences and by loss distributions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from workbench.core.figures import Axis, Figure, Kind, Mark, Series
from workbench.core.findings import Finding, Status
from workbench.core.params import param
from workbench.core.progress import Context
from workbench.core.quantities import show
from workbench.core.value_words import ValueName, declare
from workbench.explorations.contract import Scene
from workbench.products.model_fits.mechanisms import dp_sgd, step_accounting
from workbench.products.model_fits.mechanisms.dp_sgd import DpSgdParams

declare({"epsilon_renyi": ValueName("ε by Rényi accounting"), "epsilon_pld": ValueName("ε by loss distributions")})


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountingCurveParams:
    points: int = param(8, "Points", "Numbers of steps at which both are worked out.", ge=3, le=30)


@dataclass(frozen=True, slots=True)
class AccountingCurve:
    """See the module's docstring."""

    id: str = "accounting-curve"
    version: int = 1
    title: str = "Cost of the steps"
    summary: str = "ε as steps of gradient descent add up, by Rényi accounting and by loss distributions."
    params: type[AccountingCurveParams] = AccountingCurveParams
    stage: str = "mechanism"
    needs_release: bool = False

    def choices(self, scene: Scene) -> Mapping[str, tuple[str, ...]]:
        del scene
        return {}

    def show(self, scene: Scene, params: AccountingCurveParams, context: Context) -> tuple[Finding, ...]:
        context.step(0.0, "finding the noise")
        settings = scene.params if isinstance(scene.params, DpSgdParams) else DpSgdParams()
        sigma, sampling, delta = dp_sgd.noise_of(settings), float(settings.sampling), float(settings.delta)
        steps = np.unique(np.rint(np.geomspace(max(1, settings.steps / 50), 2 * settings.steps, params.points)))
        steps = np.unique(np.append(steps, settings.steps)).astype(int)
        renyi, loss = [], []
        for place, many in enumerate(steps.tolist()):
            context.step(place / len(steps), f"accounting for {many} steps")
            renyi.append(step_accounting.epsilon_by_renyi(sampling, sigma, many, delta))
            loss.append(step_accounting.epsilon_by_pld(sampling, sigma, many, delta))
        context.step(1.0, "steps accounted for")
        at = steps.tolist().index(settings.steps)
        x = tuple(float(many) for many in steps.tolist())
        figure = Figure(
            kind=Kind.LINES,
            title="Privacy loss as steps add up",
            subtitle=f"Sampling rate {show(settings.sampling)}, noise {show(sigma, 3)} clips, δ {show(settings.delta)}",
            x=Axis(label="Steps", log=True),
            y=Axis(label="Privacy loss ε"),
            series=(
                Series(name="Rényi, orders 2 to 256", x=x, y=tuple(renyi), dashed=True),
                Series(name="loss distributions (claimed)", x=x, y=tuple(loss)),
            ),
            marks=(Mark(name="steps of the plan", value=float(settings.steps), vertical=True),),
        )
        return (
            Finding(
                id=self.id,
                title=self.title,
                status=Status.INFO,
                sentence=(
                    f"{show(settings.steps)} steps cost ε = {show(loss[at], 3)} by loss distributions, which is "
                    f"claimed, and {show(renyi[at], 3)} by Rényi accounting. Both are upper bounds."
                ),
                values={"epsilon_renyi": renyi[at], "epsilon_pld": loss[at]},
                figures=(figure,),
                does_not_prove="That so much is really lost: the end of the path can tell less than all of its steps.",
            ),
        )


SPEC = AccountingCurve()
