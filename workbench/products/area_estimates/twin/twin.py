"""The twin of the sample of area estimates at any size: up to 120,000 areas and 27 million children."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from workbench.core.params import param
from workbench.core.progress import Context
from workbench.microdata.twins.contract import format_for
from workbench.products.area_estimates.twin.areas import Areas, make_areas
from workbench.products.area_estimates.twin.children import Children, children_of

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, slots=True, kw_only=True)
class AreaTwinParams:
    cells: int = param(300, "Areas", "How many areas.", ge=8, le=120_000)
    people: int = param(228, "Mean children", "Of an area; sizes vary widely around it.", ge=5, le=2000)


@dataclass(frozen=True, slots=True)
class AreaTwin:
    params: type[AreaTwinParams] = AreaTwinParams

    def write(self, folder: Path, params: AreaTwinParams, *, seed: int, context: Context) -> tuple[Path, ...]:
        context.step(0.0, "making areas")
        random = np.random.Generator(np.random.PCG64(seed))
        areas = make_areas(params.cells, params.people, random)
        listed = folder / "areas.csv"
        _write_areas(listed, areas)
        kind = format_for(int(areas.size.sum()))
        file = folder / f"children.{kind}"
        _write_children(file, areas, random, context)
        return file, listed


def _write_areas(file: Path, areas: Areas) -> None:
    import pyarrow as pa
    import pyarrow.csv

    states = [f"S{place:02d}" for place in areas.state.tolist()]
    table = pa.table(
        {
            "tract": areas.names(),
            "state": states,
            "latitude": areas.latitude,
            "longitude": areas.longitude,
        }
    )
    pyarrow.csv.write_csv(table, file, pyarrow.csv.WriteOptions(quoting_style="none"))


def _write_children(file: Path, areas: Areas, random: np.random.Generator, context: Context) -> None:
    import pyarrow.csv
    import pyarrow.parquet

    names = np.array(areas.names())
    whole, done = int(areas.size.sum()), 0
    writer = None
    try:
        for children in children_of(areas, random):
            table = _table(children, names, done)
            if writer is None:
                csv = file.suffix == ".csv"
                writer = (
                    pyarrow.csv.CSVWriter(
                        file, table.schema, write_options=pyarrow.csv.WriteOptions(quoting_style="none")
                    )
                    if csv
                    else pyarrow.parquet.ParquetWriter(file, table.schema)
                )
            writer.write_table(table)
            done += len(children.area)
            context.step(0.1 + 0.9 * done / whole, "writing children")
    finally:
        if writer is not None:
            writer.close()


def _table(children: Children, names: np.ndarray, done: int) -> pa.Table:
    import pyarrow as pa

    number = done + np.arange(len(children.area))
    return pa.table(
        {
            "child": pa.array(np.char.add("C", np.char.zfill(number.astype(np.str_), 8))),
            "tract": pa.array(names[children.area]),
            "parent_rank": children.parents,
            "income_rank": children.income,
            "teen_birth": children.birth,
        }
    )


TWIN = AreaTwin()
