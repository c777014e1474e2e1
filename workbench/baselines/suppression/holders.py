"""Holders of several tables under common numbers, so that whoever is in two tables is one attacker."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from workbench.baselines.suppression.tabulated import Tabulated
from workbench.core.arrays import Integers
from workbench.core.confidential import Confidential

_APART = 1 << 32  # more holders than any table has


def common_numbers(tables: Sequence[Tabulated], files: Sequence[str]) -> list[Tabulated]:
    """The tables with the same number for the same holder.

    By name where all tables name theirs. Otherwise numbers are common to the tables of one file, and holders of
    different files, or of tables with numbers of their own, are taken to be different.
    """
    if len(tables) < 2:
        return list(tables)
    if all(table.names is not None for table in tables):
        return _by_name(tables)
    groups: dict[object, int] = {}
    made = []
    for place, (table, file) in enumerate(zip(tables, files, strict=True)):
        group = groups.setdefault(place if table.own_numbers else file, len(groups))
        made.append(_renumbered(table, table.contributions.reveal().holder + group * _APART))
    return made


def _by_name(tables: Sequence[Tabulated]) -> list[Tabulated]:
    named = [np.asarray(table.names.reveal(), dtype=np.str_) for table in tables if table.names is not None]
    _, numbers = np.unique(np.concatenate(named), return_inverse=True)
    made, start = [], 0
    for table, own in zip(tables, named, strict=True):
        number = numbers[start : start + len(own)]
        made.append(_renumbered(table, number[table.contributions.reveal().holder].astype(np.int64)))
        start += len(own)
    return made


def _renumbered(table: Tabulated, holder: Integers) -> Tabulated:
    return replace(table, contributions=Confidential(replace(table.contributions.reveal(), holder=holder)), names=None)
