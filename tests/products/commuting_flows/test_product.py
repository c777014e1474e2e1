"""Commuting flows: populations add up, bad input is told in a sentence, and all of Washington runs end to end."""

from __future__ import annotations

import dataclasses
import gzip
from collections import defaultdict
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.contract.samples import today
from tests.products.commuting_flows import hand_made_flows as made
from workbench.audit.contract import Subject
from workbench.core.claims import Definition, Standing
from workbench.core.confidential import Confidential
from workbench.core.errors import UserProblem
from workbench.core.findings import Audience, Status
from workbench.core.params import fields_of
from workbench.core.progress import QUIET
from workbench.core.randomness import ReleaseRandom
from workbench.microdata.inputs import Inputs
from workbench.microdata.load import load
from workbench.microdata.options import ReadOptions
from workbench.microdata.roles import Role
from workbench.microdata.table import NumericColumn, numbers_of
from workbench.products.commuting_flows import synthetic_residences
from workbench.products.commuting_flows.params import CommutingFlowsParams, Outside, Sizes, WorkLevel
from workbench.products.commuting_flows.product import FLOWS, SPEC
from workbench.products.commuting_flows.synthetic_residences import SyntheticResidencesParams
from workbench.products.commuting_flows.synthetic_residences.params import MinimumPrior
from workbench.report.model import parameters_of

SEGMENTS = tuple(f"S{letter}0{i}" for letter in "AEI" for i in (1, 2, 3))


def prepared(rows: Any = made.FLOWS, **changed: Any) -> Any:
    inputs, params = made.inputs(rows), made.params(**changed)
    assert SPEC.problems(inputs, params) == ()
    return SPEC.prepare(inputs, params, QUIET)


def refusal(rows: Any = made.FLOWS, **changed: Any) -> str:
    with pytest.raises(UserProblem) as wrong:
        SPEC.prepare(made.inputs(rows), made.params(**changed), QUIET)
    assert all(problem.do for problem in wrong.value.problems)
    assert made.SECRET_HOME not in str(wrong.value)
    assert str(made.SECRET_COUNT) not in str(wrong.value)
    return str(wrong.value)


def test_that_every_worker_is_in_a_population_once() -> None:
    found = prepared()
    sizes: dict[str, int] = defaultdict(int)
    for work, home, workers in made.FLOWS:
        sizes[work] += int(workers) if home != made.SECRET_HOME else 0
    assert dict(zip(found.work_area, found.size.tolist(), strict=True)) == dict(sorted(sizes.items()))
    flows = found.flows.reveal()
    told = {
        (found.work_area[found.area_of[p]], found.geography.blocks[b]): w
        for p, b, w in zip(flows.population, flows.block, flows.workers, strict=True)
    }
    assert told == {(work, home): int(w) for work, home, w in made.FLOWS if home != made.SECRET_HOME}
    assert found.facts.outside.reveal() == 4


def test_that_true_residences_are_counted_in_their_support_points_or_the_nearest_kept_one() -> None:
    for seed in range(6):
        found = prepared(elimination_seed=seed, eliminate_100="0.9")
        likelihood, supports = found.likelihood.reveal(), found.supports
        counted = np.add.reduceat(
            np.append(likelihood.workers, 0), np.minimum(likelihood.start[:-1], len(likelihood.workers))
        )
        counted[np.diff(likelihood.start) == 0] = 0
        assert counted.tolist() == found.size.tolist(), "nobody is dropped: n = m"
        assert supports.kept[likelihood.point].all()
        owner = np.repeat(np.arange(found.populations), np.diff(likelihood.start))
        tract = found.support_of[owner]
        assert (supports.start[tract] <= likelihood.point).all()
        assert (likelihood.point < supports.start[tract + 1]).all()


def test_that_job_rows_and_counts_of_jobs_give_the_same() -> None:
    rows = [(work, home) for work, home, workers in made.FLOWS[1:] for _ in range(int(workers))]
    work, home = zip(*rows, strict=True)
    data = made.table("jobs.csv", {"work": work, "home": home})
    inputs = dataclasses.replace(made.inputs(), microdata=data, roles={"work": Role.GEOGRAPHY, "home": Role.PERSON})
    by_row = SPEC.prepare(inputs, made.params(jobs=""), QUIET)
    by_count = prepared(made.FLOWS[1:])
    assert np.array_equal(by_row.size, by_count.size)
    for name in ("point", "workers", "start"):
        assert np.array_equal(getattr(by_row.likelihood.reveal(), name), getattr(by_count.likelihood.reveal(), name))


def test_that_tracts_as_workplaces_add_their_blocks_up() -> None:
    found = prepared(work_level=WorkLevel.TRACT)
    assert found.work_area == ("011", "012", "021", "022")
    assert found.size.tolist() == [made.SECRET_COUNT + 9, 6, 3, 21]


def test_that_characteristics_divide_populations_and_name_the_columns_of_the_table() -> None:
    data = made.table("jobs.csv", {"work": ["0101"] * 3, "home": ["0101", "0211", "0101"], "age": ["1", "2", "1"]})
    roles = {"work": Role.GEOGRAPHY, "home": Role.PERSON, "age": Role.PERSON}
    inputs = dataclasses.replace(made.inputs(), microdata=data, roles=roles)
    found = SPEC.prepare(inputs, made.params(jobs="", characteristics=("age",)), QUIET)
    assert (found.characteristic, found.size.tolist()) == (("1", "2"), [2, 1])
    mechanism = synthetic_residences.SPEC
    table = SPEC.public_table(found, mechanism.release(found, mechanism.params(), ReleaseRandom(), QUIET))
    assert tuple(key.name for key in table.keys) == ("work", "age", "home")
    assert table.values[table.coded("age").is_value("1")].sum() == 2


@pytest.mark.parametrize(
    ("rows", "changed", "said"),
    [
        ((("0101", "0102", -1.0),), {}, "is negative"),
        ((("0101", "0102", 1.5),), {}, "is a fraction"),
        ((("0101", "0102", 1e25),), {}, "is above a billion"),
        ((("0101", "0102", float("nan")),), {}, "is missing or no number"),
        ((("0101", "0102", 1), ("0101", "0102", 2)), {}, "more than one row"),
        ((("9999", "0102", 1),), {}, "Some workplaces are not a block of the geography"),
        ((("", "0102", 1), ("0101", "0102", 1)), {}, "Some workplaces are not a block"),
        (made.FLOWS, {"outside": Outside.REFUSE}, "Some homes are missing or not a block of the geography"),
        ((("0101", "0102", 0),), {}, "holds no job"),
        (made.FLOWS, {"minimum_size": 999_999}, "No population is left to publish"),
    ],
)
def test_that_bad_flows_are_refused_in_a_sentence(rows: Any, changed: dict[str, Any], said: str) -> None:
    assert said in refusal(rows, **changed)


def problems(inputs: Inputs, params: CommutingFlowsParams) -> str:
    found = SPEC.problems(inputs, params)
    assert all(problem.do for problem in found)
    return " ".join(problem.sentence() for problem in found)


def test_that_what_is_missing_is_told_before_anything_is_read() -> None:
    inputs = made.inputs()
    assert "No geography is loaded" in problems(dataclasses.replace(inputs, companions={}), made.params())
    assert "no column “ward”" in problems(inputs, made.params(puma="ward"))
    assert "prior has no column “n”" in problems(inputs, made.params(prior_jobs="n"))
    assert "has the role worker attribute" in problems(inputs, made.params(work="home", home="work"))
    assert "key file" in problems(inputs, made.params(sizes=Sizes.NOISE_INFUSED))
    assert "cannot both" in problems(inputs, made.params(characteristics=("home",), segments=("jobs",)))
    itself = {**inputs.companions, "prior": inputs.microdata}
    assert "confidential file itself" in problems(dataclasses.replace(inputs, companions=itself), made.params())


@pytest.mark.parametrize(
    ("work", "home", "said"),
    [
        ("h_geocode", "block", "“h_geocode” is chosen as the workplace, but is named like a residence"),
        ("HomeBlock", "block", "“HomeBlock” is chosen as the workplace"),
        ("residence_block", "block", "“residence_block” is chosen as the workplace"),
        ("block", "w_geocode", "“w_geocode” is chosen as the residence, but is named like a workplace"),
        ("block", "workplace", "“workplace” is chosen as the residence"),
        ("w_geocode", "h_geocode", ""),
        ("employer_block", "worker_block", ""),
        ("wilaya", "hood", ""),
    ],
)
def test_that_workplace_and_residence_are_not_taken_for_each_other(work: str, home: str, said: str) -> None:
    """Swapped, every residence would be published as if it were a workplace."""
    found = " ".join(problem.sentence() for problem in made.params(work=work, home=home).check())
    assert said in found
    assert bool(said) == ("named like" in found)


def test_that_the_residence_cannot_be_published_as_a_characteristic() -> None:
    inputs = made.inputs()
    assert "“home” is the residence, which is what is protected" in problems(
        inputs, made.params(characteristics=("home",))
    )
    assert "“work” is the workplace already" in problems(inputs, made.params(characteristics=("work",)))


def test_that_workers_with_many_jobs_must_be_paid_for() -> None:
    data = made.table("jobs.csv", {"work": ["0101", "0121"], "home": ["0101", "0101"], "who": ["a", "a"]})
    roles = {"work": Role.GEOGRAPHY, "home": Role.PERSON, "who": Role.WORKER}
    inputs = dataclasses.replace(made.inputs(), microdata=data, roles=roles)
    with pytest.raises(UserProblem, match="more than 1 job"):
        SPEC.prepare(inputs, made.params(jobs=""), QUIET)
    found = SPEC.prepare(inputs, made.params(jobs="", jobs_per_worker=2), QUIET)
    assert found.most_populations_of_a_worker == 2


@pytest.mark.parametrize(
    ("who", "homes", "said"),
    [
        (["a", "a"], ["0101", "0102"], "jobs with different homes"),
        (["a", ""], ["0101", "0101"], "name no worker"),
        (["a", "a"], ["0101", "0101"], ""),
    ],
)
def test_that_several_jobs_of_a_worker_have_one_home_or_are_charged_as_steps(
    who: list[str], homes: list[str], said: str
) -> None:
    data = made.table("jobs.csv", {"work": ["0101", "0121"], "home": homes, "who": who})
    roles = {"work": Role.GEOGRAPHY, "home": Role.PERSON, "who": Role.WORKER}
    inputs = dataclasses.replace(made.inputs(), microdata=data, roles=roles)
    params = made.params(jobs="", jobs_per_worker=2)
    if said:
        with pytest.raises(UserProblem, match=said):
            SPEC.prepare(inputs, params, QUIET)
    else:
        assert SPEC.prepare(inputs, params, QUIET).one_home
    nobody = {"work": Role.GEOGRAPHY, "home": Role.PERSON, "who": Role.IGNORE}
    unknown = SPEC.prepare(dataclasses.replace(inputs, roles=nobody), params, QUIET)
    assert (unknown.jobs_in_a_population, unknown.one_home) == (2, False)


def test_that_true_sizes_are_told_exactly_and_distorted_ones_are_not() -> None:
    (sizes,) = prepared().told_exactly
    assert sizes.leaves[0] is Definition.RESIDENCE
    assert sizes.keys == ("work",)


def test_that_only_one_column_may_identify_workers() -> None:
    """A number of the job beside a number of the person: counting by the first would find one job for each."""
    columns = {"job": ["1", "2"], "who": ["a", "a"], "work": ["0101", "0121"], "home": ["0101", "0101"]}
    roles = {"job": Role.WORKER, "who": Role.WORKER, "work": Role.GEOGRAPHY, "home": Role.PERSON}
    inputs = dataclasses.replace(made.inputs(), microdata=made.table("jobs.csv", columns), roles=roles)
    assert "More than one column identifies workers" in problems(inputs, made.params(jobs=""))


def survey(counts: dict[str, list[float]], role: Role = Role.OUTCOME) -> Inputs:
    """Two workers, the first in two rows, with columns of counts beside them."""
    columns = {"work": ["0101", "0121", "0121"], "home": ["0101", "0101", "0102"], "who": ["a", "a", "b"]}
    roles = {"work": Role.GEOGRAPHY, "home": Role.PERSON, "who": Role.WORKER, **dict.fromkeys(counts, role)}
    return dataclasses.replace(made.inputs(), microdata=made.table("survey.csv", {**columns, **counts}), roles=roles)


@pytest.mark.parametrize("use", [{"jobs": "weight"}, {"jobs": "", "segments": ("weight",)}], ids=str)
def test_that_a_survey_weight_is_no_count_of_jobs(use: dict[str, Any]) -> None:
    """One respondent would count as many workers who all live at one place."""
    said = problems(survey({"weight": [20.0, 1.0, 1.0]}, Role.WEIGHT), made.params(**use))
    assert "“weight” has the role weight" in said
    assert "Give it the role" not in said
    fields = {field.name: field for field in fields_of(CommutingFlowsParams)}
    assert fields["jobs"].roles == fields["segments"].roles == (Role.COUNT, Role.OUTCOME)


def test_that_the_counts_of_a_worker_add_up_to_no_more_jobs_than_are_paid_for() -> None:
    inputs = survey({"n": [3.0, 2.0, 4.0]})
    with pytest.raises(UserProblem, match="more than 4 jobs"):
        SPEC.prepare(inputs, made.params(jobs="n", jobs_per_worker=4), QUIET)
    assert SPEC.prepare(inputs, made.params(jobs="n", jobs_per_worker=5), QUIET).most_populations_of_a_worker == 5


def test_that_the_segments_of_a_worker_add_up_within_each_set() -> None:
    inputs = survey({"SA01": [1.0, 0.0, 0.0], "SA02": [0.0, 1.0, 1.0], "SE01": [1.0, 1.0, 1.0]})
    settings = {"jobs": "", "segments": ("SA01", "SA02", "SE01")}
    with pytest.raises(UserProblem, match="more than 1 job"):
        SPEC.prepare(inputs, made.params(**settings), QUIET)
    assert SPEC.prepare(inputs, made.params(**settings, jobs_per_worker=2), QUIET).most_populations_of_a_worker == 4


@pytest.mark.parametrize(
    ("segments", "times"),
    [
        (("SA01", "SA02", "SA03"), 1),
        (("SA01", "SE01"), 2),
        (("jobs2019", "jobs2020"), 2),
        (("SA", "SA01"), 2),
        (("S000", "SA01"), 2),
        (("JOB21", "JOB22", "JOB23"), 3),
        (("SA21", "SA22"), 2),
        (("CNS01", "CNS20", "CFA01", "CFA05"), 2),
    ],
    ids=str,
)
def test_that_segments_that_may_overlap_are_paid_for_one_by_one(segments: tuple[str, ...], times: int) -> None:
    columns = {"work": ["0101", "0121"], "home": ["0101", "0101"]}
    counts = {name: [2.0, 3.0] for name in segments}
    data = made.table("jobs.csv", {**columns, **counts})
    roles = {"work": Role.GEOGRAPHY, "home": Role.PERSON, **dict.fromkeys(segments, Role.OUTCOME)}
    inputs = dataclasses.replace(made.inputs(), microdata=data, roles=roles)
    found = SPEC.prepare(inputs, made.params(jobs="", segments=segments), QUIET)
    assert found.most_populations_of_a_worker == times


@pytest.mark.parametrize("jobs", ["", "all_jobs"])
@pytest.mark.parametrize(("segments", "most"), [(("SA01", "SA02"), 4.0), (("near",), 2.0)], ids=str)
def test_that_a_set_of_segments_never_holds_more_jobs_than_there_are(
    segments: tuple[str, ...], most: float, jobs: str
) -> None:
    """Otherwise some job is in two segments and paid for once. S000 is a total wherever it is loaded."""
    for total, refused in ((most, False), (most - 1, True), (float("nan"), True)):
        counts = {name: [2.0, 0.0] for name in segments} | {jobs or "S000": [total, 0.0]}
        data = made.table("jobs.csv", {"work": ["0101", "0121"], "home": ["0101", "0101"], **counts})
        roles = {"work": Role.GEOGRAPHY, "home": Role.PERSON, **dict.fromkeys(counts, Role.OUTCOME)}
        inputs = dataclasses.replace(made.inputs(), microdata=data, roles=roles)
        if refused:
            with pytest.raises(UserProblem, match=r"up to more than|do not add up"):
                SPEC.prepare(inputs, made.params(jobs=jobs, segments=segments), QUIET)
        else:
            assert SPEC.prepare(inputs, made.params(jobs=jobs, segments=segments), QUIET).size.tolist()


def test_that_noise_infused_sizes_follow_the_key_and_say_so(tmp_path: Path) -> None:
    key = tmp_path / "key"
    key.write_bytes(b"sixteen bytes or more of chance")
    first, again = (prepared(sizes=Sizes.NOISE_INFUSED, key_file=str(key)) for _ in range(2))
    true = prepared().size
    assert first.size.tolist() == again.size.tolist()
    assert 0.05 <= abs(first.size[0] / true[0] - 1) <= 0.15
    assert any("distortion factors only" in note for note in first.size_notes)
    assert "published exactly" in " ".join(prepared().size_notes)


def test_that_the_distortion_of_sizes_and_its_key_stay_inside(tmp_path: Path) -> None:
    params = made.params(sizes=Sizes.NOISE_INFUSED, key_file=str(tmp_path / "key"))
    rows = parameters_of(params, Audience.PUBLIC)
    inside = {row.label for row in rows if row.audience is Audience.INTERNAL}
    assert inside == {"Minimum distortion of sizes", "Maximum distortion of sizes", "Key file of noise-infused sizes"}
    assert len(rows) == len(fields_of(CommutingFlowsParams))


def test_that_the_claim_says_that_living_on_the_map_is_not_protected() -> None:
    said = " ".join(
        synthetic_residences.SPEC.claim(prepared(outside=Outside.LEAVE_OUT), SyntheticResidencesParams()).assumptions
    )
    assert "inside or outside of it is not protected" in said
    refused = [flow for flow in made.FLOWS if flow[1] != made.SECRET_HOME]
    assert not any("outside" in note for note in prepared(refused, outside=Outside.REFUSE).notes)


def test_that_synthetic_residences_ask_what_nobody_can_check_of_the_prior_and_of_jobs() -> None:
    said = synthetic_residences.SPEC.claim(prepared(), SyntheticResidencesParams())
    assert said.standing is Standing.PROVED_IF
    assert any(f"{prepared().prior_name} is public" in each for each in said.provided)
    assert any("no worker has more than 1 job" in each for each in said.provided)
    assert not any("sizes" in each for each in said.provided), "the audit asks how they become public"
    open_ended = SyntheticResidencesParams(minimum_prior=MinimumPrior.FIXED, fixed_prior=Decimal(0))
    nothing = synthetic_residences.SPEC.claim(prepared(), open_ended)
    assert (nothing.standing, nothing.provided) == (Standing.NOT_FORMAL, ())


def test_that_small_populations_can_be_left_out() -> None:
    found = prepared(minimum_size=5)
    assert found.size.min() >= 5
    assert sorted(found.facts.too_small.reveal().tolist()) == [1, 3]


def test_that_support_points_are_public_and_what_is_left_out_is_not() -> None:
    audiences = {finding.id: finding.audience for finding in SPEC.describe(prepared())}
    assert audiences["flows-support-points"] is audiences["flows-prior-support"] is Audience.PUBLIC
    assert audiences["flows-left-out"] is audiences["flows-populations"] is Audience.INTERNAL


def test_that_the_table_of_support_points_adds_up() -> None:
    (finding,) = (f for f in SPEC.describe(prepared()) if f.id == "flows-support-points")
    rows = {str(row[0]): row[1:] for row in finding.tables[0].rows}
    for part in ("Level", "Miles"):
        for column in (0, 3):
            added = sum(float(str(row[column])) for name, row in rows.items() if name.startswith(part))
            assert added == pytest.approx(float(str(rows["Total"][column])))


def lodes(file: Path, roles: dict[str, Role]) -> Inputs:
    return Inputs(microdata=load(file, ReadOptions(), roles, None, QUIET), roles=roles, companions={})


@pytest.mark.parametrize(("file", "key"), [("wac", "w_geocode"), ("rac", "h_geocode")])
def test_that_files_of_totals_with_impossible_margins_are_refused_for_both_reasons(
    shared_data: Path, file: str, key: str
) -> None:
    path = shared_data / "lodes_fake_must_fail" / f"FAKEVALUES_dc_{file}_S000_JT00_2013.csv.gz"
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        roles = {name: Role.OUTCOME for name in next(lines).strip().split(",") if name.startswith(("C0", "CA", "CE"))}
    role = Role.GEOGRAPHY if key == "w_geocode" else Role.PERSON
    said = problems(lodes(path, {key: role, **roles}), CommutingFlowsParams())
    assert f"LODES {file.upper()}" in said
    assert "holds no flows" in said
    assert "The counts are impossible" in said
    assert "CA (3 parts of C000)" in said


@pytest.fixture(scope="module")
def washington(shared_data: Path) -> Inputs:
    folder = shared_data / "lodes_dc_2023"
    roles = {"w_geocode": Role.GEOGRAPHY, "h_geocode": Role.PERSON, "S000": Role.OUTCOME}
    inputs = lodes(folder / "dc_od_main_JT00_2023.csv.gz", roles | dict.fromkeys(SEGMENTS, Role.OUTCOME))
    places = load(folder / "dc_xwalk.csv.gz", ReadOptions(), None, None, QUIET)
    return dataclasses.replace(inputs, companions={"geography": places})


WARDS = CommutingFlowsParams(jobs="S000", puma="stsldu", super_puma="st")


def test_that_all_of_washington_runs_from_flows_to_audit(washington: Inputs) -> None:
    inputs, params = washington, WARDS
    assert SPEC.problems(inputs, params) == ()
    found = SPEC.prepare(inputs, params, QUIET)
    assert (found.populations, int(found.size.sum()), len(found.flows.reveal().workers)) == (3566, 220_857, 180_324)
    assert "equally likely" in " ".join(finding.sentence for finding in SPEC.describe(found))
    mechanism = synthetic_residences.SPEC
    release = mechanism.release(found, mechanism.params(), ReleaseRandom(), QUIET)
    table = SPEC.public_table(found, release)
    assert tuple(key.name for key in table.keys) == ("w_geocode", "h_geocode")
    assert {len(code) for column in table.keys for code in column.values} == {15}
    assert int(table.values.sum()) == 220_857
    subject = Subject(words=FLOWS, prepared=found, mechanism=mechanism, params=mechanism.params(), release=release)
    for check in SPEC.checks:
        if check.id != "black-box":  # it watches small populations, of any data
            findings = check.run(subject, check.params(), QUIET)
            assert all(finding.status is not Status.FAIL for finding in findings), check.id
    (beside,) = SPEC.side_by_side(found, table, (today(SPEC.baselines[0], found),))
    (column,) = beside.compared
    assert column.true.reveal().sum() == column.private.sum() == 220_857


def test_that_no_segment_of_washington_is_taken_for_a_trait_of_homes(washington: Inputs) -> None:
    for jobs in ("S000", ""):
        found = SPEC.prepare(washington, dataclasses.replace(WARDS, jobs=jobs, segments=SEGMENTS), QUIET)
        assert found.facts.unjudged.reveal() == ()


def test_that_each_set_of_segments_counts_every_worker_once_and_is_paid_for(washington: Inputs) -> None:
    inputs, params = washington, dataclasses.replace(WARDS, segments=SEGMENTS[:6])
    found = SPEC.prepare(inputs, params, QUIET)
    assert int(found.size.sum()) == 2 * 220_857
    assert found.most_populations_of_a_worker == 2
    assert found.characteristic == SEGMENTS[:6]
    forgot = dataclasses.replace(params, jobs="", segments=())
    assert "every row would count as one job" in problems(inputs, forgot)


def test_that_segments_that_do_not_add_up_are_refused(washington: Inputs) -> None:
    data = washington.microdata
    wrong = numbers_of(data.columns["SA01"]).copy()
    wrong[17] += 1
    columns = {**data.columns, "SA01": NumericColumn(name="SA01", numbers=Confidential(wrong))}
    inputs = dataclasses.replace(washington, microdata=dataclasses.replace(data, columns=columns))
    with pytest.raises(UserProblem, match=r"SA \(3 parts of S000\) do not add up"):
        SPEC.prepare(inputs, WARDS, QUIET)
