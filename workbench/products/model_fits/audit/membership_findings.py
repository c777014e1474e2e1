"""What the membership attack says: its success on every way of publishing, and what it could have seen."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from workbench.audit.confidence import lower_bound, upper_bound
from workbench.core.claims import Claim
from workbench.core.findings import Finding, Status, Table
from workbench.core.quantities import show
from workbench.core.value_words import ValueName, declare, share_of

declare(
    {
        "success_release": share_of("Success on this release"),
        "success_source": share_of("Success on the source's method"),
        "success_exact": share_of("Success on the exact fit"),
        "success_coarse": share_of("Success on the coarsened fit"),
        "most_success": share_of("Maximum success under the claim"),
        "smallest_visible": share_of("Smallest success that would have been seen"),
        "visible_epsilon": ValueName("Largest ε that so many draws can show"),
    }
)
RISK = 0.001  # that a lower bound is wrong
_POWER = 0.8416  # standard errors: a success is seen in four of five repetitions
_SURE = 3.09  # standard errors for a risk of one in a thousand


@dataclass(frozen=True, slots=True, kw_only=True)
class Attacked:
    """How one way of publishing fares: guesses that were right among so many, and the ε that was seen at least."""

    name: str
    trials: int
    success: float
    epsilon: float


def most_success(epsilon: float, delta: float) -> float:
    """(e^ε + δ)/(1 + e^ε): what no attack exceeds where (ε, δ) holds and half of the draws have the person."""
    return (1.0 + delta * math.exp(-epsilon)) / (1.0 + math.exp(-epsilon))


def _percent(share: float) -> str:
    return f"{show(100.0 * share, 3)} %"


def membership_finding(title: str, claim: Claim, table: tuple[Attacked, ...]) -> Finding:
    exact, coarse, source, ours = table
    allowed = most_success(float(claim.epsilon), float(claim.delta))
    visible = min(1.0, 0.5 + (_SURE + _POWER) * 0.5 / math.sqrt(ours.trials))
    tested, every = ours.trials // 2, np.array([ours.trials // 2])
    shown = float(np.log(lower_bound(every, tested, RISK / 4) / upper_bound(0 * every, tested, RISK / 4))[0])
    sure = ours.success - _SURE * math.sqrt(max(ours.success * (1.0 - ours.success), 1e-9) / ours.trials)
    broken = ours.epsilon > float(claim.epsilon) or sure > allowed
    verdict = "The claim is broken." if broken else "No breach was found."
    return Finding(
        id="membership",
        title=title,
        status=Status.FAIL if broken else Status.PASS,
        sentence=(
            f"The attacker is right in {_percent(ours.success)} of {show(ours.trials)} draws of this release; the "
            f"claim allows {_percent(allowed)}, and guessing gives 50 %. It is right in {_percent(exact.success)} with "
            f"the exact fit, {_percent(coarse.success)} with the coarsened fit and {_percent(source.success)} with the "
            f"source's method. {verdict}"
        ),
        values={
            "success_release": ours.success,
            "success_source": source.success,
            "success_exact": exact.success,
            "success_coarse": coarse.success,
            "most_success": allowed,
            "lower_bound": ours.epsilon,
            "claimed_epsilon": claim.epsilon,
            "smallest_visible": visible,
            "visible_epsilon": shown,
        },
        tables=(
            Table(
                title="The same attack on every way of publishing",
                columns=("Published", "Draws judged", "Right guesses", "ε is at least"),
                rows=tuple((each.name, each.trials, each.success, each.epsilon) for each in table),
                note=(
                    f"A success of {_percent(visible)} would have been seen in four of five repetitions, and an ε of "
                    f"up to {show(shown, 3)}. Lower bounds hold with a confidence of 99.9 %."
                ),
            ),
        ),
        does_not_prove=(
            "That other attacks fail, or that other people are as safe: one made-up person and one attack are tried, "
            f"on the sampler used for studies. A breach that shows in fewer than {_percent(visible)} of guesses stays "
            "unseen. The guarantee rests on the claim."
        ),
    )
