"""The shared layers know no product: its words stand in its folder."""

from __future__ import annotations

import re
from pathlib import Path

import workbench

_HOUSE = Path(workbench.__file__).parent
_WORDS = re.compile(r"establishment|\bjobs?\b|workplace|residence|LODES")
_LAYERS = (
    "accounting",
    "audit",
    "core",
    "explorations",
    "mechanisms",
    "noise",
    "policy",
    "project",
    "report",
    "review",
)

# where such a word may stand, and why
_ALLOWED = {
    "core/claims.py": "the privacy definitions",
    "accounting/coverage.py": "which unit each privacy definition protects",
    "accounting/implied.py": "what each privacy definition calls a neighbour",
    "policy/profile.py": "the keys of the privacy definitions",
    "project/file/migrations/m0001_first_tables.py": "a fossil",
    "project/tables/datasets.py": "the column that files before version 6 have",
    "project/tables/old_runs.py": "what runs before version 6 stored",
    "report/model.py": "the name in reports of files before version 6, which still verify",
    "report/audience.py": "the same",
    "review/publish/report_facts.py": "the same",
    "review/plan/plan.py": "the shared checks of job files are in the digest of old plans",
}


def test_that_no_shared_layer_speaks_of_a_product() -> None:
    found = {
        path.relative_to(_HOUSE).as_posix()
        for layer in _LAYERS
        for path in (_HOUSE / layer).rglob("*.py")
        if _WORDS.search(path.read_text(encoding="utf-8"))
    }
    assert found - set(_ALLOWED) == set()
