"""Files as other programs write them: the cluster reads the same in them as memory does."""

from __future__ import annotations

from pathlib import Path

from tests.tabulation.engines.others import ROLES, said, write
from workbench.core.progress import QUIET
from workbench.microdata.content import of_columns
from workbench.microdata.load import load
from workbench.microdata.options import ReadOptions
from workbench.tabulation.door import rows_of
from workbench.tabulation.engines.choice import EngineParams
from workbench.tabulation.engines.in_spark import SparkEngine
from workbench.tabulation.engines.opening_spark import open_spark


def test_that_the_cluster_reads_files_of_other_programs_as_memory_does(
    one_session: EngineParams, engine: SparkEngine, tmp_path: Path
) -> None:
    folder = write(tmp_path)
    loaded = load(folder, ReadOptions(), ROLES, None, QUIET)
    there = open_spark(str(folder), ROLES, None, QUIET, params=one_session)
    assert said(rows_of(there)) == said(rows_of(loaded))
    assert there.fingerprint.content == of_columns(loaded.columns, loaded.rows, QUIET)
    pattern = str(tmp_path / "jobs[12] {a,b} 100%" / "place=a*")
    listed = engine.files(pattern, QUIET)
    assert [path.rsplit("/", 1)[-1] for path, _, _ in listed.listed] == ["x[1]*.PARQUET"]
    assert set(engine.one_layout(pattern, listed, QUIET)) == set(ROLES)
