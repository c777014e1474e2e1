"""What goes wrong between this machine and a Spark server, each as one sentence.

Errors are told apart by their condition, never by their text: the text holds stack traces and paths of the server, and
so it reaches no message, finding or log.
"""

from __future__ import annotations

from typing import Any

from workbench.core.errors import Cancelled, Defect, UserProblem

INSTALL = 'pip install "disclosure-workbench[spark]"'
_AGAIN = "Nothing was drawn or stored by this step. Try again once the server answers"
_SESSION = ("SESSION_NOT_FOUND", "SESSION_CLOSED", "SESSION_CHANGED", "OPERATION_NOT_FOUND", "OPERATION_ABANDONED")


def not_installed() -> UserProblem:
    return UserProblem("The Spark client is not installed", "[engine]", f"Install it: {INSTALL}")


def nobody_listens(host: str, port: int) -> UserProblem:
    do = "Check the address and that the server runs, or ask the operator of the cluster"
    return UserProblem(f"No Spark server answers at {host}:{port}", "[engine] remote", do)


def no_tls(host: str, port: int) -> UserProblem:
    do = "Leave use_ssl=true and the token out for a server on this machine, or use the proxy's address"
    return UserProblem(f"The server at {host}:{port} does not speak TLS", "[engine] remote", do)


def translated(error: Exception, *, where: str, python: bool = False) -> Exception:
    """The error as a problem of the user, a cancel, or a defect. `python`: our own code ran on the executors."""
    condition = condition_of(error)
    if condition.startswith("OPERATION_CANCELED") or condition.endswith("OPERATION_CANCELED"):
        return Cancelled()
    if any(name in condition for name in _SESSION):
        return UserProblem("The session with the Spark server was lost", "[engine] remote", _AGAIN)
    found = _KNOWN.get(condition) or _KNOWN.get(condition.split(".")[0])
    if found is not None:
        what, do = found
        return UserProblem(what, where, do)
    return _by_status(error, where, python)


def _by_status(error: Exception, where: str, python: bool) -> Exception:
    """Errors without a condition: those of the connection have a status, those of our own code a class."""
    status = status_of(error)
    if status == "UNAUTHENTICATED":
        do = "Put a valid token into the environment variable SPARK_CONNECT_AUTHENTICATE_TOKEN"
        return UserProblem("The Spark server refused the token", "[engine] remote", do)
    if status in ("UNAVAILABLE", "DEADLINE_EXCEEDED", "CANCELLED") or type(error).__name__ == "RetriesExceeded":
        return UserProblem("The connection to the Spark server was lost", "[engine] remote", _AGAIN)
    if status == "PERMISSION_DENIED":
        return UserProblem("The Spark server does not let this account read the data", where, "Ask for the right")
    name = type(error).__name__
    if name == "UnknownException" and status == "INTERNAL" and not condition_of(error):  # such as a lack of memory
        do = "Ask the operator of the cluster for the server's log and memory, then try again"
        return UserProblem("The Spark server itself failed", "[engine] remote", do)
    if name == "PythonException" or python:
        do = "Ask for Python with pyarrow on every executor, and check that key_file names a file there"
        return UserProblem("The cluster could not run the keyed hash", "[engine] key_file", do)
    if name == "SparkException":  # an executor that died, mostly for want of memory
        do = "Ask for more memory or more shuffle partitions (spark.sql.shuffle.partitions), then try again"
        return UserProblem("The cluster gave up on a piece of the work", where, do)
    return Defect(f"a question to Spark failed: {name} {condition_of(error) or status}".strip())


def condition_of(error: Exception) -> str:
    """The name that Spark gives the error; empty where it has none."""
    ask = getattr(error, "getCondition", None) or getattr(error, "getErrorClass", None)
    return str(ask() or "") if ask is not None else ""


def status_of(error: Any) -> str:
    """The status of the connection behind an error; empty where there is none."""
    seen = error
    for _ in range(5):
        code = getattr(seen, "code", None)
        if callable(code):
            return str(getattr(code(), "name", ""))
        grpc = getattr(seen, "_grpc_status_code", None)
        if grpc is not None:
            return str(getattr(grpc, "name", grpc))
        if seen is None:
            break
        seen = seen.__cause__ or seen.__context__
    return ""


_LAYOUT = "Bring the files to one layout, or move the odd one away"
_KNOWN: dict[str, tuple[str, str]] = {
    "PATH_NOT_FOUND": ("There are no data at this path, as the server sees it", "Check the path on the server"),
    "UNABLE_TO_INFER_SCHEMA": ("The folder holds no Parquet file, as the server sees it", "Check the path"),
    "CANNOT_MERGE_SCHEMAS": ("A column has different types in different files", _LAYOUT),
    "FAILED_READ_FILE.PARQUET_COLUMN_DATA_TYPE_MISMATCH": ("A column has different types in different files", _LAYOUT),
    "FAILED_READ_FILE.NO_HINT": ("A file is damaged", "Get it again from its producer"),
    "FAILED_READ_FILE": ("A file cannot be read, or is damaged", "Get it again from its producer"),
    "CANNOT_READ_FILE_FOOTER": ("A file is damaged", "Get it again from its producer"),
    "EMPTY_PARTITION_COLUMN_VALUE": (
        "A folder names a column without a value, such as year=", "Give every file a folder such as year=2025"
    ),
    "CONFLICTING_PARTITION_COLUMN_NAMES": (
        "Files lie in folders that name different columns",
        "Give every file a folder of the same kind, such as year=2025",
    ),
    "UNRESOLVED_COLUMN": ("A column is not there", "Check the roles of the plan against the files"),
}  # fmt: skip
