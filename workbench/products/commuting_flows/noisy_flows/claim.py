"""What noisy flows promise. Public facts only: settings, how populations are listed, and which files are public.

Job: whether one job is there costs ε, its home 2(ε − ε_S), its workplace, its characteristic or the whole record 2ε.
Home: one worker's home costs ε, sizes being public. A worker with J jobs: J times as much. Each year adds.
"""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction

from workbench.core.claims import Claim, ClaimPart, Definition
from workbench.core.quantities import odds_factor, show
from workbench.products.commuting_flows.conditions import APPROVED, jobs_of, provided
from workbench.products.commuting_flows.flows.structures import Listed, PopulationList, Populations
from workbench.products.commuting_flows.noisy_flows.budget import Budget, budget_of
from workbench.products.commuting_flows.noisy_flows.params import NoisyFlowsParams, Unit

CONDITION = "the list of populations, taken from these data"
REMEDY = (
    "List populations from a public register of workplaces or for all areas, with a data dictionary for every "
    "characteristic."
)
YEARS = "Sequential: ε adds up over every release about the same workers, each year included."
_DIGITS = 60
_SIZES = "the list of populations and their sizes are public"


def claim_of(prepared: Populations | None, params: NoisyFlowsParams) -> Claim:
    times = 1 if prepared is None else prepared.most_populations_of_a_worker
    return _job(prepared, params, times) if params.unit is Unit.JOB else _home(prepared, params, times)


def _job(prepared: Populations | None, params: NoisyFlowsParams, times: int) -> Claim:
    budget = budget_of(params)
    public = prepared is None or prepared.listed.public
    jobs = 1 if prepared is None else prepared.jobs_in_a_population
    epsilon = _exact(times * Fraction(params.epsilon))
    return Claim(
        definition=Definition.EDGE,
        unit="one job, present or absent" if times == 1 else f"one worker, counted in up to {jobs_of(times)}",
        epsilon=epsilon,
        sentence=_job_sentence(params, budget, times) + ("" if public else _UNCOVERED),
        formal=public,
        condition="" if public else CONDITION,
        remedy="" if public else REMEDY,
        assumptions=(*_lists(prepared), *_common(prepared, times), *_classes(prepared, params), *_replicates(params)),
        composition=YEARS,
        parts=(
            ClaimPart(name="sizes of populations", epsilon=_exact(times * budget.size_epsilon)),
            ClaimPart(name="homes", epsilon=_exact(times * budget.home_epsilon)),
        ),
        workings=f"Sizes spend ε = {show(_exact(times * budget.size_epsilon))}, homes the rest; both add up.",
        group_size=jobs,
        provided=provided(prepared, times, _register(prepared)) if prepared is not None and public else (),
    )


def _home(prepared: Populations | None, params: NoisyFlowsParams, times: int) -> Claim:
    return Claim(
        definition=Definition.RESIDENCE,
        unit="one worker's residence, given the workplace, the characteristic and all other workers",
        epsilon=_exact(times * Fraction(params.epsilon)),
        sentence=_home_sentence(params, times),
        assumptions=(
            "The list of populations and their sizes are public. Nobody's presence is protected.",
            *(() if prepared is None else prepared.size_notes),
            *_common(prepared, times),
            *_replicates(params),
        ),
        composition=YEARS,
        exact=() if prepared is None else prepared.told_exactly,
        provided=() if prepared is None else provided(prepared, times, (_SIZES,)),
    )


_UNCOVERED = " The noise does not hide which populations exist, because their list was taken from these data."


def _job_sentence(params: NoisyFlowsParams, budget: Budget, times: int) -> str:
    presence, home, record = (
        times * Fraction(params.epsilon), 2 * times * budget.home_epsilon, 2 * times * Fraction(params.epsilon)
    )  # fmt: skip
    who = "one job is" if times == 1 else f"a worker with up to {jobs_of(times)} is"
    more = "A worker with J jobs: J times these ε. " if times == 1 else ""
    return (
        f"Whether {who} in the data at all changes the odds of anything published by a factor of at most "
        f"{_odds(presence)} (ε {_shown(presence)}). The home: {_odds(home)} (ε {_shown(home)}). The workplace, the "
        f"characteristic or the whole record replaced: {_odds(record)} (ε {_shown(record)}). {more}Each year adds."
    )


def _home_sentence(params: NoisyFlowsParams, times: int) -> str:
    total = times * Fraction(params.epsilon)
    who = "For a worker with one job" if times == 1 else f"For a worker with up to {jobs_of(times)}"
    more = " A worker with J jobs: J times this ε." if times == 1 else ""
    return (
        f"{who}, the odds between any two homes change by a factor of at most {_odds(total)} (ε {_shown(total)}), "
        f"whatever else is known.{more} Workplaces, characteristics and sizes are not protected, so nobody's presence "
        "is. Each year adds."
    )


def _lists(prepared: Populations | None) -> tuple[str, ...]:
    if prepared is None:
        return ("The list of populations is public and does not depend on who works there.",)
    return (list_words(prepared.listed),)


def list_words(listed: Listed) -> str:
    if listed.by is PopulationList.DATA:
        return (
            "The list of populations was taken from these data: that one disappears with its last job is not covered."
        )
    if listed.values_from_data:
        named = ", ".join(f"“{name}”" for name in listed.values_from_data)
        return f"The values of {named} were taken from these data, as no dictionary declares them: which occur is told."
    if listed.by is PopulationList.REGISTER:
        return f"Populations are those of the public register {listed.register}, with or without jobs."
    return "Populations are those of every area of the public geography, with or without jobs."


def _common(prepared: Populations | None, times: int) -> tuple[str, ...]:
    unknown = prepared is not None and prepared.unknown_home >= 0
    homes = (
        "Homes that are missing, invalid or off the map are counted at a listed point of their own."
        if unknown
        else "Every home is a block of the public geography: other data are refused before any draw."
    )
    held = f"A worker has at most {jobs_of(times)}, or as many entries in sets of segments."
    if times == 1:
        several = prepared is not None and prepared.count_notes
        held = "These ε are for one job; some workers have several." if several else "A worker has one job."
    return (
        "Prior, areas, people, grid and distance limits are public, or a protected release whose ε is in the ledger.",
        homes,
        "The data are protected as they stand after imputation; nothing else about a job is imputed from the home.",
        held,
        *(() if prepared is None else (*_approved(prepared.prior_name), *prepared.count_notes)),
    )


def _classes(prepared: Populations | None, params: NoisyFlowsParams) -> tuple[str, ...]:
    """What a class of jobs costs that follows from the other jobs of a worker."""
    if prepared is None or not prepared.count_notes:
        return ()
    epsilon = Fraction(params.epsilon)
    return (
        f"Another class of one job costs ε {_shown(2 * epsilon)}, as another characteristic does.",
        "Which job of a worker is primary follows from all of them. A job that is there or not can change the class of "
        f"one other job too: both together cost ε {_shown(3 * epsilon)}.",
    )


def _replicates(params: NoisyFlowsParams) -> tuple[str, ...]:
    if params.replicates == 1:
        return ()
    return (
        f"All {params.replicates} replicates are rounded from the same noisy counts, so together they cost what one "
        "of them costs.",
    )


def _approved(prior: str) -> tuple[str, ...]:
    """What is known of a prior that is an approved release of the same project."""
    if not prior.startswith(APPROVED):
        return ()
    name = prior.removeprefix(APPROVED)
    return (f"The prior is {name}, approved in this project: its ε is in the ledger and adds for workers who stay.",)


def _register(prepared: Populations) -> tuple[str, ...]:
    listed = prepared.listed
    if listed.by is not PopulationList.REGISTER:
        return ()
    return (f"{listed.register} is public and was not made from these data",)


def _exact(value: Fraction) -> Decimal:
    """A fraction of decimals is a decimal: all its digits."""
    with localcontext(prec=_DIGITS, rounding="ROUND_CEILING"):
        return (Decimal(value.numerator) / Decimal(value.denominator)).normalize() + 0


def _shown(value: Fraction) -> str:
    return show(_exact(value))


def _odds(value: Fraction) -> str:
    return odds_factor(_exact(value))
