"""The attack as a picture: which share of people is found in the file against what a record spends."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

import numpy as np

from workbench.core.figures import Axis, Figure, Kind, Series
from workbench.core.findings import Finding, Status
from workbench.core.params import param
from workbench.core.progress import Context, Part
from workbench.core.quantities import Epsilon, percent
from workbench.core.randomness import StudyRandom
from workbench.explorations.contract import Scene
from workbench.explorations.marks import release_and_cap
from workbench.products.survey_microdata.audit import attacks
from workbench.products.survey_microdata.audit.linkage import known_sets
from workbench.products.survey_microdata.audit.records_seen import local_file
from workbench.products.survey_microdata.local import krr_laplace
from workbench.products.survey_microdata.survey_data import SurveyData

_EACH = ("0.2", "0.5", "1", "1.5", "2", "3", "4", "7")


@dataclass(frozen=True, slots=True, kw_only=True)
class AttackCurveParams:
    targets: int = param(60, "Targets", "People who are looked for.", ge=10, le=1000)
    seed: int = param(1, "Seed", "The attack can be repeated with it.", ge=0)


@dataclass(frozen=True, slots=True)
class AttackCurve:
    """See the module's docstring."""

    id: str = "linked-by-epsilon"
    version: int = 1
    title: str = "People found against ε"
    summary: str = "The share of people whose record an attacker finds, over what a record spends."
    params: type[AttackCurveParams] = AttackCurveParams
    stage: str = "audit"
    needs_release: bool = False

    def choices(self, scene: Scene) -> Mapping[str, tuple[str, ...]]:  # noqa: ARG002 - nothing to choose
        return {}

    def show(self, scene: Scene, params: AttackCurveParams, context: Context) -> tuple[Finding, ...]:
        prepared: SurveyData = scene.prepared
        random = np.random.Generator(np.random.PCG64(params.seed))
        targets = random.permutation(prepared.respondents.reveal())[: params.targets]
        sets = known_sets(prepared, ())
        shares: list[list[float]] = []
        for place, each in enumerate(_EACH):
            part = Part(context, place / len(_EACH), (place + 1) / len(_EACH))
            settings = krr_laplace.KrrLaplaceParams(epsilon=Epsilon(Decimal(each)))
            designs = krr_laplace.designs(prepared, settings)
            seen = local_file(prepared, designs, f"ε {each}", StudyRandom(params.seed), Part(part, 0.0, 0.4))
            shares.append([attacks.linked(seen, targets, known, Part(part, 0.4, 1.0)) for known in sets])
        context.step(1.0, "attacks done")
        x = tuple(float(each) * len(prepared.variables) for each in _EACH)
        known_of = (f"all {len(sets[0])} answers", f"{len(sets[1])} answers", f"{len(sets[2])} demographics")
        figure = Figure(
            kind=Kind.LINES,
            title="People found in the source's file",
            subtitle="One attack by likelihood; a file made from noisy tables has no record that is anybody's",
            x=Axis(label="ε of a record", log=True),
            y=Axis(label="Share of people found", unit="%"),
            series=tuple(
                Series(name=f"{name} known", x=x, y=tuple(100.0 * each[place] for each in shares))
                for place, name in enumerate(known_of)
            ),
            marks=release_and_cap(scene),
        )  # fmt: skip
        found = Finding(
            id=self.id,
            title=self.title,
            status=Status.INFO,
            sentence=(
                f"At ε 7 for each variable {percent(shares[-1][0])} of {len(targets)} people are found by all answers."
            ),
            figures=(figure,),
        )
        return (found,)


SPEC = AttackCurve()
