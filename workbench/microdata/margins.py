"""Counts and weights that cannot be: parts that do not add up, negative or broken counts, weights of nothing.

Tables of the LODES kind have a total named letter + 000 (S000, C000) and segments named with that letter, one or two
more and two digits (SA01 … SA03). Segments of age, earnings, industry, race, ethnicity and sex make up the total;
education covers workers of 30 and over only, firm age and firm size private jobs only, so those may fall short of the
total but not exceed it.
Source: LODES 8 technical documentation, Census Bureau (variables of the OD, RAC and WAC files).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

import numpy as np

from workbench.core.findings import Finding, Status, Table
from workbench.core.progress import Context
from workbench.core.quantities import agreeing, counted
from workbench.microdata.roles import Role, Roles, columns_with
from workbench.microdata.suggest import parts_of
from workbench.microdata.table import Microdata, numbers_of

_PARTIAL = ("D", "FA", "FS")
_COUNT_WORDS = ("jobs", "job", "count", "counts", "employment", "emp", "emplvl", "headcount", "workers", "estabs")


def check_margins(microdata: Microdata, roles: Roles, context: Context) -> Iterator[Finding]:
    """Whether the segments of every total add up to it."""
    del roles
    groups = _groups(tuple(microdata.columns))
    if not groups:
        return
    wrong: dict[str, int] = {}
    for position, (total, family, members) in enumerate(groups):
        whole = numbers_of(microdata.columns[total])
        parts = np.zeros(microdata.rows)
        for name in members:
            parts += np.nan_to_num(numbers_of(microdata.columns[name]))
        off = parts > whole if family[1:] in _PARTIAL else parts != whole
        wrong[f"{family} ({len(members)} parts of {total})"] = int(np.count_nonzero(off))
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
    """Whether columns of counts hold whole numbers from zero up."""
    names = _count_columns(microdata, roles)
    if not names:
        return
    negative, broken = {}, {}
    for position, name in enumerate(names):
        numbers = numbers_of(microdata.columns[name])
        known = numbers[~np.isnan(numbers)]
        negative[name] = int(np.count_nonzero(known < 0))
        broken[name] = int(np.count_nonzero(known != np.floor(known)))
        context.step((position + 1) / len(names), f"Checking the counts of “{name}”")
    bad = [name for name in names if negative[name] or broken[name]]
    listed = ", ".join(f"“{name}”" for name in bad)
    rows = tuple((name, negative[name], broken[name]) for name in bad)
    yield Finding(
        id="data.impossible-counts", title="Counts are whole and not negative",
        status=Status.FAIL if bad else Status.PASS,
        sentence=f"Negative or fractional counts in {listed}." if bad
        else f"{counted(len(names), 'column')} {agreeing(len(names), 'holds', 'hold')} proper counts.",
        values={"columns": len(names), "negative": sum(negative.values()), "fractional": sum(broken.values())},
        tables=(Table(title="Impossible", columns=("column", "negative", "fractional"), rows=rows),) if bad else (),
        does_not_prove="That the counts are true, or that another column is not a count too.",
    )  # fmt: skip


def _count_columns(microdata: Microdata, roles: Roles) -> list[str]:
    """Totals and segments by their names, and outcomes whose name says that they count."""
    members = [name for total, _, names in _groups(tuple(microdata.columns)) for name in (total, *names)]
    counting = [
        name
        for name in columns_with(roles, Role.OUTCOME)
        if name in microdata.columns and set(parts_of(name)) & set(_COUNT_WORDS)
    ]
    return list(dict.fromkeys((*members, *counting)))


def check_weights(microdata: Microdata, roles: Roles, context: Context) -> Iterator[Finding]:
    """Whether every weight is above zero."""
    del context
    for name in columns_with(roles, Role.WEIGHT):
        if name not in microdata.columns:
            continue
        weights = numbers_of(microdata.columns[name])
        negative, zero = int(np.count_nonzero(weights < 0)), int(np.count_nonzero(weights == 0))
        missing = microdata.columns[name].missing
        gone = ((negative, "negative"), (zero, "zero"), (missing, "missing"))
        told = ", ".join(f"{count:,} {word}" for count, word in gone if count)
        status = Status.FAIL if negative or missing else Status.WARN if zero else Status.PASS
        yield Finding(
            id="data.weight-not-positive", title="Weights are above zero", status=status,
            sentence=f"Weights of “{name}”: {told}." if told
            else f"Every weight is above zero, {microdata.rows:,} in all.",
            values={"negative": negative, "zero": zero, "missing": missing},
            does_not_prove="That the weights are the right ones, or that they add up to the population.",
        )  # fmt: skip
