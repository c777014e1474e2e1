"""Rules that do not apply to a mechanism are not run and not counted as skipped: they are listed with the reason."""

from __future__ import annotations

from typing import Any

import pytest

from tests.contract.mechanism_contract import MechanismContract
from tests.contract.rules import left_out, lines

_MET: dict[str, Any] = {}


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    apart = [item for item in items if _does_not_apply(item)]
    if apart:
        gone = set(apart)
        items[:] = [item for item in items if item not in gone]
        config.hook.pytest_deselected(items=apart)


def _does_not_apply(item: pytest.Item) -> bool:
    judged = getattr(item, "cls", None)
    if judged is None or not issubclass(judged, MechanismContract) or not isinstance(item, pytest.Function):
        return False
    mechanism = item.callspec.params["case"][1]
    _MET[mechanism.id] = mechanism
    return item.originalname in left_out(mechanism)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    told = [line for mechanism in _MET.values() for line in lines(mechanism)]
    if told:
        terminalreporter.section("rules that do not apply")
        terminalreporter.write_line("\n".join(told))
