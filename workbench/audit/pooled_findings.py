"""What the black box says about events that were fixed beforehand, with the smallest breach that it would have seen."""

from __future__ import annotations

from decimal import Decimal

import numpy as np

from workbench.audit.black_box_findings import LIMITS, Sampler
from workbench.audit.pooled_events import TESTS, Hits, WatchedPair
from workbench.audit.visible_breach import smallest_visible
from workbench.core.claims import Claim
from workbench.core.figures import Axis, Figure, Kind, Mark, Series
from workbench.core.findings import Finding, Status, Table
from workbench.core.quantities import show
from workbench.core.value_words import ValueName, declare
from workbench.noise.declared.scalar import Rounded

declare(
    {
        "visible_breach": ValueName("Smallest breach it would have seen", "ε"),
        "visible_breach_95": ValueName("The same at 95 % confidence", "ε"),
    }
)
_NINETEEN_OF_TWENTY = Decimal("0.95")


def pooled_finding(
    sampler: Sampler, claim: Claim, hits: tuple[Hits, ...], pairs: tuple[WatchedPair, ...], confidence: Decimal
) -> Finding:
    risk, delta = float(1 - confidence) / len(TESTS), float(claim.delta)
    bounds = tuple(one.lower(delta, risk) for one in hits)
    worst, claimed = max(bounds), float(claim.epsilon)
    broken = worst > claimed
    visible = {
        name: found
        for name, sure in (("visible_breach", confidence), ("visible_breach_95", _NINETEEN_OF_TWENTY))
        if (found := _visible(pairs[0], claim, hits[0].draws, sure)) is not None
    }
    return Finding(
        id=sampler.id,
        title=sampler.title,
        status=Status.FAIL if broken else Status.PASS,
        sentence=_sentence(sampler, claim, worst, len(pairs), confidence, visible),
        values={
            "lower_bound": worst,
            "claimed_epsilon": claim.epsilon,
            "confidence": confidence,
            "draws": sampler.draws,
            "tests": len(hits),
            "sampler": sampler.name,
            **visible,
        },
        tables=(_table(hits, bounds),),
        figures=(_figure(sampler, claimed, hits, bounds),),
        does_not_prove=(
            "A low bound is no proof of privacy. It is sampled: breaches smaller than the smallest visible one, and "
            "those in neighbours or outputs that are not watched, are not seen. The neighbours are made up from the "
            f"definition of the claim. {LIMITS.get(sampler.name, '')}"
        ).strip(),
    )


def _visible(pair: WatchedPair, claim: Claim, draws: int, confidence: Decimal) -> float | None:
    """From the formula, where one value of continuous noise is published; for other laws nothing is promised."""
    first, second = pair.laws
    if claim.delta or not (isinstance(first, Rounded) and isinstance(second, Rounded)) or len(first) != pair.copies:
        return None
    smaller = float(np.minimum(first.scale[0], second.scale[0]))
    return smallest_visible(
        first.shape,
        shift=abs(int(first.center[0]) - int(second.center[0])) / smaller,
        ratio=float(np.maximum(first.scale[0], second.scale[0])) / smaller,
        epsilon=float(claim.epsilon),
        draws=draws,
        risk=float(1 - confidence) / len(TESTS),
    )


def _sentence(
    sampler: Sampler, claim: Claim, worst: float, pairs: int, confidence: Decimal, visible: dict[str, float]
) -> str:
    seen = (
        f"From {show(sampler.draws)} draws for each neighbour of {pairs} pair{'s' if pairs > 1 else ''}, ε is at least "
        f"{show(worst, 3)} with {show(confidence * 100)} % confidence; claimed {show(claim.epsilon)}."
    )
    verdict = "The claim is broken." if worst > float(claim.epsilon) else "No breach was found."
    least = visible.get("visible_breach")
    told = f" The smallest breach this would have seen is {least:.3g} ε." if least is not None else ""
    return f"{seen} {verdict}{told}"


def _table(hits: tuple[Hits, ...], bounds: tuple[float, ...]) -> Table:
    return Table(
        title="Events fixed beforehand",
        columns=("Direction", "Noise suspected, of the declared", "Share of draws, likelier side", "Lower bound on ε"),
        rows=tuple(
            (one.direction, one.suspected, one.likely / one.draws, bound)
            for one, bound in zip(hits, bounds, strict=True)
        ),
        note="Sampled. Hits of all pairs of neighbours are added up; no draw is spent on choosing an event.",
    )


def _figure(sampler: Sampler, claimed: float, hits: tuple[Hits, ...], bounds: tuple[float, ...]) -> Figure:
    names = tuple(f"{one.direction}, noise × {one.suspected}" for one in hits)
    return Figure(
        kind=Kind.BARS,
        title=f"Lower bound on ε, {sampler.name} sampler",
        subtitle="Sampled; a lower confidence bound for each event",
        x=Axis(label="Event", categories=names),
        y=Axis(label="Lower confidence bound on ε", unit="log odds"),
        series=(Series(name="lower bound", x=tuple(float(i) for i in range(len(names))), y=bounds),),
        marks=(Mark(name="claimed ε", value=claimed),),
    )
