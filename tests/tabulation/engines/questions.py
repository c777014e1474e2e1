"""Every question at the door, with its answer as plain lists: whoever answers must say the same."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from tests.tabulation.frames import NUMBERS, REGIONS, Frame
from workbench.core.confidential import Confidential
from workbench.core.progress import QUIET
from workbench.microdata.roles import Role
from workbench.tabulation.aggregates import (
    Aggregate,
    Count,
    Distinct,
    Distorted,
    Half,
    Largest,
    Product,
    Ranked,
    Sum,
    TotalOfLargest,
)
from workbench.tabulation.answers import Answer, UnitCells
from workbench.tabulation.contract import First, Highest, Rows, Summed
from workbench.tabulation.factors import Factors, Shape
from workbench.tabulation.grid import Grid
from workbench.tabulation.keys import Beyond, Bins, Key, Scale
from workbench.tabulation.units.arrangement import Unit

X = Scale(column="x", lower=-4_000, upper=6_000, decimals=2)
Y = Scale(column="y", lower=0, upper=150, decimals=1)
PAY = Scale(column="pay", lower=0, upper=1_200, decimals=2, beyond=Beyond.LEAVE_OUT)
PAY_OR_NOTHING = Scale(column="pay", lower=0, upper=1_200, decimals=2, beyond=Beyond.OWN)
REGION = Key.listed("region", REGIONS, Beyond.LEAVE_OUT)
FACTORS = Factors(key=Confidential(b"k" * 32), least=0.05, most=0.15, shape=Shape.RAMP)
UNIT = Unit(column="plant", one="plant", many="plants")
ROLES = {
    "person": Role.PERSON_KEY, "institution": Role.INSTITUTION, "year": Role.YEAR, "title": Role.TITLE,
    "region": Role.CELL, "pay": Role.EARNINGS, "x": Role.PREDICTOR, "y": Role.OUTCOME, "plant": Role.ESTABLISHMENT,
    "place": Role.GEOGRAPHY,
}  # fmt: skip


def with_plants(frame: Frame) -> Frame:
    """Each person's institution and title make a plant, in a place that is the plant's own."""
    plants = [f"{i}-{p[-1]}" for i, p in zip(frame["institution"], frame["person"], strict=True)]
    return {**frame, "plant": plants, "place": [f"b{ord(plant[-1]) % 3}" for plant in plants]}


def write_parquet(frame: Frame, folder: Path, parts: int = 1) -> Path:
    """The frame as one file, or as a folder of several."""
    table = pa.table(
        {n: pa.array(v, pa.float64() if n in NUMBERS else pa.string()) for n, v in frame.items()}
    )  # fmt: skip
    folder.mkdir(parents=True, exist_ok=True)
    size = -(-table.num_rows // parts)
    for part in range(parts):
        pq.write_table(table.slice(part * size, size), folder / f"part{part}.parquet")
    return folder


def said(answer: Answer) -> Any:
    values = {name: answer.column(name).tolist() for name in answer.values}
    met = {name: list(texts.reveal()) for name, texts in answer.met.items()}
    return answer.keys.reveal().tolist(), values, met, answer.left_out.reveal()


def _counts(rows: Rows) -> Any:
    asked = {"n": Count(), "x": Sum(X), "xy": Product(X, Y), "titles": Distinct("title")}
    return said(rows.grouped([REGION, Key.met("title")], asked, QUIET))


def _whole(rows: Rows) -> Any:
    return said(rows.grouped([], {"n": Count(), "pay": Sum(PAY), "none": Sum(PAY_OR_NOTHING)}, QUIET))


def _own(rows: Rows) -> Any:
    keys = [Key.listed("region", REGIONS, Beyond.OWN), Bins(of=PAY_OR_NOTHING, edges=(0, 100, 700))]
    return said(rows.grouped(keys, {"n": Count()}, QUIET))


def _largest(rows: Rows) -> Any:
    asked = {
        "most": Largest("institution"), "total": TotalOfLargest("institution"), "paid": Largest("institution", PAY),
        "paid_total": TotalOfLargest("institution", PAY),
    }  # fmt: skip
    return said(rows.grouped([REGION], asked, QUIET))


def _distorted(rows: Rows) -> Any:
    return said(rows.grouped([REGION], {"n": Count(), "f": Distorted("plant", FACTORS)}, QUIET))


def _pairs(rows: Rows) -> Any:
    keys = [REGION, Key.listed("title", ("t0", "t1"), Beyond.OWN), Key.met("year"), Bins(of=PAY, edges=(0, 500))]
    found = rows.two_way(keys, QUIET)
    return found.sizes, {pair: t.reveal().tolist() for pair, t in found.tables.items()}, found.left_out.reveal()


def _cells(found: UnitCells) -> Any:
    columns = (found.count, found.units, found.largest, found.largest_total, found.listed_largest)
    return [column.reveal().tolist() for column in columns]


def _units(rows: Rows) -> Any:
    places = Key.listed("place", ("b0", "b1", "b2", "b3"))
    titles, years = Key.listed("title", ("t0", "t1", "t2", "t3", "t9")), Key.met("year")
    made = rows.arranged(UNIT, of_unit=[places], of_row=[titles], context=QUIET)
    whole = Grid(listed=("place",), listed_sizes=(4,), crossed=("title",), crossed_sizes=(5,))
    bare = Grid(listed=(), listed_sizes=(), crossed=(), crossed_sizes=())
    listed = made.combinations(("place",)).reveal()
    some = Grid(
        listed=("place",), listed_sizes=(4,), crossed=(), crossed_sizes=(), combinations=listed[::-1].copy()
    )  # fmt: skip
    del years
    by = made.sizes_by("place")
    assert by is not None
    sizes = by.reveal()
    return (
        made.rows, made.units, listed.tolist(), made.sizes_by("title") is None,
        [sizes.size.tolist(), sizes.position.tolist(), sizes.units.tolist()],
        *(_cells(made.cells(grid, context=QUIET)) for grid in (whole, bare, some)),
        *(made.distorted(grid, FACTORS, QUIET).reveal().tolist() for grid in (whole, bare, some)),
    )  # fmt: skip


def _ranked(rows: Rows) -> Any:
    asked = {"low": Ranked(PAY, 1, 4), "half": Ranked(PAY, 1, 2), "n": Count(), "all": Ranked(X, 1, 1)}
    few = rows.between(PAY, 100, 900)
    return said(rows.grouped([REGION], asked, QUIET)), said(few.grouped([], asked, QUIET)), few.count.reveal()


def _stepped(rows: Rows) -> Any:
    fine = Scale(column="x", lower=-3_000, upper=5_000, decimals=2, beyond=Beyond.LEAVE_OUT, steps=1_000_000)
    coarse = replace(fine, coarser=1_000)
    y = Scale(column="y", lower=0, upper=100, decimals=1, steps=7)
    asked = {"x": Sum(fine), "c": Sum(coarse), "cc": Product(coarse, coarse), "y": Sum(y), "xy": Product(fine, y)}
    return said(rows.grouped([REGION], asked, QUIET))


def _weighed(rows: Rows) -> Any:
    """Weights up to ten thousand: the whole of a product might leave 64 bits, its halves cannot."""
    fine = Scale(column="x", lower=-3_000, upper=5_000, decimals=2, beyond=Beyond.LEAVE_OUT, steps=1_000_000)
    weight = Scale(column="pay", lower=0, upper=1_000_000, decimals=5, beyond=Beyond.OWN)
    asked: dict[str, Aggregate] = {"n": Count(), "w": Sum(weight), "wx": Product(fine, weight)}
    asked |= {f"wxx {half}": Product(fine, fine, weight, half=half) for half in (Half.LOWER, Half.UPPER)}
    asked |= {"ww": Product(weight, weight, over=700_001), "xyw": Product(X, Y, weight)}
    pairs = rows.two_way([REGION, Key.met("title", Beyond.OWN), Bins(of=X, edges=(0, 900))], QUIET, weight)
    return said(rows.grouped([REGION], asked, QUIET)), [table.reveal().tolist() for table in pairs.tables.values()]


def _tallied(rows: Rows) -> Any:
    y = Scale(column="y", lower=0, upper=100, decimals=1, steps=4, beyond=Beyond.OWN)
    found = rows.tallied([REGION, Key.listed("title", ("t0", "t1"), Beyond.OWN)], [y], 60, QUIET).reveal()
    whole = found.records()
    columns = [*found.positions.values(), *found.numbers.values(), found.count, *whole.positions.values()]
    return [column.tolist() for column in columns], found.left_out


def _records(rows: Rows) -> Any:
    keys = [REGION, Key.met("title")]
    found = rows.records([REGION, Key.listed("title", ("t0", "t1"), Beyond.OWN)], [PAY], QUIET).reveal()
    del keys
    columns = [found.positions["region"], found.positions["title"], found.numbers["pay"]]
    return sorted(zip(*(column.tolist() for column in columns), strict=True)), found.left_out


def _of_bounded(rule: Any, unit: tuple[str, ...] = ("person",)) -> Callable[[Rows], Any]:
    def ask(rows: Rows) -> Any:
        kept = rows.bounded(unit, rule, QUIET)
        asked = {"n": Count(), "pay": Sum(PAY_OR_NOTHING), "x": Sum(X)}
        return kept.count.reveal(), said(kept.grouped([Key.met("title"), Key.met("region", Beyond.OWN)], asked, QUIET))

    return ask


def _settled(rule: Any) -> Callable[[Rows], Any]:
    def ask(rows: Rows) -> Any:
        kept = rows.settled(("person",), ("institution", "region"), rule, QUIET)
        again = kept.bounded(("person", "year"), Highest(PAY), QUIET)
        asked = {"n": Count(), "x": Sum(X)}
        keys = [Key.met("institution"), Key.met("region", Beyond.OWN)]
        return kept.count.reveal(), said(kept.grouped(keys, asked, QUIET)), said(again.grouped(keys, asked, QUIET))

    return ask


def _facts(rows: Rows) -> Any:
    column = rows.column(Key.listed("region", REGIONS, Beyond.LEAVE_OUT), QUIET)
    units = rows.units("person", ("region", "institution", "year"), QUIET)
    numbers = rows.numbers("pay", most=10, context=QUIET)
    return (
        rows.count.reveal(), rows.columns,
        [getattr(column, name).reveal() for name in ("missing", "distinct", "codes_outside", "rows_outside")],
        units.units.reveal(), units.most_rows.reveal(), {n: v.reveal() for n, v in units.varying.items()},
        units.varying_at_all.reveal(), rows.repeated(("person", "year"), QUIET).reveal(),
        [getattr(numbers, name).reveal() for name in ("missing", "negative", "fractional", "above")],
    )  # fmt: skip


def _sampled(rows: Rows) -> Any:
    key = Confidential(b"s" * 32)
    few = rows.sample("person", 40, key, QUIET)
    return rows.sketch("person", 50, key, QUIET).reveal().tolist(), few.count.reveal(), _facts(few)[2:]


AGGREGATES: dict[str, Callable[[Rows], Any]] = {
    "counts": _counts,
    "whole": _whole,
    "own": _own,
    "largest": _largest,
    "distorted": _distorted,
    "pairs": _pairs,
    "ranked": _ranked,
    "stepped": _stepped,
    "weighed": _weighed,
    "tallied": _tallied,
    "units": _units,
    "facts": _facts,
    "first": _of_bounded(First(by=("title",))),
    "highest": _of_bounded(Highest(PAY)),
    "highest of the year": _of_bounded(Highest(PAY), ("person", "year")),
    "summed": _of_bounded(Summed(PAY)),
    "settled": _settled(Highest(PAY)),
    "settled first": _settled(First(by=())),
}
RECORDS: dict[str, Callable[[Rows], Any]] = {"records": _records, "sampled": _sampled}
