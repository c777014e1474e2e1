"""Keep: what a run leaves in the project file. Fingerprints, findings and drawn values; never a row of microdata."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from workbench.core.params import to_plain
from workbench.core.plain import plain
from workbench.core.progress import QUIET, Context
from workbench.core.versions import tool_versions
from workbench.microdata.roles import Role
from workbench.microdata.table import CodedColumn, Column
from workbench.products.contract import same_table
from workbench.project.records import ColumnRecord, DatasetRecord, RunRecord, SpecUse
from workbench.project.tables.comparisons import WITHHELD
from workbench.review.plan.plan import Choice, Plan
from workbench.review.run.prepare import PreparedTable, product_of
from workbench.tabulation.sketch_key import sketch_key

if TYPE_CHECKING:
    from workbench.core.confidential import Confidential
    from workbench.core.unit_sketch import UnitSketch
    from workbench.project.store import Project
    from workbench.review.run.opening import LoadedData
    from workbench.review.run.run import Outcome

_MOST_KEPT = 4
_MADE: dict[tuple[str, ...], tuple[UnitSketch, ...]] = {}  # of the data loaded last


def dataset_record(loaded: LoadedData, project: Project, context: Context = QUIET) -> DatasetRecord:
    """The data set as the project remembers it, with sketches of whom it identifies where they are not there yet."""
    from workbench.tabulation.shared_units import mark_of  # late: the window shows sooner

    key, record = sketch_key(), _described(loaded)
    if key is None or project.sketched(record, mark_of(key.reveal())):
        return record
    return replace(record, sketches=_sketches(loaded, key, context))


def _sketches(loaded: LoadedData, key: Confidential[bytes], context: Context) -> tuple[UnitSketch, ...]:
    """Made once for loaded data: the window asks whenever something changed, and a million people take a second."""
    from workbench.tabulation.shared_units import mark_of, sketches_of

    units = (f"{name}={role}" for name, role in loaded.roles.items() if role.identifies)
    about = (loaded.microdata.fingerprint.content, mark_of(key.reveal()), *units)
    if about not in _MADE:
        made = sketches_of(loaded.microdata, loaded.roles, key, context)
        while len(_MADE) >= _MOST_KEPT:
            _MADE.pop(next(iter(_MADE)))
        _MADE[about] = made
    return _MADE[about]


def _described(loaded: LoadedData) -> DatasetRecord:
    microdata = loaded.microdata
    return DatasetRecord(
        name=microdata.name,
        content=microdata.fingerprint.content,
        file=microdata.fingerprint.file,
        rows=microdata.rows,
        columns=tuple(
            _column(column, loaded.roles.get(name, Role.IGNORE)) for name, column in microdata.columns.items()
        ),
    )


def _column(column: Column, role: Role) -> ColumnRecord:
    coded = isinstance(column, CodedColumn)
    return ColumnRecord(
        name=column.name,
        kind="codes" if coded else "numbers",
        role=str(role),
        title=column.title,
        distinct=len(column.values) if isinstance(column, CodedColumn) else None,
        missing=column.missing,
    )


def keep_run(
    project: Project,
    release_id: str,
    plan: Plan,
    *,
    loaded: LoadedData,
    prepared: PreparedTable,
    outcome: Outcome,
    actor: str,
) -> RunRecord:
    """Store data set, cap and run. Each is one action of the journal."""
    product = product_of(plan)
    dataset_id = project.save_dataset(dataset_record(loaded, project))
    if project.cap(dataset_id) is None:
        project.set_cap(dataset_id, plan.policy.budget, actor=actor, reason="from the plan's policy")
    return project.add_run(
        release_id,
        RunRecord(
            dataset_id=dataset_id,
            specs=spec_uses(plan),
            inputs={
                "content_sha256": loaded.microdata.fingerprint.content,
                "file_sha256": loaded.microdata.fingerprint.file,
                "dictionary_sha256": loaded.words,
                "run_digest": plan.run_digest(),
                **({WITHHELD: outcome.withheld} if outcome.withheld else {}),
            },
            tools=tool_versions(),
            claim=outcome.protected.claim,
            same_table=same_table(product, plan.product.params),
            offered=tuple(check.id for check in product.checks),
            units=prepared.value.units,
        ),
        findings=(*loaded.findings, *prepared.findings, *outcome.audit, *outcome.measured.findings),
        published=outcome.protected.table,
        actor=actor,
    )


def spec_uses(plan: Plan) -> tuple[SpecUse, ...]:
    """Every plug-in the plan uses, with version and params, as the run remembers them."""
    product = product_of(plan)
    used = [("product", plan.product), ("mechanism", plan.mechanism)]
    used += [("baseline", baseline) for baseline in plan.baselines]
    used += [("rival", rival) for rival in plan.rivals]
    used += [("check", check) for check in plan.checks]
    uses = [_use(kind, choice) for kind, choice in used]
    uses += [_use("measure", Choice.of(measure)) for measure in product.measures]
    return tuple(uses)


def _use(kind: str, choice: Choice) -> SpecUse:
    return SpecUse(kind=kind, id=choice.id, version=choice.version, params=plain(to_plain(choice.params)))
