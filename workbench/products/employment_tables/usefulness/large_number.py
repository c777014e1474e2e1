"""The number of large establishments as it is published, with its half-width: all of it public."""

from __future__ import annotations

from workbench.core.findings import Audience, Finding, Status
from workbench.core.published import Columns
from workbench.core.quantities import show
from workbench.core.value_words import ValueName, declare
from workbench.products.employment_tables.mechanisms.drawn import beside_of

declare(
    {
        "large_number": ValueName("Published number"),
        "large_half_width": ValueName("Half-width of the number, 99 %"),
    }
)


def published_number(release: Columns) -> tuple[Finding, ...]:
    """Nothing where the plan asks for no number."""
    beside = beside_of(release)
    if beside is None or beside.large is None:
        return ()
    number, within = int(beside.large.drawn[0]), beside.large_within
    return (
        Finding(
            id="large-number",
            title="Number of large establishments",
            status=Status.INFO,
            sentence=(
                f"Published: {show(number)} {beside.large.name}. In 99 of 100 draws the published number is within "
                f"± {show(within)} of the true one."
            ),
            values={"large_number": number, "large_half_width": within},
            does_not_prove="That this draw is one of the 99, or anything about a single establishment.",
            audience=Audience.PUBLIC,
        ),
    )
