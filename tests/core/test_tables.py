"""What is published is whole: a table or a release that is not cannot even be made."""

from __future__ import annotations

import numpy as np
import pytest

from workbench.core.errors import Defect
from workbench.core.tables import PublicTable
from workbench.mechanisms.contract import Release

NOT_WHOLE = [np.array([1.0, 2.0]), np.array([1.5, 2.5]), np.array([1, 2], dtype=np.int32), np.array([True, False])]


@pytest.mark.parametrize("values", NOT_WHOLE, ids=lambda values: str(values.dtype))
def test_that_values_of_another_type_are_a_defect_before_anything_is_stored(values: np.ndarray) -> None:  # type: ignore[type-arg]
    with pytest.raises(Defect, match="64-bit integers"):
        PublicTable(columns=("place",), keys=(("A", "B"),), value_name="jobs", values=values)
    with pytest.raises(Defect, match="64-bit integers"):
        Release(values=values, mechanism="laplace", version=1)


def test_that_keys_that_do_not_line_up_are_a_defect() -> None:
    values = np.array([1, 2], dtype=np.int64)
    for columns, keys in ((("place",), (("A",),)), (("place", "sex"), (("A", "B"),))):
        with pytest.raises(Defect, match="line up"):
            PublicTable(columns=columns, keys=keys, value_name="jobs", values=values)
