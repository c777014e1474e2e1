"""Small files for the tests of this folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from workbench.core.progress import QUIET
from workbench.microdata.dictionary import DataDictionary
from workbench.microdata.load import load
from workbench.microdata.options import ReadOptions
from workbench.microdata.roles import Role, Roles
from workbench.microdata.table import CodedColumn, Microdata

JOBS = "estab,worker,place,sex,weight\n01,a,0001,1,1.5\n01,b,0001,2,2\n02,c,0002,1,0.5\n02,a,0002,,1\n"
JOB_ROLES: Roles = {
    "estab": Role.ESTABLISHMENT,
    "worker": Role.WORKER,
    "place": Role.GEOGRAPHY,
    "sex": Role.PERSON,
    "weight": Role.WEIGHT,
}


def written(folder: Path, content: str | bytes, name: str = "jobs.csv") -> Path:
    path = folder / name
    path.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
    return path


def loaded(
    path: Path, *, roles: Roles | None = None, dictionary: DataDictionary | None = None, **options: Any
) -> Microdata:
    return load(path, ReadOptions(**options), roles, dictionary, QUIET)


def texts(microdata: Microdata, name: str) -> list[str | None]:
    """The cells of a coded column, decoded one by one."""
    column = microdata.columns[name]
    assert isinstance(column, CodedColumn)
    return [None if code < 0 else str(column.values[code]) for code in column.codes.reveal()]
