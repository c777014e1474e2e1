"""The samples with other keys run from plan to official file, and a twin writes them too."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.core.progress import QUIET
from workbench.core.resources import sample_folder
from workbench.products.outcome_reports.files.official import read_pseo, read_veo
from workbench.products.outcome_reports.product import SPEC
from workbench.products.outcome_reports.twin.other_keys import GRADUATES, VETERANS, OtherKeys, write_other_keys
from workbench.review.plan.plan_text import read_plan
from workbench.review.run.run import run_plan

SAMPLE = sample_folder("outcome_reports")


@pytest.mark.parametrize(("keys", "kind"), [(GRADUATES, "pseo"), (VETERANS, "veo")])
def test_that_a_sample_with_other_keys_is_published_in_its_official_layout(keys: OtherKeys, kind: str) -> None:
    plan = read_plan(SAMPLE / keys.plan)
    run = run_plan(plan, base=SAMPLE, context=QUIET)
    files = {file.kind: file.write() for file in SPEC.outputs(run.outcome.protected.table)}
    found = read_pseo(files["pseo"]) if kind == "pseo" else read_veo("veoe", files["veo"])
    place = {name: at for at, name in enumerate(found.columns)}
    assert not found.notes
    if kind == "pseo":
        levels = [row[place["agg_level_pseo"]] for row in found.rows]
        assert {level: levels.count(level) for level in set(levels)} == {
            "48": 24, "46": 18, "44": 6, "42": 12, "40": 9, "38": 3
        }  # fmt: skip
        coarse = [row for row in found.rows if row[place["agg_level_pseo"]] == "38"]
        assert all(row[place["y5_p50_earnings"]] for row in coarse)  # though cells are planned with different bins
    else:
        assert [row[place["cohort"]] for row in found.rows[::3]] == ["2000", "2002", "2004"]
        assert {row[place["status_y1_nonemp"]] for row in found.rows} == {"-1"}
    errors = {finding.id: finding for finding in run.findings()}
    assert "public PSEO rule" in errors["percentile-error"].sentence


@pytest.mark.parametrize("keys", [GRADUATES, VETERANS])
def test_that_a_twin_writes_the_files_of_the_sample(keys: OtherKeys, tmp_path: Path) -> None:
    for file in write_other_keys(tmp_path, keys, 2400, 1):
        assert file.read_text(encoding="utf-8") == (SAMPLE / file.name).read_text(encoding="utf-8")
