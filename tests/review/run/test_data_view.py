"""What a person sees of a data file before and after it is loaded: names, counts and roles, never a value."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tests.review.small_review import SMALL_PLAN, load, session_in
from workbench.core.progress import QUIET
from workbench.review.plan.plan import with_roles
from workbench.review.run.data_view import ColumnRow, Look, columns_of, companions_of, look_at, roles_offered
from workbench.review.session import ReviewSession


def seen(session: ReviewSession) -> Look:
    data = session.plan.data
    return look_at(session.base / data.path, data.options, QUIET)


def test_that_roles_are_suggested_until_a_person_confirms_others(tmp_path: Path) -> None:
    session = session_in(tmp_path, with_roles(SMALL_PLAN, {}))
    look = seen(session)
    assert columns_of(session, look) == look.columns
    assert all(column.reason for column in look.columns)
    confirmed = ReviewSession(with_roles(session.plan, {look.columns[0].name: "ignore"}), tmp_path)
    shown = columns_of(confirmed, look)
    assert [column.role for column in shown] == ["ignore", *(column.role for column in look.columns[1:])]


def test_that_without_a_look_the_plan_and_then_the_data_tell(tmp_path: Path) -> None:
    session = session_in(tmp_path)
    named = tuple(ColumnRow(name=name, role=role) for name, role in SMALL_PLAN.data.roles.items())
    assert columns_of(session, None) == named
    load(session)
    loaded = columns_of(session, None)
    assert [(column.name, column.role) for column in loaded] == [(column.name, column.role) for column in named]
    assert all(column.missing is not None for column in loaded if column.role != "ignore")


def test_that_a_look_at_another_file_does_not_hide_the_plan(tmp_path: Path) -> None:
    session = session_in(tmp_path)
    other = replace(seen(session), columns=(ColumnRow(name="something else", role="ignore"),))
    assert [column.name for column in columns_of(session, other)] == list(SMALL_PLAN.data.roles)


def test_that_every_role_of_the_plan_is_offered_with_its_meaning(tmp_path: Path) -> None:
    offered = dict(roles_offered(session_in(tmp_path)))
    assert set(SMALL_PLAN.data.roles.values()) <= set(offered)
    assert all(words.endswith(".") for words in offered.values())


def test_that_companions_are_those_the_product_takes(tmp_path: Path) -> None:
    from workbench.review.plan.offers import new_plan

    register = companions_of(session_in(tmp_path))
    assert [(row.name, row.required, row.path) for row in register] == [("register", False, "")]
    plan = new_plan("commuting_flows")
    named = replace(plan, data=replace(plan.data, companions={"geography": "places.csv"}))
    rows = {row.name: row for row in companions_of(ReviewSession(named, tmp_path))}
    assert rows["geography"].path == "places.csv"
    assert all(row.title and row.help for row in rows.values())
