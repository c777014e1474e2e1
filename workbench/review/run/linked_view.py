"""What a person sees and decides about linked files: proposed keys, the columns they bring, what the keys match."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.core.errors import Problem, UserProblem, in_section
from workbench.core.findings import Finding, Status
from workbench.core.params import Rows, rows
from workbench.core.progress import Context, Part
from workbench.core.quantities import joined
from workbench.microdata.job_suggestions import role_behind
from workbench.microdata.options import ReadOptions
from workbench.microdata.roles import Role
from workbench.microdata.shaping.params import Link, Recoding, RowRule, Unmatched
from workbench.review.plan.plan import DataPlan, Plan
from workbench.review.run.data_view import ColumnRow, Look, look_at, with_examples
from workbench.review.run.opening import linked_table
from workbench.review.run.paths import resolved

if TYPE_CHECKING:
    from workbench.microdata.table import Microdata


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkedFile:
    """A linked file as the window shows it: its name in the plan, its path, how it is linked, its columns if known."""

    name: str
    path: str
    link: Link
    columns: tuple[ColumnRow, ...] = ()

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """The key: a column of the data beside its column there."""
        return tuple(zip(self.link.key, self.link.there, strict=False))


def unmatched_offered() -> tuple[tuple[str, str], ...]:
    """What can become of rows without a match, each with its words."""
    return (
        (str(Unmatched.REFUSE), "stop there"),
        (str(Unmatched.LEAVE_OUT), "leave rows out"),
        (str(Unmatched.KEEP), "keep, values missing"),
    )


def look_at_linked(path: Path, plan: Plan, context: Context) -> Look:
    """A first look at a file that is to be linked: columns with suggested roles and some values, and how it is read."""
    from workbench.microdata.first_rows import first_rows

    if plan.engine.on_server:
        what = "A file that a cluster links must lie where the cluster reads it, as Parquet"
        raise UserProblem(what, path.name, "Write its path on the server under [data.linked] in the plan file")
    look = look_at(path, ReadOptions(), Part(context, 0.0, 0.9), product=plan.product.id)
    first = first_rows(path, look.options or ReadOptions(), Part(context, 0.9, 1.0))
    return replace(look, columns=with_examples(look.columns, first))


def with_link(data: DataPlan, path: str, look: Look, known: Sequence[str]) -> DataPlan:
    """The plan's data with one more linked file. The key is proposed: columns that both files have by one name.

    Of several, those whose values are all different there come first; one of them is enough.
    """
    name = _free_name(Path(path).stem, data)
    shared = [column for column in look.columns if column.name in set(known)]
    unique = [column.name for column in shared if column.distinct == look.rows - (column.missing or 0)]
    key = tuple(unique[:1]) or tuple(column.name for column in shared)
    options = dict(data.linked_options)
    if look.options is not None:
        options[name] = look.options
    links = Rows({**data.shaping.links, name: Link(key=key)})
    return replace(
        data, linked={**data.linked, name: path}, linked_options=options, shaping=replace(data.shaping, links=links)
    )


def _free_name(stem: str, data: DataPlan) -> str:
    """The file's own name where it can be a name in a plan and is not taken."""
    name = re.sub(r"\W+", "_", stem).strip("_").lower() or "file"
    taken = set(data.linked)
    return next(each for each in (name, *(f"{name}_{n}" for n in range(2, 1000))) if each not in taken)


def without_link(data: DataPlan, name: str, brought: Sequence[str]) -> DataPlan:
    """The plan's data without a linked file; the columns that it brought lose their roles."""
    kept = {each: link for each, link in data.shaping.links.items() if each != name}
    return replace(
        data,
        roles={column: role for column, role in data.roles.items() if column not in brought},
        linked={each: path for each, path in data.linked.items() if each != name},
        linked_options={each: options for each, options in data.linked_options.items() if each != name},
        shaping=replace(data.shaping, links=Rows(kept)),
    )


def with_pairs(data: DataPlan, name: str, pairs: Sequence[tuple[str, str]]) -> DataPlan:
    """The same link by another key."""
    key, there = tuple(ours for ours, _ in pairs), tuple(theirs for _, theirs in pairs)
    return _changed(data, name, key=key, their_key=() if there == key else there)


def with_unmatched(data: DataPlan, name: str, rows: str) -> DataPlan:
    return _changed(data, name, unmatched=Unmatched(rows))


def padded(data: DataPlan, name: str) -> DataPlan:
    return _changed(data, name, pad=True)


def _changed(data: DataPlan, name: str, **settings: object) -> DataPlan:
    link = replace(data.shaping.links[name], **settings)  # type: ignore[arg-type]
    links = Rows({**data.shaping.links, name: link})
    return replace(data, shaping=replace(data.shaping, links=links))


@dataclass(frozen=True, slots=True, kw_only=True)
class InBoth:
    """Columns that a linked file has, and another file of the plan too: only one of each can be used."""

    columns: tuple[str, ...]
    first: str  # the file that comes before it
    linked: str

    @property
    def sentence(self) -> str:
        names = joined([f"“{name}”" for name in self.columns])
        one = len(self.columns) == 1
        what = f"{names} {'is a column' if one else 'are columns'} of both {self.first} and {self.linked}."
        it = "it" if one else "them"
        return f"{what} Leave {it} out here, or rename {it} in one of the files."


def in_both(files: Sequence[LinkedFile], data: DataPlan, own: Sequence[str]) -> dict[str, tuple[InBoth, ...]]:
    """By linked file what of its columns the data, or files linked before it, have too. Nobody has to use them yet:
    two of a name are told when the file is linked, not when somebody gives them a role."""
    holder = dict.fromkeys(own, Path(data.path).name)
    found: dict[str, tuple[InBoth, ...]] = {}
    for file in files:
        named = Path(file.path).name
        twice: dict[str, list[str]] = {}
        for column in _not_its_key(file):
            if column in holder:
                twice.setdefault(holder[column], []).append(column)
            else:
                holder[column] = named
        found[file.name] = tuple(
            InBoth(columns=tuple(columns), first=first, linked=named) for first, columns in twice.items()
        )
    return found


def key_columns(files: Sequence[LinkedFile], own: Sequence[str]) -> tuple[dict[str, tuple[str, ...]], tuple[str, ...]]:
    """What the key of each linked file can be chosen from, and that of one that comes after them: columns of the data
    and those that files linked before bring."""
    found: dict[str, tuple[str, ...]] = {}
    known = tuple(own)
    for file in files:
        found[file.name] = known
        known = tuple(dict.fromkeys((*known, *_not_its_key(file))))
    return found, known


def _not_its_key(file: LinkedFile) -> tuple[str, ...]:
    """The columns that a linked file would bring."""
    taken = file.link.columns or tuple(column.name for column in file.columns)
    return tuple(name for name in taken if name not in file.link.there)


def left_out(data: DataPlan, file: LinkedFile, columns: Collection[str]) -> DataPlan:
    """The plan's data with these columns not taken from a linked file."""
    return _changed(data, file.name, columns=tuple(name for name in _not_its_key(file) if name not in columns))


def brought_by(
    files: Sequence[LinkedFile], data: DataPlan, own: Sequence[str], roles: Mapping[str, str]
) -> tuple[ColumnRow, ...]:
    """The columns that linked files bring: all but their keys and those that the data have themselves.

    `roles` are those of the data's own columns. What is one for each key describes what the key describes, whatever the
    linked file alone suggests.
    """
    known, found = dict(roles), dict[str, ColumnRow]()
    for file in files:
        behind = role_behind([known.get(name, "") for name in file.link.key])
        source, taken = Path(file.path).name, _not_its_key(file)
        for each in file.columns:
            if each.name not in taken or each.name in own:
                continue
            suggested, reason = str(each.role), each.reason
            if behind and suggested == Role.PERSON:
                suggested = str(behind)
                reason = f"one for each {joined([f'“{name}”' for name in file.link.key])}"
            role = str(data.roles.get(each.name, suggested))
            known[each.name] = role
            found.setdefault(each.name, replace(each, role=role, reason=f"from {source}; {reason}"))
    return tuple(found.values())


def recoded_rows(data: DataPlan, columns: Sequence[ColumnRow]) -> tuple[ColumnRow, ...]:
    """The columns that recodings make; each proposes the role of what it is made from, where that describes a unit."""
    role_of = {column.name: column.role for column in columns}
    return tuple(
        ColumnRow(
            name=name,
            role=str(data.roles.get(name, _proposed(role_of.get(recoding.of, "")))),
            reason=f"recoded from {recoding.of}",
            type=_way(recoding),
        )
        for name, recoding in data.shaping.recode.items()
    )


def _proposed(role: str) -> str:
    known = next((each for each in (Role.WORKPLACE, Role.PERSON, Role.GEOGRAPHY, Role.GROUP) if each == role), None)
    return str(known or Role.IGNORE)


def _way(recoding: Recoding) -> str:
    if recoding.keyed:
        return f"one for each {recoding.keyed}"
    return "classes" if recoding.edges else "shorter codes" if recoding.prefix else "parent codes"


def names_of_all(
    data: DataPlan, wanted: Mapping[str, str], base: Path, context: Context
) -> dict[str, tuple[ColumnRow, ...]]:
    """The columns of linked files of a plan by their path, with the roles that they have there. One that cannot be
    read has none; comparing its key says why.
    """
    from workbench.microdata.readers import open_data

    found = {}
    for name, path in wanted.items():
        with suppress(UserProblem):
            file = open_data(resolved(base, path), data.linked_options.get(name, ReadOptions()), context)
            found[path] = tuple(
                ColumnRow(name=each, role=str(data.roles.get(each, Role.IGNORE))) for each in file.columns
            )
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class RowRules:
    """The steps of shaping that a person writes line by line."""

    recode: Rows[Recoding] = rows(
        Recoding,
        "Recoded columns",
        "New columns: classes of a number, shorter codes, parent codes, or a code for each year.",
        by="column",
    )
    keep: Rows[RowRule] = rows(RowRule, "Rows kept", "Only rows for which every rule holds are counted.", by="rule")


def rules_of(data: DataPlan) -> RowRules:
    return RowRules(recode=data.shaping.recode, keep=data.shaping.keep)


def with_rules(data: DataPlan, rules: RowRules) -> DataPlan:
    """The plan's data with these rules; a recoded column that is gone loses its role."""
    gone = set(data.shaping.recode) - set(rules.recode)
    roles = {column: role for column, role in data.roles.items() if column not in gone}
    return replace(data, roles=roles, shaping=replace(data.shaping, recode=rules.recode, keep=rules.keep))


def key_findings(plan: Plan, base: Path, context: Context) -> dict[str, Finding | Problem]:
    """What the keys of every linked file match, in counts for the person who chooses them. Only keys are read.

    A link that cannot be tried as it stands has a problem instead.
    """
    found: dict[str, Finding | Problem] = {}
    for number, name in enumerate(plan.data.shaping.links):
        part = Part(context, number / len(plan.data.shaping.links), (number + 1) / len(plan.data.shaping.links))
        try:
            found[name] = _tried(plan.data, name, base, part)
        except UserProblem as wrong:
            found[name] = wrong.problems[0]
    return found


def _tried(data: DataPlan, name: str, base: Path, context: Context) -> Finding:
    from workbench.microdata.shaping.linking import link_file
    from workbench.microdata.shaping.shape import wanted_columns

    link = data.shaping.links[name]
    if wrong := link.check():
        raise UserProblem.of(wrong)
    ours = _with_key(data, name, base, Part(context, 0.0, 0.7))
    theirs = linked_table(data, name, base, Part(context, 0.7, 1.0))
    taken = link.columns or wanted_columns(ours, name, theirs, shaping=data.shaping, roles=data.roles)
    _, (finding,) = link_file(ours, name, replace(link, unmatched=Unmatched.KEEP), theirs, taken=taken)
    if not taken and finding.status is Status.PASS and finding.values.get("repeated_keys"):
        later = "Where the columns taken over differ between such lines, none of them matches"
        return replace(finding, status=Status.WARN, sentence=f"{finding.sentence} {later}.")
    return finding


def _with_key(data: DataPlan, name: str, base: Path, context: Context) -> Microdata:
    """The rows of the data with the key of one link, which files that are linked before it may bring."""
    from workbench.microdata.load import Besides, load_opened
    from workbench.microdata.readers import open_data
    from workbench.microdata.shaping.linking import link_file

    path, links = resolved(base, data.path), data.shaping.links
    with in_section("data", file=data.path):
        file = open_data(path, data.options, context)
        wanted = set(links[name].key)
        steps: list[tuple[str, Microdata, tuple[str, ...]]] = []
        before = list(links)[: list(links).index(name)]
        for earlier in reversed(before):
            if absent := wanted.difference(file.columns):
                table = linked_table(data, earlier, base, context)
                taken = tuple(each for each in table.columns if each in absent and each not in links[earlier].there)
                if taken:
                    steps.insert(0, (earlier, table, taken))
                    wanted = wanted.difference(taken).union(links[earlier].key)
        ours = load_opened(path, file, {}, None, context, Besides(needed=frozenset(wanted)))
    for earlier, table, taken in steps:
        ours, _ = link_file(ours, earlier, replace(links[earlier], unmatched=Unmatched.KEEP), table, taken=taken)
    return ours
