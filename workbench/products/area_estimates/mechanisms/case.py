"""What a calibration is asked about: an area of so many people whose predictor is spread evenly."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal

from workbench.core.params import param
from workbench.products.area_estimates.raw_decode import Moments, Shares, covariance_from
from workbench.products.area_estimates.table_noise import TableShares


@dataclass(frozen=True, slots=True, kw_only=True)
class AreaCase:
    people: int = param(100, "People in the area", "How many people the made-up area has.", ge=3, le=1_000_000)
    chi: Decimal = param(
        Decimal(3), "Observed sensitivity", "Of its pool: the largest number of people times local sensitivity.", gt=0
    )


def made_up_error(case: AreaCase, epsilon: float, shares: TableShares) -> float:
    """Mean absolute error that Laplace noise gives to the estimate at rank .25."""
    divided = Shares(sums=float(shares.sums), x_moment=float(shares.x_moment), y_moment=float(shares.y_moment))
    return error_from_variance(case, divided.sums_variance(epsilon), divided.x_variance(epsilon))


def error_from_variance(case: AreaCase, sums: float, x_moment: float) -> float:
    """The same from the variances of a sum and of the moment of x, on a level line at ½."""
    n = float(case.people)
    moments = Moments(n=n, x=n / 2.0, xx=n / 3.0, y=n / 2.0, xy=n / 4.0)
    variance = float(covariance_from(moments, (0.5, 0.0), sums, x_moment)[0, 0])
    return math.sqrt(2.0 * variance / math.pi)
