"""What is drawn for small populations over one list of points, and the laws of it: priors that stay, then homes.

Kept for `PointPopulations` only, on which an audit watches the code that publishes. For whole files it would be as
large as populations × points.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from workbench.core.arrays import Floats, Integers
from workbench.core.confidential import Confidential
from workbench.mechanisms.contract import Answer
from workbench.noise.declared.contract import Declared
from workbench.noise.declared.samples import SampleSize
from workbench.noise.declared.urn import UrnDraws
from workbench.products.commuting_flows.synthetic_residences.draw import Synthesis, keep_chance
from workbench.products.commuting_flows.synthetic_residences.neighbours import PointPopulations
from workbench.products.commuting_flows.synthetic_residences.params import SyntheticResidencesParams
from workbench.products.commuting_flows.synthetic_residences.weights import ONE, Weights

_KEPT, _HOMES = "priors that are kept", "homes"
_HALF_WORDS = 2.0**32


def transcript(
    synthesis: Synthesis, draws: list[tuple[slice, Integers, Integers]], replicate: int = 0
) -> tuple[Answer, ...]:
    """Which priors stayed, where any can go, and the point of every worker in the order of the draw."""
    homes = np.concatenate([point for _, _, point in draws]).astype(np.int64)
    found = [Answer(name=_of(_HOMES, replicate), exact=Confidential(_true_homes(synthesis)), drawn=homes)]
    if synthesis.flags:
        kept = np.concatenate(synthesis.flags).astype(np.int64)
        found.insert(0, Answer(name=_of(_KEPT, replicate), exact=Confidential(np.ones_like(kept)), drawn=kept))
    return tuple(found)


def _of(name: str, replicate: int) -> str:
    return name if not replicate else f"{name}, replicate {replicate + 1}"


def laws_of(synthesis: Synthesis) -> Mapping[str, Declared]:
    """Every prior stays with its own probability; then Pólya's urn with what is left."""
    prepared, params, weights = synthesis.prepared, synthesis.params, synthesis.weights
    points = prepared.supports.points
    prior = np.maximum(weights.minimum[:, None], weights.informative[None, :])
    draws = int(prepared.size[0])

    def urn(homes: Integers, kept: Integers | None = None) -> UrnDraws:
        rows = homes.reshape(-1, draws)
        true = np.zeros((len(rows), points))
        np.add.at(true, (np.repeat(np.arange(len(rows)), draws), rows.ravel()), 1.0)
        stays = 1.0 if kept is None else kept.reshape(-1, points)
        return UrnDraws(true, prior / ONE * stays, draws)

    homes = Confidential(_true_homes(synthesis))
    if not params.prunes:
        return {_of(_HOMES, each): Declared(law=urn, exact=homes, by_words=False) for each in range(params.replicates)}
    share = _chances(prior, weights, params).ravel()
    ones = Confidential(np.ones(prior.size, dtype=np.int64))
    found: dict[str, Declared] = {}
    for each in range(params.replicates):
        kept = _of(_KEPT, each)
        found[kept] = Declared(law=lambda people: SampleSize(people, share), exact=ones, by_words=False)
        found[_of(_HOMES, each)] = Declared(law=urn, exact=homes, by_words=False, after=kept)
    return found


def watched(prepared: object) -> bool:
    """Whether these are small populations of one size, as an audit makes them."""
    return isinstance(prepared, PointPopulations) and len(np.unique(prepared.size)) == 1


def _chances(prior: Integers, weights: Weights, params: SyntheticResidencesParams) -> Floats:
    """p of every population and point; the anchor always stays."""
    chance: Floats = np.minimum(keep_chance(prior.ravel(), params).reshape(prior.shape) / _HALF_WORDS, 1.0)
    chance[:, weights.anchor[0]] = 1.0
    return chance


def _true_homes(synthesis: Synthesis) -> Integers:
    """The points of the true workers, population by population: as many as are drawn."""
    truth = synthesis.truth
    return synthesis.weights.kept.point[np.repeat(truth.place, truth.workers)]
