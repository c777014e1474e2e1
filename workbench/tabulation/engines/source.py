"""Parquet files as an engine reads them: their columns and types from the footers, before any row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from workbench.core.errors import Problem, UserProblem, raise_if
from workbench.microdata.files import Kind, corrupt, parquet_files, require_readable
from workbench.microdata.partitions import partitioned
from workbench.tabulation.engines.dialect import NEVER, Dialect

_BEYOND_ASCII = "\x80"


class Holds(StrEnum):
    """What the cells of a column are, as far as engines must know."""

    TEXT = "text"
    WHOLE = "whole numbers"
    NUMBER = "numbers"
    DECIMAL = "decimal numbers"
    PLAIN = "dates or truth values"  # written the same by every engine
    OTHER = "values that only the engine in memory reads"


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Files of one layout. `shared` are the values that the folder of each file names."""

    path: Path
    files: tuple[Path, ...]
    shared: tuple[Mapping[str, str | None], ...]
    holds: Mapping[str, Holds]
    rows: int


def described(path: Path) -> Source:
    """Every footer of a Parquet file or folder. A file that differs is named, and what it differs in."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    kind = require_readable(path)
    if kind not in (Kind.PARQUET, Kind.PARQUET_FOLDER):
        do = "Convert the file to Parquet, or use the engine memory"
        raise UserProblem("DuckDB and Spark read Parquet only", path.name, do)
    several = kind is Kind.PARQUET_FOLDER
    files = parquet_files(path) if several else (path,)
    rows, first = 0, dict[str, Holds]()
    for file in files:
        try:
            with pq.ParquetFile(file) as opened:
                rows += opened.metadata.num_rows
                types = {field.name: held_by(field.type) for field in opened.schema_arrow}
        except (pa.ArrowException, OSError):
            raise corrupt(file, Kind.PARQUET) from None
        first = first or types
        raise_if(differences(path.name, (files[0].name, first), (file.name, types)))
    shared = partitioned(path, files, tuple(first)) if several else [{}]
    named = dict.fromkeys(shared[0], Holds.TEXT)
    return Source(path=path, files=files, shared=tuple(shared), holds={**first, **named}, rows=rows)


def differences(
    where: str, first: tuple[str, Mapping[str, Holds]], other: tuple[str, Mapping[str, Holds]]
) -> list[Problem]:
    """Columns that one of two files lacks, and columns of another type."""
    do = "Bring the files to one layout, or move the odd one away"
    odd = sorted(set(first[1]) ^ set(other[1]))
    if odd:
        listed = ", ".join(f"“{name}”" for name in odd[:5])
        return [Problem(f"{other[0]} and {first[0]} do not have the same columns: {listed}", where, do)]
    return [
        Problem(f"“{name}” holds {first[1][name]} in {first[0]} and {other[1][name]} in {other[0]}", where, do)
        for name in first[1]
        if first[1][name] is not other[1][name]
    ]


def held_by(kind: Any) -> Holds:
    """What a column of this Arrow type holds."""
    import pyarrow.types as types

    if types.is_dictionary(kind):
        return held_by(kind.value_type)
    if types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind):
        return Holds.TEXT
    if types.is_integer(kind):
        return Holds.WHOLE
    if types.is_floating(kind):
        return Holds.NUMBER
    if types.is_decimal(kind):
        return Holds.DECIMAL
    return Holds.PLAIN if types.is_boolean(kind) or types.is_date32(kind) else Holds.OTHER


def expressions(
    dialect: Dialect,
    holds: Mapping[str, Holds],
    numbers: frozenset[str],
    names: tuple[str, ...],
    file: str,
    missing: tuple[str, ...] = (),
) -> dict[str, str]:
    """Each column as text, a blank one unknown, or as a double where its role asks for numbers.

    `missing` are texts that count as missing, whatever blanks are around them.
    """
    raise_if(_unsuited(holds, numbers, names, file, missing))
    made = {}
    for name in names:
        column = dialect.name(name)
        if name in numbers:
            exact = f"CAST({column} AS {dialect.text_type})" if holds[name] is Holds.DECIMAL else column
            plain = f"CAST({exact} AS DOUBLE)"  # of a decimal by its digits: the nearest double on every engine
        elif holds[name] is Holds.TEXT:
            # few texts begin with a blank, or with what may be one: only those are worth the closer look
            may_be = f"({column} < '!' OR {column} >= {dialect.text(_BEYOND_ASCII)})"
            plain = f"CASE WHEN {may_be} AND {dialect.trimmed(column)} = '' THEN NULL ELSE {column} END"
        else:
            plain = f"CAST({column} AS {dialect.text_type})"
        if missing:
            said = dialect.trimmed(f"CAST({column} AS {dialect.text_type})")
            codes = ", ".join(dialect.text(code) for code in missing)
            plain = f"CASE WHEN {said} IN ({codes}) THEN NULL ELSE {plain} END"
        made[name] = plain
    return made


def _unsuited(
    holds: Mapping[str, Holds], numbers: frozenset[str], names: tuple[str, ...], file: str, missing: tuple[str, ...]
) -> list[Problem]:
    alike = {name for name in holds if sum(other.casefold() == name.casefold() for other in holds) > 1}
    do = "Rename one of them, or use the engine memory"
    found = [Problem(f"“{name}” differs from another column in capitals only", file, do) for name in sorted(alike)]
    if any(not name or NEVER in name for name in holds):
        found.append(Problem("A column has no name, or one that holds a null character", file, "Give it a name"))
    for name in names:
        if name in numbers and holds[name] not in (Holds.WHOLE, Holds.NUMBER, Holds.DECIMAL):
            do = "Store it as numbers, or use the engine memory"
            found.append(Problem(f"“{name}” is to be read as numbers and holds {holds[name]}", file, do))
        elif missing and holds[name] in (Holds.NUMBER, Holds.DECIMAL):
            do = "Use the engine memory, or store gaps as empty cells"
            found.append(Problem(f"Missing-value codes cannot be told among the fractions of “{name}”", file, do))
        elif name not in numbers and holds[name] in (Holds.NUMBER, Holds.DECIMAL, Holds.OTHER):
            do = "Store its codes as text or whole numbers, or use the engine memory"
            found.append(Problem(f"“{name}” is to be read as codes and holds {holds[name]}", file, do))
    return found
