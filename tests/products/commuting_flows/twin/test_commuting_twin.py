"""The commuting twin: the same for the same seed, codes as text, near and far homes, a prior of another year."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from workbench.core.errors import UserProblem
from workbench.core.progress import QUIET
from workbench.products.commuting_flows.twin.commuting import make_commuting_twin, write_commuting_twin
from workbench.review.plan.plan_text import read_plan
from workbench.review.publish.samples import SAMPLES, write_sample


def test_that_a_twin_has_the_jobs_asked_for_in_a_nested_region() -> None:
    twin = make_commuting_twin(jobs=3_000, seed=2, context=QUIET)
    region = twin.region
    assert all(len(column.codes) == 3_000 for column in twin.columns.values())
    assert list(region.block) == sorted(set(region.block))
    assert list(region.tract) == sorted(set(region.tract))
    assert {len(code) for code in region.block} == {15}
    assert region.block[0].startswith("0")
    assert len(set(zip(region.puma, region.super_puma, strict=True))) == len(set(region.puma))
    work = region.tract_of[twin.columns["w_geocode"].codes]
    home = region.tract_of[twin.columns["h_geocode"].codes]
    assert work.max() < region.home_tracts < home.max()
    miles = np.hypot(region.east[work] - region.east[home], region.north[work] - region.north[home])
    assert np.median(miles) < 12
    assert miles.max() > 500


def test_that_workers_of_last_year_were_drawn_apart() -> None:
    twin = make_commuting_twin(jobs=3_000, seed=2, context=QUIET)
    assert twin.prior_jobs.sum() == 3_000
    now = np.zeros((len(twin.region.tract),) * 2)
    work, home = (twin.region.tract_of[twin.columns[name].codes] for name in ("w_geocode", "h_geocode"))
    np.add.at(now, (work, home), 1)
    then = np.zeros_like(now)
    then[twin.prior_work, twin.prior_home] = twin.prior_jobs
    assert now.sum(axis=1).tolist() == then.sum(axis=1).tolist()
    assert not np.array_equal(now, then)
    assert np.corrcoef(now.ravel(), then.ravel())[0, 1] > 0.8


def test_that_the_kept_sample_is_the_twin_of_its_seed(tmp_path: Path) -> None:
    written = write_commuting_twin(tmp_path, jobs=8_000, seed=1, context=QUIET)
    assert written
    for path in written:
        assert path.read_bytes() == (SAMPLES["commuting_flows"] / path.name).read_bytes()


def test_that_a_large_sample_is_written_as_parquet_with_its_plan(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import pyarrow.parquet as pq

    monkeypatch.setattr("workbench.microdata.twins.contract._PARQUET_FROM", 1_000)
    write_sample("commuting_flows", tmp_path, twin={"jobs": 1_500}, seed=1, context=QUIET)
    plan = read_plan(tmp_path / "plan.toml")
    assert plan.data.path == "jobs.parquet"
    assert all((tmp_path / name).is_file() for name in plan.data.companions.values())
    table = pq.read_table(tmp_path / "jobs.parquet")
    assert table.num_rows == 1_500
    assert table.column("w_geocode")[0].as_py().startswith("0")


@pytest.mark.parametrize("jobs", [10, 10**9])
def test_that_a_twin_of_impossible_size_is_refused(jobs: int) -> None:
    with pytest.raises(UserProblem, match="cannot be made"):
        make_commuting_twin(jobs=jobs, seed=1, context=QUIET)
