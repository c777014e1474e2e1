"""From microdata to answers on declared domains, through the door to the rows. No row stops it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from workbench.core.arrays import Integers
from workbench.core.confidential import Confidential
from workbench.core.errors import Problem
from workbench.core.progress import Context, Part
from workbench.microdata.elsewhere import WithheldRows
from workbench.microdata.inputs import Inputs
from workbench.microdata.roles import Role, columns_with
from workbench.microdata.table import CodedColumn
from workbench.products.survey_microdata.counted import counted, scale_of
from workbench.products.survey_microdata.params import (
    MOST_CATEGORIES,
    Kind,
    SurveyMicrodataParams,
    VariableParams,
)
from workbench.products.survey_microdata.survey_data import (
    ONCE,
    WEIGHT_DECIMALS,
    Otherwise,
    SurveyData,
    Variable,
    class_starts,
    weighing,
)
from workbench.tabulation.answers import Records
from workbench.tabulation.contract import First, Rows
from workbench.tabulation.door import rows_of
from workbench.tabulation.keys import NOWHERE, Beyond, Bins, Dimension, Key, Scale

NOT_LISTED = "missing"
_NOT_LISTED_LABEL = "missing or not listed"


def domain_problems(inputs: Inputs, params: SurveyMicrodataParams) -> Iterator[Problem]:
    """Domains that are not declared, too short or too long; and weights that nothing uses."""
    for name in columns_with(inputs.roles, Role.WEIGHT):
        if name != params.weight:
            yield Problem(
                f"“{name}” is a weight, and nearly every weight is unique: published, it would name its respondent",
                name,
                "Make it the weight of a central method, rake the file to public totals instead, or recode it to "
                "classes and declare them a variable",
            )
    for name, row in params.variables.items():
        where = f"variables.{name}"
        if row.kind is Kind.NUMBER or name not in inputs.microdata.columns:
            continue
        values = _listed(inputs, name, row)
        if not values:
            yield Problem(
                f"“{name}” has no declared list of categories",
                where,
                "Add it to a data dictionary that was not taken from the data, or list its categories in the plan",
            )
        elif len(values) == 1:
            yield Problem(f"“{name}” has a single category and says nothing", where, "Leave it out")
        elif len(values) > MOST_CATEGORIES:
            yield Problem(
                f"“{name}” has {len(values):,} categories, and a file takes at most {MOST_CATEGORIES}",
                where,
                "Recode it to fewer categories",
            )
        elif row.otherwise and row.otherwise not in values:
            yield Problem(
                f"Missing values of “{name}” count as a category that is not declared", where, "Name one of its list"
            )


def _listed(inputs: Inputs, name: str, row: VariableParams) -> tuple[str, ...]:
    """The declared categories: of the plan, or else of a dictionary that was not taken from the data."""
    column = inputs.microdata.columns.get(name)
    return row.values or (column.declared_values if isinstance(column, CodedColumn) else ())


def variables_of(inputs: Inputs, params: SurveyMicrodataParams) -> tuple[Variable, ...]:
    """The declared variables, in the order of the plan."""
    return tuple(_variable(inputs, name, row) for name, row in params.variables.items())


def _variable(inputs: Inputs, name: str, row: VariableParams) -> Variable:
    column = inputs.microdata.columns[name]
    if row.kind is Kind.NUMBER:
        starts = class_starts(row.lower, row.upper, row.classes)
        return Variable(
            name=name, kind=row.kind, title=column.title, lower=row.lower, upper=row.upper, starts=starts
        )  # fmt: skip
    labels = column.labels if isinstance(column, CodedColumn) else {}
    values = _listed(inputs, name, row)
    words = tuple(labels.get(value, value) for value in values)
    if not row.otherwise:
        own = NOT_LISTED if NOT_LISTED not in values else _NOT_LISTED_LABEL
        values, words = (*values, own), (*words, _NOT_LISTED_LABEL)
    return Variable(name=name, kind=row.kind, title=column.title, values=values, labels=words)


def survey_data(inputs: Inputs, params: SurveyMicrodataParams, context: Context) -> SurveyData:
    """Every respondent's answers; one row of each where a column identifies respondents."""
    context.step(0.0, "reading the answers")
    rows = rows_of(inputs.microdata)
    if params.respondent:
        rows = rows.bounded((params.respondent,), First(by=()), Part(context, 0.0, 0.4))
    variables = variables_of(inputs, params)
    if not rows.gives_records:
        return _only_counted(inputs, params, rows, variables, Part(context, 0.4, 1.0))
    context.step(0.4, "putting answers on their declared domains")
    keys: list[Dimension] = [_key(variable) for variable in variables]
    scales = [scale_of(variable) for variable in variables if variable.number]
    if params.weight:
        scales.append(_weight_scale(params))
        keys.append(Bins(of=scales[-1], edges=()))
    records = rows.records(keys, scales, Part(context, 0.4, 0.9)).reveal()
    read = [_answers(variable, params.variables[variable.name], records) for variable in variables]
    context.step(1.0, "answers read")
    return SurveyData(
        variables=variables,
        answers=Confidential(np.stack([answers for answers, _ in read], axis=1)),
        bounded=bool(params.respondent),
        planned=params.planned,
        settled=Confidential(np.array([settled for _, settled in read], dtype=np.int64)),
        otherwise=_otherwise(inputs, variables, params),
        weighing=weighing(params.most_weight) if params.weight else ONCE,
        weights=Confidential(_weights(params, records)) if params.weight else None,
    )


def _weight_scale(params: SurveyMicrodataParams) -> Scale:
    """Hundredths between 0 and the declared largest weight: a negative weight counts as none."""
    most = weighing(params.most_weight).most
    return Scale(column=params.weight, lower=0, upper=most, decimals=WEIGHT_DECIMALS, beyond=Beyond.OWN)


def _weights(params: SurveyMicrodataParams, records: Records) -> Integers:
    """Of each respondent; who has no weight contributes nothing."""
    absent = records.positions[params.weight] == NOWHERE
    return np.where(absent, 0, records.numbers[params.weight]).astype(np.int64)


def _only_counted(
    inputs: Inputs, params: SurveyMicrodataParams, rows: Rows, variables: tuple[Variable, ...], context: Context
) -> SurveyData:
    """All tables, and no single answer: those stay with the engine that reads them."""
    instead = [_instead(variable, params.variables[variable.name]) for variable in variables]
    found = counted(rows, variables, instead, _weight_scale(params) if params.weight else None, context)
    elsewhere = inputs.microdata.elsewhere
    withheld = WithheldRows(elsewhere.title if elsewhere is not None else "the engine")
    return SurveyData(
        variables=variables,
        answers=withheld,
        bounded=bool(params.respondent),
        planned=params.planned,
        settled=Confidential(found.settled),
        otherwise=_otherwise(inputs, variables, params),
        weighing=weighing(params.most_weight) if params.weight else ONCE,
        weights=withheld if params.weight else None,
        counted=Confidential(found),
    )


def _otherwise(
    inputs: Inputs, variables: Sequence[Variable], params: SurveyMicrodataParams
) -> tuple[Otherwise, ...]:  # fmt: skip
    made = []
    for variable in variables:
        column, row = inputs.microdata.columns.get(variable.name), params.variables[variable.name]
        others = {*column.values} - {*variable.values} if isinstance(column, CodedColumn) else set[str]()
        text = variable.texts[int(variable.classed(np.array(_instead(variable, row))))]
        made.append(
            Otherwise(text, Confidential(frozenset({"", *([row.otherwise] if row.otherwise else []), *others})))
        )
    return tuple(made)


def _instead(variable: Variable, row: VariableParams) -> int:
    """What a missing or undeclared answer counts as."""
    if variable.number:
        return int(row.otherwise) if row.otherwise else (variable.lower + variable.upper) // 2
    return variable.values.index(row.otherwise) if row.otherwise else len(variable.values) - 1


def _key(variable: Variable) -> Dimension:
    if variable.number:
        return Bins(of=scale_of(variable), edges=())  # one bin: whether there is a number at all
    return Key.listed(variable.name, variable.values, Beyond.OWN)


def _answers(variable: Variable, row: VariableParams, records: Records) -> tuple[Integers, int]:
    """The answers on the declared domain, and how many of them the plan's rule had to settle."""
    places = records.positions[variable.name].astype(np.int64)
    absent = places == NOWHERE
    if variable.number:
        filled = np.where(absent, _instead(variable, row), records.numbers[variable.name])
        return filled.astype(np.int64), int(absent.sum())
    return np.where(absent, _instead(variable, row), places).astype(np.int64), int(absent.sum())
