"""The state of every stage and the first thing to do next, read off a session."""

from __future__ import annotations

from workbench.core.findings import Finding, Status, worst
from workbench.core.params import outline_of
from workbench.core.people import could_be_one
from workbench.core.quantities import counted, joined, show
from workbench.core.states import ReleaseState, Verdict
from workbench.microdata.columns import named_columns
from workbench.microdata.roles import Role, role_called
from workbench.review.decide.stages import Stage, StageInfo, StageState
from workbench.review.plan.plan import Plan
from workbench.review.run.prepare import product_of
from workbench.review.run.protect import mechanism_of
from workbench.review.session import ReviewSession

_NOT, _ATTENTION, _DONE, _STALE = StageState.NOT_STARTED, StageState.ATTENTION, StageState.DONE, StageState.STALE


def stages(session: ReviewSession) -> tuple[StageInfo, ...]:
    """All seven stages in order."""
    readers = (_data, _release, _mechanism, _audit, _compare, _decide, _report)
    pairs = zip(Stage, (reader(session) for reader in readers), strict=True)
    return tuple(StageInfo(stage=stage, state=state, summary=summary) for stage, (state, summary) in pairs)


def next_step(session: ReviewSession, viewer: str = "") -> tuple[Stage, str]:
    """The first stage that is not done, with what to do there in a few words, to whoever looks."""
    todo = {
        Stage.DATA: _data_todo(session),
        Stage.RELEASE: "Choose what the table shows and tabulate it.",
        Stage.MECHANISM: "Set the mechanism and its budget.",
        Stage.AUDIT: "Draw the release, audit it and compare it.",
        Stage.COMPARE: "Review the comparison with current SDL.",
        Stage.DECIDE: "Decide: approve, request changes or reject.",
        Stage.REPORT: "Export the approval report.",
    }
    infos = stages(session)
    unfinished = [info for info in infos if info.state is not StageState.DONE]
    if not unfinished:
        return Stage.REPORT, "Everything is done. The report can be exported again at any time."
    first = unfinished[0]
    if session.state is ReleaseState.APPROVED:  # what was to be weighed has been
        exported = all(info.stage is not Stage.REPORT for info in unfinished)
        return Stage.REPORT, "The release is approved and its report was exported." if exported else todo[Stage.REPORT]
    if first.stage in (Stage.AUDIT, Stage.COMPARE) and first.state is _ATTENTION:
        # Warnings are for the person who decides; they do not stop the way to the decision.
        first = next((info for info in unfinished if info.stage is Stage.DECIDE), first)
        todo[Stage.DECIDE] = "Review the items that need attention, then decide."
    if first.stage is Stage.DECIDE and first.state is not _STALE:
        return first.stage, _about_deciding(session, viewer) or todo[first.stage]
    if first.state is _STALE:
        return first.stage, f"{first.title} is out of date: {todo[first.stage][0].lower()}{todo[first.stage][1:]}"
    return first.stage, todo[first.stage]


def _about_deciding(session: ReviewSession, viewer: str) -> str:
    """What comes before a decision, or instead of it; empty where the viewer may just decide."""
    if session.decisions and session.decisions[-1].decision is Verdict.CHANGES and not session.decisions[-1].stale:
        return "Changes were requested; see the comment on Decide. Change the plan and draw again."
    if could_be_one(viewer, session.preparer):
        return "Waiting for a reviewer. The preparer of a release cannot decide on it."
    return ""


def _data(session: ReviewSession) -> tuple[StageState, str]:
    if not session.plan.data.path:
        return _NOT, "no file yet"
    if not session.plan.data.roles:
        return _ATTENTION, "cannot be read yet" if session.unread else "confirm the roles"
    if session.loaded is None:
        stored = session.evidence is not None and session.evidence_fresh
        return (_DONE, "reviewed; data not loaded") if stored else (_NOT, "not loaded")
    facts = f"{compact(session.loaded.microdata.rows)} rows"
    if missing_companions(session.plan):
        return _ATTENTION, f"choose {missing_companions(session.plan)[0]}"
    if not session.data_fresh:
        return _STALE, "load again"
    return _judged(session.loaded.findings, facts, only_failures=True)


def missing_companions(plan: Plan) -> tuple[str, ...]:
    """The public files that the product cannot do without and the plan does not name, by their titles."""
    needed = (each for each in product_of(plan).companions if each.required)
    return tuple(each.title.lower() for each in needed if not plan.data.companions.get(each.name))


def _data_todo(session: ReviewSession) -> str:
    """What comes first on the data page."""
    plan = session.plan
    if not plan.data.path:
        return "Choose the data file."
    if missing := missing_companions(plan):
        return f"Choose a file under {joined([f'“{title.capitalize()}…”' for title in missing])}."
    if not plan.data.roles and session.unread:
        return "Say how the file is read: its columns are not known yet."
    if not plan.data.roles:
        return "Confirm what each column means, then load the data."
    if session.loaded is None or not session.data_fresh:
        return "Load the data."
    return "Look at the checks that fail."


def _release(session: ReviewSession) -> tuple[StageState, str]:
    chosen = _chosen_names(session.plan)
    if session.release_problems():
        return (_ATTENTION, "needs attention") if chosen else (_NOT, "nothing chosen")
    if session.prepared is None:
        stored = session.evidence is not None and session.evidence_fresh
        return (_DONE, chosen) if stored else (_NOT, "not tabulated")
    return (_DONE, chosen) if session.prepared_fresh else (_STALE, "tabulate again")


def _mechanism(session: ReviewSession) -> tuple[StageState, str]:
    problems = session.mechanism_problems()
    if problems:
        return _ATTENTION, "invalid settings"
    claim = session.claim()
    parts = []
    if claim is not None:
        parts.append(f"ε {show(claim.epsilon)}")
        parts += [f"δ {show(claim.delta)}"] if claim.delta else []
        parts += [f"α {show(claim.alpha)}"] if claim.alpha is not None else []
    parts.append(mechanism_of(session.plan).title)  # last: a narrow window cuts the name, never a number
    seen = session.mechanism_seen or session.evidence is not None
    reached = (session.prepared_fresh and seen) or session.evidence_fresh
    return (_DONE if reached else _NOT), " · ".join(parts)


def _audit(session: ReviewSession) -> tuple[StageState, str]:
    if session.evidence is None:
        return _NOT, "not run"
    if not session.evidence_fresh:
        return _STALE, "run again"
    findings = session.evidence.of_stage("audit")
    return _judged(findings, f"{counted(len(findings), 'finding')}, none against it")


def _compare(session: ReviewSession) -> tuple[StageState, str]:
    if session.evidence is None:
        return _NOT, "not run"
    if not session.evidence_fresh:
        return _STALE, "run again"
    findings = session.evidence.of_stage("compare")
    headlines = (str(f.values["headline"]) for f in findings if f.values.get("headline"))
    return _judged(findings, next(headlines, counted(len(findings), "measure")), only_failures=True)


def _decide(session: ReviewSession) -> tuple[StageState, str]:
    if not session.decisions:
        return _NOT, "no decision"
    last = session.decisions[-1]
    summary = last.decision.leads_to.value
    if last.decision is Verdict.CHANGES and last.stale and session.evidence_fresh:
        return _NOT, "changed and drawn again"
    if last.stale or not session.evidence_fresh:
        return _STALE, f"{summary}, since changed"
    return (_ATTENTION if last.decision is Verdict.CHANGES else _DONE), summary


def _report(session: ReviewSession) -> tuple[StageState, str]:
    decided = bool(session.decisions) and not session.decisions[-1].stale
    if session.exported:
        return (_DONE, "exported") if decided and session.evidence_fresh else (_STALE, "export again")
    return _NOT, "ready to export" if decided else "not exported"


def _judged(findings: tuple[Finding, ...], good: str, *, only_failures: bool = False) -> tuple[StageState, str]:
    against = [f for f in findings if f.status is Status.FAIL or (f.status is Status.WARN and not only_failures)]
    if not against:
        return _DONE, good
    if worst(findings) is not Status.FAIL:
        return _ATTENTION, f"{len(against)} to judge"
    failing = sum(finding.status is Status.FAIL for finding in against)
    others = f", {len(against) - failing} to judge" if len(against) > failing else ""
    return _ATTENTION, f"{failing} {'fails' if failing == 1 else 'fail'}{others}"


def _chosen_names(plan: Plan) -> str:
    """The columns that make the cells, as the rail shows them: place × sector, without who a row is of and how much."""
    params = plan.product.params
    names = dict.fromkeys(name for _, field, name in named_columns(params) if any(map(_makes_cells, field.roles)))
    names_any = any(field.roles for _, field in outline_of(type(params)))
    return " × ".join(names) if names else ("" if names_any else product_of(plan).title)


def _makes_cells(role: str) -> bool:
    known = role_called(role)
    return known is None or not (known.identifies or known in (Role.COUNT, Role.WEIGHT))


def compact(number: int) -> str:
    """10,900,000 → '10.9 M', 20,000 → '20 k', 999,999 → '1 M', 999 → '999'."""
    rounded = float(f"{number:.3g}")
    for size, letter in ((1_000_000_000, "G"), (1_000_000, "M"), (1_000, "k")):
        if rounded >= size:
            return f"{rounded / size:.3g} {letter}"
    return str(number)
