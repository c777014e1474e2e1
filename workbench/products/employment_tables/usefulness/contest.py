"""Every mechanism of the field on this table: L1 error against current SDL, over ε, by stratum (Figures 3, 5, 6).

Closed forms only, so the whole contest takes a moment: for every mechanism with a size window α, as published and tight
where it has both, Σ E|published − true| over Σ |baseline − true|, at the plan's α (0.1 where its mechanism has none).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

import numpy as np

from workbench.baselines.alternatives import CellValues, error_of
from workbench.core.claims import Definition
from workbench.core.figures import Axis, Figure, Kind, Mark, Series
from workbench.core.findings import Finding, Status, Table, Value
from workbench.core.params import fields_of
from workbench.core.progress import Context, Part
from workbench.core.quantities import Alpha, Epsilon, show
from workbench.core.value_words import ValueName, declare
from workbench.mechanisms.contract import AnyMechanism
from workbench.mechanisms.dial import turned
from workbench.products.employment_tables.usefulness.contenders import EPSILONS, Contender, Point, points_of
from workbench.products.employment_tables.usefulness.evaluation import Ground, PointError, expected_errors
from workbench.products.employment_tables.usefulness.strata import with_figures
from workbench.products.employment_tables.usefulness.workloads import Workload
from workbench.utility.contract import Comparison

declare(
    {
        "contenders": ValueName("Mechanisms compared"),
    }
)

_USUAL_ALPHA = Alpha("0.1")


@dataclass(frozen=True, slots=True, kw_only=True)
class ContestParams:
    """Nothing to set: ε runs over the paper's grid, α is the plan's."""


@dataclass(frozen=True, slots=True)
class Contest:
    """See the module's docstring."""

    id: str = "mechanisms-compared"
    version: int = 2
    title: str = "Other mechanisms on this table"
    summary: str = "The error that every employer-level mechanism would have on this table, over ε and by stratum."
    params: type[ContestParams] = ContestParams

    def run(self, comparison: Comparison, params: ContestParams, context: Context) -> tuple[Finding, ...]:  # noqa: ARG002
        alpha = Alpha(getattr(comparison.mechanism_params, "alpha", _USUAL_ALPHA))
        cells = comparison.prepared
        ground = Ground(Workload(title="this table", cells=cells, baseline=comparison.baseline))
        context.step(0.0, "which settings are possible")
        chosen = _epsilon(comparison)
        grid = tuple(sorted({*EPSILONS, chosen}))
        points: list[Point] = []
        entrants = contenders(comparison.mechanisms, {comparison.mechanism.id: comparison.mechanism_params})
        for i, contender in enumerate(entrants):
            context.step(0.5 * i / len(entrants), f"which settings {contender.name} allows")
            points.extend(points_of(contender, cells, epsilons=grid, alphas=(alpha,)))
        errors = expected_errors(ground, points, Part(context, 0.5, 1.0))
        return (_finding(comparison, ground, errors, chosen=chosen, alpha=alpha),)


def contenders(mechanisms: Sequence[AnyMechanism], own: Mapping[str, Any]) -> tuple[Contender, ...]:
    """Every mechanism that protects sizes within α; published calibrations stand beside the tight ones.

    The mechanism of the release keeps its `own` settings, so that its error here is the one told elsewhere.
    """
    found = []
    for mechanism in mechanisms:
        names = {field.name: field for field in fields_of(mechanism.params)}
        if "alpha" not in names:
            continue
        params = own.get(mechanism.id, mechanism.params())
        if "calibration" not in names:
            found.append(Contender(name=mechanism.title, mechanism=mechanism, params=params))
            continue
        for choice in ("tight", "paper"):
            calibrated = replace(params, calibration=names["calibration"].type(choice))
            found.append(Contender(name=f"{mechanism.title} ({choice})", mechanism=mechanism, params=calibrated))
    return tuple(found)


def _epsilon(comparison: Comparison) -> Epsilon:
    return Epsilon(comparison.mechanism_params.epsilon)


def _finding(
    comparison: Comparison, ground: Ground, errors: Sequence[PointError], *, chosen: Epsilon, alpha: Alpha
) -> Finding:
    here = [error for error in errors if Decimal(error.point.epsilon) == Decimal(chosen)]
    able = sorted((e for e in here if math.isfinite(e.total)), key=lambda e: e.total)
    words = "; ".join(f"{e.point.contender.name} {show(e.total, 3)} times" for e in able[:3])
    at = f"At ε {show(chosen)} and α {show(alpha)}"
    if able:
        sentence = f"{at} the smallest errors here, against current SDL, would be {words}."
    elif any(error.point.feasible for error in here):
        title = comparison.baseline_title
        sentence = f"The error of {title[:1].lower()}{title[1:]} is zero on these data, so no ratio to it exists."
    else:
        sentence = f"{at} none of the employer-level mechanisms can run on this table."
    values: dict[str, Value] = {"epsilon": Decimal(chosen), "alpha": Decimal(alpha), "contenders": len(here)}
    values.update({f"ratio_{_key(error)}": error.total for error in here if math.isfinite(error.total)})
    return Finding(
        id="mechanisms-compared",
        title="Other mechanisms on this table",
        status=Status.INFO,
        sentence=sentence,
        values=values,
        tables=(_table(here, comparison.prepared), *_rejected(comparison)),
        figures=_figures(ground.names, errors, chosen),
        does_not_prove=(
            "Their guarantees differ (see the table), and the errors come from the confidential data: a mechanism "
            "chosen because it does best here tells a little about them. Choose on the guarantee and on public facts."
        ),
    )


def _key(error: PointError) -> str:
    name = error.point.contender.name.lower()
    return "".join(letter if letter.isalnum() else "_" for letter in name).strip("_").replace("__", "_")


def _table(here: Sequence[PointError], cells: Any) -> Table:
    return Table(
        title="Each mechanism at the ε of this release",
        columns=("Mechanism", "Guarantee", "Ratio to current SDL", "What is in the way"),
        rows=tuple(
            (
                error.point.contender.name,
                _guarantee(error.point, cells),
                error.total if error.point.feasible else None,
                _obstacle(error),
            )
            for error in here
        ),
    )


_OPEN = {  # by what a claim is made under, what an attacker may still learn
    Definition.EDGE: "Employers' sizes and shapes: a lone establishment can be recovered almost exactly",
    Definition.NODE: "Nothing of an establishment is open, but large ones are left out and counts are useless",
    Definition.CONDITIONAL: "No bound for anybody: the scale of the noise itself tells the largest establishment",
}


def _rejected(comparison: Comparison) -> tuple[Table, ...]:
    """The other mechanisms with their expected error at the ε of this release, and what they leave open."""
    rows = []
    true, kept = comparison.prepared.count.reveal(), np.isfinite(comparison.baseline.reveal())
    today = float(error_of(comparison.baseline, true.astype(np.float64)).mean[kept].sum())
    for mechanism in comparison.mechanisms:
        if any(field.name == "alpha" for field in fields_of(mechanism.params)):
            continue
        same = mechanism.id == comparison.mechanism.id
        params = comparison.mechanism_params if same else turned(mechanism, mechanism.params(), _epsilon(comparison))
        claim = mechanism.claim(comparison.prepared, params)
        expected = None if mechanism.problems(comparison.prepared, params) else mechanism.expected_error(
            comparison.prepared, params
        )  # fmt: skip
        ratio = None if expected is None or not today else float(np.nansum(expected.reveal()[kept])) / today
        rows.append((mechanism.title, claim.definition.value, ratio, _OPEN.get(claim.definition, "")))
    tells = (
        "zeros stay zeros, and one known count gives a factor away"
        if isinstance(comparison.baseline, CellValues)  # drawn with factors
        else "exact values are published, and bounds of all others follow from them"
    )
    rows.append((f"{comparison.baseline_title} (current SDL)", Definition.NONE.value, 1.0 if today else None,
                 f"No bound for anybody: {tells}"))  # fmt: skip
    return (
        Table(
            title="Rejected: what they do not protect",
            columns=("Mechanism", "Guarantee", "Ratio to current SDL", "What is left open"),
            rows=tuple(rows),
        ),
    )


def _guarantee(point: Point, cells: Any) -> str:
    claim = point.contender.mechanism.claim(cells, point.params)
    tail = f", δ {show(claim.delta)}" if claim.delta else ""
    return f"{claim.definition.value}{tail}"


def _obstacle(error: PointError) -> str:
    point = error.point
    if point.feasible:
        return "the expected error is infinite" if error.unbounded else ""
    near = point.nearest_epsilon
    return f"needs ε of at least {show(near, 4)}" if near is not None else "not possible at any ε"


def _figures(names: Sequence[str], errors: Sequence[PointError], chosen: Epsilon) -> tuple[Figure, ...]:
    return tuple(
        Figure(
            kind=Kind.LINES,
            title=f"L1 error against ε: {name}",
            subtitle="ratio to current SDL; below 1 is more accurate",
            x=Axis(label="Privacy loss ε", log=True),
            y=Axis(label="L1 error as a ratio to current SDL", unit="times", log=True),
            series=series,
            marks=(
                Mark(name="current SDL", value=1.0),
                Mark(name="this release", value=float(chosen), vertical=True, moves="epsilon"),
            ),
        )
        for place, name in enumerate(with_figures(names))
        if (series := _series(errors, None if place == 0 else place - 1))  # a stratum may hold nothing to compare
    )


def _series(errors: Sequence[PointError], stratum: int | None) -> tuple[Series, ...]:
    """One line per mechanism; settings that cannot run leave a gap, published calibrations are muted."""
    lines: dict[str, list[tuple[float, float]]] = {}
    for error in errors:
        value = error.of(stratum)
        if math.isfinite(value) and value > 0:
            lines.setdefault(error.point.contender.name, []).append((float(error.point.epsilon), value))
    return tuple(
        Series(name=name, x=tuple(x for x, _ in line), y=tuple(y for _, y in line), dashed="paper" in name)
        for name, line in lines.items()
    )


SPEC = Contest()
