"""What the black-box check says. No published value and no true count is ever named."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from workbench.audit.event_search import Bound
from workbench.core.claims import Claim
from workbench.core.figures import Axis, Figure, Kind, Mark, Series
from workbench.core.findings import Finding, Status, Table
from workbench.core.quantities import show, show_left
from workbench.core.value_words import ValueName, declare, only_for_scripts, share_of

declare(
    {
        "lower_bound": ValueName("Lower bound on ε"),
        "confidence": share_of("Confidence"),
        "tests": ValueName("Events tested"),
    }
)
only_for_scripts("sampler", "integers")

_MOST_DIGITS = 12
LIMITS = {
    "study": "It watches the sampler used for studies, which has the same law but is not the one that publishes.",
    "release": "It watches the sampler that publishes, with fewer draws because exact sampling is slow.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampler:
    """Which sampler is watched, and how many draws each neighbour gets."""

    name: str  # study or release
    draws: int

    @property
    def id(self) -> str:
        return f"black-box-{self.name}"

    @property
    def title(self) -> str:
        return f"Black-box test of the {self.name} sampler"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """One pair of neighbours in one direction, with the best event found."""

    pair: str
    direction: str
    bound: Bound


def verdict_finding(sampler: Sampler, claim: Claim, verdicts: tuple[Verdict, ...], confidence: Decimal) -> Finding:
    worst = max(verdicts, key=lambda verdict: verdict.bound.lower)
    claimed = float(claim.epsilon)
    broken = worst.bound.lower > claimed
    return Finding(
        id=sampler.id,
        title=sampler.title,
        status=Status.FAIL if broken else Status.PASS,
        sentence=_sentence(sampler, claim, verdicts, confidence),
        values={
            "lower_bound": worst.bound.lower,
            "claimed_epsilon": claim.epsilon,
            "confidence": confidence,
            "draws": sampler.draws,
            "tests": len(verdicts),
            "sampler": sampler.name,
        },
        tables=(verdict_table(verdicts),),
        figures=(_figure(sampler, claimed, verdicts),),
        does_not_prove=(
            "A low bound is no proof of privacy: only a few neighbours and simple events are tried, and losses in "
            f"outputs rarer than about 1 in {show(sampler.draws)} cannot be seen. The neighbours are made up: the data "
            f"at hand may spend less than the bound. {LIMITS.get(sampler.name, '')}"
        ).strip(),
    )


def _sentence(sampler: Sampler, claim: Claim, verdicts: tuple[Verdict, ...], confidence: Decimal) -> str:
    worst = max(verdicts, key=lambda verdict: verdict.bound.lower)
    pairs = len({verdict.pair for verdict in verdicts})
    seen = (
        f"From {show(sampler.draws)} draws for each neighbour of {pairs} pair{'s' if pairs > 1 else ''}, ε is at least "
        f"{told_bound(worst.bound.lower, claim)} with {show(confidence * 100)} % confidence; claimed "
        f"{show(claim.epsilon)}."
    )
    if worst.bound.lower > float(claim.epsilon):
        return f"{seen} The claim is broken ({worst.pair})."
    return f"{seen} No breach was found."


def verdict_table(verdicts: tuple[Verdict, ...]) -> Table:
    return Table(
        title="Best event found for each pair of neighbours",
        columns=("Neighbours", "Direction", "Published value", "Log ratio seen", "Lower bound on ε"),
        rows=tuple((v.pair, v.direction, v.bound.event.words(), v.bound.seen, v.bound.lower) for v in verdicts),
        note="Events are chosen on one half of the draws and judged on the other half.",
    )


def _figure(sampler: Sampler, claimed: float, verdicts: tuple[Verdict, ...]) -> Figure:
    names = tuple(dict.fromkeys(verdict.pair for verdict in verdicts))
    bounds = tuple(max(v.bound.lower for v in verdicts if v.pair == name) for name in names)
    return Figure(
        kind=Kind.BARS,
        title=f"Lower bound on ε, {sampler.name} sampler",
        x=Axis(label="Neighbours", categories=names),
        y=Axis(label="Lower confidence bound on ε", unit="log odds"),
        series=(Series(name="lower bound", x=tuple(float(i) for i in range(len(names))), y=bounds),),
        marks=(Mark(name="claimed ε", value=claimed),),
    )


def not_integers(sampler: Sampler, pair: str) -> Finding:
    return Finding(
        id=sampler.id,
        title=sampler.title,
        status=Status.FAIL,
        sentence=(
            f"The {sampler.name} sampler gives values that are not integers ({pair}). The last digits of "
            "floating-point noise give the true count away (Mironov 2012), whatever the scale."
        ),
        values={"sampler": sampler.name, "draws": sampler.draws, "integers": False},
        does_not_prove="How large the loss is: it was not measured, because no bound holds for such values.",
    )


def no_neighbours(sampler: Sampler) -> Finding:
    return Finding(
        id=sampler.id,
        title=sampler.title,
        status=Status.WARN,
        sentence="The table has no cells, so there are no neighbours to watch.",
        values={"sampler": sampler.name, "draws": 0},
        does_not_prove="Anything: nothing was tested.",
    )


def told_bound(lower: float, claim: Claim) -> str:
    """The bound rounded down to three digits, or to as many as tell it from the claim that it breaks."""
    bound, digits = Decimal(repr(lower)), 3
    while lower > float(claim.epsilon) and show_left(bound, digits) == show(claim.epsilon) and digits < _MOST_DIGITS:
        digits += 1
    return show_left(bound, digits)
