"""Loading: a data file becomes compact integer codes, batch by batch, column by column."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePath

from workbench.core.errors import Problem, UserProblem, raise_if
from workbench.core.progress import Context, Part
from workbench.core.together import ahead, side_by_side
from workbench.microdata.dictionary import DataDictionary
from workbench.microdata.encode import ColumnEncoder, TooLong
from workbench.microdata.files import Kind, no_rows
from workbench.microdata.fingerprint import of_content, of_file
from workbench.microdata.header import other_names
from workbench.microdata.options import ReadOptions
from workbench.microdata.readers import Opened, open_data
from workbench.microdata.roles import Role, Roles
from workbench.microdata.shaping.params import Shaping
from workbench.microdata.table import Column, Fingerprint, Microdata


@dataclass(frozen=True, slots=True, kw_only=True)
class Besides:
    """Columns that are needed although they have no role, those of them that are numbers, and names that another file
    or a recoding brings, whatever role they have."""

    needed: frozenset[str] = frozenset()
    numbers: frozenset[str] = frozenset()
    brought: frozenset[str] = frozenset()


NOTHING = Besides()


def besides_of(shaping: Shaping, linked: Mapping[str, Iterable[str]]) -> Besides:
    """What the steps of shaping need of the data file, and what they and the columns of linked files bring to it.

    A key is a column of the data file, unless a file that is linked before brings it.
    """
    if shaping.nothing:
        return NOTHING
    brought, keys, before = set(shaping.recode), set[str](), set[str]()
    for name, link in shaping.links.items():
        keys |= set(link.key) - before
        columns = set(linked[name])
        before |= columns.intersection(link.columns or columns) - set(link.there)
        brought |= columns
    needed = (frozenset(shaping.used()) - brought) | keys
    return Besides(needed=needed, numbers=shaping.numbers(), brought=frozenset(brought - keys))


def load(
    path: Path,
    options: ReadOptions,
    roles: Roles | None,
    dictionary: DataDictionary | None,
    context: Context,
    besides: Besides = NOTHING,
) -> Microdata:
    """Read a data file of any known kind.

    With roles, the columns they name are loaded unless they are to be ignored: weights, outcomes and predictors as
    numbers, all others as text codes. Without roles, every column is loaded, and one of many different fractions as
    numbers. Words of the given dictionary stand before those that the file itself carries.
    """
    file = open_data(path, options, Part(context, 0.0, 0.1))
    return load_opened(path, file, roles, dictionary, Part(context, 0.1, 1.0), besides)


def load_opened(
    path: Path,
    file: Opened,
    roles: Roles | None,
    dictionary: DataDictionary | None,
    context: Context,
    besides: Besides = NOTHING,
) -> Microdata:
    """The same for what is open already. `path` names it in messages; where no such file lies, only the content has a
    fingerprint."""
    names = wanted_columns(path, file, roles, besides)
    raise_if(dictionary.problems((*file.columns, *besides.brought)) if dictionary else ())
    numbers = numeric_columns(names, roles, besides)
    encoders = read(path, file, names=names, numbers=numbers, context=Part(context, 0.0, 0.45))
    words = dictionary.over(file.dictionary) if dictionary else file.dictionary
    rows = encoders[0].rows
    tasks: list[Callable[[Context], Column | str]] = [
        *_finishing(path, file, encoders, words=words, numbers=None if roles is None else numbers),
        *([] if file.kind is Kind.FRAME else [partial(of_file, path)]),
    ]
    made = side_by_side(tasks, Part(context, 0.45, 0.8))
    columns = {column.name: column for column in made if not isinstance(column, str)}
    if roles is not None:
        raise_if(all_missing(path, columns, rows, roles))
    hashed = "".join(text for text in made if isinstance(text, str))
    prints = Fingerprint(file=hashed, content=of_content(columns, rows, Part(context, 0.8, 1.0)))
    context.step(1.0, "Loaded")
    unread = tuple(name for name in file.columns if name not in columns)
    return Microdata(
        name=path.name, rows=rows, columns=columns, fingerprint=prints, unread=unread, guessed=file.guessed,
        names_guessed=file.names_guessed,
    )  # fmt: skip


def read(
    path: Path,
    file: Opened,
    *,
    names: Sequence[str],
    numbers: frozenset[str],
    context: Context,
    too_long: dict[str, TooLong] | None = None,
) -> list[ColumnEncoder]:
    """Read the named columns into encoders. A file with names but no rows is a problem.

    So is a value too long to be read, unless `too_long` is there to take its column; another one must remain.
    """
    encoders = [ColumnEncoder(name, numbers=name in numbers) for name in names]
    rows, fraction = 0, 0.0

    def asks_leave() -> None:
        context.step(fraction, "Reading the file")

    for batch in ahead(file.batches(tuple(names)), asks_leave):
        for encoder in tuple(encoders):
            try:
                encoder.add(batch.arrays[encoder.name])
            except TooLong as wrong:
                if too_long is None or len(encoders) == 1:
                    raise UserProblem.of(problem.at(path.name) for problem in wrong.problems) from None
                too_long[encoder.name] = wrong
                encoders.remove(encoder)
        rows, fraction = rows + batch.rows, batch.fraction
        asks_leave()
    if not rows:
        raise no_rows(path)
    return encoders


def wanted_columns(path: PurePath, file: Opened, roles: Roles | None, besides: Besides) -> tuple[str, ...]:
    """The columns to load, in the order of the file. All columns that roles name and the file lacks are one problem."""
    if roles is None:
        return plain_columns(path, file)
    named = dict.fromkeys((*roles, *sorted(besides.needed)))
    known = (*file.columns, *besides.brought)
    raise_if(_absent(path, file, name) for name in named if name not in known)
    wanted = tuple(
        name for name in file.columns if roles.get(name, Role.IGNORE) != Role.IGNORE or name in besides.needed
    )
    raise_if(_without_values(path, file, wanted))
    if not wanted:
        raise UserProblem("Every column is to be ignored", path.name, "Give at least one column another role")
    return wanted


def plain_columns(path: PurePath, file: Opened) -> tuple[str, ...]:
    """The columns that hold plain values, of which there must be one."""
    plain = tuple(name for name in file.columns if name not in file.unreadable)
    if not plain:
        raise_if(_without_values(path, file, file.columns))
    return plain


def _without_values(path: PurePath, file: Opened, names: Sequence[str]) -> Iterator[Problem]:
    """Columns whose cells hold no plain values."""
    for name in names:
        if found := file.unreadable.get(name):
            yield Problem(f"“{name}” holds {found.holds}", path.name, found.do)


def _absent(path: PurePath, file: Opened, name: str) -> Problem:
    """What the file calls its columns helps, but a first line that was only taken for names may hold data."""
    do = other_names(name, file.columns, guessed=file.names_guessed)
    return Problem(f"There is no column “{name}”", path.name, do)


def numeric_columns(names: Sequence[str], roles: Roles | None, besides: Besides) -> frozenset[str]:
    """The columns to be read as numbers, by their roles or, where they have none, because a step compares them."""
    if roles is None:
        return frozenset()
    without = {name for name in names if roles.get(name, Role.IGNORE) == Role.IGNORE}
    return frozenset(name for name in names if roles.get(name, Role.IGNORE).numbers) | (without & besides.numbers)


def _finishing(
    path: Path, file: Opened, encoders: list[ColumnEncoder], *, numbers: frozenset[str] | None, words: DataDictionary
) -> list[Callable[[Context], Column]]:
    """A task per column. `numbers` are the columns to keep as numbers; None where the content decides."""

    def finish(encoder: ColumnEncoder, context: Context) -> Column:
        said = words.of(encoder.name)
        if numbers is None:
            as_numbers = not said.labels and encoder.is_measurement(file.notation)
        else:
            as_numbers = encoder.name in numbers
        try:
            return encoder.finish(said, numbers=as_numbers, notation=file.notation, context=context)
        except UserProblem as wrong:
            raise UserProblem.of(problem.at(path.name) for problem in wrong.problems) from None

    return [partial(finish, encoder) for encoder in encoders]


def _instead(role: Role) -> str:
    """What to do about an empty column: nobody can do without a column that tells units apart."""
    if role.identifies:
        return f"Choose another column for the {role}, or another file"
    return "Choose another column or file, or give it the role ignore"


def all_missing(path: PurePath, columns: dict[str, Column], rows: int, roles: Roles) -> list[Problem]:
    """Columns of which every cell is empty, where they have a role."""
    return [
        Problem(f"Every value of “{name}” is missing", path.name, _instead(roles[name]))
        for name, column in columns.items()
        if column.missing == rows and name in roles
    ]
