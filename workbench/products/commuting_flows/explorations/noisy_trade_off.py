"""What ε buys noisy flows: the price of presence, home and whole record, and how large the noise is."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np

from workbench.core.figures import Axis, Figure, Kind, Mark, Series
from workbench.core.findings import Finding, Status
from workbench.core.progress import Context
from workbench.core.quantities import Epsilon, show
from workbench.core.value_words import ValueName, declare
from workbench.noise.discrete_laplace import mean_absolute
from workbench.products.commuting_flows.flows.structures import Populations
from workbench.products.commuting_flows.noisy_flows.budget import Budget, budget_of
from workbench.products.commuting_flows.noisy_flows.params import NoisyFlowsParams, Unit

declare(
    {
        "presence_epsilon": ValueName("ε of one job, present or absent"),
        "home_epsilon": ValueName("ε of another home"),
        "record_epsilon": ValueName("ε of another workplace or record"),
        "size_error": ValueName("Mean error of a size", "workers"),
    }
)

_STEPS = 17
_LOW, _HIGH = 0.5, 10.0


def noisy_trade_off(prepared: Populations, params: NoisyFlowsParams, context: Context) -> Finding:
    now, times = float(params.epsilon), prepared.most_populations_of_a_worker
    x = np.unique(np.append(np.geomspace(min(_LOW, now), max(_HIGH, now), _STEPS), now)).tolist()
    budgets = [budget_of(params if each == now else replace(params, epsilon=Epsilon(f"{each:.6g}"))) for each in x]
    context.step(0.5, "prices and noise over ε")
    prices, noises = _prices(budgets, times), _noises(budgets)
    context.step(1.0, "the curves are there")
    mark = Mark(name="now", value=now, vertical=True, moves="epsilon")
    axis = Axis(label="Privacy loss ε", log=True)
    here = budget_of(params)
    figures = tuple(
        Figure(
            kind=Kind.LINES,
            title=title,
            x=axis,
            y=Axis(label=label, unit=unit),
            series=tuple(Series(name=name, x=tuple(x), y=tuple(line)) for name, line in lines.items()),
            marks=(mark,),
        )
        for title, label, unit, lines in (
            ("What one worker pays", "Privacy loss ε", "log odds", prices),
            ("Mean size of the noise", "Mean error before estimation", "workers", noises),
        )
    )
    values = {f"{name}_epsilon": float(price) for name, price in _prices_now(here, params, times).items()}
    size = {} if here.sizes is None else {"size_error": mean_absolute(here.sizes)}
    return Finding(
        id="trade-off",
        title="Privacy against truth",
        status=Status.INFO,
        sentence=_sentence(here, params, values),
        values={"setting": now, **values, **size},
        figures=figures,
        does_not_prove="The noise is that of counts before estimation; the public prior makes estimates steadier.",
    )


def _prices(budgets: list[Budget], times: int) -> dict[str, list[float]]:
    job = budgets[0].sizes is not None
    home = [float(2 * times * each.home_epsilon if job else times * each.home_epsilon) for each in budgets]
    if not job:
        return {"another home": home}
    whole = [float(times * (each.size_epsilon + each.home_epsilon)) for each in budgets]
    return {"presence": whole, "another home": home, "another workplace or record": [2 * each for each in whole]}


def _prices_now(budget: Budget, params: NoisyFlowsParams, times: int) -> dict[str, Fraction]:
    if params.unit is Unit.HOME:
        return {"home": times * budget.home_epsilon}
    whole = times * (budget.size_epsilon + budget.home_epsilon)
    return {"presence": whole, "home": 2 * times * budget.home_epsilon, "record": 2 * whole}


def _noises(budgets: list[Budget]) -> dict[str, list[float]]:
    named = {
        "flow of a work tract": "tract_flows",
        "cell of a larger population": "cells_of_larger",
        "cell of a small population": "cells_of_small",
    }
    found = {name: [mean_absolute(getattr(each, part)) for each in budgets] for name, part in named.items()}
    if budgets[0].sizes is not None:
        found = {"size of a population": [mean_absolute(each.sizes) for each in budgets if each.sizes], **found}
    return found


def _sentence(budget: Budget, params: NoisyFlowsParams, values: dict[str, float]) -> str:
    if budget.sizes is None:
        return (
            f"At ε = {show(params.epsilon)} another home costs ε {show(values['home_epsilon'])}; sizes are published "
            "as they are."
        )
    return (
        f"At ε = {show(params.epsilon)} presence costs ε {show(values['presence_epsilon'])}, another home "
        f"{show(values['home_epsilon'])} and another workplace or record {show(values['record_epsilon'])}. A published "
        f"size is off by {mean_absolute(budget.sizes):.2g} workers on average before it is cut at zero."
    )
