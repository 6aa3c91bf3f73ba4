"""`clew export`: write pages or extracted rows to a file."""

import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from clew import config as configuration
from clew import store
from clew.cli import screen
from clew.cli.arguments import ShardedFolder
from clew.cli.export_corpus import export_as_corpus
from clew.cli.shard_feedback import check_not_sharded
from clew.errors import ConfigError
from clew.insight.changes import parse_date, read_changes, write_changes
from clew.insight.corpus import CorpusOptions
from clew.insight.link_graph import GRAPH_FORMATS, export_graph
from clew.insight.page_text import PLAIN, page_describer
from clew.store.export import STDOUT, ExportOptions
from clew.store.table_formats import TABLE_FORMATS

Target = Annotated[
    Path,
    typer.Argument(
        metavar="FILE",
        help="Output file: .jsonl .csv .xlsx .parquet .db .warc.gz .wacz .cdxj .geojson .gexf .graphml; - is"
        " standard output.",
    ),
]
Fields = Annotated[
    str | None, typer.Option(metavar="A,B,C", help="Only these fields, in this order: url,title,verdict.")
]
Provenance = Annotated[
    bool, typer.Option("--provenance/--no-provenance", help="With --records: the source of each row.")
]
Only = Annotated[str, typer.Option(metavar="WHICH", help='"relevant" exports relevant pages only.')]
Text = Annotated[
    str,
    typer.Option("--text", metavar="FORM", help="The form of the texts: plain, markdown, markdown-no-links."),
]
NoText = Annotated[bool, typer.Option("--no-text", help="Leave out the text of the pages.")]
Records = Annotated[bool, typer.Option("--records", help="Export the extracted rows instead of the pages.")]
Links = Annotated[bool, typer.Option("--links", help="Export the links between pages instead of the pages.")]
Format = Annotated[str, typer.Option(metavar="NAME", help="The format for standard output: jsonl, csv …")]
Corpus = Annotated[
    bool, typer.Option("--corpus", help="Write a corpus for training language models into a folder.")
]
Languages = Annotated[str, typer.Option(metavar="A,B,C", help="With --corpus: only these languages (en,de).")]
MinWords = Annotated[int, typer.Option(min=0, help="With --corpus: leave out pages with fewer words.")]
MinVerdict = Annotated[
    float, typer.Option(min=0, max=1, help="With --corpus: leave out pages with a lower verdict.")
]
Reservations = Annotated[
    bool,
    typer.Option(
        "--honour-reservations/--ignore-reservations",
        help="With --corpus: leave out what its owners do not want to be used for training.",
    ),
]

Metadata = Annotated[
    bool, typer.Option("--metadata", help="Add author, dates, site, licence and more, as pages state them.")
]
Since = Annotated[
    str, typer.Option(metavar="DATE", help="Only what is new or changed since: 2026-11-01, 7d.")
]
Changes = Annotated[
    bool, typer.Option("--changes", help="With --since: what has changed, as a list, feed or letter.")
]


def export(
    folder: ShardedFolder,
    target: Target,
    only: Only = "",
    fields: Fields = None,
    text: Text = PLAIN,
    no_text: NoText = False,
    records: Records = False,
    links: Links = False,
    provenance: Provenance = True,
    format: Format = "jsonl",
    corpus: Corpus = False,
    lang: Languages = "",
    min_words: MinWords = 50,
    min_verdict: MinVerdict = 0.0,
    reservations: Reservations = True,
    metadata: Metadata = False,
    since: Since = "",
    changes: Changes = False,
) -> None:
    """Export the crawl in the format of the suffix of FILE.

    Writes every fetched URL once, also while the crawl runs: .jsonl, .csv, .xlsx and .parquet (these need
    extras), .db or .sqlite (one table, pages), .warc.gz, .wacz (for replayweb.page), .cdxj, .jsonl.gz,
    .csv.gz. In .csv and .xlsx formulas begin with an apostrophe, texts that exceed a cell are cut.

    The fields are url, kind (page, robots, sitemap, feed), status, error, truncated, verdict (0 to 1),
    relevant, title, text, lang, mime, fetched_at (ISO 8601, UTC), parent (the linking page), anchor (its
    text), depth, host, bytes, digest, duplicate_of, noindex, warc_file and warc_offset. --metadata adds
    author, published, modified, site, description, type (schema.org or og:type), licence, lang_confidence
    (0 to 1) and extractor (what made the text). --text markdown keeps headings, lists, tables and links.

    --records writes the extracted rows instead, with url and title of their pages, source and confidence;
    FILE.geojson is a map of them. In a crawl with example rows: those of the table and where they were found.

    FILE.gexf and FILE.graphml are the link graph of pages; --links a table (source, target, anchor,
    target_read), also of links to other pages. --since DATE writes only what was read since then; with
    --changes new, changed, moved and gone pages: .txt, .html, .eml, .atom, .json (a feed), .jsonl or .csv.

    --corpus writes a folder of texts for training language models, without duplicates, without what their
    owners reserve: data/train-00000.jsonl.zst … (--format parquet: .parquet) and README.md, a datasheet.

    Example: clew export wind pages.csv --only relevant --fields url,title,verdict
    """
    _check_target(folder, target, only, corpus=corpus, changes=changes)
    if changes:
        _export_changes(folder, target, since, only)
    elif corpus:
        export_as_corpus(folder, target, CorpusOptions(
            format=format, languages=_listed(lang), only_relevant=bool(only), min_verdict=min_verdict,
            min_words=min_words, honour_reservations=reservations, text=text,
        ))  # fmt: skip
    elif links or target.suffix.lower() in GRAPH_FORMATS:
        _export_graph(folder, target, only_relevant=bool(only), tables=links and not records)
    else:
        _export_rows(folder, target, ExportOptions(
            only_relevant=bool(only), records=records, provenance=provenance, text=not no_text,
            format=format, fields=_fields(fields), since=parse_date(since) if since else 0.0,
            describe=page_describer(text, metadata=metadata),
        ))  # fmt: skip


def _check_target(folder: Path, target: Path, only: str, *, corpus: bool, changes: bool) -> None:
    """Refuse swapped arguments, a file where a folder is written, and an unknown --only."""
    _check_only(only, changes=changes)
    if not folder.is_dir() and (target / "clew.toml").is_file():
        msg = f"the folder of the crawl comes first: clew export {target} {folder}"
        raise ConfigError(msg)
    if not corpus and target.is_dir():
        msg = f"{target} is a folder; name a file in it: {target / 'pages.jsonl'} (--corpus writes a folder)"
        raise ConfigError(msg)
    if corpus and (target.suffix or target.is_file()):
        msg = (
            f"--corpus writes a folder, not a file; name it without a suffix: {target.with_suffix('').name}/"
        )
        raise ConfigError(msg)


def _export_rows(folder: Path, target: Path, options: ExportOptions) -> None:
    if options.describe and (options.records or not target.name.endswith((*TABLE_FORMATS, STDOUT.name))):
        added = f"--metadata adds fields of pages to a table ({', '.join(TABLE_FORMATS)})"
        msg = f"{added} and not to --records; --text sets the form of their texts"
        raise ConfigError(msg)
    report = _to_stderr if target == STDOUT else screen.echo
    rows = store.export(folder, target, replace(options, note=lambda text: report(f"  {text}")))
    report(f"wrote {screen.many(rows, 'row')} to {'standard output' if target == STDOUT else target}")
    if not rows and (options.records or target.suffix == ".geojson"):
        report("  no rows were extracted; goals such as clew new --goal place=jp extract some")


def _export_changes(folder: Path, target: Path, since: str, only: str) -> None:
    check_not_sharded(folder, "--changes")
    if not since:
        msg = "--changes needs a date: --since 2026-11-01, or --since 7d"
        raise ConfigError(msg)
    report = read_changes(folder, parse_date(since), only_relevant=only != "all")
    count = write_changes(report, target, folder.resolve().name)
    screen.echo(f"wrote {screen.many(count, 'page')} to {target}: {report.sentence()}")


def _fields(given: str | None) -> tuple[str, ...]:
    fields = _listed(given or "")
    if given is not None and not fields:
        msg = "--fields names no field; write some, in their order: --fields url,title,verdict"
        raise ConfigError(msg)
    return fields


def _listed(names: str) -> tuple[str, ...]:
    """Return names that are separated by commas."""
    return tuple(name.strip() for name in names.split(",") if name.strip())


def _check_only(only: str, *, changes: bool) -> None:
    if only not in ("", "relevant") and not (changes and only == "all"):
        choices = (
            'with --changes the choices are "relevant" and "all"'
            if changes
            else 'the only choice is "relevant"'
        )
        msg = f"--only {only}: {choices}"
        raise ConfigError(msg)


def _export_graph(folder: Path, target: Path, *, only_relevant: bool, tables: bool) -> None:
    check_not_sharded(folder, "the link graph")
    known = (*GRAPH_FORMATS, *TABLE_FORMATS) if tables else tuple(GRAPH_FORMATS)
    if not target.name.lower().endswith(known):
        msg = f"{target.name}: links can be written as {', '.join(known)}"
        raise ConfigError(msg)
    config = configuration.load(folder / "clew.toml")
    edges = export_graph(folder, config, target, only_relevant=only_relevant)
    screen.echo(f"wrote {screen.many(edges, 'link')} to {target}")


def _to_stderr(text: str) -> None:
    sys.stdout.flush()
    sys.stderr.write(f"clew: {text}\n")
