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
        Path, typer.Argument(metavar="FILE", help="Where to: .jsonl .csv .parquet .warc.gz .geojson .db")
    ],
    only: Annotated[str, typer.Option(help='"relevant" leaves everything else out.')] = "",
    records: Annotated[
        bool, typer.Option("--records", help="The rows taken out of pages, such as places, not the pages.")
    ] = False,
    provenance: Annotated[
        bool, typer.Option("--provenance/--no-provenance", help="With rows: where each comes from.")
    ] = True,
) -> None:
    """Hand over what was found, in the format of FILE's suffix.

    Every fetched address once: .jsonl, .csv, .parquet (needs the extra parquet), .warc.gz; .jsonl.gz and
    .csv.gz are packed. May be called while a crawl runs. The file appears under its name when it is
    complete, never before. CSV cells that a spreadsheet would run as a formula begin with an apostrophe.

    The fields are url, kind (page, robots, sitemap, feed), status, error, truncated, verdict (0 to 1),
    relevant, title, text, lang, mime, fetched_at (ISO 8601, UTC), parent (the page that led here), anchor
    (its link text), depth, host, bytes, digest, duplicate_of, noindex, warc_file and warc_offset.

    --records writes the rows that the goal took out of pages instead (.jsonl, .csv, packed or not), each
    with url and title of its page, where in the text it stood (source) and its confidence. FILE.geojson is
    a map of such rows; those whose coordinates are not known are features without geometry.

    In a crawl that began with a table (clew new --records) they are the rows of that table, each once:
    .jsonl, .csv, .parquet, .sqlite or .db (one table, records). Behind the values stand id, given (1: your
    own row), mark (what you said of it), confidence, pages and sites it stands on, page_url, pattern,
    position (pieces of text on the page before it) and found_at; --no-provenance leaves these out. Noise
    is not exported.
    """
    if only not in ("", "relevant"):
        msg = f'--only {only}: the only choice is "relevant"'
        raise ConfigError(msg)
    rows = store.export(folder, target, only_relevant=bool(only), records=records, provenance=provenance)
    screen.say(f"wrote {rows:,} row{'s' * (rows != 1)} to {target}")
    if not rows and (records or target.suffix == ".geojson"):
        screen.say("  no rows were taken out of pages; goals such as clew new --goal place=jp take them")
