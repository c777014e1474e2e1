"""How a text file is laid out is found out, said in words, and asked where it is truly ambiguous."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.microdata.places import loaded, texts, written
from workbench.core.errors import UserProblem
from workbench.core.params import fields_of, parse, to_plain
from workbench.microdata.options import DecimalMark, Delimiter, Header, ReadOptions, Thousands
from workbench.microdata.roles import Role
from workbench.microdata.sniff import sniff
from workbench.microdata.table import NumericColumn


@pytest.mark.parametrize(("mark", "name"), [(",", "comma"), (";", "semicolon"), ("\t", "tab"), ("|", "bar")])
def test_that_the_delimiter_is_found_out(tmp_path: Path, mark: str, name: str) -> None:
    path = written(tmp_path, "a,b,c\n01,2,3\n02,4,5\n".replace(",", mark), "x.txt")
    assert f"fields separated by {name}" in sniff(path)
    assert texts(loaded(path), "a") == ["01", "02"]


def test_that_a_decimal_comma_does_not_pass_for_a_delimiter(tmp_path: Path) -> None:
    path = written(tmp_path, "a;b\n1,5;2\n0,25;3\n")
    assert "decimal comma" in " ".join(sniff(path))
    assert numbers(path, "a") == [1.5, 0.25]


def test_that_two_possible_delimiters_are_asked_about(tmp_path: Path) -> None:
    path = written(tmp_path, "a,b;c,d\n1,2;3,4\n")
    with pytest.raises(UserProblem, match="delimiter"):
        sniff(path)
    assert list(loaded(path, delimiter=Delimiter.SEMICOLON).columns) == ["a,b", "c,d"]


def test_that_a_single_column_is_a_table_too(tmp_path: Path) -> None:
    assert texts(loaded(written(tmp_path, "estab\n01\n02\n")), "estab") == ["01", "02"]


@pytest.mark.parametrize(
    ("encoding", "words"),
    [
        ("utf-8", "UTF-8"), ("utf-8-sig", "UTF-8 with a byte-order mark"), ("utf-16", "UTF-16 with a byte-order mark"),
        ("utf-16-le", "UTF-16"), ("utf-16-be", "UTF-16"), ("cp1252", "Windows-1252"),
    ],
)  # fmt: skip
def test_that_the_encoding_is_found_out(tmp_path: Path, encoding: str, words: str) -> None:
    path = written(tmp_path, "place,name\n01,Orléans\n02,Genève\n".encode(encoding))
    assert words in " ".join(sniff(path))
    data = loaded(path)
    assert list(data.columns) == ["place", "name"]
    assert texts(data, "name") == ["Orléans", "Genève"]


def test_that_one_late_accent_is_enough_to_see_that_it_is_not_utf8(tmp_path: Path) -> None:
    content = b"a,b\n" + b"1,2\n" * 500_000 + "é,2\n".encode("cp1252")
    path = written(tmp_path, content)
    assert "Windows-1252" in " ".join(sniff(path))
    assert "é" in loaded(path).coded("a").values


def test_that_bytes_that_windows_does_not_use_are_read_as_latin_1(tmp_path: Path) -> None:
    assert "Latin-1" in " ".join(sniff(written(tmp_path, b"a,b\n\x81\xe9,2\n")))


def test_that_a_wrong_encoding_says_how_to_set_it(tmp_path: Path) -> None:
    path = written(tmp_path, "a,b\né,2\n".encode("cp1252"))
    with pytest.raises(UserProblem, match="option encoding"):
        loaded(path, encoding="utf-8")


def test_that_quoted_fields_may_hold_delimiters_quotes_and_line_ends(tmp_path: Path) -> None:
    path = written(tmp_path, 'a,b\n"x, ""y""","two\nlines"\nz,w\n')
    data = loaded(path)
    assert "some fields are in quotation marks" in sniff(path)
    assert texts(data, "a") == ['x, "y"', "z"]
    assert texts(data, "b") == ["two\nlines", "w"]


def test_that_windows_line_ends_are_no_part_of_the_data(tmp_path: Path) -> None:
    assert texts(loaded(written(tmp_path, "a,b\r\n1,x\r\n2,y\r\n")), "b") == ["x", "y"]


def test_that_a_first_line_of_numbers_is_asked_about(tmp_path: Path) -> None:
    path = written(tmp_path, "1,2\n3,4\n")
    with pytest.raises(UserProblem, match="header"):
        sniff(path)
    data = loaded(path, header=Header.ABSENT)
    assert texts(data, "column_1") == ["1", "3"]
    assert texts(loaded(path, header=Header.PRESENT), "2") == ["4"]


def numbers(path: Path, column: str, **options: object) -> list[float]:
    found = loaded(path, roles={column: Role.OUTCOME}, **options).columns[column]
    assert isinstance(found, NumericColumn)
    return [float(number) for number in found.numbers.reveal()]


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["1,234.5", "12"], [1234.5, 12]), (["1,234,567", "1"], [1234567, 1]), (["1.234,5", "1.234"], [1234.5, 1234]),
        (["0,5", "1,234"], [0.5, 1.234]), (["1 234", "12,5"], [1234, 12.5]), (["1'234.5", "2"], [1234.5, 2]),
        (["1.234", "2.5"], [1.234, 2.5]), (["1\u202f234,5", "2"], [1234.5, 2]), (["+1.5e3", "-.5"], [1500, -0.5]),
        (["1.234.567", "12"], [1234567, 12]),
    ],
)  # fmt: skip
def test_that_number_notation_is_found_out(tmp_path: Path, cells: list[str], expected: list[float]) -> None:
    path = written(tmp_path, "k\tn\n" + "".join(f"x\t{cell}\n" for cell in cells), "x.tsv")
    assert numbers(path, "n") == expected


def test_that_a_lone_group_is_asked_about(tmp_path: Path) -> None:
    path = written(tmp_path, "k;n\nx;1,234\ny;2,345\n")
    with pytest.raises(UserProblem, match=r"decimal .* or thousands"):
        numbers(path, "n")
    assert numbers(path, "n", decimal=DecimalMark.COMMA) == [1.234, 2.345]
    assert numbers(path, "n", thousands=Thousands.COMMA) == [1234, 2345]


def test_that_a_lone_group_in_quotes_between_commas_is_a_thousand(tmp_path: Path) -> None:
    assert numbers(written(tmp_path, 'k,n\nx,"1,234"\ny,2\n'), "n") == [1234, 2]


def test_that_the_lone_group_only_matters_where_numbers_are_wanted(tmp_path: Path) -> None:
    assert texts(loaded(written(tmp_path, "k;n\nx;1,234\n")), "n") == ["1,234"]


def test_that_words_for_missing_count_as_empty(tmp_path: Path) -> None:
    path = written(tmp_path, "k,n\nN,1\nx,NA\n")
    assert texts(loaded(path, missing=("N",)), "k") == [None, "x"]
    assert texts(loaded(path), "k") == ["N", "x"]
    np.testing.assert_array_equal(numbers(path, "n"), [1, np.nan])


def test_that_options_can_be_written_to_a_plan_and_read_back() -> None:
    options = ReadOptions(delimiter=Delimiter.TAB, encoding="cp1252", missing=("N", "NA"), sheet="Jobs")
    assert parse(ReadOptions, to_plain(options)) == options
    assert all(field.help for field in fields_of(ReadOptions))


@pytest.mark.parametrize("encoding", ["klingon", "utf-99"])
def test_that_an_unknown_encoding_is_refused(encoding: str) -> None:
    with pytest.raises(UserProblem, match="not known"):
        parse(ReadOptions, {"encoding": encoding})


def test_that_several_sheets_are_asked_about(tmp_path: Path) -> None:
    import pandas as pd

    with pd.ExcelWriter(tmp_path / "x.xlsx") as book:
        pd.DataFrame({"a": ["01"]}).to_excel(book, sheet_name="One", index=False)
        pd.DataFrame({"b": ["02"]}).to_excel(book, sheet_name="Two", index=False)
    with pytest.raises(UserProblem, match="option sheet"):
        loaded(tmp_path / "x.xlsx")
    assert texts(loaded(tmp_path / "x.xlsx", sheet="Two"), "b") == ["02"]
    with pytest.raises(UserProblem, match="no sheet"):
        loaded(tmp_path / "x.xlsx", sheet="Three")
