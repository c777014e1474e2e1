"""A first look tells types, distinct and missing values and suggests roles, without showing a value."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pyreadstat
import pytest

from tests.microdata.places import JOBS, written
from workbench.core.plain import canonical
from workbench.core.progress import QUIET
from workbench.microdata.inspect import ColumnInfo, Inspection, inspect
from workbench.microdata.job_suggestions import suggest, suggest_job_roles
from workbench.microdata.options import DecimalMark, ReadOptions, Thousands
from workbench.microdata.roles import Role
from workbench.microdata.suggest import Facts, parts_of


def looked(path: Path) -> Inspection:
    return inspect(path, ReadOptions(), QUIET, suggest=suggest_job_roles)


def of(found: Inspection, name: str) -> ColumnInfo:
    return next(column for column in found.columns if column.name == name)


def test_that_columns_are_described_in_words_and_numbers(tmp_path: Path) -> None:
    found = looked(written(tmp_path, JOBS))
    assert found.rows == 4
    assert (of(found, "estab").type, of(found, "estab").leading_zeros) == ("codes with leading zeros", True)
    assert (of(found, "sex").distinct, of(found, "sex").missing) == (2, 1)
    assert of(found, "weight").type == "numbers with fractions"
    assert of(found, "worker").type == "text"


def test_that_dates_empty_and_whole_columns_are_told_apart(tmp_path: Path) -> None:
    found = looked(written(tmp_path, "day,nothing,n\n2020-01-01,,5\n2020-01-02,,7\n"))
    assert [column.type for column in found.columns] == ["dates", "empty", "whole numbers"]
    assert of(found, "nothing").suggested_role is Role.IGNORE


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        ((" 01", "02 "), "codes with leading zeros"), ((" 1", "2"), "whole numbers"), (("+1", "-2"), "whole numbers"),
        (("1,000", "2,500,000"), "whole numbers"), (("1,000.5", "2,500"), "numbers with fractions"),
        ((" 2024-01-01", "2024-01-02"), "dates"), ((" a", "01 b"), "text with leading zeros"),
    ],
)  # fmt: skip
def test_that_neither_blanks_nor_thousands_change_what_a_column_is(
    tmp_path: Path, cells: tuple[str, ...], kind: str
) -> None:
    path = written(tmp_path, "k,n\n" + "".join(f'x,"{cell}"\n' for cell in cells))
    assert inspect(path, ReadOptions(), QUIET, suggest=suggest_job_roles).columns[1].type == kind


def test_that_whole_thousands_are_no_measurement(tmp_path: Path) -> None:
    rows = "".join(f"x{i};1.{i:03d}.000;{i},5\n" for i in range(400))
    found = inspect(written(tmp_path, "k;n;m\n" + rows), ReadOptions(), QUIET, suggest=suggest_job_roles).columns
    assert [column.type for column in found] == ["text", "whole numbers", "numbers with fractions"]
    assert "fractions" not in found[1].reason and "fractions" in found[2].reason


def test_that_lone_points_are_told_where_they_may_be_thousands(tmp_path: Path) -> None:
    def said(content: str, **options: object) -> str:
        return " ".join(
            inspect(written(tmp_path, content), ReadOptions(**options), QUIET, suggest=suggest_job_roles).found
        )  # type: ignore[arg-type]

    semicolons = "k;n\nx;1.000\ny;2.500\n"
    assert "numbers like 1.000 are read as 1, not as a thousand" in said(semicolons)
    assert "like 1.000" not in said(semicolons, thousands=Thousands.POINT)
    assert "like 1.000" not in said(semicolons, decimal=DecimalMark.POINT)
    assert "like 1.000" not in said("k;n\nx;1.000\ny;2.5\n")
    assert "like 1.000" not in said("k,n\nx,1.000\ny,2.500\n")


def test_that_no_value_of_the_data_is_in_the_result(tmp_path: Path) -> None:
    found = looked(written(tmp_path, "estab,name\n98765,Wolverhampton\n43210,Thistlethwaite\n"))
    told = canonical(found) + repr(found).encode()
    assert not any(value in told for value in (b"98765", b"43210", b"Wolverhampton", b"Thistlethwaite"))


def test_that_titles_and_labels_of_the_file_are_mentioned(tmp_path: Path) -> None:
    pyreadstat.write_sav(
        pd.DataFrame({"sex": [1.0, 2.0]}), str(tmp_path / "x.sav"), column_labels={"sex": "Sex of worker"},
        variable_value_labels={"sex": {1: "women", 2: "men"}},
    )  # fmt: skip
    column = of(looked(tmp_path / "x.sav"), "sex")
    assert (column.title, column.labelled, column.type) == ("Sex of worker", 2, "whole numbers")


def test_that_distinct_and_missing_agree_with_pandas_on_real_data(shared_data: Path) -> None:
    path = shared_data / "acs_2019_excerpts" / "national2019.csv"
    frame = pd.read_csv(path, dtype=str, keep_default_na=False)
    found = looked(path)
    assert found.rows == len(frame)
    for column in found.columns:
        cells = frame[column.name]
        assert column.distinct == cells[cells != ""].nunique()
        assert column.missing == (cells == "").sum()


@pytest.mark.parametrize(
    "name", ["predictor", "group", "answer", "agegroup", "q1", "kfr_rank", "par_rank", "race_group", "answers"]
)
@pytest.mark.parametrize("fractions", [True, False])
def test_that_what_a_column_is_used_for_is_never_guessed(name: str, fractions: bool) -> None:
    found = suggest(Facts(name=name, rows=1000, distinct=400, missing=0, fractions=fractions))
    assert found.role not in (Role.PREDICTOR, Role.GROUP, Role.ANSWER)


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("establishment_id", Role.ESTABLISHMENT), ("SEIN", Role.ESTABLISHMENT), ("ein", Role.ESTABLISHMENT),
        ("employer", Role.ESTABLISHMENT), ("firm", Role.ESTABLISHMENT), ("PIK", Role.WORKER),
        ("person_id", Role.WORKER), ("WorkerId", Role.WORKER),
        ("naics", Role.WORKPLACE), ("sector", Role.WORKPLACE), ("industry", Role.WORKPLACE),
        ("own_code", Role.WORKPLACE), ("firmage", Role.WORKPLACE), ("county", Role.GEOGRAPHY),
        ("place", Role.GEOGRAPHY),
        ("tract", Role.GEOGRAPHY), ("block", Role.GEOGRAPHY), ("w_geocode", Role.GEOGRAPHY), ("state", Role.GEOGRAPHY),
        ("h_geocode", Role.PERSON), ("sex", Role.PERSON), ("race", Role.PERSON), ("age", Role.PERSON),
        ("worker_age", Role.PERSON), ("education", Role.PERSON), ("weight", Role.WEIGHT), ("wt", Role.WEIGHT),
        ("person_weight", Role.WEIGHT), ("earnings", Role.OUTCOME), ("hourly_wage", Role.OUTCOME),
        ("S000", Role.COUNT),
        ("CNS07", Role.COUNT),
    ],
)  # fmt: skip
def test_that_names_suggest_roles(name: str, role: Role) -> None:
    found = suggest(Facts(name=name, rows=1000, distinct=400, missing=0))
    assert found.role is role
    assert found.reason


@pytest.mark.parametrize("name", ["size", "size_class", "firmsize", "firm_size", "SizeClass", "employees", "headcount"])
def test_that_the_size_of_an_employer_is_never_suggested_as_an_attribute(name: str) -> None:
    found = suggest(Facts(name=name, rows=1000, distinct=5, missing=0))
    assert found.role is Role.IGNORE
    assert "how many workers" in found.reason


def test_that_a_key_with_few_values_is_an_attribute() -> None:
    assert suggest(Facts(name="firm", rows=10_000, distinct=3, missing=0)).role is Role.WORKPLACE


def test_that_an_amount_with_text_in_it_asks_for_the_words_for_missing() -> None:
    found = suggest(Facts(name="wage", rows=10_000, distinct=300, missing=0, numbers=False))
    assert found.role is Role.IGNORE
    assert "missing" in found.reason


def test_that_an_identifier_without_a_name_is_seen_by_its_content() -> None:
    assert suggest(Facts(name="zzz", rows=10_000, distinct=10_000, missing=0)).role is Role.WORKER
    assert suggest(Facts(name="zzz", rows=10_000, distinct=4, missing=0)).role is Role.PERSON


def test_that_only_the_finest_column_identifies_establishments() -> None:
    facts = [
        Facts(name="ein", rows=1000, distinct=100, missing=0),
        Facts(name="sein", rows=1000, distinct=300, missing=0),
    ]
    found = suggest_job_roles(facts)
    assert found["sein"].role is Role.ESTABLISHMENT
    assert found["ein"].role is Role.WORKPLACE
    assert "sein" in found["ein"].reason


def test_that_a_column_named_as_a_worker_beats_one_that_is_guessed() -> None:
    facts = [
        Facts(name="job_id", rows=1000, distinct=1000, missing=0),
        Facts(name="pik", rows=1000, distinct=700, missing=0),
        Facts(name="zzz", rows=1000, distinct=950, missing=0),
    ]
    found = suggest_job_roles(facts)
    assert found["pik"].role is Role.WORKER
    assert found["job_id"].role is found["zzz"].role is Role.IGNORE
    assert "pik" in found["job_id"].reason


@pytest.mark.parametrize("names", [("person_number", "pik"), ("zzz", "yyy")])
def test_that_the_coarsest_of_several_columns_identifies_workers(names: tuple[str, str]) -> None:
    fine, coarse = names
    facts = [
        Facts(name=fine, rows=1000, distinct=1000, missing=0),
        Facts(name=coarse, rows=1000, distinct=950, missing=0),
    ]
    for order in (facts, facts[::-1]):
        found = suggest_job_roles(order)
        assert found[coarse].role is Role.WORKER
        assert found[fine].role is Role.IGNORE


def test_that_a_column_with_a_value_for_every_row_never_identifies_establishments() -> None:
    alone = Facts(name="employer_match_id", rows=1000, distinct=1000, missing=0)
    assert suggest_job_roles([alone])["employer_match_id"].role is Role.IGNORE
    for distinct in (1000, 998):
        match = Facts(name="employer_match_id", rows=1000, distinct=distinct, missing=0)
        found = suggest_job_roles([match, Facts(name="employer_id", rows=1000, distinct=40, missing=0)])
        assert found["employer_id"].role is Role.ESTABLISHMENT
        assert found["employer_match_id"].role is Role.IGNORE
        assert "jobs" in found["employer_match_id"].reason


def test_that_amounts_among_missing_value_codes_identify_nobody(tmp_path: Path) -> None:
    """Decimal commas with a few points for "nothing": no amount is the worker, whose noise would protect nobody."""
    lines = (
        f"{n:06};{n // 20:04};" + (f"{1000 + n / 100:.2f}".replace(".", ",") if n % 90 else ".") for n in range(900)
    )
    found = looked(written(tmp_path, "Pers.-Nr.;Betr.-Nr.;Entgelt\n" + "\n".join(lines)))
    assert of(found, "Pers.-Nr.").suggested_role is Role.WORKER
    assert of(found, "Entgelt").suggested_role is Role.IGNORE
    assert "missing-value codes" in of(found, "Entgelt").reason
    assert found.missing_codes == (".",)


def test_that_names_are_cut_into_words() -> None:
    assert parts_of("w_geocode") == ("w", "geocode")
    assert parts_of("WorkerAge") == ("worker", "age")
    assert parts_of("RAC1P") == ("rac1p",)
