"""The ledger of one data set as a person reads it: entries, totals by two rules, what remains, its course in time."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

from workbench.accounting.implied import read_under
from workbench.accounting.ledger import Balance, Together, Total, balances, together, together_words, uncounted
from workbench.accounting.programme import Programme
from workbench.accounting.totals import Rule
from workbench.accounting.what_if import WhatIf
from workbench.core.claims import Definition
from workbench.core.figures import Axis, Figure, Kind, Mark, Series
from workbench.core.files import write_bytes
from workbench.core.local_time import local_minute
from workbench.core.quantities import exact, typed
from workbench.project.records import DatasetRecord, ExceptionRecord, LedgerRecord
from workbench.review.sharing import separated_words, shared_words
from workbench.review.snapshot import one_snapshot
from workbench.review.views import moment
from workbench.review.workspace import Workspace

_FAR = Decimal(4)  # a cap further away than so many times what was spent would squeeze the lines to the floor
_QUIET = timedelta(days=7)  # shown before the first spending, where there has been none
_HARMFUL = ("=", "+", "-", "@", "\t", "\r", "\n")
COLUMNS = (
    "date", "release", "definition", "epsilon", "delta", "alpha", "rule", "exception", "workings", "sentence", "part",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlook:
    """The release in view, not approved yet: what it would add here, and what would be left."""

    release_id: str
    definition: Definition
    epsilon: Decimal
    answer: WhatIf


@dataclass(frozen=True, slots=True, kw_only=True)
class Book:
    """One data set. Everything in it is computed when it is made, aside: some rules take a moment."""

    about: DatasetRecord
    entries: tuple[LedgerRecord, ...]
    balances: tuple[Balance, ...]
    together: tuple[Together, ...]
    exceptions: tuple[ExceptionRecord, ...]
    outlook: Outlook | None
    figure: Figure | None
    shared_with: tuple[str, ...] = ()  # other data sets that have this budget too, and how that is known
    shared_ids: tuple[int, ...] = ()  # their numbers, in the same order
    separated: tuple[str, ...] = ()  # who said that others do not, and why
    programmes: tuple[str, ...] = ()  # what was registered before the first draw

    @property
    def other_names(self) -> tuple[str, ...]:
        """Under which the same data came as well."""
        return tuple(dict.fromkeys(alias.name for alias in self.about.aliases if alias.name != self.about.name))

    @property
    def title(self) -> str:
        also = f" (also as {', '.join(self.other_names)})" if self.other_names else ""
        return f"{self.about.name}{also}"

    def about_people(self) -> tuple[str, ...]:
        """Which data sets share this budget, who separated which from it, and what was registered for it."""
        shared = f"One budget with {', '.join(self.shared_with)}: mostly the same people."
        registered = (f"Registered before the first draw: {each}." for each in self.programmes)
        return (*((shared,) if self.shared_with else ()), *(f"{each}." for each in self.separated), *registered)

    def remark(self) -> str:
        """What the totals leave out, in words."""
        parts = [*self.about_people(), *(f"All together: {said}" for said in together_words(self.together))]
        count = uncounted(self.entries)
        if count:
            parts.append(
                f"{count} release{'s' if count > 1 else ''} without a formal promise "
                f"{'are' if count > 1 else 'is'} listed but not counted."
            )
        return " ".join(parts)


@one_snapshot
def books(workspace: Workspace, *, release_id: str = "", now: datetime | None = None) -> tuple[Book, ...]:
    """Every data set of the project; the one behind the release in view first."""
    project = workspace.project
    run = project.latest_run(release_id) if release_id else None
    answer = project.outlook(run) if run is not None else None
    made = []
    for about in project.datasets():
        entries, limits = project.ledger(about.id), project.limits(about.id)
        outlook = None
        if run is not None and run.claim is not None and answer is not None and run.dataset_id == about.id:
            claim = run.claim
            outlook = Outlook(
                release_id=release_id, definition=claim.definition, epsilon=claim.epsilon, answer=answer
            )  # fmt: skip
        known = balances(entries, limits)
        used = {entry.exception_id for entry in entries if entry.exception_id}
        granted = [each for code in dict.fromkeys(e.release_id for e in entries) for each in project.exceptions(code)]
        cap = limits.of(outlook.definition).epsilon if outlook is not None else None
        made.append(
            Book(
                about=about,
                entries=entries,
                balances=known,
                together=together(entries),
                exceptions=tuple(each for each in granted if each.id in used),
                outlook=outlook,
                figure=timeline(entries, known, outlook=outlook, cap=cap, now=now or datetime.now(UTC)),
                shared_with=shared_words(project, about.id),
                shared_ids=tuple(each.other for each in project.sharing(about.id) if each.separation is None),
                separated=separated_words(project, about.id),
                programmes=tuple(
                    f"{Programme(definition=each.definition, items=each.items).words()} under {each.definition.value}, "
                    f"by {each.set_by}"
                    for each in project.programmes(about.id)
                ),
            )
        )
    behind = run.dataset_id if run is not None else 0
    return tuple(sorted(made, key=lambda book: book.about.id != behind))


def timeline(
    entries: Sequence[LedgerRecord],
    known: Sequence[Balance],
    *,
    outlook: Outlook | None,
    cap: Decimal | None,
    now: datetime,
) -> Figure | None:
    """ε spent, added up in sequence, as steps in time; one line per definition, its cap, and what one more would do.

    None where nothing was spent and nothing is about to be.
    """
    if not entries and outlook is None:
        return None
    first = min((moment(entry.entered_at) for entry in entries), default=now - _QUIET)
    unit, seconds = _unit((now - first).total_seconds())
    end = max((now - first).total_seconds() / seconds, 1e-6)

    def at(entry: LedgerRecord) -> float:
        return max(0.0, (moment(entry.entered_at) - first).total_seconds() / seconds)

    lines = [_steps(balance, entries, at, end) for balance in known]
    caps = {balance.total.definition: balance.cap for balance in known}
    if outlook is not None and outlook.definition not in caps:
        caps[outlook.definition] = cap
    spent = {balance.total.definition: balance.total.epsilon for balance in known}
    if outlook is not None:
        before = spent.get(outlook.definition, Decimal(0))
        adds = outlook.epsilon
        ahead = end * 1.08
        lines.append(
            Series(
                name=f"if {outlook.release_id} were approved",
                x=(end if entries else 0.0, ahead, ahead),  # a quiet week before, where nothing was spent
                y=(float(before), float(before), float(before + adds)),
                dashed=True,
            )
        )
        spent[outlook.definition] = before + adds
    most = max(spent.values(), default=Decimal(0))
    marks = tuple(
        Mark(name=_cap_name(definition, value, caps), value=float(value))
        for definition, value in caps.items()
        if value is not None and value <= _FAR * max(most, Decimal("0.1"))
    )
    return Figure(
        kind=Kind.LINES,
        title="Spending over time",
        x=Axis(label=f"time since {_moment(first, unit)}", unit=unit),
        y=Axis(label="ε spent, added in sequence"),
        series=tuple(lines),
        marks=_distinct(marks),
    )


def _steps(
    balance: Balance, entries: Sequence[LedgerRecord], at: Callable[[LedgerRecord], float], end: float
) -> Series:  # fmt: skip
    """All that counts under a definition: what was promised under it, and with implied losses what others imply."""
    definition = balance.total.definition
    own = [(entry, entry.epsilon) for entry in entries if entry.definition is definition]
    read = [(each.source, each.epsilon) for each in read_under(definition, entries)]
    counted = own if sum((loss for _, loss in own), Decimal(0)) == balance.total.epsilon else read
    x: list[float] = []
    y: list[float] = []
    total = Decimal(0)
    for entry, loss in counted:
        here = at(entry) if isinstance(entry, LedgerRecord) else 0.0
        x += [here, here]
        y += [float(total), float(total + loss)]
        total += loss
    return Series(name=definition.value, x=(*x, end), y=(*y, float(total)))


def _cap_name(definition: Definition, value: Decimal, caps: dict[Definition, Decimal | None]) -> str:
    same = all(other == value for other in caps.values())
    return f"cap {exact(value)}" if same else f"cap {exact(value)}: {definition.value}"


def _distinct(marks: Sequence[Mark]) -> tuple[Mark, ...]:
    return tuple({(mark.name, mark.value): mark for mark in marks}.values())


def _moment(first: datetime, unit: str) -> str:
    """Where the axis begins: the day, and the time of day where it counts less than days."""
    return f"{first.astimezone():%d %B %Y}" if unit == "days" else local_minute(first)


def _unit(seconds: float) -> tuple[str, float]:
    for unit, size in (("days", 86400.0), ("hours", 3600.0), ("minutes", 60.0)):
        if seconds >= 2 * size:
            return unit, size
    return "seconds", 1.0


def entry_name(entry: LedgerRecord) -> str:
    """The release, and which part of its claim it is where it has several."""
    return f"{entry.release_id}, {entry.part}" if entry.part else entry.release_id


def rule_words(entry: LedgerRecord) -> str:
    """The rule that was applied, and leave that was given."""
    return f"{entry.rule}, by exception" if entry.exception_id else entry.rule


def tight_words(total: Total) -> str:
    """The total by the tightest rule that can be shown, and which it is; where none is tighter, that."""
    if total.tight.rule is Rule.SEQUENTIAL:
        return "the same"
    failure = f", δ {exact(total.tight.delta)}" if total.tight.delta else ""
    return f"{exact(total.tight.epsilon)}{failure} ({total.tight.rule.value})"


def csv_bytes(book: Book) -> bytes:
    """The entries as CSV (RFC 4180), ε and δ exact. Text that a spreadsheet would run gets an apostrophe in front."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for entry in book.entries:
        cells = (
            entry.entered_at, entry.release_id, entry.definition.value, typed(entry.epsilon), typed(entry.delta),
            "" if entry.alpha is None else typed(entry.alpha), entry.rule, "yes" if entry.exception_id else "",
            entry.workings, entry.sentence, entry.part,
        )  # fmt: skip
        writer.writerow([f"'{cell}" if cell.startswith(_HARMFUL) else cell for cell in cells])
    return text.getvalue().encode("utf-8")


def write_csv(book: Book, path: Path) -> None:
    """Whole or not at all."""
    write_bytes(path, csv_bytes(book))
