"""Suggested roles of job files, from a column's name and content. A person always confirms.

Predictor, group and answer are never suggested: what a number or a code is used for is not to be seen in the data.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from workbench.core.quantities import agreeing, joined
from workbench.microdata.roles import Role
from workbench.microdata.suggest import Facts, NameWord, Suggestion, empty_or_constant, parts_of, word_of

# The order decides where a name has several words: firm_size is a size, worker_weight a weight.
_WORDS: tuple[NameWord, ...] = (
    NameWord(Role.WEIGHT, ("weight", "wgt", "pwgt"), ("wt", "perwt", "hhwt"), "a weight"),
    NameWord(Role.OUTCOME, ("earn", "wage", "income", "salar", "turnover", "revenue", "payroll", "cost", "pincp"),
          ("pay", "inc", "amount", "rank"), "an amount"),
    NameWord(Role.IGNORE, ("createdate", "timestamp"), ("year", "qtr", "quarter", "date", "month"), "a date"),
    NameWord(Role.IGNORE, ("size", "firmsize", "estsize", "empsize", "headcount"), ("employees", "workers"),
          "how many workers an employer has, which a table must not tell: as an attribute it would move a whole "
          "workforce to another cell when one worker comes"),
    NameWord(Role.GEOGRAPHY, ("county", "place", "tract", "block", "geo", "fips", "state", "zip", "zcta", "puma",
                           "region", "municip", "nuts", "district", "tabblk"),
          ("st", "cty", "trct", "cbsa", "msa", "area", "city"), "a place"),
    NameWord(Role.PERSON, ("sex", "gender", "race", "ethnic", "hisp", "educ", "marit", "birth", "citizen", "disab",
                        "occup", "rac1p", "agep", "agegr"), ("age", "edu", "soc", "msp"), "a trait of a person"),
    NameWord(Role.WORKPLACE, ("naics", "sector", "industr", "owner", "sic", "nace", "firmage"),
          ("own", "ind", "indp", "activity"), "a trait of a workplace"),
    NameWord(Role.ESTABLISHMENT, ("estab", "firm", "sein", "employer", "enterprise", "compan", "business", "charit"),
          ("ein", "est", "plant"), "an employer"),
    NameWord(Role.WORKER, ("worker", "person", "employee", "individual", "respondent"), ("pik", "ssn", "pid"),
          "a person"),
)  # fmt: skip
_OF_WORKPLACES = (Role.ESTABLISHMENT, Role.WORKPLACE, Role.GEOGRAPHY)
_HOME = ("h", "home", "res", "residence", "residential")
_FEW = 200
_SHARED_BY = 4  # a trait of workplaces, such as a municipality, is shared by so many of them on average
_MANY = 20  # rows from which on a value for each is no coincidence
_LODES_COUNT = r"[CS](000|[A-Z]{1,2}\d\d)"


def suggest_job_roles(facts: Sequence[Facts]) -> dict[str, Suggestion]:
    """A role for every column. At most one column each identifies establishments and workers.

    Of workers, the coarsest: where one identifies jobs and another people, the one of people has fewer values, and a
    mistake protects more. Of establishments, the finest that is not one per job.
    """
    found = {fact.name: suggest(fact) for fact in facts}
    _describe_units(facts, found)
    for role, best, otherwise in (
        (Role.ESTABLISHMENT, _best_establishment, Role.WORKPLACE),
        (Role.WORKER, _best_worker, Role.IGNORE),
    ):
        rivals = [fact for fact in facts if found[fact.name].role == role]
        chosen = best(rivals)
        for fact in rivals:
            if chosen is not None and fact is not chosen:
                found[fact.name] = _behind(fact, chosen, role, otherwise)
    return found


def _describe_units(facts: Sequence[Facts], found: dict[str, Suggestion]) -> None:
    """What the names do not tell, the rows may: traits that never change within an identifier are the unit's."""
    unnamed = {fact.name for fact in facts if _by_name(fact) is None}
    told = {
        fact.name: [other.name for other in facts if fact.name in other.within and other.distinct <= _FEW]
        for fact in facts
        if not _nearly_one_each(fact) and fact.distinct > _MANY
    }
    named = [fact.name for fact in facts if found[fact.name].role == Role.ESTABLISHMENT and told.get(fact.name)]
    most = max((name for name in told if name in unnamed), key=lambda name: len(told[name]), default="")
    unit = named[0] if named else most
    if not unit or not told[unit]:
        return
    if unit in unnamed:
        listed = joined([f"“{name}”" for name in told[unit][:3]])
        reason = f"{listed} never {agreeing(len(told[unit]), 'changes', 'change')} within one of its values"
        found[unit] = Suggestion(role=Role.ESTABLISHMENT, reason=reason)
    units = next(fact.distinct for fact in facts if fact.name == unit)
    for fact in facts:
        few = fact.distinct <= max(_FEW, units // _SHARED_BY)
        if fact.name in unnamed and unit in fact.within and few and found[fact.name].role in (Role.PERSON, Role.IGNORE):
            found[fact.name] = Suggestion(role=Role.WORKPLACE, reason=f"it never changes within a value of “{unit}”")


def _best_establishment(rivals: Sequence[Facts]) -> Facts | None:
    several = [fact for fact in rivals if not _nearly_one_each(fact)]
    return max(several or rivals, key=lambda fact: fact.distinct, default=None)


def _best_worker(rivals: Sequence[Facts]) -> Facts | None:
    """A name that speaks of people is believed before content, which cannot tell people from jobs."""
    named = [fact for fact in rivals if role_named(fact.name) == Role.WORKER]
    return min(named or rivals, key=lambda fact: fact.distinct, default=None)


def _behind(fact: Facts, chosen: Facts, role: Role, otherwise: Role) -> Suggestion:
    """Why a column that could have the role does not."""
    if _nearly_one_each(fact) and not _nearly_one_each(chosen):
        return Suggestion(role=Role.IGNORE, reason=f"“{chosen.name}” identifies the {role}; this one may identify jobs")
    how = "more finely" if role == Role.ESTABLISHMENT else "and has fewer values, or a name that says so"
    return Suggestion(role=otherwise, reason=f"“{chosen.name}” identifies the {role} {how}")


def role_behind(key: Sequence[str]) -> Role | None:
    """The role of what is one for each key, by the roles of its columns: each workplace, or each place or trait."""
    return Role.WORKPLACE if key and all(role in _OF_WORKPLACES for role in key) else None


def suggest(facts: Facts) -> Suggestion:
    """A role for one column: content may rule the name out, otherwise the name decides, then the content."""
    return empty_or_constant(facts) or _by_name(facts) or _by_content(facts)


def role_named(name: str) -> Role | None:
    """The role that the words of a name alone suggest."""
    word_and_part = word_of(name, _WORDS)
    return word_and_part[0].role if word_and_part else None


def _by_name(facts: Facts) -> Suggestion | None:
    if re.fullmatch(_LODES_COUNT, facts.name) and facts.numbers:
        return Suggestion(role=Role.COUNT, reason="named like a count of jobs in LODES files")
    found = word_of(facts.name, _WORDS)
    return _adjusted(facts, *found) if found else None


def _adjusted(facts: Facts, word: NameWord, part: str) -> Suggestion:
    """What the name says, unless the content contradicts it."""
    said = f"“{part}” in the name suggests {word.means}"
    if word.role == Role.GEOGRAPHY and parts_of(facts.name)[0] in _HOME:
        return Suggestion(role=Role.PERSON, reason="the name suggests where a person lives")
    if word.role in (Role.ESTABLISHMENT, Role.WORKER) and facts.distinct <= 20 < facts.rows // 10:
        attribute = Role.WORKPLACE if word.role == Role.ESTABLISHMENT else Role.PERSON
        return Suggestion(role=attribute, reason=f"{said}, but so few values cannot identify one")
    if word.role == Role.ESTABLISHMENT and facts.rows >= _MANY and facts.distinct == facts.rows:
        return Suggestion(role=Role.IGNORE, reason=f"{said}, but every row has its own value: it may identify jobs")
    if word.role.numbers and not facts.numbers:
        return Suggestion(role=Role.IGNORE, reason=f"{said}, but some cells are text: name its missing-value codes")
    if facts.fractions and not word.role.numbers and word.role != Role.IGNORE:
        return Suggestion(role=Role.OUTCOME, reason=f"{said}, but it holds many different fractions")
    return Suggestion(role=word.role, reason=said)


def _by_content(facts: Facts) -> Suggestion:
    if facts.fractions and not facts.numbers:
        reason = "it holds many different fractions, and some cells are text: name its missing-value codes"
        return Suggestion(role=Role.IGNORE, reason=reason)
    if facts.fractions:
        return Suggestion(role=Role.OUTCOME, reason="it holds many different fractions")
    if facts.rows > 100 and _nearly_one_each(facts) and not facts.missing:
        reason = "almost every row has its own value, as an identifier of people would, or of jobs: make sure which"
        return Suggestion(role=Role.WORKER, reason=reason)
    if facts.distinct <= _FEW:
        return Suggestion(role=Role.PERSON, reason="few different values, and nothing in the name tells of a workplace")
    return Suggestion(role=Role.IGNORE, reason="neither name nor content tells what it is")


def _nearly_one_each(facts: Facts) -> bool:
    return facts.distinct > 0.9 * facts.rows
