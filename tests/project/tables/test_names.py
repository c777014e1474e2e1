"""Nobody becomes a second person by spelling their name in another way."""

from __future__ import annotations

import pytest

from tests.project.samples import ready
from tests.project.tables.test_policies import WHY, profile
from workbench.core.errors import Refused, UserProblem
from workbench.core.people import could_be_one, mixed_alphabets, same_person
from workbench.project.store import Project

SPELLED = ("paula", "Paula.", "P aula", "Pаula", "Páula", "paula@agency.gov", "PAULA ", "Pa-ula")


@pytest.mark.parametrize("name", SPELLED)
def test_that_the_preparer_does_not_review_under_another_spelling(project: Project, name: str) -> None:
    release_id = ready(project)
    with pytest.raises(UserProblem, match=r"cannot review|two alphabets"):
        project.decide(release_id, decision="approve", reviewer=name)


def test_that_two_spellings_are_one_voice(project: Project) -> None:
    project.set_policy(profile(review={"reviewers": 2}), actor="Dana", reason=WHY)
    release_id = ready(project)
    project.vote(release_id, vote="approve", reviewer="Carl.")
    with pytest.raises(Refused, match="needs 2 approving reviewers"):
        project.decide(release_id, decision="approve", reviewer="Carl")


def test_that_a_spelling_gains_no_right_of_the_name_it_looks_like(project: Project) -> None:
    assert could_be_one("Ánn", "Ann")
    assert not same_person("Ánn", "Ann")
    project.set_policy(profile(review={"exceptions_by": ("Ann",)}), actor="Dana", reason=WHY)
    with pytest.raises(Refused, match="does not name Ánn"):
        project.grant_exception(ready(project), actor="Ánn", reason="x")


@pytest.mark.parametrize(("name", "mixed"), [("Аnn", True), ("Анна", False), ("Zoë Βeta", True), ("Zoë Βήτα", False)])
def test_that_a_word_in_two_alphabets_is_seen(name: str, mixed: bool) -> None:
    assert mixed_alphabets(name) is mixed
