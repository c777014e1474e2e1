"""Requirement matrix: the log Bayes factor a mechanism really lets an attacker gain, requirement by requirement.

Table 1 of Haney et al. (2017) with numbers. For each requirement of section 4 the largest loss over made-up
establishments is set against the claimed ε. Definition 7.2 bounds one neighbour step: a worker who is at one
establishment or at another is two steps, and the ceiling of Definition 4.2 lies beyond one step, so both may cost more
than ε although the claim holds. Mechanisms take part by implementing `loss_between` (mechanisms/pair_loss).
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from workbench.audit.contract import Subject
from workbench.core.claims import Claim
from workbench.core.figures import Figure
from workbench.core.findings import Finding
from workbench.core.params import param
from workbench.core.progress import Context, Part
from workbench.products.employment_tables.audit.prior_posterior import permitted_slope, prior_posterior
from workbench.products.employment_tables.audit.protections import protections
from workbench.products.employment_tables.audit.requirement_findings import (
    Demand,
    Matrix,
    matrix_finding,
    not_evaluated,
    today_finding,
)
from workbench.products.employment_tables.audit.requirement_reach import Asked, rows_of
from workbench.products.employment_tables.mechanisms.pair_loss import KnowsPairLoss, state_of
from workbench.products.employment_tables.tabulation.cells import Cells


@dataclass(frozen=True, slots=True, kw_only=True)
class RequirementsParams:
    alpha: Decimal = param(
        Decimal("0.1"),
        "Size window α",
        "To judge sizes and shapes by, where the mechanism has none of its own.",
        gt=0,
        lt=1,
    )
    size: int = param(
        100,
        "Establishment to draw",
        "Size of the establishment whose prior-to-posterior curve is drawn; made up, not taken from the data.",
        ge=2,
        le=1_000_000,
        unit="jobs",
    )
    demand: Demand = param(
        Demand.CLAIMED,
        "What must hold",
        "The requirements that the claim promises; or all of them, where the agency asks for more than the claim.",
        labels={"claimed": "What the claim promises", "all": "Every requirement"},
    )


@dataclass(frozen=True, slots=True)
class RequirementsCheck:
    """Fails where a requirement is exceeded that the claim promises or the agency demands; informs of the rest."""

    id: str = "requirements"
    version: int = 1
    title: str = "Requirement matrix"
    summary: str = "The log Bayes factor reached for individuals, employer size and employer shape, against the claim."
    params: type[RequirementsParams] = RequirementsParams
    of_loss: bool = False

    def run(self, subject: Subject, params: RequirementsParams, context: Context) -> tuple[Finding, ...]:
        context.step(0.0, "reading the claim")
        claim = subject.claim
        context.step(0.02, "requirements of section 4")
        mechanism = subject.mechanism
        if not isinstance(subject.prepared, Cells) or not isinstance(mechanism, KnowsPairLoss):
            return (not_evaluated(),)
        domain = subject.prepared.domain
        hidden = int(domain.leaves_out_workers)  # one kind of workers that no cell counts
        cells = domain.worker_combinations + hidden
        alpha = params.alpha if claim.alpha is None else claim.alpha
        asked = Asked(mechanism=mechanism, params=subject.params, alpha=alpha, cells=cells, hidden=hidden)
        matrix = Matrix(
            claim=claim,
            alpha=asked.alpha,
            worker_cells=cells,
            rows=rows_of(asked, Part(context, 0.02, 0.8)),
            public=not subject.prepared.domain.from_data,
            demand=params.demand,
            beside=tuple((each.name, each.params.epsilon) for each, _ in subject.besides()),
        )
        figure = size_figure(asked, claim, params.size, Part(context, 0.8, 0.9))
        compared = protections(
            epsilon=claim.epsilon,
            alpha=alpha,
            cells=cells,
            hidden=hidden,
            public=matrix.public,
            context=Part(context, 0.9, 1.0),
        )
        context.step(1.0, "requirements evaluated")
        return matrix_finding(matrix, figure), compared, today_finding(cells)


def size_figure(asked: Asked, claim: Claim, size: int, context: Context) -> Figure:
    """Figure 1 for a made-up establishment."""
    here = alone(size, asked.cells)
    return prior_posterior(
        lambda other: asked.loss((here, alone(other, asked.cells))),
        size=size,
        slope=permitted_slope(float(claim.epsilon), float(asked.alpha)),
        context=context,
    )


def alone(size: int, cells: int) -> Any:
    """A workplace with one establishment, all its jobs in the first worker cell."""
    return state_of(((size, *(0,) * (cells - 1)),))


SPEC = RequirementsCheck()
