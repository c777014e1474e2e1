"""A full report as a review of employment tables would leave it, for tests to take apart."""

from __future__ import annotations

import math
from decimal import Decimal

from workbench.core.claims import Claim, Definition
from workbench.core.figures import Axis, Figure, Kind, Mark, Series
from workbench.core.findings import Audience, Finding, Status, Table
from workbench.core.states import ReleaseState
from workbench.report.model import (
    ApprovalReport,
    DataSource,
    Decision,
    ExceptionMade,
    Identification,
    Ledger,
    LedgerEntry,
    NamedHash,
    Output,
    Parameter,
    ReleaseType,
    Rules,
    Signature,
    Vote,
)

STRATA = ("0 to 100", "100 to 10,000", "10,000 to 100,000", "100,000 and more")
GRID = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0)

LOSS = Figure(
    kind=Kind.LINES, title="Log ratio of probabilities over all outputs, worst pair of neighbours",
    x=Axis(label="Published value minus true count", unit="jobs"), y=Axis(label="Privacy loss"),
    series=(Series(name="loss", x=tuple(float(k) for k in range(-12, 13)),
                   y=tuple(max(-2.0, min(2.0, k * 4.0 - 2)) for k in range(-12, 13))),),
    marks=(Mark(name="claimed ε = 2", value=2.0), Mark(name="claimed −ε = −2", value=-2.0)),
    subtitle="The curve reaches the claim and never passes it",
)  # fmt: skip

BLACK_BOX = Figure(
    kind=Kind.INTERVAL, title="Lower confidence bounds on ε from 200,000 draws for each neighbour",
    x=Axis(label="Pair of neighbouring data sets", categories=("empty cell", "one job", "large cell", "dominated")),
    y=Axis(label="Privacy loss ε"),
    series=(Series(name="Laplace", x=(0.0, 1.0, 2.0, 3.0), y=(1.94, 1.91, 1.96, 1.9), low=(1.88, 1.85, 1.9, 1.84),
                   high=(2.0, 1.97, 2.02, 1.96)),),
    marks=(Mark(name="claimed ε", value=2.0),),
)  # fmt: skip

DOMINANCE = Figure(
    kind=Kind.DISTRIBUTION, title="Share of the largest establishment in each cell",
    x=Axis(label="Largest establishment's share of the cell", unit="%"), y=Axis(label="Cells"),
    series=(Series(name="cells", x=tuple(float(k) for k in range(0, 101, 5)),
                   y=tuple(float(40 + 9 * k * k) for k in range(20))),),
    marks=(Mark(name="dominated from 80 %", value=80.0, vertical=True),),
)  # fmt: skip

ERRORS = Figure(
    kind=Kind.LINES, title="L1 error as a ratio to noise infusion, 20 trials",
    x=Axis(label="Privacy loss ε", log=True), y=Axis(label="Ratio of L1 errors", log=True),
    series=tuple(
        Series(name=f"{stratum} inhabitants", x=GRID, y=tuple(start / e for e in GRID),
               low=tuple(0.85 * start / e for e in GRID), high=tuple(1.2 * start / e for e in GRID))
        for stratum, start in zip(STRATA, (6.0, 2.4, 0.9, 0.35), strict=True)
    ),
    marks=(Mark(name="as good as today", value=1.0), Mark(name="this release", value=2.0, vertical=True)),
)  # fmt: skip

REQUIREMENTS = Figure(
    kind=Kind.HEAT_MAP, title="Log Bayes factor reached, by requirement and attacker",
    x=Axis(label="Attacker", categories=("informed", "weak")),
    y=Axis(label="Requirement", categories=("individuals", "employer size", "employer shape")),
    grid=((2.0, 2.0), (math.inf, 4.61), (math.inf, 3.2)), outlined=((1, 0), (2, 0)),
)  # fmt: skip


def sample_findings() -> dict[str, tuple[Finding, ...]]:
    data = (
        Finding(id="duplicate-jobs", title="Duplicate jobs", status=Status.PASS,
                sentence="No job appears twice among 20,114 records.",
                does_not_prove="Two records of one worker with different identifiers are not recognised."),
        Finding(id="two-places", title="An establishment in two places", status=Status.WARN,
                sentence="3 of 1,204 establishments change their sector within the year; the first value was kept.",
                values={"establishments": 3}, figures=(DOMINANCE,),
                tables=(Table(title="Conflicts by attribute", columns=("Attribute", "Establishments", "Jobs"),
                              rows=(("sector", 3, 118), ("ownership", 0, 0), ("place", 0, 0)),
                              note="Identifiers are in the working file, not in this report."),),
                does_not_prove="Changes between years are not looked at."),
    )  # fmt: skip
    risk = (
        Finding(id="exact-loss", title="Exact privacy loss", status=Status.PASS, audience=Audience.PUBLIC,
                sentence="The largest log ratio over all outputs and neighbours is 2, exactly the claimed ε.",
                values={"epsilon": 2.0, "claimed": 2.0}, figures=(LOSS,),
                does_not_prove="The loss is that of the formula; whether the program draws what the formula says is "
                               "for the black-box check."),
        Finding(id="black-box", title="Black-box lower bound", status=Status.PASS, audience=Audience.PUBLIC,
                sentence="With 99.9 % confidence the sampler spends at least ε = 1.90; that is below the claim of 2.",
                values={"lower_bound": 1.9, "confidence": 0.999}, figures=(BLACK_BOX,),
                does_not_prove="A loss that shows only in outputs too rare to be drawn stays unseen."),
        Finding(id="requirements", title="Legal requirements", status=Status.FAIL,
                sentence="Worker-level noise protects individuals, but neither the size nor the shape of an employer.",
                figures=(REQUIREMENTS,),
                tables=(Table(title="Requirements and what is reached",
                              columns=("Requirement", "Informed attacker", "Weak attacker", "Log Bayes factor"),
                              rows=(("Individuals", True, True, 2.0), ("Employer size", False, False, "inf"),
                                    ("Employer shape", False, True, 3.218876))),),
                does_not_prove="Other attackers than those of the definition may do better or worse."),
        Finding(id="differencing", title="Differencing against earlier releases", status=Status.INFO,
                sentence="No cell can be derived by subtracting this release from the three earlier ones.",
                does_not_prove="Files released by other agencies are not in the project."),
    )  # fmt: skip
    utility = (
        Finding(id="l1-error", title="L1 error by size of place", status=Status.WARN,
                sentence="The error is 0.45 times that of noise infusion overall, but 3 times in the smallest places.",
                values={"ratio": 0.45}, figures=(ERRORS,),
                tables=(Table(title="Mean absolute error per cell",
                              columns=("Place population", "Cells", "True mean", "Noise infusion", "This release",
                                       "Ratio", "Within 10 %"),
                              rows=tuple((name, 5_120 * k, 3.25 * 10**k, 0.41 * 4**k, 0.9655, 2.355 / 4**k, 0.3 + k / 6)
                                         for k, name in enumerate(STRATA, start=1))),),
                does_not_prove="Errors of sums over cells grow more slowly than the table suggests."),
        Finding(id="rank", title="Rank correlation", status=Status.PASS,
                sentence="Places keep their order: Spearman’s ρ is 0.9987 against the truth and 0.9969 for noise "
                         "infusion.",
                does_not_prove="The order within the smallest places may still change."),
    )  # fmt: skip
    return {"data": data, "risk": risk, "utility": utility}


def sample_report() -> ApprovalReport:
    findings = sample_findings()
    return ApprovalReport(
        identification=Identification(
            release_id="R-2026-0007", title="Employment by place, sector and ownership, second quarter 2026",
            date="2026-11-16", requester="Labour Market Division",
            purpose="Quarterly publication; planning of regional programmes.",
            authority="Statistics Act, section 9; Data Stewardship Policy 2026-3.", preparer="P. Author",
            drawn_by="D. Drawer",
            contact="disclosure@statistics.example",
        ),
        state=ReleaseState.APPROVED,
        release_type=ReleaseType(product="Employment tables", version=1,
                                 summary="Counts of jobs by workplace attributes, a row for each cell of the domain."),
        data=DataSource(
            title="Linked employer-employee file", file_name="jobs_2026q2.parquet", file_sha256="9c1f" * 16,
            content_sha256="04ab" * 16, period="April to June 2026", unit_of_protection="one job",
            smallest_geography="place (18 places)", records=20_114, establishments=1_204,
            overlapping_files=("County Business Patterns 2024", "Regional Employment 2025"),
        ),
        outputs=(Output(name="employment_by_place.csv", columns=("place", "sector", "ownership", "jobs"), rows=7_128,
                        sha256="5e88" * 16,
                        first_rows=(("Alderbank", "Retail", "private", "412"), ("Alderbank", "Retail", "public", "-3")),
                        notes=("1,204 of 7,128 values of jobs are negative.",)),),
        rules=Rules(
            claim=Claim(
                definition=Definition.EDGE, unit="one job", epsilon=Decimal("2.0"),
                sentence="Whoever knows every job but one can tell from the published table whether that job exists "
                         "with odds no better than e² ≈ 7.4 to 1.",
                assumptions=("A worker holds at most one job in the file.",
                             "The list of cells is taken from public code lists, not from the data."),
            ),
            mechanism_title="Laplace, worker level", mechanism_id="laplace", mechanism_version=1,
            neighbours="Two files that differ in one job.",
            parameters=(Parameter(label="Privacy loss ε", value="2.0", audience=Audience.PUBLIC),
                        Parameter(label="Attributes", value="place, sector, ownership", audience=Audience.PUBLIC),
                        Parameter(label="Scale of the noise", value="0.5 jobs", audience=Audience.PUBLIC),
                        Parameter(label="Seed of the study", value="20261116")),
            allocation="One table, all of ε.", invariants=(), post_processing=("Negative values are kept.",),
            tool_versions=(("disclosure-workbench", "0.1.0"), ("opendp", "0.16.0"), ("numpy", "2.4.6")),
        ),
        data_findings=findings["data"], risk_findings=findings["risk"], utility_findings=findings["utility"],
        assumptions=("The attacker does not see the working files.", "Earlier releases are complete in this project."),
        ledger=Ledger(
            epsilon_before=Decimal("4.2"), epsilon_after=Decimal("6.2"), epsilon_limit=Decimal("10"),
            definition=Definition.EDGE.value,
            entries=(LedgerEntry(release_id="R-2026-0002", title="Employment by county", epsilon=Decimal("2.2"),
                                 when="2026-03-02"),
                     LedgerEntry(release_id="R-2026-0005", title="Employment by sector, first quarter",
                                 epsilon=Decimal("2"), when="2026-07-14")),
        ),
        comparison=(Parameter(label="Smallest distortion A", value="0.07"), Parameter(label="Largest distortion B",
                                                                                     value="0.23")),
        exceptions=(ExceptionMade(
            text="The size of an employer is not protected for the four public utilities.",
            granted_by="Chief Methodologist", when="2026-11-15",
            public_text="Sizes of public utilities are public by law.",
        ),),
        decisions=(
            Decision(reviewer="A. First", role="Disclosure reviewer", decision="Changes requested",
                     when="2026-11-12T09:41:00+00:00", comment="Report the smallest places separately."),
            Decision(reviewer="A. First", role="Disclosure reviewer", decision="Approved",
                     when="2026-11-14T10:12:00+00:00", comment="Strata added; fine now.",
                     public_comment="The guarantee meets the policy for worker data."),
            Decision(reviewer="B. Second", role="Chief Methodologist", decision="Approved", public_name="Dr B. Second",
                     when="2026-11-16T08:03:00+00:00", comment="Shape holds for weak attackers only; see exception."),
        ),
        votes=(
            Vote(reviewer="A. First", vote="For approval", when="2026-11-13T15:20:00+00:00", comment="Too few strata.",
                 stale=True),
            Vote(reviewer="C. Third", vote="For approval", when="2026-11-14T09:02:00+00:00", comment="Nothing to add."),
        ),
        signatures=(
            Signature(reviewer="A. First", signed="Approval of 14 November 2026", fingerprint="3fa9 81c2 77be 0d14",
                      verdict="The signature holds."),
            Signature(reviewer="B. Second", signed="Approval of 16 November 2026", fingerprint="c07d 5512 e9a3 6b88",
                      verdict="The signature holds.", public_name="Dr B. Second"),
        ),
        public_statement="These counts contain random noise so that no single job can be recognised.\n"
                         "Small counts should be read as approximate; negative counts are kept on purpose, because "
                         "removing them would bias sums.",
        gates=(Finding(id="gate.budget", title="Budget fits", status=Status.PASS,
                       sentence="This release adds ε 2; 3.8 of 10 would remain.", does_not_prove="Other projects."),
               Finding(id="gate.audit", title="Privacy audit", status=Status.FAIL,
                       sentence="Fails: Legal requirements.", does_not_prove="Other neighbours.")),
        references=("Author, A. (2017). Counts of jobs. Journal 1, 1–2.",),
        hashes=(NamedHash(name="Plan", sha256="77d0" * 16), NamedHash(name="Journal", sha256="b1b2" * 16)),
        compared=(NamedHash(name="county_business_patterns_2024.csv", sha256="e3b0" * 16),), journal_entry=2_041,
    )  # fmt: skip
