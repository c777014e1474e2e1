"""`python -m tests.spark.archive`: what Spark's processes load, stored once, so that each starts in half the time.

Java's archive of classes (class data sharing). It is made when the environment is set up, from a server that answers
the questions of the tests; a Java that does not know it goes without, and says nothing.
"""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import warnings
from pathlib import Path

from tests.spark.servers import ARCHIVE, local_server
from tests.tabulation.engines.questions import AGGREGATES, ROLES, with_plants, write_parquet
from tests.tabulation.frames import people
from workbench.core.progress import QUIET
from workbench.tabulation.door import rows_of
from workbench.tabulation.engines.choice import EngineParams
from workbench.tabulation.engines.opening_spark import open_spark

_LONGEST = 600.0  # seconds until the archive is written, on a busy machine


def make(archive: Path) -> None:
    archive.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory() as home:
        folder = write_parquet(with_plants(people(60, 1)), Path(home) / "rows", parts=2)
        (Path(home) / "server").mkdir()
        with local_server(Path(home) / "server", options=f"-XX:ArchiveClassesAtExit={archive}") as running:
            key_file = Path(home) / "noise.key"
            key_file.write_bytes(b"any sixteen bytes or more")
            params = EngineParams(remote=running.remote, key_file=str(key_file))
            rows = rows_of(open_spark(str(folder), ROLES, None, QUIET, params=params))
            for ask in AGGREGATES.values():
                ask(rows)
            server = running.processes[0]
            os.killpg(server.pid, signal.SIGTERM)
            server.wait(timeout=_LONGEST)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    make(ARCHIVE)
    if not ARCHIVE.exists():
        sys.stderr.write("Java made no archive of classes: the Spark tests will take longer.\n")
