"""What may leave the agency. The public report is built field by field: what is not named here is not in it."""

from __future__ import annotations

from workbench.core.errors import Defect
from workbench.core.findings import Audience, Finding
from workbench.report.model import (
    ApprovalReport,
    DataSource,
    Decision,
    ExceptionMade,
    Identification,
    Ledger,
    Output,
    Parameter,
    ParameterColumn,
    ParameterTable,
    ReleaseType,
    Rules,
    Signature,
)


def for_audience(report: ApprovalReport, audience: Audience) -> ApprovalReport:
    """The report with only what this audience may read. A public report cannot be made internal again."""
    if report.audience is audience:
        return report
    if report.audience is Audience.PUBLIC:
        raise Defect("a public report was about to be shown as an internal one")
    return ApprovalReport(
        identification=_identification(report.identification),
        state=report.state,
        release_type=ReleaseType(
            product=report.release_type.product,
            version=report.release_type.version,
            summary=report.release_type.summary,
        ),
        data=_data(report.data),
        rules=_rules(report.rules),
        outputs=tuple(
            Output(
                name=each.name,
                columns=each.columns,
                rows=each.rows,
                sha256=each.sha256,
                first_rows=each.first_rows,
                notes=each.notes,
            )
            for each in report.outputs
        ),
        data_findings=_findings(report.data_findings),
        risk_findings=_findings(report.risk_findings),
        utility_findings=_findings(report.utility_findings),
        ledger=_ledger(report.ledger),
        exceptions=tuple(
            ExceptionMade(text=each.public_text, public_text=each.public_text)
            for each in report.exceptions
            if each.public_text
        ),
        decisions=_decisions(report.decisions),
        signatures=_signatures(report.signatures),
        public_statement=report.public_statement,
        references=report.references,
        audience=Audience.PUBLIC,
    )


def _identification(internal: Identification) -> Identification:
    return Identification(
        release_id=internal.release_id,
        title=internal.title,
        date=internal.date,
        purpose=internal.purpose,
        authority=internal.authority,
        contact=internal.contact,
    )


def _data(internal: DataSource) -> DataSource:
    """Counts only where somebody flagged them public; never a file name, never a fingerprint (see DataSource)."""
    counted = internal.counts_are_public
    return DataSource(
        title=internal.title,
        period=internal.period,
        unit_of_protection=internal.unit_of_protection,
        smallest_geography=internal.smallest_geography,
        overlapping_files=internal.overlapping_files,
        records=internal.records if counted else None,
        establishments=internal.establishments if counted else None,
        units=internal.units if counted else (),
        counts_are_public=counted,
    )


def _rules(internal: Rules) -> Rules:
    return Rules(
        claim=internal.claim,
        mechanism_title=internal.mechanism_title,
        mechanism_id=internal.mechanism_id,
        mechanism_version=internal.mechanism_version,
        neighbours=internal.neighbours,
        parameters=tuple(
            Parameter(label=each.label, value=each.value, audience=Audience.PUBLIC)
            for each in internal.parameters
            if each.audience is Audience.PUBLIC
        ),
        allocation=internal.allocation,
        invariants=internal.invariants,
        post_processing=internal.post_processing,
        tool_versions=internal.tool_versions,
        draws=internal.draws,
        tables=tuple(_table(each) for each in internal.tables if each.audience is Audience.PUBLIC),
    )


def _table(internal: ParameterTable) -> ParameterTable:
    return ParameterTable(
        title=internal.title,
        by=internal.by,
        names=internal.names,
        columns=tuple(
            ParameterColumn(label=each.label, values=each.values, audience=Audience.PUBLIC)
            for each in internal.columns
            if each.audience is Audience.PUBLIC
        ),
        audience=Audience.PUBLIC,
    )


def _findings(internal: tuple[Finding, ...]) -> tuple[Finding, ...]:
    return tuple(finding for finding in internal if finding.audience is Audience.PUBLIC)


def _ledger(internal: Ledger | None) -> Ledger | None:
    if internal is None:
        return None
    return Ledger(
        epsilon_before=internal.epsilon_before,
        epsilon_after=internal.epsilon_after,
        delta_before=internal.delta_before,
        delta_after=internal.delta_after,
        epsilon_limit=internal.epsilon_limit,
        delta_limit=internal.delta_limit,
        definition=internal.definition,
        notes=internal.notes,
    )


def _decisions(internal: tuple[Decision, ...]) -> tuple[Decision, ...]:
    """Reviewers who gave no public name are numbered in the order they first appear.

    That a finding was confirmed tells that there was one, such as an attack that succeeded on the confidential data.
    """
    numbers: dict[str, int] = {}
    for each in internal:
        numbers.setdefault(each.reviewer, len(numbers) + 1)
    return tuple(
        Decision(
            reviewer=each.public_name or f"Reviewer {numbers[each.reviewer]}",
            decision=each.decision,
            when=each.when,
            role=each.role,
            public_comment=each.public_comment,
            declared=tuple(said for said in each.declared if said not in each.confirmed),
            signed=each.signed,
        )
        for each in internal
    )


def _signatures(internal: tuple[Signature, ...]) -> tuple[Signature, ...]:
    """Only where somebody said under which name it may be published."""
    return tuple(
        Signature(
            reviewer=each.public_name,
            signed=each.signed,
            fingerprint=each.fingerprint,
            verdict=each.verdict,
        )
        for each in internal
        if each.public_name
    )
