"""What the posterior-ratio audit says, in sentences and a table."""

from __future__ import annotations

import math
from decimal import Decimal

import numpy as np

from workbench.core.claims import Claim
from workbench.core.findings import Table
from workbench.core.quantities import agreeing, counted, show
from workbench.products.commuting_flows.audit.posterior_ratio_population import Attack, names_of
from workbench.products.commuting_flows.flows.structures import Populations
from workbench.products.commuting_flows.synthetic_residences.loss import Losses

_LISTED = 10


def attack_sentence(attack: Attack) -> str:
    """The worst pair, one draw and all draws, and why they differ."""
    audit, points, draws = attack.audit, attack.view.points, attack.view.draws
    if len(points) < 2:
        return f"{attack.view.name} has one support point only, so nothing about a residence can be told apart."
    if audit.without_prior:
        named = points[audit.without_prior[0]]
        more = f" (and {show(len(audit.without_prior) - 1)} more)" if len(audit.without_prior) > 1 else ""
        return (
            f"The loss is infinite: {named}{more} has no prior, so a synthetic worker there proves that a true worker "
            "lives there. Set a least prior above 0, or eliminate such points from public data."
        )
    one, every = audit.one_draw, audit.all_draws
    all_together = (
        f"But all {show(draws)} synthetic workers are published, and each adds to what the others tell: if all of them "
        f"come up there, the log ratio is {every.log_ratio:.4g}."
        if draws > 1
        else "One synthetic worker is all that this population publishes; with more, the log ratio would be larger."
    )
    return (
        f"If the unknown worker lives in {points[one.row_a]}, one synthetic worker there is {_odds(one.log_ratio)} "
        f"times as likely as if that worker lived in {points[one.row_b]}: a log ratio of {one.log_ratio:.4g}. "
        f"{all_together} Over all data this population could have it is at most {audit.pure_epsilon:.4g} (pure ε), "
        "before pruning."
    )


def _odds(log_ratio: float) -> str:
    return show(math.exp(min(log_ratio, 700.0)), 3)


def populations_sentence(prepared: Populations, losses: Losses, claimed: Decimal) -> str:
    """How many spend how much; infinity is named as such."""
    some = np.flatnonzero(losses.draws > 0)
    if not len(some):
        return "There is no population with a synthetic worker, so nothing is given away."
    infinite = np.flatnonzero(np.isinf(losses.total))
    worst = names_of(prepared)[losses.worst]
    populations = counted(len(some), "population")
    if len(infinite):
        return (
            f"In {show(len(infinite))} of {populations} ε is infinite: some support points have no "
            f"prior, so a synthetic worker there gives a true one away. The first is {worst}."
        )
    spent = (
        f"{populations} {agreeing(len(some), 'spends', 'spend')} ε from "
        f"{losses.total[some].min():.4g} to {losses.total[some].max():.4g} "
        f"(median {np.median(losses.total[some]):.4g}); most in {worst}, where {losses.nominal[losses.worst]:.4g} is "
        f"the nominal loss and the rest the exact price of pruning (headline {losses.headline[losses.worst]:.4g}). "
    )
    verdict = "No population spends more than is claimed." if losses.total.max() <= float(claimed) * (1 + 1e-9) else (
        f"That is more than the claimed {show(claimed)}."
    )  # fmt: skip
    return spent + verdict


def total_sentence(total: float, delta: float, claim: Claim, prepared: Populations, replicates: int = 1) -> str:
    times = prepared.most_populations_of_a_worker
    many = "one population" if times == 1 else f"up to {show(times)} populations"
    if replicates > 1:
        many += f", drawn {replicates} times"
    sentence = f"A worker is in {many}, so the release spends ε = {show(total)} of the claimed {show(claim.epsilon)}"
    if claim.delta or delta:
        sentence += (
            f", and tells more with probability at most {show(delta, 3)} (δ = {show(claim.delta)}) for each worker"
        )
    return f"{sentence}. All data sets are covered, with the priors as they are drawn from."


def worst_table(prepared: Populations, losses: Losses) -> tuple[Table, ...]:
    """The populations that spend most, by their public keys."""
    some = np.flatnonzero(losses.draws > 0)
    order = some[np.argsort(-losses.total[some], kind="stable")][:_LISTED]
    if not len(order):
        return ()
    names = names_of(prepared)
    return (
        Table(
            title="The populations that spend most",
            columns=(
                "Population", "Draws", "Points", "Minimum prior", "Pure ε", "Nominal ε", "δ bound",
                "ε with pruning", "Headline bound",
            ),
            rows=tuple(
                (
                    names[p], int(losses.draws[p]), int(losses.points[p]), float(losses.least_prior[p]),
                    float(losses.pure[p]), float(losses.nominal[p]), float(losses.delta[p]), float(losses.total[p]),
                    float(losses.headline[p]),
                )
                for p in order.tolist()
            ),
            note=(
                "Pure ε: whatever comes out. Nominal ε: whatever comes out except with probability δ. With pruning: "
                "the same, with the exact price of dropped priors."
            ),
        ),
    )  # fmt: skip
