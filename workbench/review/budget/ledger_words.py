"""The ledger of a data set in the words and numbers that its page shows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal

from workbench.accounting.ledger import Balance, together_words, uncounted
from workbench.core.local_time import local_minute
from workbench.core.quantities import agreeing, counted, exact
from workbench.project.records import ExceptionRecord, LedgerRecord
from workbench.review.budget.ledger_book import Book, tight_words
from workbench.review.views import moment

_NAMED = 3  # values of a witness that a line names


def lasted(entries: Sequence[LedgerRecord]) -> timedelta:
    """How long ago the first of these was spent."""
    first = min((moment(entry.entered_at) for entry in entries), default=None)
    return timedelta(0) if first is None else datetime.now(UTC) - first


def course_words(entries: Sequence[LedgerRecord]) -> str:
    """What stands in place of a course in time that is too short to draw."""
    if not entries:
        return ""
    releases = counted(len(entries), "release")
    return f"{releases} counted, all within the last day. A chart appears once entries span more than one day."


def balance_pairs(balance: Balance) -> tuple[tuple[str, str], ...]:
    """The totals of one definition by both rules, and what is left under its caps."""
    total = balance.total
    pairs = [
        ("ε in sequence", exact(total.epsilon)),
        ("ε, tightest rule", tight_words(total)),
    ]
    if balance.share is not None:
        pairs.append(("budget used", balance.share.words()))
        pairs.append(("promise at the cap", balance.share.promise()))
        if balance.share.attribute:
            pairs.append(("who moves", balance.share.movers()))
    if balance.programme is not None:
        pairs.append(("programme", balance.programme.words()))
    if balance.cap is not None and balance.remaining is not None:
        pairs.append(("ε remaining", _left(balance.remaining, balance.cap)))
    else:
        pairs.append(("ε remaining", "no cap set"))
    if total.delta:
        pairs.append(("δ in sequence", exact(total.delta)))
    if total.delta and balance.delta_cap is not None and balance.remaining_delta is not None:
        pairs.append(("δ remaining", _left(balance.remaining_delta, balance.delta_cap)))
    return tuple(pairs)


def _left(remaining: Decimal, cap: Decimal) -> str:
    return f"{exact(remaining)} of {exact(cap)}" if remaining >= 0 else f"none: {exact(-remaining)} above {exact(cap)}"


def granted_words(each: ExceptionRecord) -> str:
    when = local_minute(each.granted_at)
    return f"{when} {each.release_id}, granted by {each.granted_by}: {each.overspend} “{each.reason}”"


def witness_words(entry: LedgerRecord) -> str:
    """What alone was read for the entry, by which it can be apart from others; empty where everything was."""
    if entry.coverage is None:
        return ""
    values = entry.coverage.values
    more = f" and {len(values) - _NAMED:,} more" if len(values) > _NAMED else ""
    return f"Read: {entry.coverage.attribute} {', '.join(values[:_NAMED])}{more}, and no other."


def ledger_lines(book: Book) -> Iterator[str]:
    """The whole ledger of a data set, line by line."""
    about = book.about
    cap = "no budget of its own" if about.cap is None else f"budget {exact(about.cap)}"
    yield f"{about.name} (content {about.content[:12]}…), {cap}"
    if book.other_names:
        yield f"  The same data also came as {', '.join(book.other_names)}: one data set, one budget."
    for said in book.about_people():
        yield f"  {said}"
    for balance in book.balances:
        yield f"  {balance.total.sentence()}{_remaining(balance)}"
    for said in together_words(book.together):
        yield f"  All together: {said}"
    for entry in book.entries:
        what = f"{entry.release_id}, {entry.part}" if entry.part else entry.release_id
        said = " ".join(filter(None, (entry.workings or entry.sentence, witness_words(entry))))
        yield f"    {entry.entered_at[:10]} {what} ({entry.rule}): {said}"
    if left := uncounted(book.entries):
        yield f"  {counted(left, 'release')} without a formal promise {agreeing(left, 'is', 'are')} not counted."


def _remaining(balance: Balance) -> str:
    words = ""
    if balance.remaining is not None and balance.cap is not None:
        words = f" {_rest(balance.remaining)} {exact(balance.cap)}."
    if balance.share is not None:
        words += f" Budget used: {balance.share.words()}. {balance.share.promise()}"
        words += f" {balance.share.movers()}" if balance.share.attribute else ""
    if balance.programme is not None:
        words += f" Programme: {balance.programme.words()}"
    if balance.remaining_delta is not None and balance.delta_cap is not None and balance.total.delta:
        words += f" δ: {_rest(balance.remaining_delta)} {exact(balance.delta_cap)}."
    return words


def _rest(left: Decimal) -> str:
    return f"{exact(left)} remain of" if left >= 0 else f"{exact(-left)} above the cap of"
