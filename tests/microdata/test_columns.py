"""Settings that name columns are held to the roles they declare, wherever in a params class they stand."""

from __future__ import annotations

import pickle
from dataclasses import dataclass
from typing import Any

import numpy as np

from workbench.core.confidential import Confidential
from workbench.core.params import Rows, group, param, rows
from workbench.core.plain import canonical
from workbench.microdata.columns import named_columns, problems_of
from workbench.microdata.inputs import Inputs
from workbench.microdata.roles import ROLES, Role, role_called
from workbench.microdata.suggest import Facts, NameWord, by_names, only_offered
from workbench.microdata.table import CodedColumn, Fingerprint, Microdata

OWN = Role("household", "Identifies the household.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    weighted_by: str = param("", "Weight", "Or none.", roles=(Role.WEIGHT,))


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    block: str = param("block", "Block", "Where.", roles=(Role.GEOGRAPHY,))


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    by: tuple[str, ...] = param((), "By", "Groups.", roles=(Role.GROUP, OWN))
    counts: str = param("", "Counts", "How many.", roles=(Role.COUNT,))
    places: Places = group(Places, "Places", "Where.")
    questions: Rows[Question] = rows(Question, "Questions", "Each.", by="column", roles=(Role.ANSWER,))
    title: str = param("x", "Title", "No column.")


def inputs(**roles: Role) -> Inputs:
    columns: dict[str, Any] = {
        name: CodedColumn(name=name, codes=Confidential(np.zeros(2, np.int8)), values=("a",)) for name in roles
    }
    prints = Fingerprint(file="f", content="c")
    return Inputs(microdata=Microdata(name="data", rows=2, columns=columns, fingerprint=prints), roles=roles)


def test_that_every_named_column_is_found_in_groups_and_tables_too() -> None:
    value = Settings(by=("sex", "hh"), counts="n", questions=Rows({"q1": Question(weighted_by="w"), "q2": Question()}))
    assert [(".".join(path), name) for path, _, name in named_columns(value)] == [
        ("by", "sex"), ("by", "hh"), ("counts", "n"), ("places.block", "block"), ("questions.q1", "q1"),
        ("questions.q1.weighted_by", "w"), ("questions.q2", "q2"),
    ]  # fmt: skip


def test_that_good_columns_are_no_problem() -> None:
    data = inputs(sex=Role.GROUP, hh=OWN, block=Role.GEOGRAPHY, q1=Role.ANSWER, w=Role.WEIGHT, n=Role.COUNT)
    value = Settings(by=("sex", "hh"), counts="n", questions=Rows({"q1": Question(weighted_by="w")}))
    assert problems_of(data, value) == ()


def test_that_a_wrong_name_or_role_is_told_at_its_place_all_at_once() -> None:
    data = inputs(sexx=Role.GROUP, block=Role.OUTCOME, q1=Role.WEIGHT, wt=Role.WEIGHT)
    value = Settings(by=("sex",), counts="wt", questions=Rows({"q1": Question(weighted_by="q9")}))
    refused = {Role.WEIGHT: ("a respondent is no count", "Choose a count")}
    found = problems_of(data, value, refused=refused)
    assert [problem.where for problem in found] == [
        "by", "counts", "places.block", "questions.q1", "questions.q1.weighted_by"
    ]  # fmt: skip
    assert (found[0].what, found[0].do) == ("There is no column “sex”", "Did you mean “sexx”?")
    assert (found[1].what, found[1].do) == ("“wt” has the role weight: a respondent is no count", "Choose a count")
    assert found[2].do == "Give it the role geography, or choose another column"
    assert found[3].do == "Give it the role answer, or choose another column"  # no field of numbers


def test_that_a_role_is_its_name_wherever_it_is_stored() -> None:
    assert canonical({"a": Role.PERSON}) == b'{"a":"worker attribute"}'
    again = pickle.loads(pickle.dumps(OWN))
    assert (again, again.help, again.numbers) == (OWN, OWN.help, False)
    assert role_called("household", (OWN,)) is OWN
    assert role_called("household") is None
    assert all(role_called(str(role)) is role for role in ROLES)


def test_that_every_role_has_one_line_of_help_and_a_name_of_its_own() -> None:
    assert len(set(ROLES)) == len(ROLES)
    assert all(role.help.endswith(".") and role.help.count(".") == 1 for role in ROLES)
    assert {role for role in ROLES if role.numbers} == {
        Role.COUNT, Role.WEIGHT, Role.EARNINGS, Role.PREDICTOR, Role.OUTCOME
    }  # fmt: skip


def test_that_a_product_suggests_by_its_own_words_and_only_what_it_offers() -> None:
    words = (NameWord(Role.WEIGHT, ("weight",), ("wt",), "a weight"), NameWord(OWN, ("house",), ("hh",), "a household"))
    facts = [
        Facts(name="HouseholdID", rows=10, distinct=9, missing=0),
        Facts(name="wt", rows=10, distinct=9, missing=0, numbers=False),
        Facts(name="weight", rows=10, distinct=9, missing=0),
        Facts(name="zzz", rows=10, distinct=9, missing=0),
        Facts(name="house", rows=10, distinct=1, missing=0),
    ]
    found = by_names(facts, words)
    assert [found[each.name].role for each in facts] == [OWN, Role.IGNORE, Role.WEIGHT, Role.IGNORE, Role.IGNORE]
    assert only_offered(found, (OWN,))["weight"].role == Role.IGNORE
    assert "takes no weight" in only_offered(found, (OWN,))["weight"].reason
