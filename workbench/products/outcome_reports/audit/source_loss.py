"""What the source's method rests on, for reviewers: χ of each title and sector beside the cap, and what it loses."""

from __future__ import annotations

import numpy as np

from workbench.core.findings import Finding, Status, Table, Value
from workbench.core.quantities import show
from workbench.core.value_words import ValueName, declare
from workbench.mechanisms.observed_sensitivity.losses import joining_delta, least_delta
from workbench.products.outcome_reports.clipped_mean import exact_loss, unclipped_log_ratio
from workbench.products.outcome_reports.mechanisms.observed_mean import ObservedMeanParams, observed_chi
from workbench.products.outcome_reports.mechanisms.year_budget import divided
from workbench.products.outcome_reports.outcomes import Outcomes

declare({"source_least_delta": ValueName("δ of the source's method, at least")})
_SIZES = (1, 10, 100)
_FAR = 5  # times the cap


def source_finding(prepared: Outcomes, source: ObservedMeanParams) -> Finding:
    """Internal: χ is a statistic of the largest earner. Losses are those of a mean of the dearest year."""
    budget = divided(source.epsilon, source.years, prepared.layout.year.values)
    epsilon = float(max(budget.earnings))
    count = prepared.count.reveal()
    smallest = max(int(count[count > 0].min()) if (count > 0).any() else 2, 2)
    least, most = least_delta(smallest), joining_delta(smallest, epsilon)
    return Finding(
        id="last-person.source",
        title="What the source's method rests on",
        status=Status.INFO,
        sentence=(
            "Means by observed sensitivity are not differentially private: χ and the number of people come from the "
            f"data. Even with χ fixed, δ at the nominal ε is at least {show(least, 3)} in the smallest cell, and up to "
            f"{show(most, 3)} at the ε = {show(epsilon, 3)} of a mean."
        ),
        values={"source_least_delta": least},
        tables=(_sensitivities(prepared), _losses(prepared.cap, epsilon)),
    )


def _sensitivities(prepared: Outcomes) -> Table:
    chi, layout = observed_chi(prepared), prepared.layout
    pools = (*layout.titles, *layout.sectors)
    codes = np.indices([len(key.values) for key in pools]).reshape(len(pools), -1) if pools else np.zeros((0, 1), int)
    rows: list[tuple[Value, ...]] = []
    for place, value in enumerate(chi.tolist()):
        names = [(key.labels or key.values)[codes[at, place]] for at, key in enumerate(pools)]
        rows.append((", ".join(names) or "all", value, float(prepared.cap), value / prepared.cap))
    return Table(
        title="Sensitivity χ of means, for reviewers only",
        columns=("title and sector", "observed χ (dollars)", "upper bound, the cap (dollars)", "ratio"),
        rows=tuple(rows),
        note="The observed one is set by a single person and rescales the noise of all cells of its title and sector.",
    )


def _losses(cap: int, epsilon: float) -> Table:
    """χ = cap at the plan's ε of a mean: unclipped the loss grows with the published value; clipped it is exact."""
    rows = tuple(
        (
            people,
            abs(
                unclipped_log_ratio(
                    epsilon=epsilon, cap=cap, count=people, total=people * cap / 4, joiner=cap, published=_FAR * cap
                )
            ),
            exact_loss(epsilon, people),
        )
        for people in _SIZES
    )
    return Table(
        title=f"χ = cap: what a mean of ε = {show(epsilon, 3)} loses",
        columns=("people in the cell", "not clipped, at five times the cap", "clipped to 0 … cap"),
        rows=rows,
        note="Not clipped it has no bound. Clipped, an empty cell still needs a floor.",
    )
