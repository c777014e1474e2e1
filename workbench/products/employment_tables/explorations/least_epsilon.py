"""Table 2 in the window: which ε Smooth Laplace needs for an α and a δ, before anything is drawn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from workbench.core.findings import Finding, Status
from workbench.core.params import param
from workbench.core.progress import Context
from workbench.core.quantities import show
from workbench.core.value_words import ValueName, declare
from workbench.explorations.contract import Scene
from workbench.products.employment_tables.mechanisms.cell.smooth_laplace_delta import least_epsilon, least_epsilon_of
from workbench.products.employment_tables.mechanisms.cell.smooth_laplace_table import by_rule, least_epsilons

declare(
    {
        "epsilon_by_rule": ValueName("Smallest ε by the source's rule"),
        "epsilon_exact": ValueName("Smallest ε of the source's noise, exact"),
        "epsilon_tight": ValueName("Smallest ε of tight noise"),
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class LeastEpsilonParams:
    alpha: Decimal = param(
        Decimal("0.1"), "Size window α", "How far apart two sizes are that must look alike.", gt=0, lt=1
    )
    delta: Decimal = param(Decimal("0.0005"), "Added probability δ", "For each establishment.", gt=0, lt=1)


@dataclass(frozen=True, slots=True)
class LeastEpsilon:
    """A function of α and δ alone: nothing here depends on the data."""

    id: str = "least-epsilon"
    version: int = 1
    title: str = "Smallest ε by α and δ"
    summary: str = "Which ε Smooth Laplace needs: the source's Table 2, corrected, and any α and δ."
    params: type[LeastEpsilonParams] = LeastEpsilonParams
    stage: str = "mechanism"
    needs_release: bool = False

    def choices(self, scene: Scene) -> Mapping[str, tuple[str, ...]]:  # noqa: ARG002
        return {}

    def show(self, scene: Scene, params: LeastEpsilonParams, context: Context) -> tuple[Finding, ...]:  # noqa: ARG002
        alpha, delta = float(params.alpha), float(params.delta)
        rule, exact = by_rule(params.alpha, params.delta), least_epsilon_of(2.0, alpha, delta)
        tight = least_epsilon(alpha, delta)
        context.step(1.0, "smallest ε known")
        return (
            Finding(
                id="least-epsilon",
                title=self.title,
                status=Status.INFO,
                sentence=(
                    f"At α {show(params.alpha)} and δ {show(params.delta)} the source's rule asks for ε "
                    f"{show(rule, 3)} or more. The source's noise keeps δ from ε {show(exact, 3)} on, tight noise "
                    f"above ε {show(tight, 3)}."
                ),
                values={"epsilon_by_rule": rule, "epsilon_exact": exact, "epsilon_tight": tight},
                tables=(least_epsilons(),),
                does_not_prove="A feasible setting can still be useless: look at its error.",
            ),
        )


SPEC = LeastEpsilon()
