"""Files as other programs write them: every engine must read the same in them."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from workbench.core.progress import QUIET
from workbench.microdata.roles import Role, Roles
from workbench.microdata.table import Microdata, numbers_of
from workbench.tabulation.aggregates import Count, Sum
from workbench.tabulation.contract import Rows
from workbench.tabulation.keys import Beyond, Key, Scale

WRITTEN = (
    "12d", "12f", "0x1p3", "1_000", "\u0663", "Infinity", "nan", " 5", "5 ", "1e400", "1E3", "+-1", "-+1", "--1", "+1",
    ".5", "5.", "1e", "e1", ".", "", "9007199254740993", "0.1", "00012",
)  # fmt: skip
ROLES: Roles = {
    "plant": Role.ESTABLISHMENT, "place": Role.GEOGRAPHY, "pay": Role.EARNINGS, "said": Role.PERSON,
}  # fmt: skip
_PAY = Scale(column="pay", lower=-(10**9), upper=10**9, decimals=6, beyond=Beyond.OWN)
_SAID = Scale(column="said", lower=-(10**6), upper=10**6, decimals=3, beyond=Beyond.OWN)


def put(path: Path, columns: Mapping[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table(columns), path)


def write(home: Path) -> Path:
    """A folder whose names mean something in patterns and addresses, beside folders that such patterns would find."""
    drawn = np.random.default_rng(5).integers(-(10**16), 10**16, 2 * len(WRITTEN)).tolist()
    pay = [Decimal(value).scaleb(-7) for value in drawn]
    rows: dict[str, Any] = {
        "plant": [str(number % 5) for number in range(len(WRITTEN))],
        "said": pa.array(WRITTEN, pa.string()),
        "pay": pa.array(pay[: len(WRITTEN)], pa.decimal128(25, 7)),
    }
    folder = home / "jobs[12] {a,b} 100%"
    put(folder / "place=a%2Fb" / "x[1]*.PARQUET", rows)
    other = {**rows, "pay": pa.array(pay[len(WRITTEN) :], pa.decimal128(25, 7))}
    put(folder / "place=__HIVE_DEFAULT_PARTITION__" / "y.pq", other)
    put(home / "jobs1 a 100%" / "place=other" / "a.parquet", {**rows, "plant": ["other"] * len(WRITTEN)})
    (folder / "place=a%2Fb" / "read me.txt").write_text("no table", encoding="utf-8")
    return folder


def said(rows: Rows) -> Any:
    asked = {"n": Count(), "pay": Sum(_PAY), "said": Sum(_SAID)}
    found = rows.grouped([Key.met("place", Beyond.OWN)], asked, QUIET)
    values = {name: found.column(name).tolist() for name in found.values}
    return found.keys.reveal().tolist(), list(found.met["place"].reveal()), values, found.left_out.reveal()


def nearest(data: Microdata) -> bool:
    """Whether each decimal was read as the double that is nearest to it."""
    rng = np.random.default_rng(5).integers(-(10**16), 10**16, 2 * len(WRITTEN)).tolist()
    wanted = sorted(float(Decimal(value).scaleb(-7)) for value in rng)
    return sorted(numbers_of(data.columns["pay"]).tolist()) == wanted
