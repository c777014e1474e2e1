"""What the synthesiser promises. Public facts only: settings, sizes, support points and the public prior.

ε is the nominal ε* plus what pruning adds at most in populations of these sizes, whatever the data (`surcharge`),
rounded up at four digits. For a worker in several populations, or with several rows in one, `several_jobs` says what
it costs. The headline of the slides, ε* + ln(2/min_p), is named beside it, and stands where no data are known yet.
"""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, Decimal

from workbench.core.claims import Claim, Definition
from workbench.core.quantities import odds_factor, show
from workbench.products.commuting_flows.conditions import provided
from workbench.products.commuting_flows.dirichlet.pure import log_ratios
from workbench.products.commuting_flows.flows.structures import Populations
from workbench.products.commuting_flows.synthetic_residences.params import MinimumPrior, SyntheticResidencesParams
from workbench.products.commuting_flows.synthetic_residences.several_jobs import Cost, cost_of
from workbench.products.commuting_flows.synthetic_residences.surcharge import headline_price, pruning_surcharge
from workbench.products.commuting_flows.synthetic_residences.weights import ONE, least_weights

_DIGITS = Decimal("0.0001")
_UNIT = "one worker's residence, given the workplace, the characteristic and all other workers"


def claim_of(prepared: Populations | None, params: SyntheticResidencesParams) -> Claim:
    searched = params.minimum_prior is MinimumPrior.SEARCH
    loss = nominal_loss(prepared, params)
    added = headline_price(params) if prepared is None else pruning_surcharge(prepared.size, params)
    one = _nominal(loss, params) + _rounded_up(added)
    failure = Decimal(params.delta) if searched else Decimal(0)
    cost = Cost(epsilon=one, delta=failure)
    sets = params.replicates
    if prepared is not None and one.is_finite():
        cost = cost_of(prepared, params, epsilon=one, delta=failure)
    if prepared is not None:
        sets *= max(prepared.most_populations_of_a_worker // prepared.jobs_in_a_population, 1)
    total = sets * cost.epsilon
    return Claim(
        definition=Definition.RESIDENCE,
        unit=_UNIT,
        epsilon=total,
        delta=min(sets * cost.delta, Decimal(1)),
        sentence=_sentence(total, params),
        formal=total.is_finite(),
        assumptions=_assumptions(prepared, params, loss, cost),
        exact=() if prepared is None else prepared.told_exactly,
        provided=_provided(prepared) if prepared is not None and total.is_finite() else (),
    )


def _provided(prepared: Populations) -> tuple[str, ...]:
    """Nothing about sizes: residences are protected whoever knows them, and the audit asks how they become public."""
    return provided(prepared, prepared.most_populations_of_a_worker)


def nominal_loss(prepared: Populations | None, params: SyntheticResidencesParams) -> float:
    """ε*, or with a fixed least prior the largest ln(1 + m/α) over all populations (one draw where none are known)."""
    if params.minimum_prior is not MinimumPrior.FIXED:
        return float(params.epsilon)
    if prepared is None:
        return float(log_ratios(float(params.fixed_prior), 1))
    least = least_weights(prepared, params)[prepared.support_of] / ONE
    return float(log_ratios(least, prepared.size).max(initial=0.0))


def _nominal(loss: float, params: SyntheticResidencesParams) -> Decimal:
    """ε* as it was typed; anything worked out is rounded up."""
    return _rounded_up(loss) if params.minimum_prior is MinimumPrior.FIXED else Decimal(params.epsilon)


def _rounded_up(value: float) -> Decimal:
    if math.isinf(value):
        return Decimal("Infinity")
    return (Decimal(value) * (1 + Decimal("1e-12"))).quantize(_DIGITS, rounding=ROUND_CEILING).normalize()


def _sentence(total: Decimal, params: SyntheticResidencesParams) -> str:
    if total.is_infinite():
        return (
            "Nothing is promised: some support points have no prior at all, and a synthetic worker at such a point can "
            "only be there because a true worker lives there. Set a least prior above 0."
        )
    except_ = (
        ", except in outcomes that come up with probability at most "
        f"δ = {show(params.replicates * params.delta)} in a population"
        if params.minimum_prior is MinimumPrior.SEARCH
        else ""
    )
    return (
        "Whoever knows the residences of all other workers of a workplace and sees the synthetic ones can change the "
        f"odds between two residences of the last worker by a factor of at most {odds_factor(total)}{except_}. "
        "Workplaces, characteristics and the sizes of populations are not protected."
    )


def _assumptions(
    prepared: Populations | None, params: SyntheticResidencesParams, loss: float, cost: Cost
) -> tuple[str, ...]:  # fmt: skip
    fixed = [
        "Which populations (workplace and characteristic) exist and how many workers each has is public.",
        "Support points, their coarsening and their elimination, the prior and the block weights come from public data "
        "only, not from the data protected here.",
        "Neighbouring data sets differ in where one worker lives; everything else about all workers is known.",
        "Whoever lives at an eliminated point counts at the nearest point that was kept, by a fixed public map, and is "
        "protected like everybody else.",
    ]
    if params.minimum_prior is MinimumPrior.SEARCH:
        fixed.append("δ is for each population, not for all of them together.")
    if params.prunes:
        fixed.append(
            f"Of ε, {show(loss)} is the nominal loss and the rest the price of pruning, for the worst prior and the "
            f"worst data (the slides' bound adds {show(headline_price(params))})."
        )
    if params.replicates > 1:
        fixed.append(
            f"{params.replicates} replicates are drawn apart from the same data. ε and δ are those of all of them "
            f"together, {params.replicates} times those of one."
        )
    if prepared is None:
        return tuple(fixed)
    if prepared.most_populations_of_a_worker > 1:
        times = prepared.most_populations_of_a_worker
        fixed.append(
            f"One worker is in at most {times} populations, and ε and δ are those of all of them. {cost.words}".strip()
        )
    return (*fixed, *prepared.size_notes, *prepared.notes)
