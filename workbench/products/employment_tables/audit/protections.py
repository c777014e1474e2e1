"""Table 1 of Haney et al. (2017) in numbers: what each kind of protection lets an attacker gain, on the table at hand.

Input noise infusion, differential privacy of workers and of establishments, and the strong and the weak
employer-employee definition, each by one mechanism at the ε and α of the claim: the largest log Bayes factor over
made-up establishments for individuals, employer size and employer shape. The source says yes or no. A worker who moves,
and a shape at the same size, are two neighbour steps, so what it calls “yes” is often reached at 2ε only.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from workbench.core.findings import Audience, Finding, Status, Table, Value
from workbench.core.params import problems_of
from workbench.core.progress import Context, Part
from workbench.core.quantities import Alpha, Epsilon, show
from workbench.core.value_words import only_for_scripts
from workbench.products.employment_tables.audit.requirement_reach import Asked, rows_of
from workbench.products.employment_tables.audit.requirement_scenarios import Reached
from workbench.products.employment_tables.mechanisms import laplace, node_truncation
from workbench.products.employment_tables.mechanisms.block import gamma as block_gamma
from workbench.products.employment_tables.mechanisms.cell import log_laplace

TITLE = "What each protection keeps"
_ROUNDING = 1e-9
_NOTE = (
    "Log Bayes factor reached, and whether it is within ε. Source: Table 1 of Haney et al. (2017). “At 2ε”: two "
    "neighbour steps, which the source counts as one."
)
_SAID = {"individuals": 0, "size": 1, "size_weakly": 1, "shape": 2, "shape_weakly": 2}  # column of the source's table
_COLUMNS = (
    ("individuals", "Individuals (4.1)", ("worker_present", "worker_moves", "worker_attribute")),
    ("size", "Size (4.2)", ("size_informed", "size_ceiling")),
    ("size_weakly", "Size, weak attacker", ("size_weak",)),
    ("shape", "Shape (4.3)", ("shape_informed",)),
    ("shape_weakly", "Shape, weak attacker", ("shape_weak",)),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Protection:
    """One row of Table 1: its name, the mechanism that stands for it (none for noise infusion), the paper's words."""

    key: str
    name: str
    mechanism: Any | None
    said: tuple[str, str, str]  # of individuals, size and shape


PROTECTIONS = (
    Protection(key="infusion", name="Noise infusion", mechanism=None, said=("no", "no", "no")),
    Protection(key="edge", name="Worker level (edge)", mechanism=laplace.SPEC, said=("yes", "no", "no")),
    Protection(
        key="node",
        name="Establishment level (node)",
        mechanism=node_truncation.SPEC,
        said=("yes", "yes", "yes"),
    ),
    Protection(key="strong", name="Strong employer-employee", mechanism=block_gamma.SPEC, said=("yes", "yes", "yes")),
    Protection(
        key="weak",
        name="Weak employer-employee",
        mechanism=log_laplace.SPEC,
        said=("yes", "weak attackers only", "yes"),
    ),
)
only_for_scripts(*(f"{one.key}_{column}" for one in PROTECTIONS for column, _, _ in _COLUMNS))


def protections(
    *, epsilon: Decimal, alpha: Decimal, cells: int, hidden: int, public: bool, context: Context
) -> Finding:
    """The finding for a table with so many worker cells, of which `hidden` kinds are in no cell."""
    values: dict[str, Value] = {}
    rows: dict[str, list[tuple[Value, ...]]] = {}
    for number, one in enumerate(PROTECTIONS):
        part = Part(context, number / len(PROTECTIONS), (number + 1) / len(PROTECTIONS))
        found = reached(one, epsilon=epsilon, alpha=alpha, cells=cells, hidden=hidden, context=part)
        for column, words, _ in _COLUMNS:
            loss = found[column]
            if loss is not None:
                values[f"{one.key}_{column}"] = loss
                rows.setdefault(words, []).append(
                    (one.name, *_told(loss, float(epsilon)), one.said[_SAID[column]]),
                )
    return Finding(
        id="requirements-protections",
        title=TITLE,
        status=Status.INFO,
        sentence=_sentence(values, epsilon, cells),
        values=values,
        tables=tuple(
            Table(
                title=words, columns=("Protection", "Reached", "Holds", "Source"), rows=tuple(lines), note=_note(place)
            )
            for place, (words, lines) in enumerate(rows.items())
        ),
        does_not_prove=(
            "That the agency's own noise infusion does as badly: its factors are drawn by other rules. One mechanism "
            "represents each definition; another one with the same definition can lose less."
        ),
        audience=Audience.PUBLIC if public else Audience.INTERNAL,
    )


def _note(place: int) -> str:
    return _NOTE if place == 0 else ""


def side_by_side(finding: Finding) -> Table:
    """The same with a row for each protection and a column for each requirement, for wide pages."""
    held = {"yes": ", holds", "at 2ε": ", at 2ε"}
    by_place = {
        (row[0], table.title): f"{row[1]}{held.get(str(row[2]), '')}" for table in finding.tables for row in table.rows
    }
    names = [table.title for table in finding.tables]
    return Table(
        title=TITLE,
        columns=("Protection", *names, "Source: individuals, size, shape"),
        rows=tuple(
            (one.name, *(by_place[one.name, name] for name in names), ", ".join(one.said)) for one in PROTECTIONS
        ),
        note=_NOTE,
    )


def reached(
    one: Protection, *, epsilon: Decimal, alpha: Decimal, cells: int, hidden: int, context: Context
) -> dict[str, float | None]:
    """The largest loss of each column; None where the table cannot tell, not a number where it is infeasible."""
    told = {column: cells > 1 or not column.startswith("shape") for column, _, _ in _COLUMNS}
    if one.mechanism is None:  # zeros stay zeros and shares stay shares: some values rule neighbours out
        return {column: math.inf if shown else None for column, shown in told.items()}
    params = _params(one.mechanism, epsilon, alpha)
    if problems_of(params) or _infeasible(one.mechanism, params, cells - hidden):
        return {column: math.nan if shown else None for column, shown in told.items()}
    asked = Asked(mechanism=one.mechanism, params=params, alpha=alpha, cells=cells, hidden=hidden)
    by_key: dict[str, Reached] = {row.requirement.key: row for row in rows_of(asked, context)}
    return {
        column: max((by_key[key].loss for key in keys if by_key[key].shown), default=0.0) if told[column] else None
        for column, _, keys in _COLUMNS
    }


def _params(mechanism: Any, epsilon: Decimal, alpha: Decimal) -> Any:
    made = {"epsilon": Epsilon(epsilon), "alpha": Alpha(alpha)}
    return mechanism.params(**{name: value for name, value in made.items() if hasattr(mechanism.params(), name)})


def _infeasible(mechanism: Any, params: Any, cells: int) -> bool:
    return mechanism is block_gamma.SPEC and bool(block_gamma.infeasible(params, cells))


def _told(loss: float, epsilon: float) -> tuple[str, str]:
    """What is reached, and whether it is within ε."""
    if math.isnan(loss):
        return "infeasible", "–"
    if math.isinf(loss):
        return "no bound", "no"
    if loss <= epsilon * (1.0 + _ROUNDING):
        return show(loss, 3), "yes"
    return show(loss, 3), "at 2ε" if loss <= 2.0 * epsilon * (1.0 + _ROUNDING) else "no"


def _sentence(values: dict[str, Value], epsilon: Decimal, cells: int) -> str:
    columns = [column for column, _, _ in _COLUMNS if cells > 1 or not column.startswith("shape")]
    bounded = [
        one.name
        for one in PROTECTIONS
        if all(math.isfinite(float(str(values[f"{one.key}_{column}"]))) for column in columns)
    ]
    listed = " and ".join((", ".join(bounded[:-1]), bounded[-1])) if len(bounded) > 1 else "".join(bounded)
    if not bounded:
        return f"At ε = {show(epsilon)} no protection limits what an attacker learns about all requirements."
    return (
        f"At ε = {show(epsilon)}, {len(bounded)} of {len(PROTECTIONS)} protections limit what every attacker learns: "
        f"{listed}."
    )
