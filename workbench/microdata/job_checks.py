"""Checks of files of jobs: who employs, who works, and that each job is there once.

The names of these functions are part of digests that projects keep.
"""

from __future__ import annotations

from collections.abc import Iterator

from workbench.core.findings import Finding, Status
from workbench.core.progress import Context
from workbench.core.quantities import agreeing, counted, joined
from workbench.core.value_words import ValueName, declare
from workbench.microdata.checks import OF_ANY_FILE, DataCheck, by_column
from workbench.microdata.counting import repeated, varying
from workbench.microdata.counts import check_weights
from workbench.microdata.job_units import check_units
from workbench.microdata.lodes import check_counts, check_margins
from workbench.microdata.roles import Role, Roles, columns_with
from workbench.microdata.table import CodedColumn, Microdata

declare(
    {
        "establishments": ValueName("Establishments"),
        "repeated": ValueName("Rows that repeat another"),
        "in_two_places": ValueName("Establishments in two places"),
        "missing_establishment": ValueName("Rows without establishment"),
        "missing_worker": ValueName("Rows without worker"),
    }
)


def _key(microdata: Microdata, roles: Roles, role: Role) -> CodedColumn | None:
    """The column that identifies establishments or workers, where there is one."""
    named = [name for name in columns_with(roles, role) if name in microdata.columns]
    return microdata.coded(named[0]) if named else None


def _establishment_named(microdata: Microdata, roles: Roles, context: Context) -> Iterator[Finding]:
    del context
    named = [name for name in columns_with(roles, Role.ESTABLISHMENT) if name in microdata.columns]
    if len(named) == 1:
        status, sentence = Status.PASS, f"“{named[0]}” identifies the establishment of each row."
    elif named:
        status, sentence = Status.FAIL, f"More than one column is to identify establishments: {', '.join(named)}."
    elif columns_with(roles, Role.GEOGRAPHY) and not columns_with(roles, Role.WORKPLACE):
        status = Status.INFO
        sentence = "No column identifies the establishment: where workers live can be published, not who employs them."
    else:
        status, sentence = Status.FAIL, "No column identifies the establishment, so none can be protected."
    yield Finding(
        id="data.no-establishment", title="Establishments are identified", status=status, sentence=sentence,
        values={"columns": len(named)},
        does_not_prove="That the identifiers are those of real establishments or of the unit you must protect.",
    )  # fmt: skip


def _missing_keys(microdata: Microdata, roles: Roles, context: Context) -> Iterator[Finding]:
    del context
    keys = {role: column for role in (Role.ESTABLISHMENT, Role.WORKER) if (column := _key(microdata, roles, role))}
    if not keys:
        return
    missing = {role: column.missing for role, column in keys.items()}
    gone = [
        f"{counted(count, 'row')} {agreeing(count, 'has', 'have')} no {role}"
        for role, count in missing.items()
        if count
    ]
    names = " and ".join(keys)
    yield Finding(
        id="data.missing-keys", title="Every row has its keys", status=Status.FAIL if gone else Status.PASS,
        sentence=f"{'; '.join(gone)}." if gone else f"Every row names its {names}, {microdata.rows:,} in all.",
        values={"rows": microdata.rows, **{f"missing_{role}": count for role, count in missing.items()}},
        does_not_prove="That the keys are right, only that they are there.",
    )  # fmt: skip


def _two_places(microdata: Microdata, roles: Roles, context: Context) -> Iterator[Finding]:
    """Whether workplace attributes and geography are functions of the establishment, as tabulation relies on.

    A warning: a table that uses a column that is none is refused, and all other tables of the file can be made.
    """
    key = _key(microdata, roles, Role.ESTABLISHMENT)
    names = [name for name in columns_with(roles, Role.WORKPLACE, Role.GEOGRAPHY) if name in microdata.columns]
    if key is None or not names:
        return
    found = varying(microdata, key, names, context)
    per_column, count = found.of_column, found.at_all
    listed = ", ".join(f"“{name}” ({number:,})" for name, number in per_column.items() if number)
    units = counted(len(key.values), "establishment")
    sentence = (
        f"{count:,} of {units} {agreeing(count, 'has', 'have')} more than one value of {listed}." if count
        else f"Every establishment has one value of {joined(names)}, {len(key.values):,} in all."
    )  # fmt: skip
    gaps = {name: microdata.columns[name].missing for name, number in per_column.items() if number}
    if blank := [f"“{name}” in {counted(missing, 'row')}" for name, missing in gaps.items() if missing]:
        sentence += f" A missing value counts as one of them: {joined(blank)}."
        sentence += " Before a table uses it, say what becomes of those rows."
    elif count:
        it = agreeing(listed.count("“"), "it", "them")
        sentence += f" No table can be made by {it}: correct the data, leave out rows, or choose another role."
    yield Finding(
        id="data.establishment-in-two-places", title="Workplace attributes do not vary within an establishment",
        status=Status.WARN if count else Status.PASS, sentence=sentence,
        values={"establishments": len(key.values), "in_two_places": count},
        tables=by_column(per_column, "Establishments with more than one value", "establishments") if count else (),
        does_not_prove="That the place is the right one, or that two identifiers are not the same establishment.",
    )  # fmt: skip


def _duplicate_jobs(microdata: Microdata, roles: Roles, context: Context) -> Iterator[Finding]:
    """Rows that repeat the worker and establishment of another row."""
    worker, place = (_key(microdata, roles, role) for role in (Role.WORKER, Role.ESTABLISHMENT))
    title = "No job is listed twice"
    if worker is None or place is None:
        yield Finding(
            id="data.duplicate-jobs", title=title, status=Status.INFO,
            sentence="Not checked, since no column identifies workers and establishments together.",
            does_not_prove="That no job is listed twice.",
        )  # fmt: skip
        return
    extra = repeated(microdata, (worker, place), context)
    rows = counted(microdata.rows, "row")
    sentence = (
        f"{extra:,} of {rows} {agreeing(extra, 'repeats', 'repeat')} a worker at the same establishment." if extra
        else f"No worker appears twice at the same establishment in {rows}."
    )  # fmt: skip
    yield Finding(
        id="data.duplicate-jobs", title=title, status=Status.WARN if extra else Status.PASS, sentence=sentence,
        values={"rows": microdata.rows, "repeated": extra},
        does_not_prove="That a person does not appear under two identifiers.",
    )  # fmt: skip


JOB_CHECKS: tuple[DataCheck, ...] = (
    _establishment_named, _missing_keys, check_units, _two_places, _duplicate_jobs, *OF_ANY_FILE, check_margins,
    check_counts, check_weights,
)  # fmt: skip
