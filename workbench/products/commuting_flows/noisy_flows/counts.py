"""Exact counts of jobs on the public layout: the confidential side of noisy flows."""

from __future__ import annotations

import numpy as np

from workbench.products.commuting_flows.flows.structures import Populations
from workbench.products.commuting_flows.noisy_flows.layout import Layout
from workbench.products.commuting_flows.noisy_flows.measure import Shape, TrueCounts


def shape_of(layout: Layout) -> Shape:
    return Shape(tract_of=layout.tract_of, tracts=layout.tracts, points=layout.points, listed=layout.listed)


def true_counts(populations: Populations, layout: Layout) -> TrueCounts:
    """Every job once: its population, the point and the listed cell of its home."""
    flows = populations.flows.reveal()
    population = flows.population.astype(np.int64)
    area = layout.area_of[population].astype(np.int64)
    cell = layout.cells_of(area, flows.block)
    return TrueCounts(
        population=population,
        point=layout.point_of_block[flows.block],
        cell=layout.slot(area, cell) - layout.cell_start[area],
        workers=flows.workers,
    )
