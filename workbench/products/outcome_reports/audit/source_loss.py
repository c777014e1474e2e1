"""What the source's method rests on, for reviewers: χ of each title and sector beside the cap, and what it loses."""

from __future__ import annotations

import numpy as np

from workbench.core.findings import Finding, Status, Table, Value
from workbench.core.quantities import show
from workbench.core.value_words import ValueName, declare
from workbench.mechanisms.observed_sensitivity.losses import joining_delta, least_delta
from workbench.products.outcome_reports.clipped_mean import exact_loss, unclipped_log_ratio
from workbench.products.outcome_reports.mechanisms.observed_mean import observed_chi
from workbench.products.outcome_reports.outcomes import Outcomes

declare({"source_least_delta": ValueName("δ of the source's method, at least")})
_SIZES = (1, 10, 100)
_EPSILON = 1.0
_FAR = 5  # times the cap


def source_finding(prepared: Outcomes) -> Finding:
    """Internal: χ is a statistic of the largest earner."""
    count = prepared.count.reveal()
    smallest = max(int(count[count > 0].min()) if (count > 0).any() else 2, 2)
    least, most = least_delta(smallest), joining_delta(smallest, _EPSILON)
    return Finding(
        id="last-person.source",
        title="What the source's method rests on",
        status=Status.INFO,
        sentence=(
            "Means by observed sensitivity are not differentially private: χ and the number of people come from the "
            f"data. Even with χ fixed, δ at the nominal ε is at least {show(least, 3)} in the smallest cell, and up to "
            f"{show(most, 3)} at ε = 1."
        ),
        values={"source_least_delta": least},
        tables=(_sensitivities(prepared), _losses(prepared.cap)),
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


def _losses(cap: int) -> Table:
    """χ = cap at ε = 1: unclipped the loss grows with the published value; clipped it is exact."""
    rows = tuple(
        (
            people,
            abs(
                unclipped_log_ratio(
                    epsilon=_EPSILON, cap=cap, count=people, total=people * cap / 4, joiner=cap, published=_FAR * cap
                )
            ),
            exact_loss(_EPSILON, people),
        )
        for people in _SIZES
    )
    return Table(
        title="χ = cap at ε = 1: what a mean loses",
        columns=("people in the cell", "not clipped, at five times the cap", "clipped to 0 … cap"),
        rows=rows,
        note="Not clipped it has no bound. Clipped, an empty cell still needs a floor.",
    )
