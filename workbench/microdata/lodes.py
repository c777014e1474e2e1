"""Tables of counts in the LODES layout: parts that do not add up to their total, counts that cannot be.

Such tables have a total named letter + 000 (S000, C000) and segments named with that letter, one or two
more and two digits (SA01 … SA03). Segments of age, earnings, industry, race, ethnicity and sex make up the total;
education covers workers of 30 and over only, firm age and firm size private jobs only, so those may fall short of the
total but not exceed it.
Source: LODES 8 technical documentation, Census Bureau (variables of the OD, RAC and WAC files).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from workbench.core.findings import Finding, Status, Table
from workbench.core.progress import Context
from workbench.core.quantities import agreeing, counted
from workbench.core.value_words import ValueName, declare
from workbench.microdata.counting import parts_off
from workbench.microdata.counts import COUNT_WORDS, counting_columns, counts_of
from workbench.microdata.roles import Roles
from workbench.microdata.table import Microdata

declare(
    {
        "groups": ValueName("Groups of columns"),
        "groups_wrong": ValueName("Groups that do not add up"),
        "rows_wrong_at_most": ValueName("Rows that do not add up, at most"),
    }
)

_PARTIAL = ("D", "FA", "FS")
_COUNT_WORDS = ("jobs", "job", "employment", "emp", "emplvl", "workers", "estabs")


def check_margins(microdata: Microdata, roles: Roles, context: Context) -> Iterator[Finding]:
    """Whether the segments of every total add up to it."""
    del roles
    groups = _groups(tuple(microdata.columns))
    if not groups:
        return
    wrong: dict[str, int] = {}
    for position, (total, family, members) in enumerate(groups):
        off = parts_off(microdata, total, members, partial=family[1:] in _PARTIAL, context=context)
        wrong[f"{family} ({len(members)} parts of {total})"] = off
        context.step((position + 1) / len(groups), f"Adding up the parts of “{total}”")
    worst = max(wrong.values())
    bad = sum(1 for rows in wrong.values() if rows)
    yield Finding(
        id="data.impossible-margins", title="Parts add up to their total", status=Status.FAIL if bad else Status.PASS,
        sentence=(
            f"{bad} of {counted(len(wrong), 'group')} of parts {agreeing(bad, 'contradicts its', 'contradict their')} "
            f"total, in up to {worst:,} of {counted(microdata.rows, 'row')}."
            if bad else f"Every group of parts agrees with its total in {counted(microdata.rows, 'row')}."
        ),
        values={"groups": len(wrong), "groups_wrong": bad, "rows_wrong_at_most": worst},
        tables=(Table(title="Rows that contradict the total", columns=("parts", "rows"), rows=tuple(wrong.items())),),
        does_not_prove="That the counts are true: parts can be exchanged without changing their sum.",
    )  # fmt: skip


def _groups(names: tuple[str, ...]) -> list[tuple[str, str, list[str]]]:
    """(total, family, segments) for every family of segments whose total is there."""
    totals = {match.group(1): name for name in names if (match := re.fullmatch(r"([A-Z])000", name))}
    families: dict[str, list[str]] = defaultdict(list)
    for name in names:
        match = re.fullmatch(r"([A-Z])([A-Z]{1,2})(\d{2})", name)
        if match and match.group(1) in totals:
            families[match.group(1) + match.group(2)].append(name)
    return [(totals[family[0]], family, members) for family, members in families.items() if len(members) > 1]


def check_counts(microdata: Microdata, roles: Roles, context: Context) -> Iterator[Finding]:
    """Whether totals, segments and outcomes that say they count hold whole numbers from zero up."""
    members = [name for total, _, names in _groups(tuple(microdata.columns)) for name in (total, *names)]
    named = counting_columns(microdata, roles, (*COUNT_WORDS, *_COUNT_WORDS))
    yield from counts_of(microdata, tuple(dict.fromkeys((*members, *named))), context)
