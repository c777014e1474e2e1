"""The audit against its acceptance numbers: what it costs, what it sees, and how often it accuses honest noise.

Costs are processor time in one run, beside the draws alone. `--runs` sets how often honest noise is tried.
"""

from __future__ import annotations

import sys
import time
from typing import Any

from tests.contract import twins
from tests.products.employment_tables import hand_made
from workbench.audit import black_box
from workbench.audit.contract import Subject
from workbench.audit.declared_law.check import SPEC, DeclaredLawParams
from workbench.core.findings import Status
from workbench.core.progress import QUIET
from workbench.core.quantities import Epsilon
from workbench.products.employment_tables.mechanisms.cell import smooth_gamma
from workbench.products.employment_tables.words import JOBS

EPSILONS = ("0.5", "1", "2", "4")
MOST_SECONDS = 2.0
MOST_FALSE = 0.01


def subject(mechanism: Any, epsilon: str) -> Subject:
    params = smooth_gamma.SmoothGammaParams(epsilon=Epsilon(epsilon))
    return Subject(words=JOBS, prepared=hand_made.cells(worker=False), mechanism=mechanism, params=params)


def main(runs: int = 40) -> int:
    missed = []
    SPEC.run(subject(smooth_gamma.SPEC, "2"), DeclaredLawParams(), QUIET)  # tables are made once
    for epsilon in EPSILONS:
        started = time.process_time()
        words, draws = SPEC.run(subject(twins.LessNoise(smooth_gamma.SPEC), epsilon), DeclaredLawParams(), QUIET)
        spent = time.process_time() - started
        z = next(row[2] for row in draws.tables[0].rows if row[1] == "scale")
        print(f"noise x 0.98 at ε {epsilon}: words {words.values['different']} differ, scale {z}, {spent:.2f} s")
        if words.status is not Status.FAIL or draws.status is not Status.FAIL or spent > MOST_SECONDS:
            missed.append(f"noise x 0.98 at ε {epsilon}")
    accused = 0
    for run in range(runs):
        honest = SPEC.run(subject(smooth_gamma.SPEC, EPSILONS[run % 4]), DeclaredLawParams(turns=1, seed=run), QUIET)
        accused += any(finding.status is Status.FAIL for finding in honest)
    print(f"honest noise accused in {accused} of {runs} runs; at most {MOST_FALSE:.0%} of many")
    if accused > max(1, MOST_FALSE * runs):
        missed.append("false alarms")
    for epsilon in EPSILONS:
        study, _ = black_box.SPEC.run(subject(smooth_gamma.SPEC, epsilon), black_box.BlackBoxParams(), QUIET)
        visible, limit = float(str(study.values["visible_breach_95"])), 1.08 if epsilon == "0.5" else 1.05
        print(f"black box at ε {epsilon}: smallest visible breach {visible:.3f} ε at 95 %; limit {limit}")
        if visible > limit:
            missed.append(f"black box at ε {epsilon}")
    print("every target met" if not missed else f"missed: {', '.join(missed)}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
