"""Registering a programme: the list in a person's words, and the data it is for, before anything is drawn from them."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from pathlib import Path

from workbench.accounting.programme import MOST_ITEMS, Pair
from workbench.core.claims import Definition
from workbench.core.errors import UserProblem
from workbench.core.progress import Context
from workbench.policy.profile import DEFINITIONS
from workbench.project.records import ProgrammeRecord
from workbench.review.plan.plan import Plan
from workbench.review.run.keep import dataset_record
from workbench.review.run.opening import load_data
from workbench.review.workspace import Workspace

_HOW = "Write ε of each release, as 0.05,80x0.2; with δ as 3x1/1e-7"


def items_from_words(text: str) -> tuple[Pair, ...]:
    """“0.05,80x0.2” is one release of ε 0.05 and eighty of 0.2; “/1e-7” behind an ε is its δ."""
    items: list[Pair] = []
    for word in (part.strip() for part in text.split(",") if part.strip()):
        times, _, rest = word.rpartition("x")
        loss, _, failure = rest.partition("/")
        try:
            count = int(times) if times else 1
            pair = (Decimal(loss), Decimal(failure) if failure else Decimal(0))
        except (ValueError, InvalidOperation):
            raise UserProblem(f"“{word[:40]}” is not a release of a programme", "--items", _HOW) from None
        if not 1 <= count <= MOST_ITEMS:
            raise UserProblem(f"A programme has 1 to {MOST_ITEMS} releases", "--items", _HOW)
        items.extend([pair] * count)
    return tuple(items)


def definition_called(name: str) -> Definition:
    """By the key that policies use: edge, strong, history and so on."""
    if name not in DEFINITIONS:
        raise UserProblem(f"There is no definition called “{name[:40]}”", "--definition", ", ".join(DEFINITIONS))
    return DEFINITIONS[name]


def register_programme(
    workspace: Workspace, plan: Plan, *, base: Path, definition: str, items: str, actor: str, reason: str,
    context: Context,
) -> ProgrammeRecord:  # fmt: skip
    """Load the plan's data, remember them, and put the list on record. Nothing is drawn."""
    listed, under = items_from_words(items), definition_called(definition)
    loaded = load_data(plan, base=base, context=context)
    project = workspace.project
    with project.together():
        dataset = project.save_dataset(dataset_record(loaded, project, context))
        return project.register_programme(dataset, definition=under, items=listed, actor=actor, reason=reason)
