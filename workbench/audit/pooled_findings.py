"""What the black box says about events that were fixed beforehand, with the smallest breach that it would have seen."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from workbench.audit.black_box_findings import LIMITS, Sampler, Verdict, told_bound, verdict_table
from workbench.audit.pooled_events import Hits, WatchedPair
from workbench.audit.visible_breach import smallest_visible, step_of
from workbench.core.claims import Claim
from workbench.core.figures import Axis, Figure, Kind, Mark, Series
from workbench.core.findings import Finding, Status, Table
from workbench.core.quantities import counted, show
from workbench.core.value_words import ValueName, declare

declare(
    {
        "visible_breach": ValueName("Smallest breach it would have seen", "ε"),
        "visible_breach_95": ValueName("The same at 95 % confidence", "ε"),
    }
)
_NINETEEN_OF_TWENTY = Decimal("0.95")


@dataclass(frozen=True, slots=True, kw_only=True)
class Pooled:
    """Hits on pairs of the claim's grid, `risk` for them all, and what the neighbours of the table at hand showed."""

    hits: tuple[Hits, ...]
    pairs: tuple[WatchedPair, ...]
    verdicts: tuple[Verdict, ...]
    risk: float


def pooled_finding(sampler: Sampler, claim: Claim, seen: Pooled, confidence: Decimal) -> Finding:
    hits, risk, delta = seen.hits, seen.risk / len(seen.hits), float(claim.delta)
    bounds = tuple(one.lower(delta, risk) for one in hits)
    worst = max(*bounds, *(verdict.bound.lower for verdict in seen.verdicts))
    claimed = float(claim.epsilon)
    broken = worst > claimed
    share = seen.risk / float(1 - confidence)
    visible = {
        name: found
        for name, sure in (("visible_breach", confidence), ("visible_breach_95", _NINETEEN_OF_TWENTY))
        if (found := _visible(seen.pairs[0], claim, hits, float(1 - sure) * share)) is not None
    }
    return Finding(
        id=sampler.id,
        title=sampler.title,
        status=Status.FAIL if broken else Status.PASS,
        sentence=_sentence(claim, worst, seen, confidence, visible),
        values={
            "lower_bound": worst,
            "claimed_epsilon": claim.epsilon,
            "confidence": confidence,
            "draws": sampler.draws,
            "tests": len(hits) + len(seen.verdicts),
            "sampler": sampler.name,
            **visible,
        },
        tables=(_table(hits, bounds), *((verdict_table(seen.verdicts),) if seen.verdicts else ())),
        figures=(_figure(sampler, claimed, hits, bounds),),
        does_not_prove=(
            "A low bound is no proof of privacy. It is sampled: breaches smaller than the smallest visible one, and "
            "those in neighbours or outputs that are not watched, are not seen. Most neighbours are made up from the "
            f"definition of the claim; those of this table get a twelfth of the draws. {LIMITS.get(sampler.name, '')}"
        ).strip(),
    )


def _visible(pair: WatchedPair, claim: Claim, hits: tuple[Hits, ...], risk: float) -> float | None:
    """From the formula, where one value of continuous noise is published; for other laws nothing is promised."""
    known = step_of(pair)
    if claim.delta or known is None:
        return None
    shape, shift, ratio = known
    return smallest_visible(
        shape, shift=shift, ratio=ratio, epsilon=float(claim.epsilon), draws=hits[0].draws, risk=risk / len(hits)
    )


def _sentence(claim: Claim, worst: float, seen: Pooled, confidence: Decimal, visible: dict[str, float]) -> str:
    own = len({verdict.pair for verdict in seen.verdicts})
    beside = f" and {counted(own, 'pair')} of this table" if own else ""
    told = (
        f"From {show(seen.hits[0].draws)} draws on either side of {counted(len(seen.pairs), 'pair')} of the claim's "
        f"neighbours{beside}, ε is at least {told_bound(worst, claim)} with {show(confidence * 100)} % confidence; "
        f"claimed {show(claim.epsilon)}."
    )
    verdict = "The claim is broken." if worst > float(claim.epsilon) else "No breach was found."
    least = visible.get("visible_breach")
    smallest = f" The smallest breach this would have seen is {least:.3g} ε." if least is not None else ""
    return f"{told} {verdict}{smallest}"


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
