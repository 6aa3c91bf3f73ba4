"""`clew records --near`: the extracted rows around a point."""

import shlex
from pathlib import Path

from clew.cli import screen
from clew.cli.text_cells import tidy
from clew.domain.places.coordinates import parse_point
from clew.domain.text import printable
from clew.errors import ConfigError
from clew.store import read_rows_near, safe_json

SHOWN = 50


def list_near(folder: Path, near: str, km: float, *, json: bool) -> None:
    """Print the rows within a distance of a point, nearest first."""
    try:
        point = parse_point(near)
    except ValueError:
        msg = f"--near {near}: write latitude and longitude in degrees, as in --near 35.681,139.767"
        raise ConfigError(msg) from None
    rows = read_rows_near(folder, point, km)
    if json:
        for row in rows:
            screen.echo(safe_json(row))
        return
    if not rows:
        screen.echo(f"no row with coordinates within {km:g} km of {point[0]:g},{point[1]:g}")
        screen.echo("  a wider circle: --km 50; rows with coordinates come from goals like --goal place=jp")
        return
    for row in rows[:SHOWN]:
        name = row.get("place") or row.get("normal") or row["title"]
        screen.echo(f"{row['km']:>9.2f} km  {tidy(str(name), 100)}")
        screen.echo(f"{'':14}{tidy(row['url'], 200)}")
    more = f"; the nearest {SHOWN} are shown, --json prints all" if len(rows) > SHOWN else ""
    screen.echo(f"{len(rows):,} row{'s' * (len(rows) != 1)} within {km:g} km{more}")
    screen.echo(f"  a map: {printable(shlex.join(['clew', 'export', str(folder), 'places.geojson']))}")
