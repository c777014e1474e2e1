"""A first line that may be data is asked about, and what stands in it is never quoted. Ordinary files do not ask."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.microdata.places import loaded, texts, written
from workbench.core.errors import UserProblem
from workbench.microdata.options import Header
from workbench.microdata.roles import Role

DOUBTFUL = {
    "only numbers": "1,2\n3,4\n",
    "a value that comes again in its column": "W001,ACME,North,f\nW002,ACME,North,m\nW003,Bolt,South,f\n",
    "a number above numbers": "W001,ACME,31.5\nW002,Bolt,30\nW003,Cord,32\n",
    "one year above years": "W001,ACME,1980\nW002,Bolt,1979\n",
}
ORDINARY = {
    "names": "worker,estab,sex\nW1,E1,f\nW2,E1,m\n",
    "years as names of a wide table": "region,2019,2020,2021\nNorth,100,120,90\nSouth,80,70,75\n",
    "a numbered column of text": "worker,estab,1\nW1,E1,yes\nW2,E1,no\n",
    "a name that is a value of another column": "worker,sex,f\nW1,f,no\nW2,m,no\n",
    "one row": "worker,sex\nW1,f\n",
}


@pytest.mark.parametrize("what", DOUBTFUL)
def test_that_a_first_line_that_may_be_data_is_asked_about(tmp_path: Path, what: str) -> None:
    path = written(tmp_path, DOUBTFUL[what])
    with pytest.raises(UserProblem, match="Set the option header to present or absent") as caught:
        loaded(path)
    assert not any(cell in str(caught.value) for cell in ("W001", "ACME", "North", "31.5", "1980"))
    assert loaded(path, header=Header.ABSENT).rows == loaded(path, header=Header.PRESENT).rows + 1


@pytest.mark.parametrize("what", ORDINARY)
def test_that_an_ordinary_first_line_is_not_asked_about(tmp_path: Path, what: str) -> None:
    content = ORDINARY[what]
    assert tuple(loaded(written(tmp_path, content)).columns) == tuple(content.splitlines()[0].split(","))


def test_that_a_guessed_line_of_names_is_not_shown_where_a_column_is_missing(tmp_path: Path) -> None:
    path = written(tmp_path, "W001,Secret & Sons,f\nW002,Bolt,m\n")
    with pytest.raises(UserProblem) as caught:
        loaded(path, roles={"establishment": Role.ESTABLISHMENT})
    assert "Secret" not in str(caught.value) and "W001" not in str(caught.value)
    assert "set the option header to absent" in str(caught.value)


def test_that_names_that_were_vouched_for_are_listed(tmp_path: Path) -> None:
    path = written(tmp_path, "worker,firm\nW001,Bolt\n")
    with pytest.raises(UserProblem, match="Columns: worker, firm"):
        loaded(path, roles={"zz": Role.ESTABLISHMENT}, header=Header.PRESENT)


def test_that_a_near_name_is_still_offered(tmp_path: Path) -> None:
    with pytest.raises(UserProblem, match="Did you mean “establishment”"):
        loaded(written(tmp_path, "establishment,k\nE1,1\n"), roles={"establishmet": Role.ESTABLISHMENT})


def test_that_two_equal_fields_of_a_guessed_line_of_names_are_not_quoted(tmp_path: Path) -> None:
    with pytest.raises(UserProblem) as caught:
        loaded(written(tmp_path, "W001,Secret,Secret\nW002,a,b\n"))
    assert "Columns 2 and 3 have the same name" in str(caught.value) and "Secret" not in str(caught.value)


def test_that_rows_without_names_get_numbered_columns(tmp_path: Path) -> None:
    data = loaded(written(tmp_path, "W1,E1\nW2,E1\n"), header=Header.ABSENT)
    assert texts(data, "column_2") == ["E1", "E1"]
