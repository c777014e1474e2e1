"""Synthetic residences: every worker of a population gets a home drawn from the posterior predictive distribution.

Formula: a population of workplace × characteristic with n_i true workers at support point i, those of eliminated
points counted at the nearest kept one, and prior alfa_i = max(min_alfa, f(public prior)); alfa*_i = alfa_i with
probability p_i = max(alfa_i, min_p), else 0; m workers are drawn one after another, the t-th at point i with
probability (n_i + alfa*_i + draws so far)/(N + A* + t); each gets a block of its point by population.
Guarantee: (ε, δ)-probabilistic differential privacy for one worker's residence; ε = ε* + the price of pruning
(`claim`), δ only where the least prior is searched for (`search`), pure otherwise. No prior at a point: infinite.
Rounding: priors are rounded up to multiples of 2⁻³⁰ and min_p to 2⁻³²; all draws are exact integers from the
operating system's bits. The likeliest point by the public prior is never pruned, so that every population can be
drawn.
Source: OnTheMap (2008), sections 3 and 5; Machanavajjhala et al. (2008), "Privacy: theory meets practice on the map".
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Bools, Integers
from workbench.core.claims import Claim
from workbench.core.confidential import Confidential
from workbench.core.errors import Defect, Problem
from workbench.core.progress import Context, Part
from workbench.core.published import Columns
from workbench.core.randomness import ReleaseRandom, StudyRandom
from workbench.mechanisms.contract import Answer, Calibration, ExactLoss, NeighbourPair, Release, one_value
from workbench.mechanisms.traits import Traits
from workbench.noise.declared.contract import Declared
from workbench.products.commuting_flows.flows.replicates import together
from workbench.products.commuting_flows.flows.structures import Populations
from workbench.products.commuting_flows.synthetic_residences import calibration
from workbench.products.commuting_flows.synthetic_residences.claim import claim_of
from workbench.products.commuting_flows.synthetic_residences.draw import Synthesis, block_rows, true_workers
from workbench.products.commuting_flows.synthetic_residences.loss import Losses, losses_of
from workbench.products.commuting_flows.synthetic_residences.neighbours import PointPopulations, pairs_of, point_counts
from workbench.products.commuting_flows.synthetic_residences.params import PopulationCase, SyntheticResidencesParams
from workbench.products.commuting_flows.synthetic_residences.several_jobs import cost_of
from workbench.products.commuting_flows.synthetic_residences.transcript import laws_of, transcript, watched
from workbench.products.commuting_flows.synthetic_residences.uniform import Words, study_words
from workbench.products.commuting_flows.synthetic_residences.weights import kept_points, weights_of


@dataclass(frozen=True, slots=True)
class SyntheticResidences:
    """See the module's docstring for formula, guarantee and rounding."""

    id: str = "synthetic-residences"
    version: int = 2
    title: str = "Synthetic residences"
    summary: str = (
        "Homes drawn anew from public prior and true flows, as OnTheMap does. Protects where one worker lives."
    )
    params: type[SyntheticResidencesParams] = SyntheticResidencesParams
    case: type[PopulationCase] = PopulationCase
    traits: Traits = Traits(own_rows=True, no_closed_form=True, of_the_source=True)

    def problems(self, prepared: Populations, params: SyntheticResidencesParams) -> tuple[Problem, ...]:
        return calibration.problems_of(prepared, params)

    def claim(self, prepared: Populations | None, params: SyntheticResidencesParams) -> Claim:
        return claim_of(prepared, params)

    def release(
        self, prepared: Populations, params: SyntheticResidencesParams, rng: ReleaseRandom, context: Context
    ) -> Release:
        asked: list[Answer] = []
        return Release.of(drawn(synthesis(prepared, params, rng.words), context, asked), self, rng, tuple(asked))

    def laws(self, prepared: Populations, params: SyntheticResidencesParams) -> Mapping[str, Declared]:
        """Of the small populations that an audit watches: whole files keep no transcript."""
        return laws_of(synthesis(prepared, params, _no_words)) if watched(prepared) else {}

    def study(
        self, prepared: Populations, params: SyntheticResidencesParams, rng: StudyRandom, context: Context
    ) -> Confidential[Columns]:
        return Confidential(drawn(synthesis(prepared, params, study_words(rng)), context))

    def expected_error(
        self, prepared: Populations, params: SyntheticResidencesParams
    ) -> Confidential[NDArray[np.float64]] | None:
        """None: rows are drawn, so there is no cell whose error could be stated."""
        del prepared, params
        return None

    def losses(self, prepared: Populations, params: SyntheticResidencesParams) -> Losses:
        """What each population spends."""
        truth = true_workers(prepared.likelihood.reveal(), kept_points(prepared.supports))
        workers = truth.per_population
        return losses_of(prepared, weights_of(prepared, params, workers), params, workers)

    def exact_loss(self, prepared: Populations, params: SyntheticResidencesParams, context: Context) -> ExactLoss:
        """The largest price over all points of all populations, and the largest bound on δ."""
        context.step(0.0, "exact loss of every population")
        losses = self.losses(prepared, params)
        times = prepared.most_populations_of_a_worker * params.replicates
        sets = max(times // prepared.jobs_in_a_population, 1)
        loss, chance = float(losses.total.max(initial=0.0)), min(float(losses.delta.max(initial=0.0)), 1.0)
        one = {"epsilon": Decimal(loss) if math.isfinite(loss) else Decimal(0), "delta": Decimal(chance)}
        jobs = cost_of(prepared, params, **one)
        worst = losses.worst
        context.step(1.0, "exact loss of every population known")
        return ExactLoss(
            epsilon=times * loss,
            delta=min(sets * float(jobs.delta), 1.0),
            worst_cell=None,
            worst_pair=calibration.pair_in_words(prepared, worst),
            per_cell=Confidential(params.replicates * losses.total),
        )

    def neighbours(
        self, prepared: Populations, params: SyntheticResidencesParams, copies: int
    ) -> tuple[NeighbourPair, ...]:
        truth = true_workers(prepared.likelihood.reveal(), kept_points(prepared.supports))
        return pairs_of(prepared, weights_of(prepared, params, truth.per_population), copies, params.replicates)

    def calibrate(self, params: SyntheticResidencesParams, case: PopulationCase) -> Calibration:
        return calibration.calibrated(params, case)


def _no_words(count: int) -> NDArray[np.uint64]:
    raise Defect(f"{count} random words were about to be drawn to describe a law")


def synthesis(prepared: Populations, params: SyntheticResidencesParams, words: Words) -> Synthesis:
    """Weights and true workers of these data, ready to be drawn from."""
    truth = true_workers(prepared.likelihood.reveal(), kept_points(prepared.supports))
    weights = weights_of(prepared, params, truth.per_population)
    flags: list[Bools] | None = [] if watched(prepared) else None
    return Synthesis(prepared=prepared, weights=weights, truth=truth, params=params, words=words, flags=flags)


def drawn(synthesis: Synthesis, context: Context, asked: list[Answer] | None = None) -> Columns:
    """One row per population and block with a synthetic worker; for `PointPopulations` the counts alone.

    `asked` takes the transcript, where there is one.
    """
    several = synthesis.params.replicates
    parts = [Part(context, number / several, (number + 1) / several) for number in range(several)]
    if isinstance(synthesis.prepared, PointPopulations):
        return one_value(_watched(synthesis, parts, asked))
    files = [(rows[:, 0], rows[:, 1], workers) for rows, workers in (block_rows(synthesis, part) for part in parts)]
    return together(files, len(synthesis.prepared.geography.blocks))


def _watched(synthesis: Synthesis, parts: list[Part], asked: list[Answer] | None) -> Integers:
    """Workers by population, replicate and point; each replicate prunes and draws anew."""
    counted = []
    for number, part in enumerate(parts):
        mine = replace(synthesis, flags=None if synthesis.flags is None else [])
        draws = list(mine.points(part))
        if asked is not None and watched(synthesis.prepared):
            asked.extend(transcript(mine, draws, number))
        counted.append(point_counts(mine, draws).reshape(synthesis.prepared.populations, -1))
    return np.concatenate(counted, axis=1).ravel()


SPEC = SyntheticResidences()
