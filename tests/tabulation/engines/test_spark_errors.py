"""What a Spark server and its client can say, each as one sentence without a stack trace or a path of the server."""

from __future__ import annotations

import sys
from enum import Enum
from typing import Any

import pytest

from workbench.core.errors import Cancelled, Defect, UserProblem
from workbench.tabulation.engines import in_spark
from workbench.tabulation.engines.spark_errors import translated

TEXT = "Job aborted: java.lang.X at org.apache.spark.Y(Y.scala:7) /opt/spark/jobs/app.py: Traceback"


class Status(Enum):
    UNAUTHENTICATED = 1
    UNAVAILABLE = 2
    PERMISSION_DENIED = 3
    INTERNAL = 4


def error(name: str, condition: str | None = None, status: Status | None = None) -> Exception:
    """As the client raises them: told apart by class, condition and the status of the connection."""
    made: Any = type(name, (Exception,), {"getCondition": lambda _: condition})(TEXT)
    if status is not None:
        made._grpc_status_code = status
    return made


SENTENCES = {
    "the server refused the token": error("SparkConnectGrpcException", None, Status.UNAUTHENTICATED),
    "the connection to the spark server was lost": error("SparkConnectGrpcException", None, Status.UNAVAILABLE),
    "does not let this account read": error("SparkConnectGrpcException", None, Status.PERMISSION_DENIED),
    "no data at this path": error("AnalysisException", "PATH_NOT_FOUND"),
    "holds no parquet file": error("AnalysisException", "UNABLE_TO_INFER_SCHEMA"),
    "different types in different files": error("SparkException", "FAILED_READ_FILE.PARQUET_COLUMN_DATA_TYPE_MISMATCH"),
    "a column has different types": error("AnalysisException", "CANNOT_MERGE_SCHEMAS"),
    "a file is damaged": error("SparkException", "FAILED_READ_FILE.NO_HINT"),
    "a column is not there": error("AnalysisException", "UNRESOLVED_COLUMN.WITH_SUGGESTION"),
    "could not run the keyed hash": error("PythonException"),
    "gave up on a piece of the work": error("SparkException"),  # an executor without memory has no condition
    "the spark server itself failed": error("UnknownException", None, Status.INTERNAL),
    "the session with the spark server was lost": error(
        "SparkConnectGrpcException", "INVALID_HANDLE.SESSION_NOT_FOUND"
    ),
}


@pytest.mark.parametrize("sentence", SENTENCES)
def test_that_every_error_is_one_sentence_with_something_to_do(sentence: str) -> None:
    made = translated(SENTENCES[sentence], where="/warehouse/jobs")
    assert isinstance(made, UserProblem)
    told = str(made)
    assert sentence in told.lower().replace("the spark server refused", "the server refused")
    assert all(problem.do for problem in made.problems)
    assert not any(leak in told for leak in ("Traceback", "java.", "org.apache", "scala", "/opt", ".py"))


def test_that_a_cancel_is_one_and_an_overflow_is_a_defect() -> None:
    assert isinstance(translated(error("UnknownException", "OPERATION_CANCELED"), where=""), Cancelled)
    overflow = translated(error("ArithmeticException", "ARITHMETIC_OVERFLOW"), where="")
    assert isinstance(overflow, Defect)
    assert "org.apache" not in str(overflow)


def test_that_a_client_that_is_not_there_is_told_with_what_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspark", None)
    for name in [each for each in sys.modules if each.startswith("pyspark.")]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(UserProblem, match=r"not installed.*pip install .disclosure-workbench\[spark\]"):
        in_spark._session("sc://localhost")
