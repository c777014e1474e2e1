"""The command line tells which data share a budget, parts them with a reason, and registers programmes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.said import dwb
from tests.cli.small import FORMAL_PLAN, PLAN, write_small

POLICY = """[policy]
name = "filtered"
[epsilon]
edge = 4
conditional = 4
compose = "tightest"
[delta]
edge = 1e-5
conditional = 1e-5
composing = 1e-6
"""


@pytest.fixture(scope="module")
def shortened(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table was approved; then a file with one row less came in."""
    folder = tmp_path_factory.mktemp("people")
    plan = write_small(folder)
    project = folder / "review.dwb"
    assert dwb("run", plan, "--project", project, "--preparer", "Ana").code == 0
    assert dwb("decide", project, "R-0001", "--approve", "--reviewer", "Ben").code == 0
    rows = (folder / "jobs.csv").read_text(encoding="utf-8").rsplit("\n", 2)[0] + "\n"
    (folder / "fewer.csv").write_text(rows, encoding="utf-8")
    (folder / "fewer.toml").write_text(PLAN.replace('"jobs.csv"', '"fewer.csv"'), encoding="utf-8")
    assert dwb("run", folder / "fewer.toml", "--project", project, "--preparer", "Ana").code == 0
    return project


def test_that_the_ledger_counts_a_file_with_one_row_less_together_and_can_part_it(shortened: Path) -> None:
    said = dwb("ledger", shortened)
    assert said.out.count("One budget with") == 2
    assert "identifiers in common" in said.out
    known = {each["name"]: each for each in dwb("ledger", shortened, "--json").json["datasets"]}
    assert len(known["fewer.csv"]["entries"]) == len(known["jobs.csv"]["entries"]) == 1
    words = ("separate", shortened, "fewer.csv", "jobs.csv", "--reason", "numbers were given out anew")
    refused = dwb(*words, "--by", "Ana")
    assert refused.code == 1 and "had a hand in R-0002" in refused.err
    assert "budgets of their own" in dwb(*words, "--by", "Carl").out
    after = dwb("ledger", shortened, "--json").json["datasets"]
    assert {each["name"]: len(each["entries"]) for each in after} == {"jobs.csv": 1, "fewer.csv": 0}
    assert "Carl separated it from jobs.csv" in dwb("ledger", shortened).out
    assert dwb("verify", shortened).code == 0


def test_that_a_programme_is_registered_before_the_first_draw_only(tmp_path: Path) -> None:
    plan, project = write_small(tmp_path), tmp_path / "review.dwb"
    words = (
        "register",
        plan,
        "--project",
        project,
        "--definition",
        "edge",
        "--reason",
        "the yearly plan",
        "--by",
        "Ben",
    )
    wrong = dwb(*words, "--items", "many")
    assert wrong.code == 2 and "0.05,80x0.2" in wrong.err
    assert "3 releases under edge differential privacy are registered by Ben" in dwb(*words, "--items", "1.5,2x0.5").out
    assert "Registered before the first draw: 1 × ε 1.5, 2 × ε 0.5" in dwb("ledger", project).out
    assert dwb("run", plan, "--project", project, "--preparer", "Ana").code == 0
    late = dwb(*words, "--items", "1")
    assert late.code == 1 and "before the first draw" in late.err


def test_that_sum_share_and_promise_are_told_in_ledger_and_both_reports(tmp_path: Path) -> None:
    plan, project = write_small(tmp_path, plan=FORMAL_PLAN), tmp_path / "review.dwb"
    assert dwb("run", plan, "--project", project, "--preparer", "Ana").code == 0
    (tmp_path / "policy.toml").write_text(POLICY, encoding="utf-8")
    assert dwb("policy", project, "set", tmp_path / "policy.toml", "--reason", "agreed", "--actor", "Ben").code == 0
    assert dwb("decide", project, "R-0001", "--approve", "--reviewer", "Carl", "--comment", "weighed").code == 0
    promise = "Everything published under this policy, now and later, keeps ε ≤ 4, δ ≤ 10⁻⁶"
    said = dwb("ledger", project).out
    assert "ε = 1.5 in sequence" in said and "Budget used: " in said and promise in said
    (only,) = dwb("ledger", project, "--json").json["datasets"]
    assert only["by_definition"][0]["share"]["promise"].startswith(promise)
    for edition in ("internal", "public"):
        path = tmp_path / f"{edition}.html"
        made = dwb("report", project, "R-0001", "--audience", edition, "-o", path)
        assert made.code == 0, made.err
        assert promise in path.read_text(encoding="utf-8")


def test_that_no_bound_is_told_in_ledger_gate_and_both_reports(tmp_path: Path) -> None:
    """Laplace ε 1.5 with Smooth Gamma ε 2: edge 3.5, and nothing for the sizes of employers."""
    plan, project = write_small(tmp_path, plan=FORMAL_PLAN), tmp_path / "review.dwb"
    gamma = FORMAL_PLAN.replace('id = "laplace"\nepsilon = 1.5', 'id = "smooth-gamma"\nepsilon = 2')
    (tmp_path / "gamma.toml").write_text(gamma, encoding="utf-8")
    for number, path in enumerate((plan, tmp_path / "gamma.toml"), start=1):
        assert dwb("run", path, "--project", project, "--preparer", "Ana").code == 0
        words = ("decide", project, f"R-000{number}", "--approve", "--reviewer", "Carl", "--comment", "ok", "--declare")
        assert dwb(*words).code == 0
    said = dwb("ledger", project).out
    assert "under edge differential privacy: ε = 3.5 in sequence" in said
    none = (
        "No bound under strong (α, ε) employer-employee privacy: 1 release under edge differential privacy says nothing"
    )
    assert none in said
    for edition in ("internal", "public"):
        path = tmp_path / f"{edition}.html"
        assert dwb("report", project, "R-0002", "--audience", edition, "-o", path).code == 0
        page = path.read_text(encoding="utf-8")
        assert none in page
        assert "all releases from these data together have no bound under strong" in page, "what was declared"
