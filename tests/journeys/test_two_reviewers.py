"""A whole review by two people without a window: changes asked for, a stale vote, an overspend, an exception."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.cli.said import Said, dwb
from tests.cli.small import FORMAL_PLAN, write_small

POLICY = """[policy]
name = "office"
version = 1
summary = "Two blinded reviewers."

[epsilon]
edge = 2

[evidence]
required_checks = ["exact-loss"]
context_missing = "refuse"

[review]
reviewers = 2
blinded = true
exceptions_by = ["Head of unit"]
"""


@dataclass(frozen=True)
class Desk:
    """A folder with a project, and the commands people type there."""

    folder: Path

    @property
    def project(self) -> Path:
        return self.folder / "review.dwb"

    def run(self, epsilon: str, *more: str) -> Said:
        plan = FORMAL_PLAN.replace("epsilon = 1.5", f"epsilon = {epsilon}")
        (self.folder / "plan.toml").write_text(plan, encoding="utf-8")
        said = dwb("run", self.folder / "plan.toml", "--project", self.project, "--preparer", "Ana", "--json", *more)
        assert said.code == 0, said.err
        return said

    def vote(self, release: str, who: str, vote: str, comment: str = "") -> Said:
        words = ("--vote", vote, "--reviewer", who, "--comment", comment, "--json")
        return dwb("vote", self.project, release, *words)

    def look(self, release: str, who: str) -> Said:
        return dwb("review", self.project, release, "--reviewer", who, "--json")

    def decide(self, release: str, who: str, decision: str, comment: str = "") -> Said:
        words = (f"--{decision}", "--reviewer", who, "--comment", comment, "--json")
        return dwb("decide", self.project, release, *words)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    write_small(tmp_path)
    (tmp_path / "office.toml").write_text(POLICY, encoding="utf-8")
    made = Desk(tmp_path)
    words = ("set", tmp_path / "office.toml", "--actor", "Director", "--reason", "Decided in June", "--json")
    assert dwb("policy", made.project, *words).json["name"] == "office"
    return made


def test_that_two_reviewers_come_to_a_decision_step_by_step(desk: Desk) -> None:
    release = desk.run("1.5").json["release_id"]
    _changes_are_asked_for(desk, release)
    _a_changed_plan_makes_votes_stale(desk, release)
    _both_approve(desk, release)
    second = desk.run("0.75").json["release_id"]
    _an_overspend_is_refused(desk, second)
    _an_exception_is_granted(desk, second)
    _the_ledger_is_right(desk, release, second)
    verified = dwb("verify", desk.project, "--json")
    assert (verified.code, verified.json["ok"]) == (0, True), verified.out


def _changes_are_asked_for(desk: Desk, release: str) -> None:
    assert desk.vote(release, "ana", "approve").code == 1, "whoever prepared it does not vote"
    assert "needs a comment" in desk.vote(release, "Ben", "changes").err
    assert desk.vote(release, "Ben", "changes", "secret thoughts: a smaller ε").json["voted"] == ["Ben"]
    seen = desk.look(release, "Cleo")
    assert "secret thoughts" not in seen.out
    assert [(vote["vote"], vote["hidden"]) for vote in seen.json["votes"]] == [(None, True)]
    assert "secret thoughts" in desk.look(release, "Ben").out, "one's own vote is no secret"
    early = desk.decide(release, "Ben", "request-changes", "a smaller ε")
    assert early.code == 1
    assert "1 of 2 reviewers have voted" in early.err
    assert desk.vote(release, "Cleo", "approve").code == 0
    assert "secret thoughts" in desk.look(release, "Cleo").out
    assert "secret thoughts" not in desk.look(release, "Ana").out, "the preparer waits for the decision"
    assert "needs 2 approving reviewers" in desk.decide(release, "Cleo", "approve").err
    assert desk.decide(release, "Ben", "request-changes", "a smaller ε").json["state"] == "changes requested"
    assert "secret thoughts" in desk.look(release, "Ana").out


def _a_changed_plan_makes_votes_stale(desk: Desk, release: str) -> None:
    desk.run("1.25", "--release", release)
    seen = desk.look(release, "Cleo").json
    assert [vote["stale"] for vote in seen["votes"]] == [True, True]
    assert seen["voting"]["voted"] == []
    assert "0 of 2 reviewers have voted" in desk.decide(release, "Cleo", "approve").err


def _both_approve(desk: Desk, release: str) -> None:
    assert desk.vote(release, "Ben", "approve").code == 0
    assert desk.vote(release, "Cleo", "approve").code == 0
    outsider = desk.decide(release, "Dora", "approve")
    assert "has not voted" in outsider.err
    seen = desk.look(release, "Ben").json
    assert seen["what_if"]["sentence"] == "This would leave ε 0.75 of 2."
    assert desk.decide(release, "Ben", "approve", "as asked").json["state"] == "approved"


def _an_overspend_is_refused(desk: Desk, release: str) -> None:
    raised = desk.run("1", "--release", release)
    assert raised.json["release_id"] == release
    for who in ("Ben", "Cleo"):
        assert desk.vote(release, who, "approve").code == 0
    refused = desk.decide(release, "Ben", "approve", "we need it")
    assert refused.code == 1
    assert "exceed the cap of 2 by 0.25" in refused.err
    assert "Head of unit" in refused.err


def _an_exception_is_granted(desk: Desk, release: str) -> None:
    ask = ("exception", desk.project, release, "--reason", "Asked for by parliament", "--json", "--by")
    assert dwb(*ask, "Ben").code == 1, "the policy does not name Ben"
    assert dwb(*ask, "Ana").code == 1
    granted = dwb(*ask, "head of UNIT")
    assert granted.json["up_to_epsilon"] == 2.25, granted.err
    assert desk.decide(release, "Cleo", "approve", "under the exception").json["state"] == "approved"


def _the_ledger_is_right(desk: Desk, first: str, second: str) -> None:
    ledger = dwb("ledger", desk.project, "--json").json
    assert [entry["release_id"] for entry in ledger["entries"]] == [first, second]
    assert [entry["by_exception"] for entry in ledger["entries"]] == [False, True]
    assert (ledger["total_epsilon"], ledger["total_delta"], ledger["remaining_epsilon"]) == (2.25, 0, -0.25)
    assert "added to the 1.25 spent before: 2.25" in ledger["entries"][1]["workings"]
    assert "exception granted by head of UNIT" in ledger["entries"][1]["workings"]
    words = dwb("ledger", desk.project).out
    assert "2 releases under edge differential privacy: ε = 2.25 in sequence." in words


def test_that_the_same_data_under_another_name_share_the_budget_and_the_user_is_told(desk: Desk) -> None:
    release = desk.run("1.5").json["release_id"]
    for who in ("Ben", "Cleo"):
        assert desk.vote(release, who, "approve").code == 0
    assert desk.decide(release, "Ben", "approve").code == 0
    (desk.folder / "renamed.csv").write_bytes((desk.folder / "jobs.csv").read_bytes())
    plan = FORMAL_PLAN.replace('path = "jobs.csv"', 'path = "renamed.csv"')
    (desk.folder / "other.toml").write_text(plan, encoding="utf-8")
    again = dwb("run", desk.folder / "other.toml", "--project", desk.project, "--preparer", "Ana", "--json")
    seen = desk.look(again.json["release_id"], "Ben").json
    budget = next(gate for gate in seen["gates"] if gate["id"] == "gate.budget")
    assert budget["status"] == "fail"
    assert "exceed the cap of 2 by 1" in budget["sentence"]
    assert "used before as “jobs.csv”, “renamed.csv”" in budget["sentence"]
    (book,) = dwb("ledger", desk.project, "--json").json["datasets"]
    assert book["other_names"] == ["renamed.csv"]
    assert "renamed.csv: one data set, one budget" in dwb("ledger", desk.project).out


def test_that_missing_context_is_refused_before_review_where_the_policy_says_so(desk: Desk) -> None:
    (desk.folder / "plan.toml").write_text(FORMAL_PLAN.replace('purpose = "A yearly table."', ""), encoding="utf-8")
    ran = dwb("run", desk.folder / "plan.toml", "--project", desk.project, "--preparer", "Ana", "--json")
    release = ran.json["release_id"]
    seen = desk.look(release, "Ben")
    assert seen.code == 1
    assert {gate["id"] for gate in seen.json["gates"] if gate["status"] == "fail"} == {"gate.context"}
    for who in ("Ben", "Cleo"):
        assert desk.vote(release, who, "approve").code == 0
    refused = desk.decide(release, "Ben", "approve", "never mind")
    assert refused.code == 1
    assert "Still empty: purpose" in refused.err


def test_that_policies_are_versioned_and_shown(desk: Desk) -> None:
    shown = dwb("policy", desk.project, "show", "--json").json
    assert (shown["set"], shown["policy"]["name"], shown["review"]["reviewers"]) == (True, "office", 2)
    changed = POLICY.replace("edge = 2", "edge = 9")
    (desk.folder / "office.toml").write_text(changed, encoding="utf-8")
    again = ("policy", desk.project, "set", desk.folder / "office.toml", "--actor", "Director", "--reason", "more")
    assert "version 2 or higher" in dwb(*again).err
    (desk.folder / "office.toml").write_text(changed.replace("version = 1", "version = 2"), encoding="utf-8")
    assert dwb(*again).code == 0
    history = dwb("policy", desk.project, "list", "--json").json
    assert [each["version"] for each in history["history"]] == [1, 2]
    assert {each["name"] for each in history["built_in"]} >= {"standard", "strict"}
    assert "Reviewers: 2" in dwb("policy", desk.project).out
    wrong = POLICY.replace("exact-loss", "exakt-loss").replace("office", "x")
    (desk.folder / "x.toml").write_text(wrong, encoding="utf-8")
    said = dwb("policy", desk.project, "set", desk.folder / "x.toml", "--actor", "Director", "--reason", "y")
    assert (said.code, "Did you mean “exact-loss”?" in said.err) == (2, True)
    assert "needs a reason" in dwb("policy", desk.project, "set", "strict", "--actor", "Director").err
