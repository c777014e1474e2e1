"""A problem of a plan knows its section and its setting, whatever words it is told in."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import tomli_w

from tests.review.small_review import SMALL_PLAN, load, session_in
from workbench.core.errors import Place, Problem, UserProblem, in_section, placed
from workbench.core.params import fields_of
from workbench.core.progress import QUIET
from workbench.core.specs import Spec
from workbench.products.registry import PRODUCTS
from workbench.review.decide.stages import Stage, stage_of
from workbench.review.plan.plan import Choice
from workbench.review.plan.plan_text import from_text, to_text
from workbench.review.run.opening import load_data
from workbench.review.run.prepare import prepare

SECTIONS = [name for name, section in SMALL_PLAN.plain().items() if isinstance(section, dict)]


def places(raw: dict[str, Any]) -> list[Place | None]:
    with pytest.raises(UserProblem) as caught:
        from_text(tomli_w.dumps(raw))
    return [problem.place for problem in caught.value.problems]


@pytest.mark.parametrize("section", SECTIONS)
def test_that_a_word_nobody_knows_is_placed_in_its_section(section: str) -> None:
    raw = tomllib.loads(to_text(SMALL_PLAN), parse_float=Decimal)
    raw[section]["no_such_setting"] = 1
    (place,) = places(raw)
    assert place is not None
    assert place.section == section
    assert stage_of(place) in Stage


def settings() -> list[tuple[str, Spec, str, object]]:
    """Every bounded setting of every product and mechanism, with a value beyond its bounds."""
    specs = [("product", product) for product in PRODUCTS]
    specs += [("mechanism", mechanism) for product in PRODUCTS for mechanism in product.mechanisms]
    return [
        (section, spec, field.name, (Decimal if field.default is None else type(field.default))(field.maximum) + 1)
        for section, spec in specs
        for field in fields_of(spec.params)
        if field.maximum is not None and not isinstance(field.default, bool)
    ]


@pytest.mark.parametrize(
    ("section", "spec", "name", "beyond"), settings(), ids=lambda part: str(getattr(part, "id", part))
)
def test_that_a_setting_beyond_its_bounds_is_placed(
    section: str, spec: Spec, name: str, beyond: object, tmp_path: Path
) -> None:
    params = replace(spec.params(), **{name: beyond})
    plan = replace(SMALL_PLAN, **{section: Choice.of(spec, params)})  # type: ignore[arg-type]
    session = session_in(tmp_path, plan)
    found = session.release_problems() if section == "product" else session.mechanism_problems()
    assert Place(section, name) in [problem.place for problem in found]


def test_that_what_the_data_forbid_is_placed_too(tmp_path: Path) -> None:
    """A product's own words name a setting; only whoever asked knows of which section it is."""
    session = session_in(tmp_path)
    load(session)
    assert session.loaded is not None
    wrong = replace(session.plan.product, params=replace(session.plan.product.params, workplace=("no such column",)))
    plan = replace(session.plan, product=wrong)
    with pytest.raises(UserProblem) as caught:
        prepare(session.loaded, plan, QUIET)
    assert {problem.place for problem in caught.value.problems} == {Place("product", "workplace")}
    session.edit("attributes", product=wrong)
    assert [problem.place for problem in session.release_problems()] == [Place("product", "workplace")]


def test_that_a_file_that_is_gone_is_placed_with_the_data(tmp_path: Path) -> None:
    session = session_in(tmp_path)
    gone = replace(session.plan, data=replace(session.plan.data, path="gone.csv"))
    with pytest.raises(UserProblem) as caught:
        load_data(gone, base=tmp_path, context=QUIET)
    assert [problem.place for problem in caught.value.problems] == [Place("data", file="gone.csv")]


def test_that_a_place_that_is_known_stays_and_a_closer_look_keeps_it() -> None:
    near = Problem("Wrong", "epsilon", place=Place(field="epsilon"))
    (found,) = placed("mechanism", [near])
    assert found.place == Place("mechanism", "epsilon")
    assert placed("product", [found], fields=("epsilon",))[0].place == found.place
    assert found.at("plan.toml").place == found.place
    with pytest.raises(UserProblem) as caught, in_section("data"):
        raise UserProblem("Wrong", "somewhere")
    assert caught.value.problems[0].place == Place("data")


def test_that_words_alone_lead_nowhere() -> None:
    assert stage_of(Problem("Something", "[mechanism], epsilon").place) is None
    assert stage_of(Place("no such section")) is None
