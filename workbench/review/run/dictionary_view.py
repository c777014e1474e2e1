"""The data dictionary as a person edits it: what the plan's file says, and what the loaded data hold besides."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from workbench.core.errors import Problem
from workbench.core.files import write_text
from workbench.core.quantities import counted
from workbench.microdata.dictionary import ColumnWords, DataDictionary, as_csv, read_csv
from workbench.microdata.table import CodedColumn
from workbench.microdata.template import listed_columns, template_words
from workbench.review.run.paths import resolved
from workbench.review.session import ReviewSession

FILE = "dictionary.csv"


@dataclass(frozen=True, slots=True)
class Entry:
    """One line: a value, what it is called, its coarser code, its public size."""

    value: str = ""
    label: str = ""
    parent: str = ""
    population: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnDraft:
    """What the dictionary says of one column. `public` is a person's word that the list does not come from the data."""

    title: str = ""
    public: bool = False
    entries: tuple[Entry, ...] = ()

    @classmethod
    def of(cls, words: ColumnWords) -> ColumnDraft:
        size = words.populations
        entries = (
            Entry(value, label, words.parents.get(value, ""), str(size.get(value, "")))
            for value, label in words.labels.items()
        )
        return cls(title=words.title, public=not words.inside, entries=tuple(entries))

    def words(self) -> ColumnWords:
        kept = [entry for entry in self.entries if entry.value]
        return ColumnWords(
            title=self.title,
            labels={entry.value: entry.label or entry.value for entry in kept},
            populations={entry.value: int(entry.population) for entry in kept if entry.population},
            parents={entry.value: entry.parent for entry in kept if entry.parent},
            inside=not self.public,
        )

    def summary(self) -> str:
        if not self.entries:
            return "no values listed"
        return f"{counted(len(self.entries), 'value')}, {'public' if self.public else 'taken from the data'}"


Draft = Mapping[str, ColumnDraft]


def draft_of(session: ReviewSession) -> dict[str, ColumnDraft]:
    """Every column of the dictionary in force, and every loaded column that describes units and is not listed there."""
    data = session.plan.data
    listed = read_csv(resolved(session.base, data.dictionary)).columns if data.dictionary else {}
    found = {name: ColumnDraft.of(words) for name, words in listed.items()}
    if session.loaded is not None:
        for column in listed_columns(session.loaded.microdata, session.loaded.roles):
            if not (name_listed := found.get(column.name)) or not name_listed.entries:
                found[column.name] = ColumnDraft.of(template_words(column))
    return found


def filled_up(draft: ColumnDraft, column: CodedColumn) -> ColumnDraft:
    """With every value of the data that is not listed yet. The list then comes from the data until somebody says no."""
    known = {entry.value for entry in draft.entries}
    new = tuple(Entry(value, value) for value in template_words(column).labels if value not in known)
    return replace(draft, entries=(*draft.entries, *new), public=draft.public and not new)


def problems_of_draft(draft: Draft) -> tuple[Problem, ...]:
    """What cannot be written."""
    found = []
    for name, column in draft.items():
        values = [entry.value for entry in column.entries if entry.value]
        twice = sorted({value for value in values if values.count(value) > 1}) if len(set(values)) < len(values) else []
        found += [Problem(f"The value “{value}” is listed twice", name, "Remove one of the lines") for value in twice]
        found += [
            Problem("A label stands without a value", name, "Give the value, or remove the line")
            for entry in column.entries
            if not entry.value and (entry.label or entry.parent or entry.population)
        ][:1]
        found += [
            Problem(f"The population of “{entry.value}” is not a whole number", name, "Write digits only")
            for entry in column.entries
            if entry.population and not entry.population.isdecimal()
        ][:3]
    if not any(column.entries for column in draft.values()):
        found.append(Problem("The dictionary lists nothing", "", "Add a value to a column"))
    return tuple(found)


def save_draft(draft: Draft, path: Path) -> None:
    """Write the dictionary whole or not at all."""
    kept = {name: column.words() for name, column in draft.items() if column.entries or column.title}
    write_text(path, as_csv(DataDictionary(columns=kept)))
