"""One population as an attacker sees it who knows where everybody lives but one worker."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.core.arrays import Floats, Integers
from workbench.core.errors import UserProblem
from workbench.products.commuting_flows.dirichlet.transition import TransitionAudit, transition
from workbench.products.commuting_flows.flows.structures import Level, Populations
from workbench.products.commuting_flows.synthetic_residences.draw import TrueWorkers
from workbench.products.commuting_flows.synthetic_residences.weights import ONE, Weights

_LEVELS = {Level.TRACT: "tract", Level.PUMA: "PUMA", Level.SUPER_PUMA: "Super-PUMA"}
_BETWEEN = " · "


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class PopulationView:
    """A population's support points with their priors (public) and true workers (confidential)."""

    name: str
    points: tuple[str, ...]
    prior: Floats
    truth: Integers
    draws: int

    def attacked(self, unknown: str = "") -> Attack:
        """The audit against somebody who knows all workers but one at the point `unknown`.

        Without a name it is the worker who is most alone. A population without workers at kept points leaves nothing
        to be known.
        """
        place = self._place(unknown)
        known = self.truth.copy()
        if place is not None:
            known[place] -= 1
        return Attack(view=self, unknown=place, audit=transition(known, self.prior, max(self.draws, 1)))

    def homes(self) -> tuple[str, ...]:
        """The points where a true worker lives, the most alone first."""
        some = np.flatnonzero(self.truth)
        order = np.lexsort((self.prior[some], self.truth[some]))
        return tuple(self.points[place] for place in some[order].tolist())

    def _place(self, unknown: str) -> int | None:
        homes = self.homes()
        if unknown and unknown not in homes:
            raise UserProblem(
                "Nobody of this population lives at that support point", "unknown", "Choose one from the list"
            )
        return self.points.index(unknown or homes[0]) if homes else None


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Attack:
    view: PopulationView
    unknown: int | None
    audit: TransitionAudit

    def shown(self, most: int) -> list[int]:
        """The points worth seeing: the worst pair, where the worker lives, then the heaviest."""
        worst = self.audit.all_draws
        first = [worst.outcome, worst.row_b, *([] if self.unknown is None else [self.unknown])]
        heaviest = np.argsort(-self.audit.weights, kind="stable").tolist()
        return list(dict.fromkeys([*first, *heaviest]))[: max(most, 2)]


def names_of(prepared: Populations) -> tuple[str, ...]:
    """How populations are called in settings: workplace, and characteristic where there are several."""
    areas = [prepared.work_area[area] for area in prepared.area_of.tolist()]
    if len(prepared.characteristic) < 2:
        return tuple(areas)
    kinds = [prepared.characteristic[kind] for kind in prepared.characteristic_of.tolist()]
    return tuple(f"{area}{_BETWEEN}{kind}" for area, kind in zip(areas, kinds, strict=True))


def population_called(prepared: Populations, name: str, otherwise: int) -> int:
    """The number of the population of that name; the other where no name is given."""
    if not name:
        return otherwise
    names = names_of(prepared)
    if name not in names:
        what = f"There is no population “{name[:60]}”"
        raise UserProblem(what, "population", f"Choose one from the list, for example {names[0]}" if names else "")
    return names.index(name)


def view_of(prepared: Populations, weights: Weights, truth: TrueWorkers, population: int) -> PopulationView:
    tract = int(prepared.support_of[population])
    places = slice(int(weights.kept.start[tract]), int(weights.kept.start[tract + 1]))
    workers = np.zeros(places.stop - places.start, dtype=np.int64)
    entries = slice(int(truth.start[population]), int(truth.start[population + 1]))
    np.add.at(workers, truth.place[entries] - places.start, truth.workers[entries])
    return PopulationView(
        name=names_of(prepared)[population],
        points=point_names(prepared, weights.kept.point[places]),
        prior=np.maximum(weights.minimum[population], weights.informative[places]) / ONE,
        truth=workers,
        draws=int(prepared.size[population]),
    )


def point_names(prepared: Populations, points: Integers) -> tuple[str, ...]:
    """Level and code of support points."""
    supports = prepared.supports
    return tuple(
        f"{_LEVELS[Level(level)]} {prepared.geography.areas[level][area]}"
        for level, area in zip(supports.level[points].tolist(), supports.area[points].tolist(), strict=True)
    )
