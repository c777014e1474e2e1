"""What a record spends, variable by variable, with its total; for noisy tables, what each kind of table spends."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

from workbench.core.figures import Axis, Figure, Kind, Series
from workbench.core.findings import Finding, Status, Table, Value
from workbench.core.progress import QUIET, Context
from workbench.core.quantities import show
from workbench.explorations.contract import Scene
from workbench.products.survey_microdata import residuals
from workbench.products.survey_microdata.central.params import measurement
from workbench.products.survey_microdata.local.design import METHOD_TEXTS, LocalDesign
from workbench.products.survey_microdata.survey_data import SurveyData


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordBudgetParams:
    """Nothing to set."""


@dataclass(frozen=True, slots=True)
class RecordBudget:
    """See the module's docstring."""

    id: str = "record-budget"
    version: int = 1
    title: str = "Budget of a record"
    summary: str = "ε of every variable with its share and its exact loss, and the total of a record."
    params: type[RecordBudgetParams] = RecordBudgetParams
    stage: str = "mechanism"
    needs_release: bool = False

    def choices(self, scene: Scene) -> Mapping[str, tuple[str, ...]]:  # noqa: ARG002 - nothing to choose
        return {}

    def show(self, scene: Scene, params: RecordBudgetParams, context: Context) -> tuple[Finding, ...]:  # noqa: ARG002
        context.step(0.0, "adding up what is spent")
        designs_of = getattr(scene.mechanism, "designs", None)
        if designs_of is None:
            found = _central(scene)
        else:
            found = _local(scene, designs_of(scene.prepared, scene.params))
        context.step(1.0, "spending added up")
        return (found,)


def _local(scene: Scene, designs: tuple[LocalDesign, ...]) -> Finding:
    claim = scene.mechanism.claim(scene.prepared, scene.params)
    whole = float(claim.epsilon)
    rows: list[tuple[Value, ...]] = [
        (design.variable.name, METHOD_TEXTS[design.method], design.answers or design.variable.domain,
         float(design.epsilon), float(design.epsilon) / whole if claim.parts else 1.0, design.exact_loss())
        for design in designs
    ]  # fmt: skip
    total = scene.mechanism.exact_loss(scene.prepared, scene.params, QUIET).epsilon
    rows.append(("whole record", "", None, whole, 1.0, total))
    names = tuple(design.variable.name for design in designs)
    figure = Figure(
        kind=Kind.BARS,
        title="ε by variable",
        subtitle=f"A record spends ε {show(claim.epsilon)} in all",
        x=Axis(label="Variable", categories=names),
        y=Axis(label="ε"),
        series=(
            Series(
                name="ε",
                x=tuple(float(place) for place in range(len(names))),
                y=tuple(float(design.epsilon) for design in designs),
            ),
        ),
    )
    return Finding(
        id="record-budget",
        title="Budget of a record",
        status=Status.INFO,
        sentence=claim.sentence,
        tables=(
            Table(
                title="What each variable spends",
                columns=("variable", "method", "answers", "ε", "share of the record", "exact loss"),
                rows=tuple(rows),
            ),
        ),
        figures=(figure,),
    )


def _central(scene: Scene) -> Finding:
    prepared: SurveyData = scene.prepared
    measured = measurement(prepared, scene.params)
    k, squared = prepared.categories.tolist(), prepared.weighing.most**2
    single = [squared * float(residuals.rho(float(measured.single[i]), k[i])) for i in range(len(k))]
    pairs = [0.0] * len(k)
    for i, j in combinations(range(len(k)), 2):
        each = squared * float(residuals.rho(float(measured.pair[i, j]), k[i], k[j]))
        pairs[i] += each / 2.0
        pairs[j] += each / 2.0
    number = 0.5 / measured.number**2
    rows: list[tuple[Value, ...]] = [
        (variable.name, k[i], single[i], pairs[i], number if variable.number else 0.0)
        for i, variable in enumerate(prepared.variables)
    ]
    total = 0.0 if measured.total is None else 0.5 * squared / measured.total**2
    rows.append(("total weight" if measured.weighing.weighted else "number of respondents", None, total, None, None))
    if measured.squares is not None:
        rows.append(("squared weights", None, 0.5 * len(k) * squared / measured.squares**2, None, None))
    price = measured.rho_replaced() / max(float(measured.rho_added()), 1e-300)
    names, x = prepared.names, tuple(float(place) for place in range(len(k)))
    figure = Figure(
        kind=Kind.BARS,
        title="ρ by variable",
        x=Axis(label="Variable", categories=names),
        y=Axis(label="ρ"),
        stacked=True,
        series=(Series(name="own table", x=x, y=tuple(single)), Series(name="half of its pairs", x=x, y=tuple(pairs))),
    )
    return Finding(
        id="record-budget",
        title="Budget of a record",
        status=Status.INFO,
        sentence=(
            f"The tables spend ρ {float(measured.rho_added()):.4f} for a record added or removed; replacing a record "
            f"costs {price:.3f} times as much in this plan."
        ),
        tables=(
            Table(
                title="What each variable's tables spend, in ρ",
                columns=("variable", "categories", "own table", "half of its pairs", "sums inside classes"),
                rows=tuple(rows),
            ),
        ),
        figures=(figure,),
    )


SPEC = RecordBudget()
