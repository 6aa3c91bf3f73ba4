"""How well are rows found from five examples? On recorded sites with known rows, tree patterns against plain DIPRE.

    python -m bench.records WORLDS            # prints, and writes the data of docs/lab/records.md

WORLDS is the folder of recorded webs (or CLEW_WORLDS). A Python that has autoscraper may be named in CLEW_AUTOSCRAPER; then
it is measured, too. Every draw takes five true rows of a site; all pages of its host are read in the order of their
URLs, then those that the patterns need again. Rows on pages with a known truth are counted, the five examples are not.
"""

import argparse
import csv
import json
import os
import random
import re
import subprocess
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import gettempdir

import numpy as np

from bench.figures import publish
from clew.domain.records.record_learner import RecordLearner
from clew.domain.records.record_table import RecordTable
from clew.domain.records.values import row_key
from clew.lab.warc_reader import ReadCounts, read_responses
from clew.parse.page_reader import markup_of
from clew.types import Link, Response
from clew.urls import Canon
from docs.figures import Table

_YEAR = re.compile(r" \(\d{4}\)\s*$")
SURNAMES = "amctv"
"""A site whose truth is cut: it holds the surnames of directors."""

ACROSS = ("world", "method", "source sites", "other sites reached", "right rows", "right rows of other pages",
          "wrong rows", "rows nobody knows", "P", "R")  # fmt: skip
KINDS = {
    "rec-swde-book": [("title", "author"), ("title", "author", "isbn_13", "publisher", "publication_date")],
    "rec-swde-movie": [("title", "director"), ("title", "director", "genre", "mpaa_rating")],
    "rec-ith": [("author", "title")],
}
METHODS = ("trees", "dipre")
DRAWS = (11, 12, 13)
ROUNDS = 5  # each brings up to 500 pages that are wanted again
SUMMARY = (
    "world", "columns", "method", "mean F1", "share of rows with a missing field kept right", "rows with a missing field",
    "ms CPU a page",
)  # fmt: skip


@dataclass
class Truth:
    """Pages of one site with their true rows; a cell is a list of spellings."""

    site: str
    columns: tuple[str, ...]
    rows: dict[str, list[tuple[list[str], ...]]] = field(default_factory=lambda: defaultdict(list))

    def draw(self, seed: int) -> list[tuple[str, ...]]:
        """Return five rows without empty cells."""
        full = {
            tuple(cell[0] for cell in row)
            for rows in self.rows.values()
            for row in rows
            if all(c[0] for c in row)
        }
        return random.Random(seed).sample(sorted(full), min(5, len(full)))


@dataclass
class Score:
    """Counts of one run."""

    right: int = 0
    wrong: int = 0
    missed: int = 0
    gaps: int = 0  # true rows with an empty cell that were found by their title
    complete: int = 0  # of those, the ones whose other cells are right
    seconds: float = 0.0
    pages: int = 0

    @property
    def precision(self) -> float:
        return self.right / max(1, self.right + self.wrong)

    @property
    def recall(self) -> float:
        return self.right / max(1, self.right + self.missed)

    @property
    def f1(self) -> float:
        return 2 * self.right / max(1, 2 * self.right + self.wrong + self.missed)


def truths(folder: Path, columns: tuple[str, ...]) -> list[Truth]:
    found: dict[str, Truth] = {}
    with (folder / "records.tsv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            site, url = row.get("site") or row["list"], row.get("url") or row["page_url"]
            cells = tuple(row[name].split("|") for name in columns)
            found.setdefault(site, Truth(site, columns)).rows[url].append(cells)
    return list(found.values())


def markups(folder: Path) -> dict[str, str]:
    """Return the clean markup of all pages of a world, cached in the folder for temporary files."""
    cache = Path(gettempdir()) / f"clew-bench-{folder.name}.json"
    if cache.exists():
        return dict(json.loads(cache.read_text("utf-8")))
    canon, found = Canon(), {}
    for archived in read_responses(folder / "pages.warc.xz", ReadCounts()):
        link = Link(id=0, url=archived.url, origin="")
        response = Response(
            link=link, started=0, ended=0, status=archived.status, head=archived.head, body=archived.body
        )
        if archived.status == 200:
            found[archived.url] = markup_of(response, canon=canon, max_bytes=8_000_000)
    cache.write_text(json.dumps(found), "utf-8")
    return found


def host(url: str) -> str:
    return url.split("/")[2]


def extract_rows(
    method: str, columns, examples, pages: dict[str, str]
) -> tuple[dict[str, list[tuple[str, ...]]], float]:
    """Return the rows by page that a method gives, and the CPU seconds it took."""
    table = RecordTable(columns, examples)
    learner = RecordLearner(table, method=method)
    began = time.process_time()
    urls = sorted(pages)
    for number, url in enumerate(urls, 1):
        learner.process_page(number, url, pages[url], float(number))
    for _ in range(ROUNDS):
        wanted = learner.wanted()
        for number in wanted:
            learner.again(number, urls[number - 1], pages[urls[number - 1]], 0.0)
        if not wanted:
            break
    seconds = time.process_time() - began
    rows: dict[str, list[tuple[str, ...]]] = defaultdict(list)
    for row in range(len(table)):
        for page in {support.page for support in table.supports(row) if support.pattern >= 0}:
            rows[urls[page - 1]].append(table.values(row))
    return rows, seconds


def autoscraper_rows(
    columns, examples, pages: dict[str, str]
) -> tuple[dict[str, list[tuple[str, ...]]], float]:
    """Return the rows by page that autoscraper gives."""
    request = {"columns": columns, "examples": examples, "pages": list(pages.items())}
    script = Path(__file__).parent / "records_autoscraper.py"
    began = os.times()
    try:
        process = subprocess.run(
            [os.environ["CLEW_AUTOSCRAPER"], str(script)], input=json.dumps(request), capture_output=True, text=True,
            timeout=300, check=True,
        )  # fmt: skip
    except (subprocess.TimeoutExpired, subprocess.CalledProcessError):
        return {}, 300.0
    ended = os.times()
    rows_by_url = json.loads(process.stdout)["rows"]
    rows = {url: [tuple(row) for row in found] for url, found in rows_by_url.items()}
    return rows, ended.children_user - began.children_user


def fits(value: str, spellings: list[str]) -> bool:
    """Tell whether a value is one of the true spellings, or all of them joined in one cell.

    Some sites count the year in brackets to a film's title, others do not: it is no error to have it or not.
    """
    joined = {form(separator.join(spellings)) for separator in (", ", " and ", "; ", " & ", ",")}
    return form(value) in {form(each) for each in spellings} | joined


def form(text: str) -> str:
    return row_key((_YEAR.sub("", text),))[0]


def scored(truth: Truth, examples, rows, urls) -> Score:
    score, known = Score(), {row_key(row) for row in examples}
    key = truth.columns.index("title")
    for url in urls:
        if url not in truth.rows:
            continue
        unmatched = [row for row in truth.rows[url] if row_key(tuple(cell[0] for cell in row)) not in known]
        true_rows = list(unmatched)
        for row in rows.get(url, ()):
            if row_key(row) in known:
                continue
            match = next((true_row for true_row in unmatched if all(map(fits, row, true_row))), None)
            if match is not None:
                unmatched.remove(match)
                score.right += 1
            elif not any(all(map(fits, row, true_row)) for true_row in true_rows):
                score.wrong += 1
        score.missed += len(unmatched)
        for true_row in true_rows:
            if all(cell[0] for cell in true_row):
                continue
            same_title = [row for row in rows.get(url, ()) if fits(row[key], true_row[key])]
            score.gaps += bool(same_title)
            score.complete += any(all(map(fits, row, true_row)) for row in same_title)
    return score


def runs(worlds: Path) -> Iterator[tuple[str, tuple[str, ...], str, str, list[Score]]]:
    methods = [*METHODS] + (["autoscraper"] if os.environ.get("CLEW_AUTOSCRAPER") else [])
    for world, kinds in KINDS.items():
        pages = markups(worlds / world)
        for columns in kinds:
            for truth in truths(worlds / world, columns):
                site_host = host(next(iter(truth.rows)))
                own = {url: markup for url, markup in pages.items() if host(url) == site_host}
                for method in methods if len(columns) == 2 else METHODS:
                    scores = []
                    for seed in DRAWS if method != "autoscraper" and len(columns) == 2 else DRAWS[:1]:
                        examples = truth.draw(seed)
                        read = (
                            own
                            if method != "autoscraper"
                            else {u: m for u, m in own.items() if u in truth.rows}
                        )
                        extract = (
                            autoscraper_rows
                            if method == "autoscraper"
                            else lambda *args, m=method: extract_rows(m, *args)
                        )
                        rows, seconds = extract(columns, examples, read)
                        score = scored(truth, examples, rows, own)
                        score.seconds, score.pages = seconds, len(own)
                        scores.append(score)
                    yield world, columns, truth.site, method, scores


@dataclass(slots=True)
class Across:
    """What five rows of one site find on the other sites of its world.

    A row that is not the page's own is compared with the truth of all pages that have its title; `unknown`
    are rows whose title no page has, or of which a cell is empty.
    """

    reached: int = 0
    own: int = 0
    missed: int = 0
    beside: int = 0
    wrong: int = 0
    unknown: int = 0

    @property
    def precision(self) -> float:
        return (self.own + self.beside) / max(1, self.own + self.beside + self.wrong)

    @property
    def recall(self) -> float:
        return self.own / max(1, self.own + self.missed)


def whole_worlds(worlds: Path) -> Iterator[tuple[str, tuple[str, ...], str, list[Across]]]:
    """Five rows of each site in turn, and all pages of its world: what is found on the other sites."""
    for world in ("rec-swde-book", "rec-swde-movie"):
        columns = KINDS[world][0]
        pages, sites = markups(worlds / world), truths(worlds / world, columns)
        by_title = titles(sites)
        for method in ("trees", "dipre"):
            found = []
            for source in sites:
                if source.site == SURNAMES:  # as examples they are no rows
                    continue
                rows, _ = extract_rows(method, columns, source.draw(DRAWS[0]), pages)
                others = [truth for truth in sites if truth is not source]
                found.append(found_across(others, rows, by_title))
            yield world, columns, method, found


def titles(sites: list[Truth]) -> dict[str, list[tuple[Truth, tuple[list[str], ...]]]]:
    """Return the true rows of all sites by their titles."""
    found = defaultdict(list)
    for truth in sites:
        for row in (row for rows in truth.rows.values() for row in rows):
            for title in row[truth.columns.index("title")]:
                found[form(title)].append((truth, row))
    return found


def found_across(sites: list[Truth], rows, by_title) -> Across:
    """Count the rows on pages with a known truth of some sites."""
    across = Across()
    for truth in sites:
        key, right = truth.columns.index("title"), 0
        for url, true_rows in truth.rows.items():
            found = rows.get(url, ())
            own = [any(agrees(truth, row, true_row) for row in found) for true_row in true_rows]
            right += sum(own)
            across.missed += len(own) - sum(own)
            for row in found:
                if any(agrees(truth, row, true_row) for true_row in true_rows):
                    continue
                known = by_title.get(form(row[key]), ())
                if any(agrees(other, row, true_row) for other, true_row in known):
                    across.beside += 1
                elif known and all(row):
                    across.wrong += 1
                else:
                    across.unknown += 1
        across.own += right
        across.reached += right >= 5
    return across


def agrees(truth: Truth, row: tuple[str, ...], true_row: tuple[list[str], ...]) -> bool:
    """Tell whether a row is a true one; where the truth holds surnames alone, by the ends of names."""
    return all(
        fits(value, spellings)
        or (truth.site == SURNAMES and any(form(value).endswith(f" {form(each)}") for each in spellings))
        for value, spellings in zip(row, true_row, strict=True)
    )


def mean(values) -> float:
    return float(np.mean(list(values)))


def by_site(results) -> Table:
    """Return precision, recall and F1 of every site and method, one column for each."""
    rows, methods = {}, list(dict.fromkeys(result[3] for result in results))
    for world, columns, site, method, scores in results:
        parts = [f"{mean(getattr(s, name) for s in scores):.2f}" for name in ("precision", "recall", "f1")]
        rows.setdefault((world, " ".join(columns), site), {})[method] = parts
    heads = [f"{method} {measure}" for method in methods for measure in ("P", "R", "F1")]
    filled = (
        (*key, *(cell for method in methods for cell in found.get(method, [""] * 3)))
        for key, found in rows.items()
    )
    return Table(("world", "columns", "site", *heads), tuple(filled))


def summary(results) -> Table:
    """Return the mean of every world, its columns and method."""
    rows = []
    for key in dict.fromkeys((world, columns, method) for world, columns, _, method, _ in results):
        every = [s for *names, scores in results if (names[0], names[1], names[3]) == key for s in scores]
        gaps = sum(s.gaps for s in every)
        complete = f"{sum(s.complete for s in every) / gaps:.2f}" if gaps else ""
        cost = 1_000 * sum(s.seconds for s in every) / sum(s.pages for s in every)
        f1 = f"{mean(s.f1 for s in every):.2f}"
        rows.append((key[0], " ".join(key[1]), key[2], f1, complete, str(gaps or ""), f"{cost:.1f}"))
    return Table(SUMMARY, tuple(rows))


def dipre_readings(worlds: Path) -> Iterator[tuple[str, ...]]:
    """Compare splitting groups by their URLs, as Brin does, with keeping them together: means over sites and draws."""
    for world, kinds in KINDS.items():
        pages, columns = markups(worlds / world), kinds[0]
        for method in ("dipre", "dipre-merged"):
            scores = []
            for truth in truths(worlds / world, columns):
                site_host = host(next(iter(truth.rows)))
                own = {url: markup for url, markup in pages.items() if host(url) == site_host}
                for seed in DRAWS:
                    examples = truth.draw(seed)
                    rows, _ = extract_rows(method, columns, examples, own)
                    scores.append(scored(truth, examples, rows, own))
            measures = (mean(getattr(s, name) for s in scores) for name in ("precision", "recall", "f1"))
            yield world, method, *(f"{value:.2f}" for value in measures)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "worlds", nargs="?", type=Path, default=os.environ.get("CLEW_WORLDS"), help="the folder of worlds"
    )
    parser.add_argument(
        "--across", action="store_true", help="only from each site to the others (records-across)"
    )
    parser.add_argument("--dipre", action="store_true", help="only both readings of DIPRE (records-dipre)")
    options = parser.parse_args()
    if not options.worlds:
        parser.error("name the folder of worlds, or set CLEW_WORLDS")
    folder = Path(options.worlds)
    if options.dipre:
        readings = Table(("world", "groups", "P", "R", "F1"), tuple(dipre_readings(folder)))
        publish({"records-dipre": readings}, "python -m bench.records WORLDS --dipre", draws=len(DRAWS))
        return
    results = []
    for result in () if options.across else runs(folder):
        results.append(result)
        print(*result[:4], *(f"{s.f1:.2f}" for s in result[4]), f"{result[4][0].seconds:.1f} s", flush=True)
    across = []
    for world, _, method, found in whole_worlds(folder):
        pooled = Across(*(sum(getattr(each, name) for each in found) for name in Across.__slots__))
        shares = (pooled.precision, pooled.recall)
        counts = [
            mean(getattr(each, name) for each in found)
            for name in ("reached", "own", "beside", "wrong", "unknown")
        ]
        across.append(
            (world, method, str(len(found)), f"{counts[0]:.1f}", *(f"{count:,.0f}" for count in counts[1:]),
             *(f"{share:.2f}" for share in shares))
        )  # fmt: skip
        print(*across[-1], flush=True)
    publish({"records-across": Table(ACROSS, tuple(across))}, "python -m bench.records WORLDS --across")
    if results:
        tables = {"records-sites": by_site(results), "records-summary": summary(results)}
        publish(tables, "python -m bench.records WORLDS", draws=len(DRAWS))


if __name__ == "__main__":
    main()
