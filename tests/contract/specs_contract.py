"""What every plug-in declares about itself."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence
from typing import Any

import pytest

from workbench.core.params import fields_of, parse, problems_of, to_plain
from workbench.core.plain import canonical
from workbench.core.specs import Spec, described, find


class SpecContract:
    """Inherit, and give the fixtures `spec` (one plug-in) and `registry` (the tuple it stands in)."""

    @pytest.fixture
    def spec(self) -> Any:
        raise NotImplementedError

    @pytest.fixture
    def registry(self) -> Sequence[Any]:
        raise NotImplementedError

    @pytest.fixture
    def valid_params(self, spec: Any) -> Any:
        """Params without problems; defaults unless a subclass knows better."""
        return spec.params()

    def test_that_it_has_an_id_a_version_a_title_and_a_summary(self, spec: Spec) -> None:
        assert re.fullmatch(r"[a-z][a-z0-9_-]*", spec.id)
        assert spec.version >= 1
        assert spec.title.strip()
        assert spec.summary.strip().endswith(".")

    def test_that_its_id_is_its_own_and_finds_it(self, spec: Spec, registry: Sequence[Any]) -> None:
        assert [other.id for other in registry].count(spec.id) == 1
        assert find(registry, spec.id, "plug-in") is spec

    def test_that_its_params_are_frozen_and_described(self, spec: Spec) -> None:
        assert dataclasses.is_dataclass(spec.params)
        assert spec.params.__dataclass_params__.frozen  # type: ignore[attr-defined]
        for field in fields_of(spec.params):
            assert field.label.strip()
            assert field.help.strip()

    def test_that_its_params_survive_the_way_to_a_plan_and_back(self, spec: Spec, valid_params: Any) -> None:
        assert problems_of(valid_params) == ()
        assert parse(spec.params, to_plain(valid_params)) == valid_params

    def test_that_a_script_can_read_its_description(self, spec: Spec) -> None:
        assert spec.id.encode() in canonical(described(spec))

    def test_that_its_module_says_what_it_does(self, spec: Spec) -> None:
        import sys

        assert (sys.modules[type(spec).__module__].__doc__ or "").strip()
