"""That a reviewer confirmed a finding tells that there was one: it stays inside, like the finding itself."""

from __future__ import annotations

from pathlib import Path

from tests.cli.said import dwb
from tests.journeys.test_survey_tables import plan_of, written

CONFIRMED = "the finding “Linkage, membership and attribute attacks” was read and weighed"


def test_that_no_public_report_tells_whether_an_attack_succeeded(tmp_path: Path) -> None:
    """So much ε that every record is its respondent's: the attack on the confidential answers succeeds."""
    written(tmp_path, 5)
    text = plan_of(["region", "work", "home"]).split("[baseline]")[0]
    text = text.replace('id = "pairs-gaussian"', 'id = "krr-laplace"\nepsilon = 18.0')
    (tmp_path / "plan.toml").write_text(text.replace('["exact-loss"]', '["exact-loss", "linkage"]'), encoding="utf-8")
    project = tmp_path / "review.dwb"
    assert dwb("run", tmp_path / "plan.toml", "--project", project, "--preparer", "Ana").code in (0, 1)
    said = dwb("decide", project, "R-0001", "--approve", "--reviewer", "Ben", "--comment", "ok", "--declare")
    assert said.code == 0, said.err
    told = {}
    for audience in ("internal", "public"):
        for kind in ("json", "html"):
            file = tmp_path / f"{audience}.{kind}"
            made = dwb("report", project, "R-0001", "--audience", audience, "--format", kind, "-o", file)
            assert made.code == 0, made.err
            told[audience, kind] = file.read_text(encoding="utf-8")
    for kind in ("json", "html"):
        assert CONFIRMED in told["internal", kind]
        assert "weighed" not in told["public", kind]
        assert "ε, δ and the mechanism were not chosen" in told["public", kind], "what is declared stays public"
