"""The measures of usefulness the program knows."""

from __future__ import annotations

from workbench.utility import contest, l1_error, ranking, relative_error
from workbench.utility.contract import AnyMeasure

MEASURES: tuple[AnyMeasure, ...] = (l1_error.SPEC, ranking.SPEC, relative_error.SPEC, contest.SPEC)
