"""Tables 1 and 2 and Figure 1 of the paper: what follows from definitions and settings, whatever the data."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from workbench.core.figures import Figure
from workbench.core.findings import Audience, Finding, Status
from workbench.core.progress import QUIET
from workbench.core.quantities import Alpha, Epsilon, show
from workbench.products.employment_tables.audit.prior_posterior import permitted_slope, prior_posterior
from workbench.products.employment_tables.audit.protections import protections, side_by_side
from workbench.products.employment_tables.audit.requirement_reach import Asked
from workbench.products.employment_tables.audit.requirements import alone
from workbench.products.employment_tables.mechanisms.block import gamma as block_gamma
from workbench.products.employment_tables.mechanisms.cell.smooth_laplace_table import least_epsilons
from workbench.products.employment_tables.paper.study import FindingsStudy

_EPSILON, _ALPHA, _SIZE = Epsilon("2"), Alpha("0.1"), 100
_EXAMPLE = show(Decimal("0.0005")), show(Decimal("0.1"))


def definitions_of(study: FindingsStudy) -> tuple[Finding, ...]:
    """Table 1 for the table with worker attributes, and Figure 1 for an establishment of a hundred."""
    table = protections(
        epsilon=Decimal(_EPSILON), alpha=Decimal(_ALPHA), cells=study.worker_cells, hidden=0, public=True, context=QUIET
    )
    figure = belief_figure()
    return (
        Finding(
            id="paper-table-1",
            title="Table 1: what each protection keeps",
            status=Status.INFO,
            sentence=f"With {study.worker_cells} worker cells. {table.sentence}",
            values=table.values,
            tables=(side_by_side(table),),
            does_not_prove=table.does_not_prove,
            audience=Audience.PUBLIC,
        ),
        Finding(
            id="paper-figure-1",
            title="Figure 1: what an attacker can come to believe",
            status=Status.INFO,
            sentence=(
                "An attacker who holds all sizes from 50 to 200 equally likely can come to believe in the true size of "
                "100 as far as the second curve, under block noise as far as the third (ε 2, α 0.1)."
            ),
            figures=(figure,),
            does_not_prove="It is the most peaked belief over all tables that could come out, not an average one.",
            audience=Audience.PUBLIC,
        ),
    )


def belief_figure() -> Figure:
    params = block_gamma.SPEC.params(epsilon=_EPSILON, alpha=_ALPHA)
    asked, here = Asked(mechanism=block_gamma.SPEC, params=params, alpha=_ALPHA, cells=1), alone(_SIZE, 1)
    made = prior_posterior(
        lambda other: asked.loss((here, alone(other, 1))),
        size=_SIZE,
        slope=permitted_slope(float(_EPSILON), float(_ALPHA)),
        context=QUIET,
    )
    return replace(made, title="Figure 1: prior and posterior of an establishment's size")


def least_epsilon_finding() -> Finding:
    table = least_epsilons()
    rule, exact, tight = (float(str(cell)) for row in table.rows if row[:2] == _EXAMPLE for cell in row[2:5])
    return Finding(
        id="paper-table-2",
        title="Table 2: smallest ε of Smooth Laplace",
        status=Status.INFO,
        sentence=(
            f"The source's rule asks for more ε than its noise needs: at δ {_EXAMPLE[0]} and α {_EXAMPLE[1]} "
            f"{show(rule, 3)} where {show(exact, 3)} is enough, and tight noise runs above {show(tight, 3)}."
        ),
        tables=(table,),
        does_not_prove="A feasible setting can still be useless: look at its error.",
        audience=Audience.PUBLIC,
    )
