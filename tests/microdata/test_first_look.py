"""What a person is shown of a file before saying what its columns mean."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from tests.ui.journeys.agency_file import write_agency_file, write_file_without_names
from workbench.core.errors import UserProblem
from workbench.core.progress import QUIET
from workbench.microdata.dependence import constant_within
from workbench.microdata.first_rows import MOST_ROWS, first_rows
from workbench.microdata.inspect import inspect
from workbench.microdata.job_suggestions import suggest_job_roles
from workbench.microdata.missing_codes import proposed
from workbench.microdata.options import ReadOptions
from workbench.microdata.roles import Role
from workbench.microdata.suggest import Facts


def test_that_the_first_rows_are_shown_as_they_are_read(tmp_path: Path) -> None:
    seen = first_rows(write_agency_file(tmp_path / "jobs.csv", 400), ReadOptions(), QUIET)
    assert seen.row_count == MOST_ROWS
    assert seen.columns[0] == "Betr.-Nr."
    assert all(len(code) == 5 for code in seen.examples("Gemeinde"))
    assert len(seen.examples("Pers.-Nr.")) == 3
    assert "01001" not in repr(seen)


def test_that_a_doubtful_first_line_is_shown_as_a_row(tmp_path: Path) -> None:
    path = write_file_without_names(tmp_path / "numbers.csv")
    assert first_rows(path, ReadOptions(), QUIET).rows(0, 1) == [["0", "0", "0"]]
    with pytest.raises(UserProblem) as caught:
        inspect(path, ReadOptions(), QUIET, suggest=suggest_job_roles)
    place = caught.value.problems[0].place
    assert place is not None
    assert place.field == "header"


def test_that_roles_come_from_content_where_names_do_not_tell(tmp_path: Path) -> None:
    path = write_agency_file(tmp_path / "jobs.csv")
    roles = inspect(path, ReadOptions(), QUIET, suggest=suggest_job_roles).suggested_roles
    assert roles["Betr.-Nr."] == Role.ESTABLISHMENT
    assert [roles[name] for name in ("Gemeinde", "WZ 2008", "Rechtsform")] == [Role.WORKPLACE] * 3
    assert (roles["Pers.-Nr."], roles["Geschl."]) == (Role.WORKER, Role.PERSON)


def test_that_a_column_of_many_places_is_a_trait_of_the_workplaces_that_share_them() -> None:
    """799 municipalities of 11,561 establishments are no identifier; as many enterprises as establishments may be."""
    rows, units = 200_000, 11_561
    facts = [
        Facts(name="Betr.-Nr.", rows=rows, distinct=units, missing=0),
        Facts(name="WZ 2008", rows=rows, distinct=59, missing=0, within=("Betr.-Nr.",)),
        Facts(name="AGS", rows=rows, distinct=799, missing=0, within=("Betr.-Nr.",)),
        Facts(name="Untern.-Nr.", rows=rows, distinct=9_000, missing=0, within=("Betr.-Nr.",)),
    ]
    found = suggest_job_roles(facts)
    assert [found[name].role for name in ("AGS", "Untern.-Nr.")] == [Role.WORKPLACE, Role.IGNORE]
    assert "never changes" in found["AGS"].reason


def test_that_codes_for_nothing_are_proposed_once(tmp_path: Path) -> None:
    path = write_agency_file(tmp_path / "jobs.csv")
    look = inspect(path, ReadOptions(), QUIET, suggest=suggest_job_roles)
    assert look.missing_codes == (".", "-9")
    again = inspect(path, ReadOptions(missing=(".",)), QUIET, suggest=suggest_job_roles)
    assert again.missing_codes == ("-9",)


@pytest.mark.parametrize(
    ("texts", "codes"),
    [
        (["-3", "-2", "-1", "0", "1", "2"], ()),  # numbers below zero are numbers
        (["-9", "1", "2"], ()),  # too few values to tell
        (["-9", "1", "2", "3", "4"], ("-9",)),
        (["NA", " . ", "x"], (".", "NA")),
        (["n", "y"], ()),
    ],
)
def test_which_texts_may_stand_for_nothing(texts: list[str], codes: tuple[str, ...]) -> None:
    assert proposed([pa.array(texts)], ()) == codes


def test_that_a_column_follows_from_the_units_it_describes() -> None:
    firm = np.repeat(np.arange(30, dtype=np.int32), 4)
    place = firm % 3
    sex = np.tile(np.array([0, 1], np.int32), 60)
    row = np.arange(120, dtype=np.int32)
    gaps = place.copy()
    gaps[::7] = -1
    found = constant_within({"firm": firm, "place": place, "sex": sex, "row": row, "gaps": gaps})
    assert found["place"] == ("firm",)
    assert "firm" in found["gaps"], "a gap is no other value"
    assert found["sex"] == ()
    assert found["row"] == (), "a column with a value for each row tells everything and means nothing"
