"""A whole review from a cluster: tabulated there, drawn here, audited, compared, approved and reported."""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from tests.spark.conftest import SECRET
from tests.spark.servers import Found
from tests.tabulation.engines.sample import MARGINALS, employment_sample
from workbench.cli.main import main
from workbench.core.progress import QUIET, Context
from workbench.products.employment_tables.job_index import index_of
from workbench.products.employment_tables.params import DomainKind
from workbench.products.employment_tables.tabulation.cells import Cells
from workbench.products.employment_tables.tabulation.engine import tabulate
from workbench.review.plan.plan_text import read_plan
from workbench.review.run.opening import load_data
from workbench.review.run.tabulated import content_of
from workbench.tabulation.engines.in_spark import SparkEngine


@pytest.fixture(scope="module")
def plan(server: Found, key_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    engine = f'[engine]\nremote = "{server.remote}"\nkey_file = "{key_file}"\n'
    path = employment_sample(tmp_path_factory.mktemp("journey"), engine=engine, rows=6_000)
    text = path.read_text(encoding="utf-8")
    fewer, found = re.subn(r"^checks = .*$", 'checks = ["exact-loss", "integers"]', text, flags=re.MULTILINE)
    assert found == 1
    path.write_text(fewer, encoding="utf-8")
    return path


def numbers(cells: Cells) -> list[list[int]]:
    held = (cells.count, cells.establishments, cells.largest, cells.largest_total, cells.workplace_largest)
    return [column.reveal().tolist() for column in held]


def test_that_five_marginals_and_the_fingerprint_are_the_same_on_all_three_engines(plan: Path) -> None:
    from dataclasses import replace

    asked, found, prints = read_plan(plan), [], []
    for kind in ("memory", "duckdb", "spark"):
        loaded = load_data(replace(asked, engine=asked.engine.of_kind(kind)), base=plan.parent, context=QUIET)
        index = index_of(loaded.microdata, loaded.roles)
        found.append(
            [
                numbers(tabulate(index, workplace=place, worker=worker, domain=DomainKind.ALL, context=QUIET))
                for place, worker in MARGINALS
            ]
        )
        prints.append(content_of(loaded, QUIET))
    assert sum(int(np.count_nonzero(cell[0])) for cell in found[0]) > 1_000
    assert found[0] == found[1] == found[2]
    assert len(set(prints)) == 1


def test_that_a_review_runs_from_a_cluster_to_its_report(
    plan: Path, server: Found, capsys: pytest.CaptureFixture[str]
) -> None:
    project, report = plan.parent / "review.dwb", plan.parent / "report.html"
    assert main(["run", str(plan), "--project", str(project), "--preparer", "Ann", "--allow-outside", "--json"]) == 0
    drawn = json.loads(capsys.readouterr().out)
    assert drawn["draws"] == 1
    assert any(finding["id"].startswith("l1-error") for finding in drawn["findings"])
    assert main(["decide", str(project), "R-0001", "--approve", "--reviewer", "Ben", "--comment", "Fine."]) == 0
    made = ["report", str(project), "R-0001", "--audience", "internal", "--format", "html", "-o", str(report)]
    assert main(made) == 0
    assert "Input noise infusion" in report.read_text(encoding="utf-8")
    assert main(["verify", str(project)]) == 0
    _nothing_confidential_in(server, plan.parent / "jobs")


def _nothing_confidential_in(server: Found, data: Path) -> None:
    """Neither the key, in any spelling, nor an identifier, nor where this program lies, is in a log of the server, its
    executors or its events."""
    secrets = [SECRET, SECRET.hex().encode(), SECRET.hex().upper().encode(), base64.b64encode(SECRET)]
    written = pd.read_parquet(data)
    persons = [str(value).encode() for value in (written["worker"].iloc[0], written["establishment"].iloc[0])]
    logs = [path.read_bytes() for path in server.logs if path.suffix != ".parquet"]
    assert any(b"xxhash64" in log for log in logs), "the event log holds the queries, so it would hold a key too"
    for secret in (*secrets, *persons, b"in_spark.py"):
        assert not any(secret in log for log in logs)


def test_that_a_session_lost_in_the_middle_of_a_run_leaves_nothing_behind(
    plan: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server forgets the session while the table is counted: one sentence, no draw, no release, no budget spent."""
    project, asked = plan.parent / "lost.dwb", SparkEngine.ask

    def losing(self: SparkEngine, query: str, context: Context, sentence: str) -> Any:
        if sentence.startswith("counting establishments"):
            self._session.client.release_session()
        return asked(self, query, context, sentence)

    monkeypatch.setattr(SparkEngine, "ask", losing)
    assert main(["run", str(plan), "--project", str(project), "--preparer", "Ann", "--allow-outside"]) == 2
    told = capsys.readouterr().err
    assert "The session with the Spark server was lost" in told
    assert "Nothing was drawn or stored" in told
    assert not any(leak in told for leak in ("Traceback", "org.apache", "grpc"))
    assert not project.exists()
