"""The table under review and those approved before, file by file: which of them are of one file, and their parts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from workbench.audit.differencing.tables import PublishedTable
from workbench.baselines.suppression.meaning import Meaning
from workbench.baselines.suppression.row_sets import Counted, Divided, divided
from workbench.baselines.suppression.tabulated import Tabulated
from workbench.core.progress import QUIET, Context
from workbench.review.run.suppression_history import Before, Now
from workbench.review.run.suppression_rows import Source

_NEW = -1  # stands for the table under review among the places of earlier ones


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Together:
    """The table under review and all earlier ones, each with the rows that it counts in the names of its cells.

    `of_rows` is what was added to the names of each release's cells; of the new table's, under the name "". Of the
    releases in `apart` nobody can say which rows they and the new table have in common; `others` are of other products.
    """

    table: Tabulated
    now: Now
    before: tuple[Before, ...]
    of_rows: dict[str, Meaning]
    apart: tuple[str, ...] = ()
    others: tuple[str, ...] = ()

    def of_rows_in(self, table: PublishedTable) -> Meaning:
        """Which rows of the file a table of true values counts; one that nobody knows is taken to be of all."""
        own = self.of_rows.get("", frozenset()) if table.content == self.now.content else frozenset[tuple[str, str]]()
        return self.of_rows.get(table.name, own)


@dataclass(slots=True)
class _File:
    sources: list[Source]
    members: list[int] = field(default_factory=list)


def together(
    new: Counted, source: Source, before: Sequence[Before], *, content: str, context: Context = QUIET
) -> Together:  # fmt: skip
    """Tables of one file that count different rows get their parts; one that has no parts is of a file of its own."""
    others, before = [each.name for each in before if each.other], [each for each in before if not each.other]
    now, own = Now(content=content, rows="0"), Divided(table=new.table)
    found: dict[int, list[Before]] = {}
    of_rows: dict[str, Meaning] = {}
    apart = _stay_elsewhere(source, before, content)
    for number, members in enumerate(_files(source, before)):
        tables = [new if place == _NEW else before[place].counted for place in members]
        made = divided([each for each in tables if each is not None], context)
        if number == 0:
            apart += [before[place].name for place in _without_parts(members, made)]
        for place, each in zip(members, made, strict=True):
            rows = str(number) if each is not None else f"{number}, {place}"
            if place == _NEW:
                now = replace(now, rows=rows)
                own = each if each is not None else own
                continue
            like = own if number and before[place].content == content else None  # the same rows in another file
            named = _named_like(each, like)
            found[place] = list(_of_release(before[place], named, rows))
            of_rows[before[place].name] = _named(named)
    of_rows[""] = _named(own)
    listed = [Before(name="", content=content, rows=now.rows, table=own.parts, hidden=True)] if own.parts else []
    for place, earlier in enumerate(before):
        listed += found.get(place) or [_unread(earlier, of_rows[""])]
    return Together(table=own.table, now=now, before=tuple(listed), of_rows=of_rows, apart=tuple(apart),
                    others=tuple(others))  # fmt: skip


def _stay_elsewhere(source: Source, before: Sequence[Before], content: str) -> list[str]:
    """Releases of other rows where those of one of the two tables are not at hand."""
    read = [each for each in before if each.source is not None and each.content != content]
    return [each.name for each in read if each.source is not None and not (source.file and each.source.file)]


def _without_parts(members: Sequence[int], made: Sequence[Divided | None]) -> list[int]:
    """Earlier tables of the file under review that are not made up of parts in common with it."""
    new, *earlier = zip(members, made, strict=True)
    return [place for place, each in earlier if each is None or new[1] is None]


def _files(source: Source, before: Sequence[Before]) -> list[list[int]]:
    """The places of the tables of each file, the file under review first."""
    files = [_File(sources=[source], members=[_NEW])]
    for place, each in enumerate(before):
        if each.source is None or each.counted is None:
            continue
        known = next((file for file in files if all(each.source.alike(own) for own in file.sources)), None)
        if known is None:
            files.append(known := _File(sources=[]))
        known.sources.append(each.source)
        known.members.append(place)
    return [file.members for file in files]


def _named_like(made: Divided | None, other: Divided | None) -> Divided | None:
    if made is None or other is None or made.of_rows is not None:
        return made
    return replace(made, table=other.named_like(made.table), of_rows=other.of_rows)


def _named(made: Divided | None) -> Meaning:
    return frozenset() if made is None or made.of_rows is None else frozenset({made.of_rows})


def _of_release(each: Before, made: Divided | None, rows: str) -> Iterator[Before]:
    """Its parts, which nobody was given, and then its table."""
    if made is None:
        yield replace(each, rows=rows)
        return
    if made.parts is not None:
        yield Before(name=each.name, content=each.content, rows=rows, table=made.parts, hidden=True)
    yield replace(each, rows=rows, table=made.table, withheld=_within(each.withheld, _named(made)))


def _unread(each: Before, of_rows: Meaning) -> Before:
    """A table that could not be made again: what it withheld, of all rows and of those under review."""
    withheld = _within(each.withheld, of_rows)
    return replace(each, withheld=None if withheld is None or each.withheld is None else each.withheld | withheld)


def _within(withheld: frozenset[Meaning] | None, of_rows: Meaning) -> frozenset[Meaning] | None:
    return None if withheld is None else frozenset(cell | of_rows for cell in withheld)
