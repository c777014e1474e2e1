"""Which engine reads a data set: said in the plan, or chosen by size with a sentence that gives the reason."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from enum import StrEnum
from pathlib import Path
from urllib.parse import urlsplit

from workbench.core.errors import Problem
from workbench.core.params import param

BYTES_OF_A_ROW = 105  # in memory, measured over eight columns and up to 44 million rows
BYTES_AT_ALL = 500_000_000
GIGABYTE = 1_000_000_000
TOKEN_VARIABLE = "SPARK_CONNECT_AUTHENTICATE_TOKEN"


class Kind(StrEnum):
    AUTO = "auto"
    MEMORY = "memory"
    DUCKDB = "duckdb"
    SPARK = "spark"


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineParams:
    """Who reads the rows. Every engine gives the same digits."""

    kind: Kind = param(
        Kind.AUTO,
        "Engine",
        "Memory loads the rows; DuckDB reads Parquet files in place; Spark asks a cluster.",
        labels={"auto": "Automatic, by size", "memory": "Memory", "duckdb": "DuckDB", "spark": "Spark cluster"},
    )
    remote: str = param(
        "", "Spark server", "Address of a Spark Connect server, such as sc://spark.agency:443/;use_ssl=true."
    )
    key_file: str = param(
        "",
        "Key file on the cluster",
        "Path on the executors of the key behind distortion factors. It never leaves the cluster.",
        advanced=True,
    )
    memory: Decimal = param(
        Decimal(0),
        "Memory of DuckDB",
        "Maximum memory for DuckDB; 0: half of what is free. More rows take more passes.",
        unit="GB",
        ge=0,
        le=100_000,
        advanced=True,
    )

    def check(self) -> tuple[Problem, ...]:
        found = []
        if self.kind is Kind.SPARK and not self.remote:
            found.append(Problem("The Spark server is not named", "remote", 'Write remote = "sc://host:15002"'))
        if self.remote and self.kind not in (Kind.AUTO, Kind.SPARK):
            do = "Choose the engine spark or auto, or remove the address"
            found.append(Problem("A Spark server is named, but another engine is chosen", "remote", do))
        found += _address_problems(self.remote) if self.remote else []
        if 0 < self.memory < Decimal("0.25"):
            found.append(Problem("DuckDB needs at least 0.25 GB", "memory", "Write 0.25 or more, or 0"))
        return tuple(found)

    def of_kind(self, kind: str) -> EngineParams:
        """Another engine; a server's address goes with Spark alone."""
        wanted = Kind(kind)
        return replace(self, kind=wanted, remote=self.remote if wanted in (Kind.AUTO, Kind.SPARK) else "")

    @property
    def on_server(self) -> bool:
        """Whether a server reads the data: their path is then one of the server's."""
        return self.kind is Kind.SPARK or (self.kind is Kind.AUTO and bool(self.remote))

    @property
    def bytes(self) -> int | None:
        return int(self.memory * GIGABYTE) or None


def _address_problems(remote: str) -> list[Problem]:
    """An address that starts otherwise, has no host, or holds a secret. The address itself is not repeated."""
    address = urlsplit(remote)
    if address.scheme != "sc" or not address.hostname:
        return [
            Problem("The address of a Spark server starts with sc:// and names a host", "remote", "sc://host:15002")
        ]
    if "token=" in remote.lower() or address.password or address.username:
        do = f"Remove it, and put the token into the environment variable {TOKEN_VARIABLE}"
        return [Problem("The address holds a token or a name, which would be stored with the plan", "remote", do)]
    return []


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """The engine, and why in one sentence."""

    kind: Kind
    sentence: str


def choose(params: EngineParams, path: Path, *, free: int | None = None) -> Chosen:
    """The engine of the plan, or the one that suits: a cluster where one is named, else by the rows of the footers."""
    if params.kind is not Kind.AUTO:
        return Chosen(kind=params.kind, sentence=f"The plan chooses the engine {params.kind}.")
    if params.remote:
        return Chosen(kind=Kind.SPARK, sentence="A Spark server is named, so the cluster reads the rows.")
    rows = _parquet_rows(path)
    if rows is None:
        return Chosen(kind=Kind.MEMORY, sentence="Only Parquet is read in place, so the rows are loaded.")
    from workbench.tabulation.engines.in_duckdb import free_memory

    needed, allowed = rows * BYTES_OF_A_ROW + BYTES_AT_ALL, (free_memory() if free is None else free) // 2
    told = f"{_gigabytes(needed)} of the {_gigabytes(allowed)} that is half of the free memory"
    if needed <= allowed:
        return Chosen(kind=Kind.MEMORY, sentence=f"{rows:,} rows take about {told}, so they are loaded.")
    return Chosen(
        kind=Kind.DUCKDB,
        sentence=f"{rows:,} rows would take about {_gigabytes(needed)}, more than half of the free memory "
        f"({_gigabytes(allowed)}), so DuckDB reads them in place.",
    )


def _gigabytes(many: int) -> str:
    return f"{many / GIGABYTE:.1f} GB"


def _parquet_rows(path: Path) -> int | None:
    """By the footers alone; None for files of another kind, and for what cannot be read: loading says why."""
    from workbench.core.errors import UserProblem
    from workbench.microdata.files import is_pattern, parquet_files

    try:
        files = parquet_files(path) if path.is_dir() or is_pattern(path) else (path,)
    except (UserProblem, OSError):
        return None
    if any(file.suffix.lower() not in (".parquet", ".pq") for file in files):
        return None
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return sum(int(pq.read_metadata(file).num_rows) for file in files)
    except (pa.ArrowException, OSError):
        return None
