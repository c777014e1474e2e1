"""Where in the window a problem can be put right: the stage and the field its words name."""

from __future__ import annotations

import re
from pathlib import Path

from workbench.core.params import fields_of
from workbench.review.decide.stages import TITLES, Stage
from workbench.review.plan.sections import PolicyParams, ReleaseContext, StudyParams
from workbench.review.session import ReviewSession

_SECTIONS = {
    "data": Stage.DATA,
    "product": Stage.RELEASE,
    "release": Stage.RELEASE,
    "mechanism": Stage.MECHANISM,
    "baseline": Stage.MECHANISM,
    "study": Stage.MECHANISM,
    "policy": Stage.MECHANISM,
    "audit": Stage.AUDIT,
}


def place_of(where: str, session: ReviewSession | None = None) -> tuple[Stage | None, str]:
    """(stage, field) of words such as "[mechanism], epsilon", "Release", "epsilon", or of a data file's name; None and
    "" where unknown."""
    named = (session.plan.data.path, session.plan.data.dictionary) if session is not None else ()
    if any(path and Path(path).name == Path(where).name for path in named):
        return Stage.DATA, ""
    lowered = where.lower()
    last = lowered.split(",")[-1].strip()
    field = last.split(" ")[-1]
    for word in re.findall(r"\[([a-z]+)", lowered):
        if word in _SECTIONS:
            return _SECTIONS[word], field
    for stage in Stage:
        if re.search(rf"\b{stage.value}\b", lowered) or TITLES[stage].lower() in lowered:
            return stage, field
    return _stage_of_field(field), field


def _stage_of_field(name: str) -> Stage | None:
    """The stage whose forms have a field of that name."""
    from workbench.products.registry import PRODUCTS

    described = [product.params for product in PRODUCTS] + [ReleaseContext]
    protected = [spec.params for product in PRODUCTS for spec in (*product.mechanisms, *product.baselines)]
    for stage, forms in ((Stage.RELEASE, described), (Stage.MECHANISM, [*protected, PolicyParams, StudyParams])):
        if any(field.name == name for form in forms for field in fields_of(form)):
            return stage
    return None
