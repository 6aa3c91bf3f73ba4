"""`clew export`: hand over what was found."""

from pathlib import Path
from typing import Annotated

import typer

from clew import store
from clew.cli import screen
from clew.cli.arguments import Folder
from clew.errors import ConfigError


def export(
    folder: Folder,
    target: Annotated[
        Path, typer.Argument(metavar="FILE", help="Output file: .jsonl .csv .parquet .warc.gz .geojson .db")
    ],
    only: Annotated[str, typer.Option(help='"relevant" exports relevant pages only.')] = "",
    records: Annotated[
        bool, typer.Option("--records", help="Export the extracted rows instead of the pages.")
    ] = False,
    provenance: Annotated[
        bool, typer.Option("--provenance/--no-provenance", help="With --records: the source of each row.")
    ] = True,
) -> None:
    """Export the crawl in the format of the suffix of FILE.

    Writes every fetched URL once: .jsonl, .csv, .parquet (needs the extra parquet), .warc.gz; .jsonl.gz
    and .csv.gz are compressed. Works while the crawl runs. The file is renamed into place when it is
    complete. CSV cells that a spreadsheet would run as a formula begin with an apostrophe.

    The fields are url, kind (page, robots, sitemap, feed), status, error, truncated, verdict (0 to 1),
    relevant, title, text, lang, mime, fetched_at (ISO 8601, UTC), parent (the linking page), anchor
    (its link text), depth, host, bytes, digest, duplicate_of, noindex, warc_file and warc_offset.

    --records writes the extracted rows instead (.jsonl, .csv, compressed or not), each with url and title
    of its page, its text on the page (source) and its confidence. FILE.geojson is a map of such rows; rows
    without coordinates are features without geometry.

    In a crawl with example rows (clew new --records) these are the rows of the table, each once: .jsonl,
    .csv, .parquet, .sqlite or .db (one table, records). The values are followed by id, given (1: an example
    row), mark (your label), confidence, pages and sites it occurs on, page_url, pattern, position (number
    of text nodes before it on the page) and found_at; --no-provenance omits these. Noise is not exported.
    """
    if only not in ("", "relevant"):
        msg = f'--only {only}: the only choice is "relevant"'
        raise ConfigError(msg)
    rows = store.export(folder, target, only_relevant=bool(only), records=records, provenance=provenance)
    screen.say(f"wrote {rows:,} row{'s' * (rows != 1)} to {target}")
    if not rows and (records or target.suffix == ".geojson"):
        screen.say("  no rows were taken out of pages; goals such as clew new --goal place=jp take them")
