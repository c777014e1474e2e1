"""Exact loss: the largest log ratio over all outputs and all neighbours, against the claim."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from workbench.audit.contract import Subject
from workbench.audit.law_loss import GridLoss, grid_loss
from workbench.core.claims import Claim
from workbench.core.findings import Audience, Finding, Spent, Status
from workbench.core.progress import Context
from workbench.core.published import Published
from workbench.core.quantities import counted, percent, show
from workbench.core.value_words import ValueName, declare, only_for_scripts
from workbench.mechanisms.beside import Beside
from workbench.mechanisms.contract import ExactLoss

declare(
    {
        "spent_epsilon": ValueName("Spent ε"),
        "spent_delta": ValueName("Spent δ"),
        "worst_cell": ValueName("Cell that spends most"),
        "condition": ValueName("Holds on condition"),
        "worst_pair": ValueName("Neighbours that spend most"),
        "grid_epsilon": ValueName("Spent ε over made-up neighbours"),
        "grid_delta": ValueName("Spent δ over made-up neighbours"),
        "grid_pairs": ValueName("Made-up pairs of neighbours"),
        "whole_claimed_epsilon": ValueName("Claimed ε with what stands beside"),
        "whole_spent_epsilon": ValueName("Spent ε with what stands beside"),
    }
)
only_for_scripts("smallest_noise", "bound")

_WORTH_SAYING = 0.999
_SEARCHED = 1e-3  # relative: what the search over outputs on the grid may be off by
_ROUNDING = 1e-9  # relative: what double arithmetic may lose on the way, far below any digit shown


@dataclass(frozen=True, slots=True, kw_only=True)
class ExactLossParams:
    """Nothing to set: the supremum has no settings."""


@dataclass(frozen=True, slots=True)
class ExactLossCheck:
    """Fails when the mechanism spends more ε or δ than it claims, beyond a relative 1e-9 for rounding.

    The mechanism's own formula is taken on the data at hand. On the grid of neighbours that the claim's definition
    gives (`claim_grid`) the declared law is searched by the auditor. Either may fail.

    Warns where the claim is not a formal one: its loss is that of a promise which no definition of privacy makes.
    """

    id: str = "exact-loss"
    version: int = 2
    title: str = "Exact privacy loss"
    summary: str = "The supremum of the log ratio over all outputs and neighbours, against the claimed ε and δ."
    params: type[ExactLossParams] = ExactLossParams
    of_loss: bool = True

    def run(self, subject: Subject, params: ExactLossParams, context: Context) -> tuple[Finding, ...]:  # noqa: ARG002 - there are none
        context.step(0.0, "exact loss over all outputs and neighbours")
        table = _judged(subject, context)
        besides = subject.besides()
        if not besides and not _unheld(subject, besides):
            return (table.finding,)
        beside = [(each, _judged(one, context)) for each, one in besides]
        return (_together(subject, table, beside), *(_named(found.finding, each.name) for each, found in beside))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Judged:
    finding: Finding
    exact: ExactLoss


def _judged(subject: Subject, context: Context) -> _Judged:
    """The published values, or one answer beside them, by its own claim."""
    claim = subject.claim
    exact = subject.mechanism.exact_loss(subject.prepared, subject.params, context)
    context.step(1.0, "exact loss known")
    # what follows from the params alone is public, and so are the neighbours that it is tried on
    grid = grid_loss(subject.mechanism, subject.prepared, subject.params, claim, of_data=not exact.data_free)
    return _Judged(finding=_finding(claim, exact, grid, _worst_cell(exact, subject.table)), exact=exact)


def _unheld(subject: Subject, besides: Sequence[tuple[Beside, Subject]]) -> list[str]:
    """Parts of the claim for answers that nobody shows to the audit, or that promise another ε than is claimed."""
    whole = subject.mechanism.claim(subject.prepared, subject.params)
    shown = {each.name: each.times * one.claim.epsilon for each, one in besides}
    own = [part for part in whole.parts if part.beside and part.definition in (None, whole.definition)]
    return [part.name for part in own if shown.get(part.name) != part.epsilon] + [
        name for name in shown if name not in {part.name for part in own}
    ]


def _together(subject: Subject, table: _Judged, beside: Sequence[tuple[Beside, _Judged]]) -> Finding:
    """The values' finding, with the loss of one step that changes them and everything beside them."""
    whole = subject.mechanism.claim(subject.prepared, subject.params)
    spent = table.exact.epsilon + sum(each.times * found.exact.epsilon for each, found in beside)
    unheld = _unheld(subject, [(each, one) for each, one in subject.besides()])
    kept = not unheld and spent <= float(whole.epsilon) * (1 + _ROUNDING)
    said = f" With what stands beside the values: claimed ε = {show(whole.epsilon)}; at most {spent:#.4g}."
    wrong = f" The claim does not cover {', '.join(unheld)} as published." if unheld else ""
    return replace(
        table.finding,
        status=table.finding.status if kept else Status.FAIL,
        sentence=f"{table.finding.sentence}{said}{wrong}",
        values={**table.finding.values, "whole_claimed_epsilon": whole.epsilon, "whole_spent_epsilon": spent},
        loss=Spent(epsilon=spent, delta=table.exact.delta, bound=table.exact.bound),
    )


def _named(finding: Finding, name: str) -> Finding:
    """A finding of its own, which is not the loss of the whole release."""
    return replace(finding, id=f"{finding.id}-beside", title=f"{finding.title}: {name}", loss=None)


def _worst_cell(exact: ExactLoss, table: Published | None) -> str | None:
    """The cell in the words of the table, which a reviewer can look up; none where every cell is alike."""
    if exact.worst_cell is None or table is None or not table.keys:
        return None
    return ", ".join(key.shown_at(exact.worst_cell) for key in table.keys)


def _finding(claim: Claim, exact: ExactLoss, grid: GridLoss | None, worst_cell: str | None) -> Finding:
    kept = exact.epsilon <= float(claim.epsilon) * (1 + _ROUNDING)
    kept_delta = exact.delta <= float(claim.delta) * (1 + _ROUNDING)
    on_grid = grid is None or _kept_on(grid, claim)
    return Finding(
        id="exact-loss",
        title="Privacy loss by accounting" if exact.bound else "Exact privacy loss",
        status=_status(claim, kept and kept_delta and on_grid),
        sentence=_sentence(claim, exact, kept and kept_delta) + _on_grid(grid, claim, on_grid),
        values={
            "claimed_epsilon": claim.epsilon,
            "spent_epsilon": exact.epsilon,
            "claimed_delta": claim.delta,
            "spent_delta": exact.delta,
            **({"worst_cell": worst_cell} if worst_cell else {}),
            "worst_pair": exact.worst_pair,
            **({} if exact.smallest_noise is None else {"smallest_noise": exact.smallest_noise}),
            **({"condition": exact.condition} if exact.condition else {}),
            **({"bound": True} if exact.bound else {}),
            **({} if grid is None else _grid_values(grid, claim)),
        },
        loss=Spent(epsilon=exact.epsilon, delta=exact.delta, bound=exact.bound),
        figures=(exact.curve,) if exact.curve is not None else (),
        does_not_prove=(
            "It judges the mechanism as its formulas describe it, with its own neighbours and assumptions. It does not "
            "prove that the sampler follows the formulas (the checks of the noise and the black box look at that), "
            "that the assumptions hold, or that other releases from the same data are safe beside this one."
            + (" An upper bound may be far above what is spent." if exact.bound else "")
            + (" Neighbours that differ in what is held fixed may be told apart at will." if exact.condition else "")
        ),
        audience=Audience.PUBLIC if exact.data_free else Audience.INTERNAL,
    )


def _kept_on(grid: GridLoss, claim: Claim) -> bool:
    """By a search, so with a little more room than a closed form gets; where there is a δ, by δ at the claimed ε."""
    if claim.delta:
        return grid.delta <= float(claim.delta) * (1 + _SEARCHED)
    return grid.epsilon <= float(claim.epsilon) * (1 + _SEARCHED)


def _grid_values(grid: GridLoss, claim: Claim) -> dict[str, float | int]:
    spent = {"grid_delta": grid.delta} if claim.delta else {"grid_epsilon": grid.epsilon}
    return {**spent, "grid_pairs": grid.pairs}


def _on_grid(grid: GridLoss | None, claim: Claim, kept: bool) -> str:
    if grid is None:
        return ""
    spent = f"δ {show(grid.delta)}" if claim.delta else f"ε {grid.epsilon:#.4g}"
    from_what = "from the definition and the sizes in these data" if grid.of_data else "from the definition alone"
    where = f"{counted(grid.pairs, 'made-up pair')} of neighbours, which follow {from_what}"
    if kept:
        return f" Over {where}, the declared noise spends at most {spent}."
    return f" Over {where}, the declared noise spends {spent}, more than is claimed ({grid.words})."


def _status(claim: Claim, kept: bool) -> Status:
    """A loss never passes for a claim that is not formal, however well it keeps to its number."""
    if not kept:
        return Status.FAIL
    return Status.PASS if claim.formal else Status.WARN


def _sentence(claim: Claim, exact: ExactLoss, kept: bool) -> str:
    how = "at most" if exact.bound else "exact worst case"
    numbers = f"Claimed ε = {show(claim.epsilon)}; {how} {exact.epsilon:#.4g}"
    if claim.delta or exact.delta:
        numbers += f". Claimed δ = {show(claim.delta)}; {how} {show(exact.delta)}"
    if exact.bound:
        numbers += ", by accounting"
    verdict = "" if kept else " The mechanism spends more than it claims."
    held = f" This holds {exact.condition} fixed, which was computed from the data." if exact.condition else ""
    no_bound = "" if claim.formal else " This is not a privacy loss: the claim is not formal."
    return f"{numbers}. Worst neighbours: {exact.worst_pair}.{verdict}{held}{no_bound}{_spare(exact)}"


def _spare(exact: ExactLoss) -> str:
    """How much less noise would do, where that is worth a sentence."""
    if exact.smallest_noise is None or exact.smallest_noise > _WORTH_SAYING:
        return ""
    return f" {percent(exact.smallest_noise, 1)} of this noise would still satisfy the claim on any data."


SPEC = ExactLossCheck()
