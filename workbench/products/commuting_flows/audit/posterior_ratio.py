"""The posterior-ratio audit: what synthetic residences tell an attacker who knows all workers but one.

For a chosen population (the worst unless another is named) the transition matrix of the slides, with the largest log
ratio for one draw and for all m draws. For every population pure ε, the (ε, δ) that is paid for, the least prior, the
price of pruning exactly and as the slides' headline says it; the distribution of ε, the worst one, the release's
total.
Source: OnTheMap (2008), "Privacy audit"; formulas in `products.commuting_flows.dirichlet`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np

from workbench.audit.contract import Subject
from workbench.core.claims import Claim
from workbench.core.findings import Audience, Finding, Status
from workbench.core.params import param
from workbench.core.progress import Context
from workbench.core.value_words import ValueName, declare
from workbench.products.commuting_flows.audit.posterior_ratio_figures import epsilon_distribution, transition_heat_map
from workbench.products.commuting_flows.audit.posterior_ratio_population import Attack, population_called, view_of
from workbench.products.commuting_flows.audit.posterior_ratio_words import (
    attack_sentence,
    populations_sentence,
    total_sentence,
    worst_table,
)
from workbench.products.commuting_flows.flows.structures import Populations
from workbench.products.commuting_flows.synthetic_residences.draw import TrueWorkers, true_workers
from workbench.products.commuting_flows.synthetic_residences.loss import Losses
from workbench.products.commuting_flows.synthetic_residences.params import MinimumPrior, SyntheticResidencesParams
from workbench.products.commuting_flows.synthetic_residences.weights import Weights, kept_points, weights_of

declare(
    {
        "population": ValueName("Population"),
        "max_log_ratio": ValueName("Largest log ratio, all draws"),
        "max_log_ratio_one_draw": ValueName("Largest log ratio, one draw"),
        "pure_epsilon": ValueName("Pure ε"),
        "pure_epsilon_one_draw": ValueName("Pure ε of one draw"),
        "outcome": ValueName("Outcome that tells most"),
        "row_a": ValueName("Residence it speaks for"),
        "row_b": ValueName("Residence it speaks against"),
        "points_without_prior": ValueName("Points without prior"),
        "infinite": ValueName("Populations without a bound"),
        "largest_epsilon": ValueName("Largest ε, with pruning"),
        "median_epsilon": ValueName("Median ε, with pruning"),
        "largest_pure_epsilon": ValueName("Largest pure ε"),
        "largest_nominal_epsilon": ValueName("Largest nominal ε"),
        "largest_headline_epsilon": ValueName("Largest ε by the headline bound"),
        "largest_delta_bound": ValueName("Largest bound on δ"),
        "least_prior": ValueName("Minimum prior of a point"),
        "total_epsilon": ValueName("ε of the release"),
        "total_delta": ValueName("δ of the release"),
        "populations_of_a_worker": ValueName("Populations one worker is in"),
        "delta_anywhere": ValueName("δ that it happens in any population"),
    }
)

_ROUNDING = 1e-9
_LIMITS = (
    "It judges the law the residences are drawn from, not the sampler (the black-box check watches that), and not what "
    "other releases add. Workplaces, characteristics and sizes are outside of what is protected."
)


@runtime_checkable
class TellsLosses(Protocol):
    """A mechanism that knows what each population spends."""

    def losses(self, prepared: Populations, params: Any) -> Losses: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class PosteriorRatioParams:
    population: str = param("", "Population", "Its workplace (and characteristic). Empty: the one that spends most.")
    unknown: str = param(
        "",
        "Support point of the unknown worker",
        "The attacker knows all residences but that of one worker here. Empty: the worker who is most alone.",
    )
    points: int = param(12, "Points shown", "Rows and columns of the transition matrix.", ge=2, le=60)


@dataclass(frozen=True, slots=True)
class PosteriorRatioCheck:
    """Fails where the loss of any population is infinite or above the claim."""

    id: str = "posterior-ratio"
    version: int = 1
    title: str = "Posterior ratios"
    summary: str = "What synthetic residences reveal to an attacker who knows where all other workers live."
    params: type[PosteriorRatioParams] = PosteriorRatioParams
    of_loss: bool = True

    def run(self, subject: Subject, params: PosteriorRatioParams, context: Context) -> tuple[Finding, ...]:
        context.step(0.0, "what each population reveals")
        if not isinstance(subject.prepared, Populations) or not isinstance(subject.mechanism, TellsLosses):
            context.step(1.0, "no posterior to look at")
            return (_not_residences(subject.mechanism.title),)
        losses = subject.mechanism.losses(subject.prepared, subject.params)
        context.step(0.6, "the transition matrix of one population")
        population = population_called(subject.prepared, params.population, losses.worst)
        weights, truth = weighed(subject.prepared, subject.params)
        attack = view_of(subject.prepared, weights, truth, population).attacked(params.unknown)
        claim = subject.mechanism.claim(subject.prepared, subject.params)
        context.step(1.0, "posterior ratios known")
        return (
            attack_finding(attack, params.points),
            _populations_finding(subject.prepared, losses, claim, subject.params),
            _total_finding(subject.prepared, losses, claim, subject.params),
        )


def weighed(prepared: Populations, params: Any) -> tuple[Weights, TrueWorkers]:
    """Priors and true workers over kept points."""
    truth = true_workers(prepared.likelihood.reveal(), kept_points(prepared.supports))
    return weights_of(prepared, params, truth.per_population), truth


def attack_finding(attack: Attack, points: int, *, all_draws: bool = False) -> Finding:
    """One population against one attacker. It shows true residences: internal."""
    audit = attack.audit
    infinite = bool(audit.without_prior)
    return Finding(
        id="posterior-ratio-population",
        title=f"What one worker of {attack.view.name} reveals",
        status=Status.FAIL if infinite else Status.INFO,
        sentence=attack_sentence(attack),
        values={
            "population": attack.view.name,
            "draws": attack.view.draws,
            "max_log_ratio": audit.max_log_ratio,
            "max_log_ratio_one_draw": audit.one_draw.log_ratio,
            "pure_epsilon": audit.pure_epsilon,
            "pure_epsilon_one_draw": audit.pure_epsilon_one_draw,
            "outcome": attack.view.points[audit.all_draws.outcome] if attack.view.points else None,
            "row_a": attack.view.points[audit.all_draws.row_a] if attack.view.points else None,
            "row_b": attack.view.points[audit.all_draws.row_b] if attack.view.points else None,
            "points_without_prior": len(audit.without_prior),
        },
        figures=(transition_heat_map(attack, most=points, all_draws=all_draws),),
        does_not_prove=(
            "It is one population against one attacker, before pruning. The next finding has every population, over "
            "all data sets and with pruning."
        ),
    )


def _populations_finding(prepared: Populations, losses: Losses, claim: Claim, params: Any) -> Finding:
    claimed = claim.epsilon / (prepared.most_populations_of_a_worker * params.replicates)
    figure = epsilon_distribution(losses, claimed=claimed, nominal=float(params.epsilon))
    broken = bool(np.any(losses.total > float(claimed) * (1 + _ROUNDING)) or np.any(np.isinf(losses.total)))
    some = losses.draws > 0
    return Finding(
        id="posterior-ratio-populations",
        title="ε of every population",
        status=Status.FAIL if broken else Status.PASS,
        sentence=_of_each(params.replicates) + populations_sentence(prepared, losses, claimed),
        values={
            "populations": int(some.sum()),
            "infinite": int(np.isinf(losses.total).sum()),
            "largest_epsilon": float(losses.total.max(initial=0.0)),
            "median_epsilon": float(np.median(losses.total[some])) if some.any() else 0.0,
            "largest_pure_epsilon": float(losses.pure.max(initial=0.0)),
            "largest_nominal_epsilon": float(losses.nominal.max(initial=0.0)),
            "largest_headline_epsilon": float(losses.headline.max(initial=0.0)),
            "largest_delta_bound": float(losses.delta.max(initial=0.0)),
            "least_prior": float(losses.least_prior[some].min()) if some.any() else 0.0,
        },
        tables=worst_table(prepared, losses),
        figures=() if figure is None else (figure,),
        does_not_prove=_LIMITS,
        audience=_audience(prepared, params),
    )


def _total_finding(prepared: Populations, losses: Losses, claim: Claim, params: Any) -> Finding:
    times = prepared.most_populations_of_a_worker * params.replicates
    total, delta = times * float(losses.total.max(initial=0.0)), times * float(losses.delta.max(initial=0.0))
    kept = total <= float(claim.epsilon) * (1 + _ROUNDING) and delta <= float(claim.delta) * (1 + _ROUNDING)
    return Finding(
        id="posterior-ratio-total",
        title="ε of the release",
        status=Status.PASS if kept and np.isfinite(total) else Status.FAIL,
        sentence=total_sentence(total, delta, claim, prepared, params.replicates),
        values={
            "total_epsilon": total,
            "total_delta": min(delta, 1.0),
            "claimed_epsilon": claim.epsilon,
            "claimed_delta": claim.delta,
            "populations_of_a_worker": prepared.most_populations_of_a_worker,
            "delta_anywhere": min(params.replicates * float(losses.delta.sum()), 1.0),
        },
        does_not_prove=_LIMITS,
        audience=_audience(prepared, params),
    )


def _of_each(replicates: int) -> str:
    return "" if replicates == 1 else f"For each of {replicates} replicates: "


def _audience(prepared: Populations, params: SyntheticResidencesParams) -> Audience:
    """Public where everything follows from sizes, points and prior: so it does where true sizes are published.

    By the plan, never by a look: that distorted sizes came out as they are must not be told by who may read a finding.
    """
    if params.minimum_prior is not MinimumPrior.SEARCH and not params.prunes:
        return Audience.PUBLIC
    return Audience.PUBLIC if prepared.told_exactly else Audience.INTERNAL


def _not_residences(title: str) -> Finding:
    return Finding(
        id="posterior-ratio",
        title="Posterior ratios",
        status=Status.INFO,
        sentence=f"{title} does not draw residences, so there are no posterior ratios.",
        does_not_prove="Anything: nothing was tested.",
    )


SPEC = PosteriorRatioCheck()
