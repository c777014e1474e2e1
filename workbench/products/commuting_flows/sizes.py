"""How many synthetic workers each population gets: true sizes, or sizes distorted like today's tables."""

from __future__ import annotations

import os

import numpy as np
from numpy.typing import NDArray

from workbench.baselines.secret_key import KEY_VARIABLE, key_for
from workbench.core.arrays import Integers
from workbench.core.errors import Problem
from workbench.core.progress import QUIET
from workbench.core.randomness import StudyRandom
from workbench.products.commuting_flows.flows.populations import SizeRule
from workbench.products.commuting_flows.params import CommutingFlowsParams, Outside, Sizes
from workbench.tabulation.factors import Shape, quantile, uniforms_of


def size_problems(params: CommutingFlowsParams) -> tuple[Problem, ...]:
    """A factor that anybody can work out from the study's seed would protect nothing: these sizes are published."""
    if params.sizes is Sizes.TRUE or params.key_file or os.environ.get(KEY_VARIABLE):
        return ()
    do = f"Name a file of random bytes, here or in the environment variable {KEY_VARIABLE}, or publish true sizes"
    return (Problem("Noise-infused sizes need a key file", "key_file", do),)


def size_rule(params: CommutingFlowsParams) -> SizeRule:
    """True sizes as they are; or size × the workplace's secret factor, rounded, at least 1.

    All populations of a workplace share its factor, the same at every run under the same key, as noise infusion does:
    publishing again tells nothing more. Guarantee: none.
    """
    if params.sizes is Sizes.TRUE:
        return SizeRule(published=lambda size, _codes: size, minimum=params.minimum_size)

    def distorted(size: Integers, codes: NDArray[np.str_]) -> Integers:
        places, of = np.unique(codes, return_inverse=True)
        uniforms = uniforms_of(places, key_for(params.key_file, StudyRandom(0)), QUIET)
        least, most = float(params.size_least), float(params.size_most)
        factor = quantile(uniforms, least=least, most=most, shape=Shape.RAMP)[of]
        return np.maximum(np.rint(size * factor), 1).astype(np.int64)

    return SizeRule(published=distorted, minimum=params.minimum_size)


def size_notes(params: CommutingFlowsParams, *, sets: int) -> tuple[str, ...]:
    """What the claim assumes about sizes and people, for everybody to read."""
    sizes = (
        "The true number of workers of every published population is public: it is published exactly, without noise."
        if params.sizes is Sizes.TRUE
        else "The sizes of the populations are protected by secret distortion factors only, without formal guarantee; "
        "those of a few workers often come out as they are."
    )
    notes = [sizes, "Which workplaces exist, and which populations they have, is public."]
    if params.minimum_size > 1:
        notes.append(f"Populations below {params.minimum_size:,} workers are not published; which ones is public.")
    if params.outside is Outside.LEAVE_OUT:
        notes.append(
            "Jobs of workers who live outside the geography are left out of every size: that a worker lives inside or "
            "outside of it is not protected."
        )
    people = params.jobs_per_worker * sets
    if people > 1:
        notes.append(
            f"A worker is in at most {people} populations: {params.jobs_per_worker} job"
            f"{'s' if params.jobs_per_worker > 1 else ''}, each in {sets} set{'s' if sets > 1 else ''} of segments."
        )
    else:
        notes.append("A worker is in one population: each has one job.")
    return tuple(notes)


def rules_that_leave_out(params: CommutingFlowsParams) -> tuple[str, ...]:
    """Settings that leave jobs or populations out, or change sizes, by looking at the jobs; in words."""
    found = []
    if params.outside is Outside.LEAVE_OUT:
        found.append("jobs of homes outside the geography are left out")
    if params.minimum_size > 1:
        found.append("small populations are left out")
    if params.sizes is Sizes.NOISE_INFUSED:
        found.append("sizes are distorted by secret factors")
    return tuple(found)
