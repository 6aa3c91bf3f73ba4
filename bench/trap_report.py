"""Make the tables of docs/lab/traps.md from what `bench.traps --csv` wrote.

    python -m bench.trap_report FILE... [--before FILE...] [--worlds FILE] [--commit COMMIT]

The table of single traps shows the first crawl of the first file, that of the endless ones all crawls with
`--endless`. `--before` are files of an earlier guard, `--commit` the commit that the crawls were made with.
"""

import argparse
import csv
from collections.abc import Iterable, Sequence
from itertools import groupby
from pathlib import Path

from docs import figures
from docs.figures import Table

LIMIT = 150
CRAWL = ("policy", "concurrency", "text")


def crawls(path: Path) -> list[list[dict[str, str]]]:
    """Return the rows of each crawl in a file."""
    with path.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return [list(group) for _, group in groupby(rows, key=lambda row: [row[name] for name in CRAWL])]


def is_endless(crawl: Sequence[dict[str, str]]) -> bool:
    """Return whether a crawl was made with the traps that only a budget ends."""
    return any(row["kind"] == "endless" for row in crawl)


def crawl_row(crawl: Sequence[dict[str, str]], guard: str) -> tuple[str, ...]:
    """Return what a crawl lost and what its traps got."""
    honest = [row for row in crawl if row["kind"] == "honest"]
    told = {row["site"]: int(row["while_open"]) for row in crawl if row["kind"] == "trap"}
    most = max(told, key=told.__getitem__)
    parts = {row["part"] for row in crawl}
    pages, lost = (sum(int(row[name]) for row in honest) for name in ("pages", "lost"))
    over = sum(count > LIMIT for count in told.values())
    where = "all" if len(parts) > 1 else parts.pop()
    values = (where, pages, lost, len(told), over, told[most], most)
    return (guard, *(crawl[0][name] for name in CRAWL), *map(str, values))


def site_rows(crawl: Iterable[dict[str, str]]) -> list[tuple[str, ...]]:
    """Return what each trap got, most first."""
    traps = [row for row in crawl if row["kind"] == "trap"]
    traps.sort(key=lambda row: (-int(row["while_open"]), row["site"]))
    return [(row["site"], row["part"], row["while_open"], row["requests"]) for row in traps]


def endless_rows(crawl: Sequence[dict[str, str]]) -> list[tuple[str, ...]]:
    """Return what traps got that only a budget ends, and the honest pages that were lost beside them."""
    names = (*CRAWL, "site", "beside", "while_open", "requests")
    lost = str(sum(int(row["lost"] or 0) for row in crawl))
    return [(*(row[name] for name in names), lost) for row in crawl if row["kind"] == "endless"]


def main() -> None:
    """Write the data files and fill the page."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--before", nargs="*", type=Path, default=[])
    parser.add_argument("--worlds", type=Path)
    parser.add_argument("--commit", default="")
    asked = parser.parse_args()
    made = [crawl for path in asked.files for crawl in crawls(path)]
    usual = [crawl for crawl in made if not is_endless(crawl)]
    header = {"command": "python -m bench.traps --csv FILE", "commit": asked.commit}
    if usual:
        rows = [crawl_row(crawl, "now") for crawl in usual]
        rows += [crawl_row(crawl, "before") for path in asked.before for crawl in crawls(path)]
        heads = (
            "guard", "policy", "at once", "text", "sites", "honest pages", "lost", "traps",
            "over 150 while open", "most while open", "trap with most",
        )  # fmt: skip
        figures.save("traps-crawls", Table(heads, tuple(rows)), **header)
        heads = ("trap", "part", "requests while open", "requests in all")
        figures.save("traps-sites", Table(heads, tuple(site_rows(usual[0]))), **header)
    if endless := [row for crawl in made if is_endless(crawl) for row in endless_rows(crawl)]:
        heads = ("policy", "at once", "text", "trap", "beside others", "while open", "in all", "lost")
        figures.save("traps-endless", Table(heads, tuple(endless)), **header)
    if asked.worlds:
        with asked.worlds.open(encoding="utf-8") as file:
            _, *worlds = csv.reader(file)
        heads = ("world", "pages reachable", "lost")
        header["command"] = "python -m bench.traps --worlds FOLDER --csv FILE"
        figures.save("traps-worlds", Table(heads, tuple(map(tuple, worlds))), **header)
    figures.refresh()


if __name__ == "__main__":
    main()
