"""What the attacks say: one finding on current SDL, one on the release under review. Both are internal."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.core.claims import Claim, Definition
from workbench.core.figures import Axis, Figure, Kind, Series
from workbench.core.findings import Finding, Status, Table, Value
from workbench.core.quantities import show
from workbench.core.value_words import only_for_scripts
from workbench.products.employment_tables.audit.attacks.trial import Attack, Outcome
from workbench.products.employment_tables.tabulation.cells import Domain

_ESTABLISHMENTS = frozenset({Definition.STRONG, Definition.WEAK, Definition.NODE})
_KEYS = {
    Attack.READ: "size_read",
    Attack.SHAPE: "shape",
    Attack.KNOWN: "size_known",
    Attack.UNKNOWN: "size_unknown",
    Attack.WORKERS: "workers",
}
# a table of the finding has them by name
only_for_scripts(*(f"{key}_*_{what}" for key in _KEYS.values() for what in ("establishments", "workers", "reliable")))
_LISTED = 20
_NO_ATTACK = "No attack applies to this table."
_LIMITS = (
    "Only these attacks are tried, each in its simplest form and on single establishments or workers: there may be "
    "better ones, above all with other tables at hand."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Attacked:
    """One published table and what came of the attacks on it."""

    name: str
    outcomes: tuple[Outcome, ...]

    def applied(self) -> tuple[Outcome, ...]:
        return tuple(outcome for outcome in self.outcomes if not outcome.why_not)


def baseline_finding(tables: tuple[Attacked, ...], released: Attacked, domain: Domain, posterior: Figure) -> Finding:
    """What attacks recover from current SDL. Informative: it is not what is about to be released."""
    rounded = tables[-1]
    exposed = {outcome.attack: outcome for outcome in rounded.applied()}
    bars = _bars((*tables, released))
    return Finding(
        id="sdl-attacks-baseline",
        title="What attacks recover from current SDL",
        status=Status.INFO,
        sentence=_baseline_sentence(exposed),
        values=_values(tables),
        tables=(_counts("Attacks on input noise infusion", tables), *_places(rounded, domain), *_why_not(rounded)),
        figures=(*bars, posterior),
        does_not_prove=(
            f"{_LIMITS} The factors are made for this comparison with bounds of ours; the agency's own bounds and "
            "factors are confidential and give other numbers."
        ),
    )


def _baseline_sentence(exposed: dict[Attack, Outcome]) -> str:
    if not exposed:
        return _NO_ATTACK
    parts = ", ".join(f"{_exposed(outcome)} by “{attack.value}”" for attack, outcome in exposed.items())
    return f"Published rounded, as is done now, input noise infusion exposes {parts}."


def _number(count: int, noun: str) -> str:
    return f"{show(count)} {noun}{'' if count == 1 else 's'}"


def release_finding(released: Attacked, claim: Claim, domain: Domain, *, drawn: bool) -> Finding:
    """The same attacks on the release. Fails where a promise is broken, warns where nothing was promised."""
    beyond = [outcome for outcome in released.applied() if outcome.beyond]
    broken = [outcome for outcome in beyond if outcome.attack in promised(claim)]
    status = Status.FAIL if broken else Status.WARN if beyond or not drawn else Status.PASS
    return Finding(
        id="sdl-attacks-release",
        title="The same attacks on this release",
        status=status if released.applied() else Status.INFO,
        sentence=_release_sentence(released, beyond, broken, drawn=drawn),
        values=_values((released,)),
        tables=(
            _counts("Attacks on the formally private values", (released,)),
            *_places(released, domain, beyond=tuple(beyond)),
            *_why_not(released),
        ),
        does_not_prove=(
            f"{_LIMITS} Right answers up to the permitted number are what the claim itself allows: the attacker "
            "cannot tell them from wrong ones, and a large ε allows almost all. Establishments too small to have five "
            "neighbouring sizes are counted but not judged."
        ),
    )


def _release_sentence(released: Attacked, beyond: list[Outcome], broken: list[Outcome], *, drawn: bool) -> str:
    head = "" if drawn else "There is no release of the whole table yet; a study draw was attacked instead. "
    if not released.applied():
        return head + _NO_ATTACK
    if broken:
        names = ", ".join(outcome.attack.value for outcome in broken)
        return f"{head}More answers are right than the claim permits ({names}): the promise is not kept."
    if beyond:
        names = "; ".join(f"{outcome.attack.value}: {_exposed(outcome)}" for outcome in beyond)
        who = "workers" if all(outcome.attack is Attack.WORKERS for outcome in beyond) else "employers"
        return f"{head}Attacks succeed where the claim promises nothing ({names}): {who} stay exposed."
    best = max(released.applied(), key=lambda outcome: outcome.right)
    return (
        f"{head}No attack is right more often than permitted; the most successful one ({best.attack.value}) is right "
        f"in {show(best.right)} of {_number(best.answered, 'answer')}."
    )


def _exposed(outcome: Outcome) -> str:
    if outcome.attack is Attack.WORKERS:
        return _number(outcome.workers, "worker")
    return _number(outcome.establishments, "establishment")


def promised(claim: Claim) -> frozenset[Attack]:
    """Which attacks a claim protects against: on workers wherever it is formal, on employers where it says so."""
    if not claim.formal:
        return frozenset()
    return frozenset(Attack) if claim.definition in _ESTABLISHMENTS else frozenset({Attack.WORKERS})


def _values(tables: tuple[Attacked, ...]) -> dict[str, Value]:
    values: dict[str, Value] = {}
    for table in tables:
        for outcome in table.applied():
            key = f"{_KEYS[outcome.attack]}_{table.name.split()[-1]}"
            values[f"{key}_establishments"] = outcome.establishments
            values[f"{key}_workers"] = outcome.workers
            values[f"{key}_reliable"] = outcome.reliable
    return values


def _counts(title: str, tables: tuple[Attacked, ...]) -> Table:
    rows = tuple(
        (
            outcome.attack.value,
            table.name,
            outcome.judged_right,
            round(outcome.permitted, 1),
            outcome.right,
            outcome.answered,
            outcome.tried,
            outcome.reliable,
            outcome.establishments,
            outcome.workers,
        )
        for table in tables
        for outcome in table.outcomes
    )
    return Table(
        title=title,
        columns=(
            "Attack",
            "Published values",
            "Judged right",
            "Permitted",
            "Right answers",
            "Answers",
            "Tried on",
            "Share right",
            "Establishments exposed",
            "Workers concerned",
        ),
        rows=rows,
        note=(
            "Judged right: right answers among those that have enough neighbouring sizes to be judged. Permitted: as "
            "many of them by the claim under review, chance included; by guessing alone where that claim promises "
            "nothing. Sizes and shapes are attacked where one establishment is alone in its workplace cell."
        ),
    )


def _places(table: Attacked, domain: Domain, *, beyond: tuple[Outcome, ...] | None = None) -> tuple[Table, ...]:
    """Some of the exposed workplace cells by their keys, never with a count."""
    chosen = table.applied() if beyond is None else beyond
    rows: list[tuple[Value, ...]] = []
    for outcome in chosen:
        for place in outcome.places[:_LISTED].tolist():
            codes = domain.workplace_cells[place].tolist()
            keys = [a.values[code] for a, code in zip(domain.workplace, codes, strict=True)]
            rows.append((outcome.attack.value, *keys))
    if not rows:
        return ()
    return (
        Table(
            title="Where they are",
            columns=("Attack", *(attribute.title or attribute.name for attribute in domain.workplace)),
            rows=tuple(rows),
            note=f"The first {_LISTED} workplace cells of each attack.",
        ),
    )


def _why_not(table: Attacked) -> tuple[Table, ...]:
    rows = tuple((outcome.attack.value, outcome.why_not) for outcome in table.outcomes if outcome.why_not)
    if not rows:
        return ()
    return (Table(title="Attacks that do not apply", columns=("Attack", "Why"), rows=rows),)


def _bars(tables: tuple[Attacked, ...]) -> tuple[Figure, ...]:
    applied = [outcome.attack for outcome in tables[0].applied()]
    if not applied:
        return ()
    series = []
    for table in tables:
        counted = {outcome.attack: float(outcome.establishments) for outcome in table.outcomes}
        heights = tuple(counted[attack] for attack in applied)
        series.append(Series(name=table.name, x=tuple(float(i) for i in range(len(applied))), y=heights))
    return (
        Figure(
            kind=Kind.BARS,
            title="Establishments exposed, by attack",
            subtitle="Right answers; against a private release an attacker cannot tell them from wrong ones",
            x=Axis(label="Attack", categories=tuple(attack.value for attack in applied)),
            y=Axis(label="Establishments", unit="exposed"),
            series=tuple(series),
        ),
    )


def not_attacked(why: str) -> Finding:
    return Finding(
        id="sdl-attacks-baseline",
        title="What attacks recover from current SDL",
        status=Status.INFO,
        sentence=f"Nothing was attacked: {why}.",
        does_not_prove="Anything: nothing was tried.",
    )
