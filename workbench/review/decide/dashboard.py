"""The whole project at one look: every release with its state, how long it took or waits, and who has to act next."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from statistics import median
from typing import TYPE_CHECKING

from workbench.core.figures import Axis, Figure, Kind, Series
from workbench.core.quantities import show
from workbench.core.states import ReleaseState, Verdict
from workbench.products import registry
from workbench.project.records import DecisionRecord, ReleaseRecord, RunRecord, VoteRecord
from workbench.review.snapshot import one_snapshot
from workbench.review.views import moment
from workbench.review.workspace import Workspace

if TYPE_CHECKING:
    from workbench.project.store import Project

_MOST_BARS = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """One release. `decided` is the decision that stands; `waiting` since when somebody is to act; None for neither.

    `words` is everything that a search looks at, folded so that case and accents do not matter.
    """

    id: str
    title: str
    product: str
    state: ReleaseState
    preparer: str
    next_actor: str
    next_step: str
    created: datetime
    decided: datetime | None
    waiting: datetime | None
    draws: int
    epsilon: str
    definition: str
    words: str

    def turnaround(self, now: datetime) -> str:
        """'took 2 days', 'waits 3 h', or empty where it is closed without a decision."""
        if self.decided is not None:
            return f"took {spell(self.decided - self.created)}"
        return f"waits {spell(now - self.waiting)}" if self.waiting is not None else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dashboard:
    releases: tuple[Overview, ...]
    policy: str
    read_at: datetime

    def tiles(self) -> tuple[tuple[str, str, str], ...]:
        """(number, what it counts, a remark) for the top of the page."""
        review = [each for each in self.releases if each.state is ReleaseState.IN_REVIEW]
        back = [each for each in self.releases if each.state is ReleaseState.CHANGES]
        waits = [self.read_at - each.waiting for each in review if each.waiting is not None]
        times = [(each.decided - each.created).total_seconds() for each in self.releases if each.decided is not None]
        approved = sum(each.state is ReleaseState.APPROVED for each in self.releases)
        rejected = sum(each.state is ReleaseState.REJECTED for each in self.releases)
        drafts = sum(each.state is ReleaseState.DRAFT for each in self.releases)
        return (
            (str(drafts), "in preparation", ""),
            (str(len(review)), "wait for reviewers", f"longest {spell(max(waits))}" if waits else ""),
            (str(len(back)), "sent back", "changes requested" if back else ""),
            (str(approved), "approved", f"{rejected} rejected" if rejected else ""),
            (
                spell(timedelta(seconds=median(times))) if times else "–",
                "typical turnaround",
                "median, created to decided",
            ),
        )

    def turnaround_figure(self) -> Figure | None:
        """How long each decided release took, the latest last; None before there was a decision."""
        decided = sorted((each for each in self.releases if each.decided is not None), key=_decided_at)[-_MOST_BARS:]
        if not decided:
            return None
        unit, seconds = _unit(max(_took(each) for each in decided))
        return Figure(
            kind=Kind.BARS,
            title="Turnaround: from creation to decision",
            x=Axis(label="", categories=tuple(each.id for each in decided)),
            y=Axis(label="turnaround", unit=unit),
            series=(
                Series(
                    name="turnaround",
                    x=tuple(float(i) for i in range(len(decided))),
                    y=tuple(_took(each).total_seconds() / seconds for each in decided),
                ),
            ),
        )


def _decided_at(each: Overview) -> datetime:
    return each.decided or each.created


def _took(each: Overview) -> timedelta:
    return _decided_at(each) - each.created


def _unit(longest: timedelta) -> tuple[str, float]:
    for unit, seconds in (("days", 86400.0), ("hours", 3600.0), ("minutes", 60.0)):
        if longest.total_seconds() >= 2 * seconds:
            return unit, seconds
    return "seconds", 1.0


def spell(length: timedelta) -> str:
    """'5 days', '3 h', '12 min', '< 1 min'."""
    seconds = max(0.0, length.total_seconds())
    days = round(seconds / 86400)
    if seconds >= 1.5 * 86400:
        return f"{days} days"
    if seconds >= 3600:
        return f"{seconds / 3600:.0f} h"
    return f"{seconds // 60:.0f} min" if seconds >= 60 else "< 1 min"


@one_snapshot
def dashboard(workspace: Workspace, *, viewer: str, now: datetime | None = None) -> Dashboard:
    """Every release that was not withdrawn, what needs somebody first. Hidden votes are not searched."""
    project = workspace.project
    shown = [record for record in project.releases() if record.state is not ReleaseState.WITHDRAWN]
    rows = [_overview(project, record, viewer) for record in shown]
    policy = project.policy()
    return Dashboard(
        releases=tuple(sorted(rows, key=_order)),
        policy=policy.profile.title if policy is not None else "",
        read_at=now or datetime.now(UTC),
    )


def _order(each: Overview) -> tuple[bool, float]:
    """Waiting first, the longest on top; then what was decided, the latest first."""
    if each.waiting is not None:
        return False, each.waiting.timestamp()
    return True, -(each.decided or each.created).timestamp()


def _overview(project: Project, record: ReleaseRecord, viewer: str) -> Overview:
    run = project.latest_run(record.id)
    decisions = project.decisions(record.id)
    votes = project.votes(record.id, viewer=viewer)
    standing = decisions[-1] if decisions and not decisions[-1].stale else None
    drawn = run is not None and not record.stale
    actor, step = _next(project, record)
    claim = run.claim if run is not None else None
    closed = standing is not None and standing.decision is not Verdict.CHANGES
    return Overview(
        id=record.id,
        title=record.title,
        product=_title(record.product) or record.product,
        state=record.standing,
        preparer=record.preparer,
        next_actor=actor,
        next_step=step,
        created=moment(record.created_at),
        decided=moment(standing.decided_at) if closed and standing is not None else None,
        waiting=None if closed else _waits_since(record, run if drawn else None, standing),
        draws=record.draws,
        epsilon=show(claim.epsilon) if claim is not None else "",
        definition=claim.definition.value if claim is not None else "",
        words=folded(_searched(project, record, run, (*decisions, *votes))),
    )


def _waits_since(record: ReleaseRecord, run: RunRecord | None, standing: DecisionRecord | None) -> datetime:
    if standing is not None:
        return moment(standing.decided_at)
    return moment(run.run_at if run is not None else record.created_at)


def _next(project: Project, record: ReleaseRecord) -> tuple[str, str]:
    """(who, what): the person or kind of person whose turn it is."""
    state = record.standing
    if state is ReleaseState.IN_REVIEW:
        voting = project.voting(record.id)
        if voting.needed == 1 and not voting.blinded:
            return "a reviewer", "decide"
        missing = voting.needed - len(voting.voted)
        if missing > 0:
            return ("1 more reviewer" if missing == 1 else f"{missing} reviewers"), "vote"
        return " or ".join(voting.voted), "record the decision"
    if state is ReleaseState.CHANGES:
        return record.preparer, "change and draw again"
    if state is ReleaseState.APPROVED and not project.exports(record.id):
        return "anybody", "export the report"
    if state is ReleaseState.DRAFT:
        return record.preparer, "draw again" if record.draws else "prepare and draw"
    return "", ""


def _searched(
    project: Project, record: ReleaseRecord, run: RunRecord | None, voices: Sequence[DecisionRecord | VoteRecord]
) -> Iterable[str]:
    yield from (record.id, record.title, record.product, _title(record.product), record.preparer)
    yield from record.context.values()
    if run is not None:
        yield run.run_by
        if run.claim is not None:
            yield from (run.claim.definition.value, run.claim.unit)
    for voice in voices:
        yield from (voice.reviewer, voice.comment, voice.public_comment)
    for granted in project.exceptions(record.id):
        yield from (granted.granted_by, granted.reason)


def folded(texts: Iterable[str]) -> str:
    """Texts as a search sees them: small letters, no accents, one line each."""
    apart = unicodedata.normalize("NFKD", "\n".join(texts).casefold())
    return "".join(sign for sign in apart if not unicodedata.combining(sign))


def found(releases: Sequence[Overview], question: str) -> tuple[Overview, ...]:
    """The releases in which every word of the question occurs somewhere."""
    words = folded([question]).split()
    return tuple(each for each in releases if all(word in each.words for word in words))


def _title(product: str) -> str:
    return next((each.title for each in registry.cards() if each.id == product), "")
