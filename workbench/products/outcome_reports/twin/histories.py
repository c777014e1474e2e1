"""Simulated histories: people who leave a university, and twelve years of jobs, moves, gaps and pay.

Nothing comes from anybody's records. Sizes of universities, shares of movers, of second jobs, of years without work and
the spread of pay are round numbers of the kind that is published.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Floats, Integers

FEWEST, MOST = 200, 20_000_000
YEARS = 12
TITLES = {"F": "faculty", "G": "graduate student", "S": "staff"}
SECTORS = {"A": "academia", "G": "government", "I": "industry"}
_TITLE_SHARES = (0.2, 0.5, 0.3)
_TITLE_LOG_PAY = np.array([11.3, 10.95, 10.8])
_SECTOR_LOG_PAY = np.array([0.0, 0.05, 0.22])
_SECTOR_SHARES = np.array([[0.6, 0.15, 0.25], [0.3, 0.15, 0.55], [0.35, 0.2, 0.45]])
_SECOND_JOB, _DUPLICATE, _TWO_INSTITUTIONS = 0.06, 0.003, 0.004
_NO_PAY, _CORRECTION = 0.012, 0.002
_BUSINESSES_EACH = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Laws:
    """How people and institutions differ, by year and by logarithm of pay."""

    moves: float = 0.045
    out_for_good: float = 0.03
    gaps: float = 0.016
    sizes: float = 1.2  # spread of the logarithm of an institution's size
    institutions: float = 0.12  # and of its pay
    persons: float = 0.45
    years: float = 0.12
    rise: float = 0.03


_USUAL = Laws()


@dataclass(frozen=True, slots=True, kw_only=True)
class Histories:
    """One row for each job and year. Businesses are numbered so that business // 40 is the sector."""

    person: Integers
    institution: Integers
    title: Integers
    business: Integers
    year: Integers  # 1 … 12
    pay: Integers
    institutions: int

    @property
    def sector(self) -> Integers:
        return self.business // _BUSINESSES_EACH

    @property
    def businesses(self) -> int:
        return len(SECTORS) * _BUSINESSES_EACH


def histories(persons: int, seed: int, *, institutions: int = 3, laws: Laws = _USUAL) -> Histories:
    """Rows in no order that tells anything."""
    random = np.random.Generator(np.random.PCG64(seed))
    size = np.exp(random.normal(0.0, laws.sizes, institutions))
    institution = random.choice(institutions, persons, p=size / size.sum()).astype(np.int64)
    title = random.choice(len(TITLES), persons, p=_TITLE_SHARES).astype(np.int64)
    sector, working = _paths(title, laws, random)
    log_pay = _log_pay(institution, title, sector, random, institutions, laws)
    person, year = np.nonzero(working)
    chosen = {
        "person": person,
        "institution": institution[person],
        "title": title[person],
        "business": _business(sector[person, year], random),
        "year": year + 1,
        "pay": np.rint(np.exp(log_pay[person, year])).astype(np.int64),
    }
    return Histories(**_with_oddities(chosen, random, institutions), institutions=institutions)


def _paths(title: Integers, laws: Laws, random: np.random.Generator) -> tuple[Integers, NDArray[np.bool_]]:
    """Sector and whether somebody works, person × year."""
    persons = len(title)
    sector = np.empty((persons, YEARS), dtype=np.int64)
    cumulated = np.cumsum(_SECTOR_SHARES, axis=1)[title]
    sector[:, 0] = (random.random(persons)[:, None] >= cumulated[:, :-1]).sum(axis=1)
    for year in range(1, YEARS):
        moved = random.random(persons) < laws.moves
        fresh = (random.random(persons)[:, None] >= cumulated[:, :-1]).sum(axis=1)
        sector[:, year] = np.where(moved, fresh, sector[:, year - 1])
    gone = np.cumsum(random.random((persons, YEARS)) < laws.out_for_good, axis=1) > 0
    return sector, ~gone & (random.random((persons, YEARS)) >= laws.gaps)


def _log_pay(
    institution: Integers,
    title: Integers,
    sector: Integers,
    random: np.random.Generator,
    institutions: int,
    laws: Laws,
) -> Floats:
    fixed = _TITLE_LOG_PAY[title] + random.normal(0.0, laws.institutions, institutions)[institution]
    own = fixed + random.normal(0.0, laws.persons, len(title))
    path: Floats = (
        own[:, None]
        + _SECTOR_LOG_PAY[sector]
        + laws.rise * np.arange(YEARS)[None, :]
        + random.normal(0.0, laws.years, sector.shape)
    )
    return path


def _business(sector: Integers, random: np.random.Generator) -> Integers:
    return sector * _BUSINESSES_EACH + random.integers(0, _BUSINESSES_EACH, len(sector))


def _with_oddities(rows: dict[str, Integers], random: np.random.Generator, institutions: int) -> dict[str, Integers]:
    """Second jobs, exact duplicates, people on two universities' files, years without pay, corrections below zero."""
    many = len(rows["person"])
    second = np.flatnonzero(random.random(many) < _SECOND_JOB)
    jobs = {name: column[second] for name, column in rows.items()}
    jobs["business"] = random.integers(0, len(SECTORS) * _BUSINESSES_EACH, len(second))
    jobs["pay"] = np.rint(jobs["pay"] * random.uniform(0.05, 0.5, len(second))).astype(np.int64)
    both = random.random(int(rows["person"].max(initial=0)) + 1) < _TWO_INSTITUTIONS
    again = np.flatnonzero(both[rows["person"]])
    elsewhere = {name: column[again] for name, column in rows.items()}
    elsewhere["institution"] = (elsewhere["institution"] + 1) % institutions
    twice = np.flatnonzero(random.random(many) < _DUPLICATE)
    copies = {name: column[twice] for name, column in rows.items()}
    parts = (rows, jobs, elsewhere, copies)
    joined = {name: np.concatenate([part[name] for part in parts]) for name in rows}
    joined["pay"][random.random(len(joined["pay"])) < _NO_PAY] = 0
    below = random.random(len(joined["pay"])) < _CORRECTION
    joined["pay"][below] = -(joined["pay"][below] // 20)
    order = random.permutation(len(joined["pay"]))
    return {name: column[order] for name, column in joined.items()}
