"""Stata, SAS and SPSS files through pyreadstat, with the titles and value labels they carry."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from workbench.core.errors import UserProblem
from workbench.core.progress import Context
from workbench.microdata.dictionary import ColumnWords, DataDictionary, code_text
from workbench.microdata.files import Kind, corrupt
from workbench.microdata.options import AUTO, ReadOptions
from workbench.microdata.readers.contract import Batch, Opened
from workbench.microdata.readers.transport import is_cut_short

_ROWS_AT_ONCE = 20_000
_MOST_READINGS = 20  # compressed files are read again from the start for every part, so there must be few parts


def opened(path: Path, options: ReadOptions, context: Context) -> Opened:
    """Read what the file says of itself: columns, titles, labels."""
    context.step(0.0, "Reading the file's own description")
    _, about = _read(path, options, metadataonly=True)
    kind = _KINDS[path.suffix.lower()]
    if not all(isinstance(name, str) for name in about.column_names):
        raise corrupt(path, kind)
    if kind is Kind.SAS_TRANSPORT and is_cut_short(path, sum(about.variable_storage_width.values())):
        raise UserProblem("The file is damaged or cut short: it ends before its last row", path.name, "Export it again")

    def batches(columns: tuple[str, ...]) -> Iterator[Batch]:
        return _batches(path, options, columns=columns, about=about)

    return Opened(
        kind=kind, columns=tuple(about.column_names), found=(f"{kind.value} file",), batches=batches,
        dictionary=_dictionary(about),
    )  # fmt: skip


_KINDS = {
    ".dta": Kind.STATA, ".sas7bdat": Kind.SAS, ".xpt": Kind.SAS_TRANSPORT, ".sav": Kind.SPSS, ".zsav": Kind.SPSS,
}  # fmt: skip


def _read(path: Path, options: ReadOptions, **settings: Any) -> tuple[Mapping[str, list[Any]], Any]:
    import pyreadstat

    readers: dict[str, Callable[..., Any]] = {
        ".dta": pyreadstat.read_dta, ".sas7bdat": pyreadstat.read_sas7bdat, ".xpt": pyreadstat.read_xport,
        ".sav": pyreadstat.read_sav, ".zsav": pyreadstat.read_sav,
    }  # fmt: skip
    suffix = path.suffix.lower()
    if options.encoding != AUTO:
        settings["encoding"] = options.encoding
    try:
        columns, about = readers[suffix](str(path), output_format="dict", **settings)
    except UnicodeDecodeError:
        raise UserProblem(
            "The file's characters cannot be read", path.name, "Set the option encoding, for example to cp1252"
        ) from None
    except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError, ValueError, OSError, MemoryError):
        raise corrupt(path, _KINDS[suffix]) from None
    return columns, about


def _dictionary(about: Any) -> DataDictionary:
    words = {}
    for name in about.column_names:
        labels = {code_text(code): str(label) for code, label in about.variable_value_labels.get(name, {}).items()}
        title = about.column_names_to_labels.get(name) or ""
        if labels or title:
            words[name] = ColumnWords(title=title, labels=labels, inside=True)
    return DataDictionary(columns=words)


def _batches(path: Path, options: ReadOptions, *, columns: tuple[str, ...], about: Any) -> Iterator[Batch]:
    total = about.number_rows  # unknown (None) in some transport and SPSS files
    skips_cheaply = path.suffix.lower() == ".dta"
    size = _ROWS_AT_ONCE if skips_cheaply else max(_ROWS_AT_ONCE, (total or 10**7) // _MOST_READINGS)
    done = 0
    while total is None or done < total:
        cells, _ = _read(path, options, usecols=list(columns), row_offset=done, row_limit=size)
        rows = len(next(iter(cells.values()), []))
        if not rows:
            return
        done += rows
        yield Batch(_arrays(cells, about), rows, done / total if total else 0.5)


def _arrays(cells: Mapping[str, list[Any]], about: Any) -> dict[str, Any]:
    types = about.readstat_variable_types
    return {name: _array(values, types.get(name, "")) for name, values in cells.items()}


def _array(values: list[Any], stored: str) -> Any:
    """An Arrow array. Single-precision numbers stay single, so that 0.1 is not written as 0.10000000149."""
    import pyarrow as pa

    first = next((value for value in values if value is not None), None)
    if isinstance(first, str):
        return pa.array(values, pa.string())
    if isinstance(first, datetime.date | datetime.time | datetime.timedelta):
        return pa.array([None if value is None else str(value) for value in values], pa.string())
    if first is None:
        return pa.array(values, pa.string())
    kind = {"float": pa.float32(), "double": pa.float64()}.get(stored)
    return pa.array(values, kind or (pa.float64() if isinstance(first, float) else pa.int64()))
