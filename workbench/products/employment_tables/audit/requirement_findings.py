"""What the requirement matrix says: which requirements hold at the claimed ε, and why the others do not."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

from workbench.core.claims import Claim, Definition
from workbench.core.figures import Figure
from workbench.core.findings import Audience, Finding, Status, Table, Value
from workbench.core.quantities import show
from workbench.core.value_words import ValueName, declare, only_for_scripts
from workbench.products.employment_tables.audit.requirement_scenarios import Reached

declare(
    {
        "hold": ValueName("Requirements that hold"),
        "holds": ValueName("Requirements that hold"),
        "worker_cells": ValueName("Cells one worker is counted in"),
        "requirements": ValueName("Requirements"),
    }
)
only_for_scripts(  # the matrix says it
    "shape_weak", "shape_informed", "shape_ceiling", "size_weak", "size_informed", "size_ceiling",
    "worker_attribute", "worker_moves", "worker_present",
)  # fmt: skip

_ROUNDING = 1e-9  # relative: what double arithmetic may lose on the way
_ONE_STEP = frozenset({"worker_present", "size_informed", "size_weak"})
_PROMISED = {
    Definition.EDGE: frozenset({"worker_present"}),
    Definition.CENTRAL: frozenset({"worker_present"}),
    Definition.STRONG: _ONE_STEP,
    Definition.NODE: _ONE_STEP,
    Definition.WEAK: frozenset({"worker_present", "size_weak"}),
}
_WHY = {
    "worker_present": "the definition does not protect single workers",
    "worker_moves": "leaving one establishment and joining another are two neighbour steps, up to 2ε",
    "worker_attribute": "leaving one group and joining another are two neighbour steps, up to 2ε",
    "size_ceiling": "⌈(1+α)x⌉ lies beyond one neighbour step (15 and 17 at α = 0.1)",
    "size_informed": "new workers of one kind move that kind's own count too far",
    "size_weak": "the losses of all groups add up",
    "shape_informed": "workers of one kind leave and others join: two neighbour steps, up to 2ε",
    "shape_weak": "workers of one kind leave and others join: about two neighbour steps",
}
_ONE_KIND = "new workers of one kind are few for the establishment, but may multiply that kind's own count"
_WHY_WEAK = {
    "size_informed": _ONE_KIND,
    "size_ceiling": _ONE_KIND,
    "shape_informed": (
        "at the same size one group grows by α and may take all of a smaller one, which the weak definition does not "
        "bound (the source's Theorem 7.2 says it does, but its proof lets go of the size)"
    ),
}
_TODAY = (
    ("Individuals (4.1)", "zero is published as zero, so nobody against one worker is told for certain"),
    ("Employer size (4.2)", "one known count gives the factor away, and the gap rules out the published size itself"),
    ("Employer shape (4.3)", "one factor per establishment leaves every share as it is"),
)
_TITLE = "Requirement matrix"
_STEPS = (1, 2, 3, 5, 10)


class Demand(StrEnum):
    """What the agency asks of a release: what its claim promises, or every requirement at the claimed ε."""

    CLAIMED = "claimed"
    ALL = "all"


@dataclass(frozen=True, slots=True, kw_only=True)
class Matrix:
    claim: Claim
    alpha: Decimal
    worker_cells: int
    rows: tuple[Reached, ...]
    public: bool
    demand: Demand
    beside: tuple[tuple[str, Decimal], ...] = ()  # numbers beside the table, each with its ε

    def holds(self, row: Reached) -> bool:
        return row.loss <= float(self.claim.epsilon) * (1.0 + _ROUNDING)

    def promised(self, row: Reached) -> bool:
        return self.claim.formal and row.requirement.key in _PROMISED.get(self.claim.definition, frozenset())

    def demanded(self, row: Reached) -> bool:
        return self.demand is Demand.ALL or self.promised(row)


def matrix_finding(matrix: Matrix, figure: Figure) -> Finding:
    exceeded = [row for row in matrix.rows if not matrix.holds(row)]
    broken = [row for row in exceeded if matrix.demanded(row)]
    values: dict[str, Value] = {row.requirement.key: row.loss for row in matrix.rows}
    values.update(
        claimed_epsilon=matrix.claim.epsilon,
        alpha=matrix.alpha,
        worker_cells=matrix.worker_cells,
        hold=len(matrix.rows) - len(exceeded),
    )
    return Finding(
        id="requirements",
        title=_TITLE,
        status=Status.FAIL if broken else Status.INFO if exceeded else Status.PASS,
        sentence=" ".join((_sentence(matrix, exceeded, broken), *_beside(matrix))),
        values=values,
        tables=(_table(matrix), _reasons(matrix), *((_steps_away(matrix),) if matrix.claim.formal else ())),
        figures=(figure,),
        does_not_prove=(
            "Made-up establishments of up to a million workers are compared, not every possible one (a loss that still "
            "grows there is taken to have no bound), and each job counts as one worker. A weak attacker is stood for "
            "by the workforces it expects, not by every one it holds possible. Attackers are assumed to know nothing "
            "that links workers or employers to each other, and this release is looked at alone."
        ),
        audience=Audience.PUBLIC if matrix.public else Audience.INTERNAL,
    )


def _sentence(matrix: Matrix, exceeded: list[Reached], broken: list[Reached]) -> str:
    total = len(matrix.rows)
    met = total - len(exceeded)
    subject = "table" if matrix.beside else "release"
    head = f"The {subject} meets {met} of the {total} requirements at ε = {show(matrix.claim.epsilon)}"
    if not exceeded:
        return f"{head}."
    worst: dict[str, float] = {}
    for row in broken or exceeded:
        worst[row.requirement.name] = max(worst.get(row.requirement.name, 0.0), row.loss)
    told = "; ".join(f"{name} reaches {_reached(loss)}" for name, loss in worst.items())
    if broken:
        asked = "Promised" if matrix.demand is Demand.CLAIMED else "Demanded"
        return f"{head}. {asked}, but not met: {told}."
    return f"{head}. Neither claimed nor met: {told}."


def _reached(loss: float) -> str:
    return show(loss) if math.isfinite(loss) else "no bound"


def _beside(matrix: Matrix) -> tuple[str, ...]:
    """One establishment changes, or one job goes from one to another: either way the number changes by 1 at most."""
    return tuple(
        f"The number of {name} beside it adds at most {show(epsilon)} to what is reached, whatever is compared."
        for name, epsilon in matrix.beside
    )


def _table(matrix: Matrix) -> Table:
    """Few and narrow columns: the reasons stand in a table of their own, which would make these rows very high."""
    return Table(
        title=f"Log Bayes factor reached, at α = {show(matrix.alpha)} and claimed ε = {show(matrix.claim.epsilon)}",
        columns=("Requirement", "What is compared", "Reached", "Holds"),
        rows=tuple(
            (
                row.requirement.name,
                f"{row.requirement.compared} ({row.requirement.attacker} attacker)",
                row.loss,
                "yes" if matrix.holds(row) else "no",
            )
            for row in matrix.rows
        ),
        note=_note(matrix.claim),
    )


def _reasons(matrix: Matrix) -> Table:
    return Table(
        title="Why each requirement holds or does not",
        columns=("What is compared", "Why"),
        rows=tuple((f"{row.requirement.name}: {row.requirement.compared}", _why(matrix, row)) for row in matrix.rows),
    )


def _steps_away(matrix: Matrix) -> Table:
    """What holds k neighbour steps away: kε, and with δ the group rule δ(e^{kε} − 1)/(e^ε − 1), at most 1."""
    epsilon, delta, alpha = float(matrix.claim.epsilon), float(matrix.claim.delta), float(matrix.alpha)
    columns = ("Steps", "Sizes apart by", "Loss at most", *(("δ at most",) if delta else ()))
    rows = []
    for steps in _STEPS:
        loss = steps * epsilon
        grown = delta * math.expm1(min(loss, 700.0)) / math.expm1(min(epsilon, 700.0)) if delta else 0.0
        rows.append((steps, f"{show((1.0 + alpha) ** steps, 3)} times", loss, *((min(grown, 1.0),) if delta else ())))
    return Table(
        title="What the claim bounds several steps away",
        columns=columns,
        rows=tuple(rows),
        note="δ of 1 bounds nothing: that far away some tables can rule a size out." if delta else "",
    )


def _why(matrix: Matrix, row: Reached) -> str:
    if not row.shown:
        return "the table shows no worker attributes"
    if matrix.holds(row):
        return "promised by the definition" if matrix.promised(row) else "within ε, though not promised by it"
    if matrix.promised(row):
        return "promised, and not kept"
    key = row.requirement.key
    weak = _WHY_WEAK.get(key) if matrix.claim.definition is Definition.WEAK else None
    if not math.isinf(row.loss):
        return weak or _WHY[key]
    if not row.grows:
        return "no bound, whatever the size: the noise itself changes so that some values all but rule one side out"
    return f"no bound, the larger the employer: {weak or 'the noise does not grow with the employer'}"


def _note(claim: Claim) -> str:
    if claim.delta:
        return (
            f"Each entry is the smallest ε that is proved to keep the pair within δ = {show(claim.delta)}; "
            "a worker who changes establishments takes it twice, and δ twice."
        )
    return "The largest log ratio over all published values, over made-up establishments alone or beside others."


def today_finding(worker_cells: int) -> Finding:
    """The same requirements under input noise infusion. Internal: it is about current SDL, not about this claim."""
    rows = _TODAY if worker_cells > 1 else _TODAY[:2]
    return Finding(
        id="requirements-baseline",
        title="Current method: same requirements",
        status=Status.INFO,
        sentence=(
            f"Input noise infusion keeps none of the {len(rows)} requirements that this table can break, at any ε: "
            "some published values rule neighbours of the truth out for certain."
        ),
        values={"holds": 0, "requirements": len(rows)},
        tables=(
            Table(
                title="Log Bayes factor reached by input noise infusion",
                columns=("Requirement", "Reached", "Why"),
                rows=tuple((name, float("inf"), why) for name, why in rows),
            ),
        ),
        does_not_prove=(
            "How many establishments or workers are exposed in these data; the attacks on the published table count "
            "them."
        ),
    )


def not_evaluated() -> Finding:
    return Finding(
        id="requirements",
        title=_TITLE,
        status=Status.INFO,
        sentence="Not evaluated: this mechanism does not say how far apart two given establishments are.",
        does_not_prove="Anything: no requirement was looked at. The exact loss still judges the claim itself.",
        audience=Audience.PUBLIC,
    )
