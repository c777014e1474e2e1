"""One figure of every kind and manner that the program draws, with awkward names and numbers. Nothing here is real."""

from __future__ import annotations

import math

import numpy as np

from workbench.core.figures import Axis, Figure, Kind, Mark, Ring, Series

EPSILON = Axis(label="Privacy loss ε", log=True)
GRID = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
METHODS = ("confidential", "current SDL", "source's method", "this release")
SIZES = ("under 10", "10–99", "100–999", "1,000 and more")


def _lines() -> Figure:
    names = ("fractional table", "observed sensitivity", "suppression", "direct", "model-based")
    return Figure(
        kind=Kind.LINES, title="Error against ε", subtitle="Root mean squared error over all areas, log axes",
        x=EPSILON, y=Axis(label="RMSE", unit="percentile ranks", log=True),
        series=tuple(
            Series(name=name, x=GRID, y=tuple((k + 1) * 3 / e for e in GRID),
                   low=tuple((k + 1) * 2.5 / e for e in GRID) if k == 0 else (),
                   high=tuple((k + 1) * 3.6 / e for e in GRID) if k == 0 else (), dashed=k == 4)
            for k, name in enumerate(names)
        ),
        marks=(Mark(name="policy's cap", value=4.0, vertical=True), Mark(name="sampling error", value=2.0)),
    )  # fmt: skip


def _many_lines() -> Figure:
    years = range(10)
    return Figure(
        kind=Kind.LINES, title="Nine series", x=Axis(label="Years since leaving", unit="years"),
        y=Axis(label="Median earnings", unit="dollars"),
        series=tuple(
            Series(name=f"Title {k + 1}", x=tuple(range(1, 11)), y=tuple(30_000 + 4_000 * k + 900 * t for t in years))
            for k in range(9)
        ),
    )  # fmt: skip


def _scatter(points: int = 400) -> Figure:
    draw = np.random.default_rng(5)
    size = np.exp(draw.normal(4, 1.2, points))
    chi = 3 / size * np.exp(draw.normal(0, 0.5, points))
    return Figure(
        kind=Kind.SCATTER, title="Envelope of observed sensitivities", x=Axis(label="Persons in the area", log=True),
        y=Axis(label="Local sensitivity", log=True),
        series=(
            Series(name="areas", x=tuple(size.tolist()), y=tuple(chi.tolist()),
                   keys=tuple(f"tract {k}" for k in range(points))),
            Series(name="envelope χ/N", x=(float(size.min()), float(size.max())),
                   y=(13.4 / float(size.min()), 13.4 / float(size.max())), dashed=True),
        ),
        picks="area",
    )  # fmt: skip


def _bars() -> Figure:
    return Figure(
        kind=Kind.BARS, title="Error by size class", x=Axis(label="Persons in the area", categories=SIZES),
        y=Axis(label="Mean absolute error", unit="%"),
        series=tuple(
            Series(name=name, x=(0, 1, 2, 3), y=tuple(20 * (k + 1) / (j + 1) for j in range(4)))
            for k, name in enumerate(METHODS[1:])
        ),
        marks=(Mark(name="tolerated", value=15.0),),
    )  # fmt: skip


def _stacked() -> Figure:
    return Figure(
        kind=Kind.BARS, title="Variance decomposition", stacked=True, x=Axis(label="Method", categories=METHODS),
        y=Axis(label="Variance", unit="ranks²"),
        series=(
            Series(name="signal", x=(0, 1, 2, 3), y=(50, 45, 50, 50)),
            Series(name="sampling", x=(0, 1, 2, 3), y=(20, 20, 20, 18)),
            Series(name="privacy", x=(0, 1, 2, 3), y=(0, 0, 35, 6)),
            Series(name="correction", x=(0, 1, 2, 3), y=(0, -4, 0, -2)),
        ),
    )  # fmt: skip


def _histogram() -> Figure:
    edges = tuple(float(edge) for edge in range(-10, 11))
    heights = tuple(1000 * math.exp(-abs(edge + 0.5) / 2) for edge in edges[:-1])
    wide = tuple(700 * math.exp(-abs(edge + 0.5) / 4) for edge in edges[:-1])
    return Figure(
        kind=Kind.DISTRIBUTION, title="Noise", x=Axis(label="Noise", unit="jobs"), y=Axis(label="Draws"),
        series=(Series(name="tight", x=edges, y=heights), Series(name="as published", x=edges, y=wide)),
    )  # fmt: skip


def _cumulative() -> Figure:
    x = tuple(float(k) for k in range(1, 41))
    return Figure(
        kind=Kind.DISTRIBUTION, title="Relative error of cells", cumulative=True,
        x=Axis(label="Relative error", unit="%", log=True), y=Axis(label="Share of cells"),
        series=(
            Series(name="this release", x=x, y=tuple(1 - math.exp(-k / 6) for k in x)),
            Series(name="current SDL", x=x, y=tuple(1 - math.exp(-k / 14) for k in x)),
        ),
        marks=(Mark(name="90 % of cells", value=0.9),),
    )  # fmt: skip


def _intervals() -> Figure:
    return Figure(
        kind=Kind.INTERVAL, title="Median earnings by sector",
        x=Axis(label="Sector", categories=("Health care and social assistance", "Manufacturing", "Trade", "Public")),
        y=Axis(label="Median earnings", unit="thousand dollars"),
        series=tuple(
            Series(name=name, x=(0, 1, 2, 3), y=tuple(30 + 4 * j + k for j in range(4)),
                   low=tuple(30 + 4 * j - k for j in range(4)), high=tuple(30 + 4 * j + 3 * k for j in range(4)))
            for k, name in enumerate(METHODS)
        ),
    )  # fmt: skip


def _transitions() -> Figure:
    return Figure(
        kind=Kind.HEAT_MAP, title="Design matrix", x=Axis(label="Answer released", categories=("yes", "no", "unsure")),
        y=Axis(label="True answer", categories=("yes", "no", "unsure")), colour=Axis(label="Chance"),
        grid=((0.8, 0.1, 0.1), (0.1, 0.8, 0.1), (0.1, math.nan, 0.8)), outlined=((0, 0),),
    )  # fmt: skip


def _surface(cells: int = 40) -> Figure:
    slope, level = np.meshgrid(np.linspace(-1, 3, cells), np.linspace(-2, 2, cells))
    height = -((slope - 1.2) ** 2) - 1.5 * (level + 0.4 + 0.5 * (slope - 1.2)) ** 2
    steps = np.linspace(0, 1, 12)
    noise = np.random.default_rng(3).normal(0, 0.12, (2, 12)) * np.minimum(steps * 3, 1)
    return Figure(
        kind=Kind.HEAT_MAP, title="Log-likelihood with both paths", subtitle="Both start at the same θ₀",
        x=Axis(label="Slope"), y=Axis(label="Intercept"), extent=(-1, 3, -2, 2),
        colour=Axis(label="Log-likelihood", unit="thousand"), grid=tuple(map(tuple, height.tolist())),
        series=(
            Series(name="exact path", x=tuple((2.2 * steps - 1).tolist()), y=tuple((1.6 - 2 * steps).tolist())),
            Series(name="private path", x=tuple((2.2 * steps - 1 + noise[0]).tolist()),
                   y=tuple((1.6 - 2 * steps + noise[1]).tolist())),
        ),
    )  # fmt: skip


def _circles() -> Figure:
    draw = np.random.default_rng(8)
    x, y = -120 + draw.random(30) * 0.6, 47 + draw.random(30) * 0.4
    true = draw.integers(1, 200, 30).astype(float)
    return Figure(
        kind=Kind.MAP, title="Homes of the workers", x=Axis(label="Longitude", unit="degrees"),
        y=Axis(label="Latitude", unit="degrees"), polygon="outline",
        series=(
            Series(name="true", x=tuple(x.tolist()), y=tuple(y.tolist()), high=tuple(true.tolist())),
            Series(name="synthetic", x=tuple(x.tolist()), y=tuple(y.tolist()), high=tuple((true * 0.8).tolist())),
        ),
    )  # fmt: skip


def hexagons(many: int, corners: int = 6) -> tuple[tuple[tuple[Ring, ...], ...], np.ndarray]:
    """Areas side by side in rows, each with so many corners, and their middles."""
    wide = math.ceil(math.sqrt(many))
    turn = np.linspace(0, 2 * math.pi, corners + 1)
    ring = np.stack([np.sin(turn), np.cos(turn)], axis=1) * 0.0058
    row, column = np.divmod(np.arange(many), wide)
    middles = np.stack([-98 + 0.01 * (column + row % 2 / 2), 39 + 0.0087 * row], axis=1)
    return tuple((tuple(map(tuple, (ring + middle).tolist())),) for middle in middles), middles


def area_map(many: int = 150, corners: int = 6) -> Figure:
    areas, middles = hexagons(many, corners)
    draw = np.random.default_rng(2)
    value = 40 + 12 * np.sin(middles[:, 0] * 60) + draw.normal(0, 3, many)
    value[3] = math.nan
    edge = ((-98.02, 38.98), (-97.86, 38.98), (-97.9, 39.06), (-98.02, 38.98))
    return Figure(
        kind=Kind.MAP, title="Mean rank of children by tract", subtitle="Click an area to see its estimates",
        x=Axis(label="Longitude", unit="degrees"), y=Axis(label="Latitude", unit="degrees"),
        colour=Axis(label="Mean rank", unit="percentile"), picks="area", polygon="outline",
        series=(
            Series(name="tracts", x=tuple(middles[:, 0].tolist()), y=tuple(middles[:, 1].tolist()),
                   value=tuple(value.tolist()), keys=tuple(f"tract {k}" for k in range(many)), areas=areas),
            Series(name="counties.geojson", x=(-97.95,), y=(39.0,), areas=((edge,),), muted=True),
        ),
    )  # fmt: skip


def point_map(many: int = 300) -> Figure:
    draw = np.random.default_rng(9)
    x, y = draw.normal(-98, 8, many), draw.normal(39, 4, many)
    value = np.exp(0.1 * (x + 98) + draw.normal(0, 0.6, many))
    return Figure(
        kind=Kind.MAP, title="Mean income by tract", x=Axis(label="Longitude", unit="degrees"),
        y=Axis(label="Latitude", unit="degrees"), colour=Axis(label="Income", unit="thousand dollars", log=True),
        series=(Series(name="tracts", x=tuple(x.tolist()), y=tuple(y.tolist()), value=tuple(value.tolist()),
                       keys=tuple(f"tract {k}" for k in range(many))),),
        picks="area",
    )  # fmt: skip


def _suppressed() -> Figure:
    rows, columns = (
        ("Farming", "Mining", "Health care and social assistance", "Trade", "Total"),
        ("1–9", "10–49", "50+"),
    )
    grid = ((12.0, math.nan, math.nan, 140.0), (math.nan, 31.0, math.nan, 55.0), (220.0, 310.0, 1200.0, 1730.0),
            (math.nan, math.nan, 400.0, 655.0), (500.0, 460.0, 1620.0, 2580.0))  # fmt: skip
    return Figure(
        kind=Kind.TABLE, title="Suppression pattern", subtitle="Intervals that published cells imply",
        x=Axis(label="Persons employed", categories=(*columns, "Total")),
        y=Axis(label="Sector", categories=rows), grid=grid,
        series=(
            Series(name="primary: too few contributors", x=(1, 0), y=(0, 1), low=(40, 0), high=(118, 14)),
            Series(name="secondary", x=(2, 2, 0, 1), y=(0, 1, 3, 3), low=(0, 10, 100, 1), high=(88, 24, 255, 154)),
        ),
        outlined=((0, 1),),
    )  # fmt: skip


GALLERY: dict[str, Figure] = {
    "lines": _lines(), "nine lines": _many_lines(), "scatter": _scatter(), "bars": _bars(), "stacked": _stacked(),
    "histogram": _histogram(), "cumulative": _cumulative(), "intervals": _intervals(), "matrix": _transitions(),
    "surface": _surface(), "circles": _circles(), "areas": area_map(), "points": point_map(),
    "suppressed": _suppressed(),
}  # fmt: skip
