"""Open the data: read, encode, check, fingerprint."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.core.errors import Place, Problem, UserProblem, in_section, raise_if
from workbench.core.findings import Finding, found_by
from workbench.core.plain import digest as sha256_of
from workbench.core.progress import Context, Part
from workbench.microdata.inputs import Inputs
from workbench.microdata.options import ReadOptions
from workbench.review.plan.plan import RELEASE
from workbench.review.run.paths import resolved
from workbench.review.run.released import Released, no_project

if TYPE_CHECKING:
    from workbench.microdata.dictionary import DataDictionary
    from workbench.microdata.load import Besides
    from workbench.microdata.preview import Preview, PreviewOfCounts
    from workbench.microdata.roles import Roles
    from workbench.microdata.table import Microdata
    from workbench.review.plan.plan import DataPlan, Plan
    from workbench.tabulation.engines.choice import Chosen


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedData:
    """Microdata with the roles a person confirmed and what the checks found, and the digest of what was asked.

    `words` is the SHA-256 of the data dictionary in force, from its own file or from the data file, and of the public
    files that go with the data: they decide which cells a table has, and neither the plan nor the fingerprint of the
    content covers them.
    """

    microdata: Microdata
    roles: Roles
    findings: tuple[Finding, ...]
    digest: str
    words: str = ""
    companions: Mapping[str, Microdata] = field(default_factory=dict)
    guessed: Mapping[str, str] = field(default_factory=dict)  # options that the rows suggested and the plan leaves open
    guessed_there: Mapping[str, Mapping[str, str]] = field(default_factory=dict)  # the same for each linked file
    engine: Chosen | None = None  # who reads the rows, and why

    def preview(self) -> Preview | PreviewOfCounts:
        """The rows, decoded where somebody looks at them; counts of each column where the rows stay elsewhere."""
        from workbench.microdata.preview import Preview, PreviewOfCounts

        return Preview(self.microdata) if self.microdata.elsewhere is None else PreviewOfCounts(self.microdata)

    @property
    def inputs(self) -> Inputs:
        return Inputs(microdata=self.microdata, roles=self.roles, companions=self.companions)


def load_data(plan: Plan, *, base: Path, context: Context, released: Released = no_project) -> LoadedData:
    """Read the plan's data file and check it as its product asks. Raises UserProblem when path or roles are missing.

    `released` finds approved releases that the plan names in the place of public files.
    """
    with in_section("data"):
        return _load(plan, base, context, released)


def take_frame(
    plan: Plan, frame: Any, *, dictionary: DataDictionary | None, base: Path, context: Context
) -> LoadedData:
    """The same for a data frame in memory instead of a file; its dictionary comes with it."""
    from workbench.microdata.load import load_opened
    from workbench.microdata.readers.frame import NAME, opened_frame

    def read(linked: Mapping[str, Microdata], within: Context) -> Microdata:
        besides = _besides(plan.data, linked)
        return load_opened(Path(NAME), opened_frame(frame), plan.data.roles, dictionary, within, besides)

    with in_section("data"):
        _refuse_without_roles(plan)
        return _shaped(plan, read, dictionary, base, context, no_project)


def _refuse_without_roles(plan: Plan) -> None:
    if not plan.data.roles:
        raise UserProblem(
            "No column has a role yet", "[data.roles]", "Confirm what each column means; `dwb inspect` suggests roles"
        )


def _load(plan: Plan, base: Path, context: Context, released: Released) -> LoadedData:
    from workbench.microdata.dictionary import read_csv
    from workbench.microdata.load import load
    from workbench.review.run.engine import engine_of, open_in_place, said_of
    from workbench.tabulation.engines.choice import Kind

    data = plan.data
    if not data.path:
        raise UserProblem("The plan names no data file", "[data] path", "Name the file that holds the microdata")
    _refuse_without_roles(plan)
    context.step(0.0, "Opening the data file")
    dictionary = read_csv(resolved(base, data.dictionary)) if data.dictionary else None

    chosen = engine_of(plan, base)

    def read(linked: Mapping[str, Microdata], within: Context) -> Microdata:
        with in_section("data", file=data.path):
            if chosen.kind is not Kind.MEMORY:
                return open_in_place(plan, chosen, base, dictionary, linked, within)
            besides = _besides(data, linked)
            return load(resolved(base, data.path), data.options, data.roles, dictionary, within, besides)

    here = chosen.kind is not Kind.SPARK
    loaded = _shaped(plan, read, dictionary, base, context, released, links_here=here)
    said = said_of(chosen, loaded.microdata)
    return replace(loaded, engine=chosen, findings=(*said, *loaded.findings))


def _shaped(
    plan: Plan,
    read: Callable[[Mapping[str, Microdata], Context], Microdata],
    dictionary: DataDictionary | None,
    base: Path,
    context: Context,
    released: Released,
    *,
    links_here: bool = True,
) -> LoadedData:
    """Rows read, linked, shaped and checked as the plan says. Where they stay elsewhere they are shaped there."""
    from workbench.microdata.checks import check
    from workbench.microdata.dictionary import DataDictionary
    from workbench.microdata.shaping.shape import shape
    from workbench.review.run.prepare import product_of

    data = plan.data
    linked = _linked(data, base, Part(context, 0.0, 0.05)) if links_here else {}
    microdata = read(linked, Part(context, 0.05, 0.7))
    guessed = _that_matter(microdata, data)
    guessed_there = {name: found for name, table in linked.items() if (found := _that_matter(table, data))}
    if microdata.elsewhere is not None:
        shaped = microdata.elsewhere.shaped
    else:
        microdata, shaped = shape(
            microdata, data.shaping, roles=data.roles, linked=linked, dictionary=dictionary or DataDictionary(),
            context=Part(context, 0.7, 0.75),
        )  # fmt: skip
    companions = _files(data.companions, base, Part(context, 0.75, 0.85), released)
    checked = check(microdata, data.roles, Part(context, 0.85, 1.0), product_of(plan).data_checks)
    findings = found_by("data", (*shaped, *checked), stage="data")
    return LoadedData(
        microdata=microdata,
        roles=data.roles,
        findings=findings,
        digest=plan.data_digest(),
        words=_words(microdata, companions),
        companions=companions,
        guessed=guessed,
        guessed_there=guessed_there,
    )


def _that_matter(microdata: Microdata, data: DataPlan) -> dict[str, str]:
    """How numbers are written matters only where some column is read as numbers."""
    from workbench.microdata.table import NumericColumn  # late: the window shows sooner

    numbers = any(isinstance(column, NumericColumn) for column in microdata.columns.values()) or data.shaping.numbers()
    return {name: value for name, value in microdata.guessed.items() if numbers or name in ("encoding", "delimiter")}


def refuse_guesses(loaded: LoadedData) -> None:
    """One row more could change how all others are read, which no noise covers: the plan must say how they are."""
    sections = {"[data.options]": loaded.guessed}
    sections |= {f"[data.linked_options.{name}]": found for name, found in loaded.guessed_there.items()}
    raise_if(_guess(section, found) for section, found in sections.items() if found)


def _guess(section: str, found: Mapping[str, str]) -> Problem:
    listed = ", ".join(f'{name} = "{value}"' for name, value in found.items())
    what = "How the file is read was detected from its rows, and one row more could change it for all"
    return Problem(what, section, f"Write under {section}: {listed}", Place("data", next(iter(found))))


def _besides(data: DataPlan, linked: Mapping[str, Microdata]) -> Besides:
    """What the steps of shaping need of the data file, and what they bring to it."""
    from workbench.microdata.load import besides_of

    return besides_of(data.shaping, {name: (*table.columns, *table.unread) for name, table in linked.items()})


def _linked(data: DataPlan, base: Path, context: Context) -> dict[str, Microdata]:
    links = data.shaping.links
    parts = (Part(context, number / len(links), (number + 1) / len(links)) for number in range(len(links)))
    return {name: linked_table(data, name, base, part) for name, part in zip(links, parts, strict=True)}


def linked_table(data: DataPlan, name: str, base: Path, context: Context) -> Microdata:
    """A linked file: its key, and what has a role or is used on the way. What becomes numbers, the plan says; a file
    that is not public must not decide it by its rows.
    """
    from workbench.microdata.load import Besides, load_opened
    from workbench.microdata.readers import open_data
    from workbench.microdata.table import Fingerprint, Microdata

    path, link = resolved(base, data.linked[name]), data.shaping.links[name]
    with in_section("data", file=data.linked[name]):
        file = open_data(path, data.linked_options.get(name, ReadOptions()), context)
        used = {*data.shaping.used(), *(link.columns or data.roles)}
        needed = frozenset(each for each in file.columns if each in used or each in link.there)
        if not needed:  # a key that is not there: linking says so, by what is
            prints = Fingerprint(file="", content="")
            return Microdata(
                name=path.name, rows=0, columns={}, fingerprint=prints, unread=file.columns,
                names_guessed=file.names_guessed,
            )  # fmt: skip
        roles = {each: role for each, role in data.roles.items() if each in needed and each not in link.there}
        besides = Besides(needed=needed, numbers=data.shaping.numbers() - set(link.there))
        return load_opened(path, file, roles, None, context, besides)


def _files(named: Mapping[str, str], base: Path, context: Context, released: Released) -> dict[str, Microdata]:
    """Files that go with the data, every column of them; or approved releases."""
    from workbench.microdata.load import load

    named = {name: path for name, path in named.items() if path}
    parts = [Part(context, place / len(named), (place + 1) / len(named)) for place in range(len(named))]
    return {
        name: released(path)
        if path.startswith(RELEASE)
        else load(resolved(base, path), ReadOptions(), None, None, part)
        for (name, path), part in zip(named.items(), parts, strict=True)
    }


def _words(microdata: Microdata, companions: Mapping[str, Microdata]) -> str:
    """SHA-256 over what the dictionary says of every column that is used, and over the files that go with the data."""
    from workbench.microdata.table import CodedColumn

    said: dict[str, object] = {
        name: [column.title, dict(column.labels), dict(column.populations)]
        for name, column in microdata.columns.items()
        if isinstance(column, CodedColumn)
    }
    beside = {name: table.fingerprint.content for name, table in companions.items()}
    return sha256_of([said, beside] if beside else said)
