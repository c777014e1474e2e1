"""Figure 1, live: choose an establishment and see what an attacker can come to believe of its size."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

import numpy as np

from workbench.core.claims import of_values
from workbench.core.errors import UserProblem
from workbench.core.findings import Finding, Status
from workbench.core.params import param
from workbench.core.progress import Context
from workbench.core.quantities import percent
from workbench.core.value_words import declare, share_of
from workbench.explorations.contract import Scene
from workbench.products.employment_tables.audit.prior_posterior import Prior, permitted_slope, prior_posterior
from workbench.products.employment_tables.audit.requirement_reach import Asked
from workbench.products.employment_tables.audit.requirements import alone
from workbench.products.employment_tables.mechanisms.pair_loss import KnowsPairLoss
from workbench.products.employment_tables.tabulation.cells import Cells, Contributions

declare(
    {
        "highest_before": share_of("Highest chance before"),
        "highest_after": share_of("Highest chance after"),
        "highest_permitted": share_of("Highest chance permitted"),
    }
)

_LISTED = 500  # the largest establishments are offered by name; others by their size


@dataclass(frozen=True, slots=True, kw_only=True)
class PriorToPosteriorParams:
    establishment: str = param(
        "", "Establishment", "One of the largest by its identifier; or leave it and give a size below."
    )
    size: int = param(100, "Size", "Used where no establishment is chosen.", ge=1, le=1_000_000, unit="jobs")
    spread: Decimal = param(
        Decimal(2), "Sizes considered", "From the size divided by this to the size times this.", gt=1, le=20, unit="×"
    )
    prior: Prior = param(
        Prior.UNIFORM,
        "What the attacker believes before",
        "All sizes in range equally likely, or small ones likelier in proportion.",
        labels={"uniform": "Every size equally likely", "small": "Small sizes likelier"},
    )
    alpha: Decimal = param(
        Decimal("0.1"), "Size window α", "Where the mechanism has none of its own.", gt=0, lt=1, advanced=True
    )


@dataclass(frozen=True, slots=True)
class PriorToPosterior:
    """The largest shift of belief that this mechanism allows between two sizes, against what the claim permits."""

    id: str = "prior-to-posterior"
    version: int = 1
    title: str = "Prior to posterior"
    summary: str = "What an attacker may come to believe of one establishment's size."
    params: type[PriorToPosteriorParams] = PriorToPosteriorParams
    stage: str = "audit"
    needs_release: bool = False

    def choices(self, scene: Scene) -> Mapping[str, tuple[str, ...]]:
        members = _contributions(scene)
        if members is None:
            return {"establishment": ()}
        sizes = np.bincount(members.establishment, weights=members.jobs, minlength=len(members.identifiers))
        largest = np.argsort(-sizes, kind="stable")[:_LISTED]
        return {"establishment": tuple(str(members.identifiers[i]) for i in largest.tolist() if sizes[i] > 0)}

    def show(self, scene: Scene, params: PriorToPosteriorParams, context: Context) -> tuple[Finding, ...]:
        mechanism = scene.mechanism
        if not isinstance(scene.prepared, Cells) or not isinstance(mechanism, KnowsPairLoss):
            return (_unknown(mechanism.title),)
        claim = of_values(mechanism.claim(scene.prepared, scene.params))
        cells = scene.prepared.domain.worker_combinations
        alpha = params.alpha if claim.alpha is None else claim.alpha
        asked = Asked(mechanism=mechanism, params=scene.params, alpha=alpha, cells=cells)
        size = _size_of(scene, params.establishment) if params.establishment else params.size
        here = alone(size, cells)
        figure = prior_posterior(
            lambda other: asked.loss((here, alone(other, cells))),
            size=size,
            slope=permitted_slope(float(claim.epsilon), float(alpha)),
            context=context,
            spread=float(params.spread),
            prior=params.prior,
        )
        reached, permitted = _at_true_size(figure.series[2].y), _at_true_size(figure.series[1].y)
        before = max(figure.series[0].y)
        return (
            Finding(
                id="prior-to-posterior",
                title=self.title,
                status=Status.INFO,
                sentence=(
                    f"Before, the attacker gives the true size a chance of at most {percent(before, 2)} "
                    f"among the sizes "
                    f"considered; afterwards at most {percent(reached, 2)}. The requirement would permit "
                    f"{percent(permitted, 2)}."
                ),
                values={"highest_before": before, "highest_after": reached, "highest_permitted": permitted},
                figures=(figure,),
                does_not_prove=(
                    "The curve is the most peaked belief over all tables that could come out, not the one from the "
                    "table that was drawn. It concerns an establishment alone in its workplace cell."
                ),
            ),
        )


def _at_true_size(chances: tuple[float, ...]) -> float:
    return max(chances, default=0.0)


def _contributions(scene: Scene) -> Contributions | None:
    if not isinstance(scene.prepared, Cells) or scene.prepared.contributions is None:
        return None
    return scene.prepared.contributions.reveal()


def _size_of(scene: Scene, identifier: str) -> int:
    members = _contributions(scene)
    if members is None:
        raise UserProblem("The table does not say who is in which cell", "establishment", "Give a size instead")
    found = np.flatnonzero(np.asarray(members.identifiers) == identifier)
    if len(found) == 0:
        raise UserProblem("There is no establishment of that name", "establishment", "Choose one from the list")
    return int(members.jobs[members.establishment == found[0]].sum())


def _unknown(title: str) -> Finding:
    return Finding(
        id="prior-to-posterior",
        title="Prior to posterior",
        status=Status.INFO,
        sentence=f"{title} does not say what it loses between two establishments, so there is no curve.",
        does_not_prove="That there is no curve does not mean that nothing can be learned.",
    )


SPEC = PriorToPosterior()
