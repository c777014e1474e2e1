"""The published facts hold in proportion, the files are what a reader expects, and nothing half-written stays."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from workbench.core.errors import Cancelled, UserProblem
from workbench.core.progress import QUIET
from workbench.core.resources import sample_folder
from workbench.products.employment_tables.twin.employment import (
    as_microdata,
    make_employment_twin,
    write_employment_twin,
)
from workbench.products.employment_tables.twin.establishments import make_establishments, make_places
from workbench.products.employment_tables.twin.jobs import EmploymentTwin
from workbench.products.employment_tables.twin.vocabulary import place_name

JOBS = 218_000
PROPORTION = JOBS / 10_900_000


@pytest.fixture(scope="module")
def twin() -> EmploymentTwin:
    return make_employment_twin(jobs=JOBS, seed=5, context=QUIET)


@pytest.fixture(scope="module")
def sizes(twin: EmploymentTwin) -> np.ndarray:
    return np.bincount(twin.columns["establishment"].codes)


def _cells(twin: EmploymentTwin) -> np.ndarray:
    place, sector, ownership = (twin.columns[name].codes.astype(np.int64) for name in ("place", "sector", "ownership"))
    return (place * 100 + sector) * 10 + ownership


@pytest.mark.parametrize("seed", [1, 7])
def test_that_the_published_facts_hold_at_full_size(seed: int) -> None:
    rng = np.random.default_rng(seed)
    made = make_establishments(10_900_000, make_places(10_900_000, rng), rng)
    cells, of_establishment = np.unique(
        (made.place.astype(np.int64) * 100 + made.sector) * 10 + made.owner, return_inverse=True
    )
    assert made.size.sum() == 10_900_000
    assert len(made.size) == 527_000
    assert 740 <= (made.size >= 1_000).sum() <= 815
    assert 60_000 <= len(cells) <= 68_000
    _check_cells(np.bincount(of_establishment, weights=made.size), _largest(of_establishment, made.size))


def _largest(of_establishment: np.ndarray, size: np.ndarray) -> np.ndarray:
    largest = np.zeros(of_establishment.max() + 1)
    np.maximum.at(largest, of_establishment, size)
    return largest


def _check_cells(count: np.ndarray, largest: np.ndarray) -> None:
    assert (largest / count > 0.65).mean() >= 0.5
    assert 0.91 <= (count < 1_000).mean() <= 0.95


def test_that_jobs_and_establishments_are_in_the_published_proportion(twin: EmploymentTwin, sizes: np.ndarray) -> None:
    assert twin.jobs == JOBS
    assert all(len(column.codes) == JOBS for column in twin.columns.values())
    assert len(sizes) == round(527_000 * PROPORTION)
    assert sizes.min() >= 1


def test_that_large_establishments_are_in_the_published_proportion(sizes: np.ndarray) -> None:
    assert 740 * PROPORTION <= (sizes >= 1_000).sum() <= 815 * PROPORTION + 1


def test_that_an_establishment_has_one_place_sector_and_owner(twin: EmploymentTwin) -> None:
    pairs = np.stack([twin.columns["establishment"].codes.astype(np.int64), _cells(twin)])
    assert len(np.unique(pairs, axis=1).T) == len(np.unique(pairs[0]))


def test_that_most_cells_are_small_and_half_of_them_dominated(twin: EmploymentTwin, sizes: np.ndarray) -> None:
    first = np.unique(twin.columns["establishment"].codes, return_index=True)[1]
    cells, of_establishment = np.unique(_cells(twin)[first], return_inverse=True)
    _check_cells(np.bincount(of_establishment, weights=sizes), _largest(of_establishment, sizes))
    assert 0.85 * 64_344 * PROPORTION <= len(cells) <= 1.15 * 64_344 * PROPORTION


@pytest.mark.parametrize("jobs", [2_000, 20_000, JOBS])
def test_that_places_fill_all_four_population_strata_at_any_size(jobs: int) -> None:
    place = make_employment_twin(jobs=jobs, seed=1, context=QUIET, worker_ids=False).columns["place"]
    population = np.array([place.populations[value] for value in place.values])
    strata = np.histogram(population, [0, 100, 10_000, 100_000, np.inf])[0]
    assert strata.min() >= 1
    assert population.min() >= 1


def test_that_values_are_sorted_texts_with_leading_zeros_and_labels(twin: EmploymentTwin) -> None:
    for name, column in twin.columns.items():
        assert list(column.values) == sorted(set(column.values))
        assert column.codes.min() >= 0
        assert column.codes.max() < len(column.values)
        if name not in ("worker", "establishment"):
            assert set(column.labels) == set(column.values)
    assert all(len(code) == 7 and code.isdigit() and code[0] == "0" for code in twin.columns["place"].values)
    assert len(twin.columns["sector"].values) == 20
    assert twin.columns["establishment"].values[0] == "E0000001"


def test_that_every_worker_holds_one_job_unless_asked_otherwise(twin: EmploymentTwin) -> None:
    assert np.bincount(twin.columns["worker"].codes).max() == 1
    two = make_employment_twin(jobs=10_400, seed=1, context=QUIET, share_with_two_jobs=0.04)
    holder, sex = two.columns["worker"].codes, two.columns["sex"].codes
    jobs_of = np.bincount(holder)
    assert jobs_of.max() == 2
    assert (jobs_of == 2).mean() == pytest.approx(0.04, abs=1e-4)
    assert len(np.unique(np.stack([holder, sex]), axis=1).T) == len(jobs_of)


def test_that_the_same_seed_gives_the_same_twin_and_another_does_not() -> None:
    one, same, other = (make_employment_twin(jobs=3_000, seed=seed, context=QUIET) for seed in (4, 4, 5))
    for name in one.columns:
        assert np.array_equal(one.columns[name].codes, same.columns[name].codes)
    assert not np.array_equal(one.columns["establishment"].codes, other.columns["establishment"].codes)


def test_that_names_of_places_differ() -> None:
    assert len({place_name(number) for number in range(13_000)}) == 13_000


def test_that_csv_and_parquet_hold_the_same_jobs(tmp_path: Path) -> None:
    from pyarrow import parquet

    text = write_employment_twin(tmp_path / "a", jobs=2_000, seed=3, context=QUIET)
    packed = write_employment_twin(tmp_path / "b", jobs=2_000, seed=3, context=QUIET, format="parquet")
    with text.data.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert parquet.read_table(packed.data).to_pylist() == rows
    encodings = {
        chunk.path_in_schema: chunk.encodings
        for chunk in map(parquet.ParquetFile(packed.data).metadata.row_group(0).column, range(len(rows[0])))
    }
    assert all("RLE_DICTIONARY" in kinds for name, kinds in encodings.items() if name != "worker")
    assert text.dictionary.read_bytes() == packed.dictionary.read_bytes()


def test_that_the_dictionary_lists_every_value_and_the_population_of_every_place(tmp_path: Path) -> None:
    files = write_employment_twin(tmp_path, jobs=2_000, seed=3, context=QUIET)
    with files.dictionary.open(encoding="utf-8", newline="") as file:
        entries = list(csv.DictReader(file))
    listed = {(entry["column"], entry["value"]) for entry in entries}
    with files.data.open(encoding="utf-8", newline="") as file:
        met = {(name, row[name]) for row in csv.DictReader(file) for name in row}
    assert {pair for pair in met if pair[0] not in ("worker", "establishment")} <= listed
    assert all(bool(entry["population"]) == (entry["column"] == "place") for entry in entries)


@pytest.mark.parametrize(("jobs", "share"), [(0, 0.0), (-5, 0.0), (10**12, 0.0), (1_000, 1.0), (1_000, -0.1)])
def test_that_an_impossible_twin_is_refused_in_words(jobs: int, share: float) -> None:
    with pytest.raises(UserProblem):
        make_employment_twin(jobs=jobs, seed=1, context=QUIET, share_with_two_jobs=share)


class _StopAt:
    def __init__(self, sentence: str) -> None:
        self.sentence = sentence

    def step(self, fraction: float, sentence: str) -> None:
        if sentence == self.sentence:
            raise Cancelled


def test_that_a_cancelled_write_leaves_no_file(tmp_path: Path) -> None:
    with pytest.raises(Cancelled):
        write_employment_twin(tmp_path, jobs=2_000, seed=1, context=_StopAt("writing jobs"))
    assert list(tmp_path.iterdir()) == []


def test_that_a_folder_that_cannot_be_made_is_a_problem_in_words(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file", encoding="utf-8")
    with pytest.raises(UserProblem, match="cannot be written"):
        write_employment_twin(tmp_path / "taken", jobs=2_000, seed=1, context=QUIET)


def test_that_a_twin_can_stand_in_for_loaded_microdata(twin: EmploymentTwin) -> None:
    microdata = as_microdata(twin)
    assert microdata.rows == JOBS
    assert microdata.coded("place").public_values == tuple(twin.columns["place"].values)
    assert microdata.coded("place").populations


def test_that_the_shipped_sample_is_small_and_complete() -> None:
    data = sample_folder("employment_tables", "jobs.csv")
    assert data.stat().st_size < 1_500_000
    with data.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 20_000
    assert len({row["worker"] for row in rows}) == 20_000
    with sample_folder("employment_tables", "dictionary.csv").open(encoding="utf-8", newline="") as file:
        listed = {entry["column"] for entry in csv.DictReader(file)}
    assert listed == set(rows[0]) - {"worker", "establishment"}
