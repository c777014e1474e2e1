"""Gates: what a machine can check before a person decides. Findings like all others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from workbench.core.findings import Finding, Status
from workbench.core.params import fields_of
from workbench.core.quantities import counted
from workbench.policy.profile import Severity
from workbench.review.plan.sections import CONTEXT_REQUIRED, ReleaseContext
from workbench.review.run.prepare import product_of
from workbench.review.session import ReviewSession
from workbench.review.views import Budget


def gates(session: ReviewSession, budget: Budget | None) -> tuple[Finding, ...]:
    """Audit there and fresh, nothing failing, what the policy asks, budget fits, context complete, drawn once."""
    judged = (_fresh(session), _audit(session), _data(session), _table(session), *_policy(budget))
    return (*judged, _budget(budget), _context(session, budget), _draws(session, budget))


def _policy(budget: Budget | None) -> tuple[Finding, ...]:
    """What the policy in force says of the stored draw. Context is judged apart: it may be edited after the draw."""
    if budget is None:
        return ()
    return tuple(_excepted(finding, budget) for finding in budget.judged if finding.id != "gate.context")


def _excepted(finding: Finding, budget: Budget) -> Finding:
    """A rule that a named person set aside for this draw stays a warning, before the approval and after it."""
    if budget.exception is None or finding.id not in budget.exceptable:
        return finding
    said = f"{finding.sentence} {budget.exception.granted_by} granted an exception for this draw."
    return replace(finding, status=Status.WARN, sentence=said)


def _gate(name: str, title: str, status: Status, sentence: str, does_not_prove: str) -> Finding:
    return Finding(id=f"gate.{name}", title=title, status=status, sentence=sentence, does_not_prove=does_not_prove)


def _fresh(session: ReviewSession) -> Finding:
    limits = "A fresh audit can still warn; read its findings."
    if session.evidence is None:
        return _gate("fresh", "Audit is up to date", Status.INFO, "Nothing has been drawn and audited yet.", limits)
    if not session.evidence_fresh:
        said = "The plan changed after the audit: draw and audit again."
        return _gate("fresh", "Audit is up to date", Status.FAIL, said, limits)
    said = "The audit matches the current plan."
    return _gate("fresh", "Audit is up to date", Status.PASS, said, limits)


def _audit(session: ReviewSession) -> Finding:
    findings = session.evidence.of_stage("audit") if session.evidence else ()
    limits = "The audit covers the neighbours its checks name, no others."
    of_loss = [check.id for check in product_of(session.plan).checks if check.of_loss]
    if findings and not any(finding.source in of_loss for finding in findings):
        named = of_loss[0] if len(of_loss) == 1 else f"one of {', '.join(of_loss)}"
        said = f"The privacy loss was not computed; watching draws cannot replace it. Add {named} and draw again."
        return _gate("audit", "Privacy audit", Status.FAIL, said, limits)
    return _summary("audit", "Privacy audit", findings, limits)


def _data(session: ReviewSession) -> Finding:
    findings = session.evidence.of_stage("data") if session.evidence else ()
    return _summary("data", "Data checks", findings, "Data that pass every check can still be wrong.")


def _table(session: ReviewSession) -> Finding:
    findings = session.evidence.of_stage("release") if session.evidence else ()
    return _summary("table", "Table definition", findings, "A well-described table can still disclose too much.")


def _summary(name: str, title: str, findings: Sequence[Finding], limits: str) -> Finding:
    failing = [finding.title for finding in findings if finding.status is Status.FAIL]
    warning = [finding.title for finding in findings if finding.status is Status.WARN]
    if not findings:
        return _gate(name, title, Status.INFO, "Nothing has been checked yet.", limits)
    if failing:
        return _gate(name, title, Status.FAIL, f"Fails: {'; '.join(failing)}.", limits)
    if warning:
        return _gate(name, title, Status.WARN, f"Needs your judgement: {'; '.join(warning)}.", limits)
    return _gate(name, title, Status.PASS, f"{counted(len(findings), 'finding')}, none against the release.", limits)


def _budget(budget: Budget | None) -> Finding:
    limits = _uncounted(budget)
    if budget is None:
        return _gate("budget", "Budget fits", Status.INFO, "Not known before a release has been drawn.", limits)
    if budget.what_if is None and budget.exception is not None:
        said = f"Approved under an exception granted by {budget.exception.granted_by}: {budget.exception.overspend}"
        return _gate("budget", "Budget fits", Status.WARN, said, limits)
    if budget.what_if is None:
        said = "This release is approved and already counted in the ledger."
        return _gate("budget", "Budget fits", Status.PASS, said, limits)
    known = _known_before(budget)
    if budget.exception is not None and not budget.what_if.fits:
        said = f"{budget.what_if.sentence} {budget.exception.granted_by} granted an exception for this draw.{known}"
        return _gate("budget", "Budget fits", Status.WARN, said, limits)
    if budget.what_if.fits and budget.spent_on_similar:
        said = (
            f"{budget.what_if.sentence}{known} But {_releases(budget.spent_on_similar)} came from data that share "
            "columns with these and are nearly as large: where they hold the same people, that ε counts here too."
        )
        return _gate("budget", "Budget fits", Status.WARN, said, limits)
    status = Status.FAIL if not budget.what_if.fits else Status.WARN if budget.what_if.unbounded else Status.PASS
    declared = " The approver declares it." if status is Status.WARN else ""
    return _gate("budget", "Budget fits", status, f"{budget.what_if.sentence}{declared}{known}", limits)


def _known_before(budget: Budget) -> str:
    """Said where the same content came in under several names, or mostly the same people did: they have one budget."""
    said = ""
    if budget.other_names:
        names = ", ".join(f"“{name}”" for name in budget.other_names)
        said = f" The same data were used before as {names}: it is one data set with one budget."
    if budget.shared_with:
        said += f" Counted together with {', '.join(budget.shared_with)}: mostly the same people have one budget."
    return said


def _releases(count: int) -> str:
    return "1 approved release" if count == 1 else f"{count} approved releases"


def _context(session: ReviewSession, budget: Budget | None) -> Finding:
    rules = budget.profile.evidence if budget is not None and budget.profile is not None else None
    needed = CONTEXT_REQUIRED if rules is None else rules.context_fields
    labels = {field.name: field.label for field in fields_of(ReleaseContext)}
    missing = [labels.get(name, name) for name in needed if not str(getattr(session.plan.release, name, "")).strip()]
    limits = "A completed field is not necessarily correct."
    if missing:
        refused = rules is not None and rules.context_missing is Severity.REFUSE
        status = Status.FAIL if refused else Status.WARN
        return _gate("context", "Context complete", status, f"Still empty: {', '.join(missing)}.", limits)
    said = f"{len(needed)} of {len(needed)} fields are filled in."
    return _gate("context", "Context complete", Status.PASS, said, limits)


def _uncounted(budget: Budget | None) -> str:
    """What a budget that fits still leaves out."""
    limits = "Only releases recorded in this project are counted, and only from data that share most of their people."
    others = budget.spent_elsewhere if budget is not None else 0
    if not others:
        return limits
    return f"{limits} {_releases(others)} from other data sets may hold the same people: their ε would come on top."


def _draws(session: ReviewSession, budget: Budget | None) -> Finding:
    own = session.evidence.draws if session.evidence else 0
    elsewhere = budget.drawn_elsewhere if budget is not None and own else 0
    limits = "The count covers draws recorded in this project."
    if own + elsewhere > 1:
        where = f", {elsewhere} of them under other releases" if elsewhere else ""
        said = f"The values were drawn {own + elsewhere} times{where}. Choosing among several draws weakens the "
        return _gate("draws", "Drawn once", Status.WARN, f"{said}guarantee.", limits)
    said = "The values were drawn once." if own else "Nothing has been drawn yet."
    return _gate("draws", "Drawn once", Status.PASS if own else Status.INFO, said, limits)
