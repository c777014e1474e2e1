"""The data dictionary: words for codes, and with them the public domain of a column."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from workbench.core.circles import circles
from workbench.core.errors import Problem, UserProblem, raise_if
from workbench.core.files import require_regular
from workbench.core.nearest import did_you_mean
from workbench.core.quantities import counted
from workbench.core.spreadsheets import guarded, unguarded

_NEEDED = ("column", "value", "label")
_FIRST_LINE = "Its first line must be column,value,label with population, parent and declared if you want"
TAKEN_FROM_DATA = "taken from the data"  # in the column “declared” of a column's title row


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnWords:
    """What the dictionary says of one column. The listed values are its public domain.

    `inside` is true where the data file itself says it, or where the dictionary says that its list was taken from the
    data: whether such a list may be called public is then for a person to judge.
    """

    title: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    populations: Mapping[str, int] = field(default_factory=dict)
    inside: bool = False
    parents: Mapping[str, str] = field(default_factory=dict)  # the coarser code that each value belongs to


@dataclass(frozen=True, slots=True, kw_only=True)
class DataDictionary:
    """Titles, labels and public populations by column. Codes are text, so that 01 and 1 differ."""

    columns: Mapping[str, ColumnWords] = field(default_factory=dict)
    name: str = field(default="", compare=False)  # of the file it was read from

    def of(self, column: str) -> ColumnWords:
        """What is said of a column; nothing where it is not listed."""
        return self.columns.get(column, ColumnWords())

    def over(self, other: DataDictionary) -> DataDictionary:
        """This dictionary where it speaks, the other one for columns it does not list."""
        return DataDictionary(columns={**other.columns, **self.columns}, name=self.name)

    def problems(self, known: Sequence[str]) -> Iterator[Problem]:
        """Columns that were probably meant for others: a misspelt one would silently lose its public domain.

        A dictionary may serve several files, so a column that resembles none of this file is nobody's mistake, unless
        that is true of all.
        """
        for name in self.columns:
            free = [column for column in known if column not in self.columns]
            if name not in known and (near := did_you_mean(name, free, likeness=0.75)):
                what = f"The data have no column “{name}”"
                yield Problem(what, self.name or "data dictionary", near)
        if self.columns and not any(name in known for name in self.columns):
            what = "The data dictionary describes no column of the data"
            yield Problem(what, self.name or "data dictionary", "Choose the dictionary of this file")


def code_text(code: object) -> str:
    """A code as text: whole numbers without '.0', everything else as it is."""
    if isinstance(code, float) and math.isfinite(code) and code == int(code) and abs(code) < 2**53:
        return str(int(code))
    return str(code).strip()


def read_csv(path: Path) -> DataDictionary:
    """Read a dictionary from a CSV with the columns column, value, label and, where wanted, population and parent.

    A row without a value gives the title of the column.
    """
    require_regular(path, "a data dictionary")
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise UserProblem("There is no such file", str(path), "Check the path of the data dictionary") from None
    except UnicodeDecodeError:
        raise UserProblem("The data dictionary is not written in UTF-8", path.name, "Save it as UTF-8") from None
    except PermissionError:
        do = "Ask for permission to read it"
        raise UserProblem("The data dictionary may not be read by you", str(path), do) from None
    except (OSError, ValueError):  # ValueError: a name that no file can have
        raise UserProblem("The data dictionary cannot be read", str(path), "Check that it is a file") from None
    if not text.strip():
        raise UserProblem("The data dictionary is empty", path.name, _FIRST_LINE)
    rows = csv.DictReader(io.StringIO(text, newline=""), delimiter=_delimiter(text))
    try:
        return _checked(path, rows)
    except csv.Error:
        raise UserProblem(
            "The data dictionary cannot be cut into rows and fields", path.name, "Check its quotation marks"
        ) from None


def _delimiter(text: str) -> str:
    """What separates the names in the first line: spreadsheets of many countries write semicolons into a CSV."""
    first = next(csv.reader([text.lstrip().partition("\n")[0]]), [])
    return next((mark for mark in ";\t|" if len(first) == 1 and mark in first[0]), ",")


def _checked(path: Path, rows: csv.DictReader[str]) -> DataDictionary:
    named = rows.fieldnames or ()
    absent = [name for name in _NEEDED if name not in named]
    if absent:
        what = f"The data dictionary has no column {' and no column '.join(absent)}"
        raise UserProblem(what, path.name, _FIRST_LINE)
    found = _collected(path, rows)
    if not found.columns:
        raise UserProblem("The data dictionary lists nothing", path.name, "Add a line for each code")
    return found


def _collected(path: Path, rows: csv.DictReader[str]) -> DataDictionary:
    titles: dict[str, str] = {}
    labels: dict[str, dict[str, str]] = {}
    populations: dict[str, dict[str, int]] = {}
    parents: dict[str, dict[str, str]] = {}
    from_data: set[str] = set()
    problems: list[Problem] = []
    for row in rows:
        name, value, label = (unguarded(str(row[key] or "").strip()) for key in _NEEDED)
        where = f"{path.name} line {rows.line_num}"
        if None in row:
            named = len(rows.fieldnames or ())
            given = counted(named + len(row[None]), "field")
            what = f"The row has {given} where {named} are expected"
            problems.append(Problem(what, where, "Put a label that holds a comma in quotation marks"))
        elif not name:
            problems.append(Problem("A row names no column", where, "Fill in the first field"))
        elif not value and name in titles:
            problems.append(Problem(f"“{name}” has two titles", where, "Remove one of the rows without a value"))
        elif not value:
            titles[name] = label
            if (row.get("declared") or "").strip().casefold() == TAKEN_FROM_DATA:
                from_data.add(name)
        elif value in labels.setdefault(name, {}):
            problems.append(Problem(f"The code “{value}” of “{name}” is listed twice", where, "Remove one of the rows"))
        else:
            labels[name][value] = label or value
            _add_population(row, populations.setdefault(name, {}), problems=problems, where=where)
            if parent := (row.get("parent") or "").strip():
                parents.setdefault(name, {})[value] = unguarded(parent)
    problems += [problem for name, above in parents.items() for problem in _circles(path.name, name, above)]
    raise_if(problems[:20])
    names = dict.fromkeys((*titles, *labels))
    return DataDictionary(
        columns={
            name: ColumnWords(
                title=titles.get(name, ""),
                labels=labels.get(name, {}),
                populations=populations.get(name, {}),
                parents=parents.get(name, {}),
                inside=name in from_data,
            )
            for name in names
        },
        name=path.name,
    )


def _circles(file: str, name: str, parents: Mapping[str, str]) -> Iterator[Problem]:
    """A code may stand as its own parent, as lists have it for the uppermost; longer circles are errors."""
    for ring in circles({code: above for code, above in parents.items() if code != above}):
        what = f"The codes {' → '.join(ring)} of “{name}” contain each other in a circle"
        yield Problem(what, file, f"Take away one of these parents, for example that of {ring[-2]}")


def _add_population(
    row: Mapping[str, str | None], into: dict[str, int], *, problems: list[Problem], where: str
) -> None:
    text = (row.get("population") or "").strip()
    if not text:
        return
    try:
        into[unguarded(str(row["value"]).strip())] = int(text)
    except ValueError:
        problems.append(Problem("A population is not a whole number", where, "Write digits only"))


def write_csv(dictionary: DataDictionary, path: Path) -> None:
    """Write what `read_csv` reads back."""
    path.write_text(as_csv(dictionary), encoding="utf-8", newline="")


def as_csv(dictionary: DataDictionary) -> str:
    """The dictionary as the text of its file. A list that was taken from the data says so: nobody has declared it.

    Values may come from respondents, and people edit the file in a spreadsheet: none of them runs there as a formula.
    """
    words = dictionary.columns.values()
    more = [
        name
        for name, used in (
            ("population", True),
            ("parent", any(each.parents for each in words)),
            ("declared", any(each.inside for each in words)),
        )
        if used
    ]
    text = io.StringIO()
    writer = csv.DictWriter(text, (*_NEEDED, *more), restval="", extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    for name, each in dictionary.columns.items():
        if each.title or each.inside:
            declared = TAKEN_FROM_DATA if each.inside else ""
            writer.writerow({"column": guarded(name), "label": guarded(each.title), "declared": declared})
        for value, label in each.labels.items():
            texts = {"column": name, "value": value, "label": label, "parent": each.parents.get(value, "")}
            safe = {key: guarded(text) for key, text in texts.items()}
            writer.writerow({**safe, "population": each.populations.get(value, "")})
    return text.getvalue()


def advice_for_unlisted(values: Iterable[object], listed: Collection[str]) -> str:
    """What to do about values that a list lacks. Often their first zeros were lost on the way: 1 where 01 is listed."""
    bare = {code.lstrip("0") for code in listed}
    if any(str(value) not in listed and str(value).lstrip("0") in bare for value in values):
        return "Codes differ in leading zeros (01 and 1): read the column as text, or write both alike"
    return "Add the missing codes to the dictionary or correct the data"
