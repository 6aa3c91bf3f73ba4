"""Measure the place finder on recorded webs: true, missed and false detections per page, and what a page costs.

Labels of `geo-ja` come from a rule of their own (prefecture, municipality and a number, or a postal code), and count
footers, as the judge does: it reads title, main text and margin. So the finder is measured three times: as the judge
uses it, on the main text alone, and on all visible text. Where it differs from the labels, the pages are named.
Run:  python -m bench.places FOLDER_OF_WORLDS   (or CLEW_WORLDS)
"""

import argparse
import csv
import os
import random
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from selectolax.lexbor import LexborHTMLParser

from bench.figures import publish
from clew import urls
from clew.domain.places import COUNTRIES, find
from clew.judge.place import PlaceJudge
from clew.lab.world import open_world
from clew.parse import read
from clew.types import Link, Page, Response
from docs.figures import Table

SURE = 0.5
ALARMS = {
    "lohelp-ja": ("jp", "us"),
    "lohelp-de": ("de", "jp", "gb", "world"),
    "cppja": ("jp", "de", "us", "gb", "world"),
    "stat-sites": ("jp", "de", "us", "gb"),
    "webkb": ("us", "de", "gb", "jp"),
}
WARM = (
    "〒100-0005 東京都千代田区 D-10115 Berlin, 5 Main St, Austin, TX 78712, Oxford OX1 3QD, 1012 AB Amsterdam"
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("worlds", nargs="?", type=Path, default=Path(os.environ.get("CLEW_WORLDS", ".")))
    parser.add_argument("--draw", metavar="WORLD:COUNTRY:N", help="show N pages drawn at random, to be read")
    options = parser.parse_args()
    if options.draw:
        draw(options.worlds, *options.draw.split(":"))
        return
    command = "python -m bench.places FOLDER"
    publish({"places-ready": loading()}, command)
    table, count, sites = labelled(options.worlds / "geo-ja")
    publish({"places-japan": table}, command, pages=count, sites=sites)
    table, count = municipalities(options.worlds / "vectors" / "jp-gazetteer" / "municipalities.tsv")
    publish({"places-municipalities": table}, command, municipalities=count)
    publish({"places-countries": alarms(options.worlds)}, command)


def loading() -> Table:
    """Return the cost of loading a gazetteer: CPU time and memory."""
    rows = []
    for country in COUNTRIES:
        before, begun = memory(), time.process_time()
        find(WARM, country)
        rows.append((country, f"{time.process_time() - begun:.2f}", f"{memory() - before:.0f}"))
    return Table(("country", "getting ready, s", "memory, MB"), tuple(rows))


def memory() -> float:
    """Return the memory of this process that is no mapped file, in MB (Linux)."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("RssAnon:")[2].split()[0]) / 1024


def pages(folder: Path) -> Iterator[Page]:
    """Parse every page of a world with status 200."""
    world = open_world(folder)
    for row in range(len(world.pages)):
        recorded, url = world.recorded(row), world.pages.url(row)
        if recorded.status == 200:
            link = Link(id=1, url=url, origin=urls.origin(url))
            response = Response(
                link=link, started=0, ended=0, status=200, head=recorded.head, body=recorded.body
            )
            yield read(response, canon=urls.Canon(), max_bytes=8_000_000)


def holds(text: str, country: str) -> bool:
    return any(place.confidence >= SURE for place in find(text, country))


def labelled(folder: Path) -> tuple[Table, int, int]:
    """Compare with the labels of a world: main text and visible text, addresses and those of the page's own."""
    with (folder / "labels.tsv").open(encoding="utf-8", newline="") as file:
        labels = {row["url"]: row for row in csv.DictReader(file, delimiter="\t")}
    seen = [(labels[page.url], page) for page in pages(folder) if page.url in labels]
    judged = [PlaceJudge(of="jp").judge(page).value >= SURE for _, page in seen]
    main = [holds(f"{page.title}\n{page.text}", "jp") for _, page in seen]
    all_text = [holds(f"{page.title}\n{visible(page)}", "jp") for _, page in seen]
    rows = []
    for name, verdicts, label in (
        ("the judge, label `address` (footers count)", judged, "address"),
        ("main text alone, label `address`", main, "address"),
        ("main text alone, label `own_address`", main, "own_address"),
        ("finder on all visible text, label `address`", all_text, "address"),
    ):
        truth = [row[label] == "1" for row, _ in seen]
        rows.append((name, str(sum(truth)), str(sum(verdicts)), *scores(truth, verdicts)))
    print("\nWhere judge and label differ:\n")
    for (row, page), accepted in zip(seen, judged, strict=True):
        if accepted != (row["address"] == "1"):
            places = find(f"{page.title}\n{page.text}\n{page.margin}", "jp")
            sure = [(place.text, place.confidence) for place in places if place.confidence >= SURE][:2]
            print(f"- {'found' if accepted else 'missed'}: {page.url} {sure or ''}")
    columns = ("what is compared", "pages", "found", "precision", "recall", "F1")
    return Table(columns, tuple(rows)), len(seen), len({urls.host(page.url) for _, page in seen})


def visible(page: Page) -> str:
    """Return all text of a page that is not a script: what the labels were made from."""
    tree = LexborHTMLParser(page.response.body.decode(page.encoding or "utf-8", "replace"))
    tree.strip_tags(["script", "style"])
    return tree.body.text(separator="\n", strip=True) if tree.body else ""


def scores(truth: Iterable[bool], verdicts: Iterable[bool]) -> tuple[str, ...]:
    pairs = list(zip(truth, verdicts, strict=True))
    right = sum(t and a for t, a in pairs)
    precision = right / max(1, sum(a for _, a in pairs))
    recall = right / max(1, sum(t for t, _ in pairs))
    f1 = 2 * precision * recall / max(1e-9, precision + recall)
    return tuple(f"{value:.3f}" for value in (precision, recall, f1))


def municipalities(file: Path) -> tuple[Table, int]:
    """Write every municipality of another gazetteer in several spellings; count those found in its prefecture."""
    with file.open(encoding="utf-8", newline="") as lines:
        rows = [(row["prefecture"], row["municipality"]) for row in csv.DictReader(lines, delimiter="\t")]
    spellings = {
        "prefecture and name, 本町1-2-3": lambda p, m: f"{p}{m}本町1-2-3",
        "with blanks and full width": lambda p, m: f"{p}　{m}　本町１－２－３",
        "name alone, 本町1丁目2番3号": lambda _, m: f"{m}本町1丁目2番3号",
        "without its county": lambda p, m: f"{p}{m.partition('郡')[2] or m}本町1-2-3",
    }
    written = []
    for name, spell in spellings.items():
        found = [(prefecture, find(spell(prefecture, town), "jp")) for prefecture, town in rows]
        sure = [
            (prefecture, places[0]) for prefecture, places in found if places and places[0].confidence >= SURE
        ]
        right = sum(place.region == prefecture for prefecture, place in sure)
        written.append((name, f"{100 * len(sure) / len(rows):.1f}", f"{100 * right / len(rows):.1f}"))
    return Table(("written as", "found, %", "in the right prefecture, %"), tuple(written)), len(rows)


def alarms(worlds: Path) -> Table:
    """Count pages with an address where there should be few, and what a page costs."""
    rows = []
    for name, countries in ALARMS.items():
        texts = [f"{page.title}\n{page.text}\n{page.margin}" for page in pages(worlds / name)]
        for country in countries:
            begun = time.process_time()
            found = sum(holds(text, country) for text in texts)
            spent = 1_000 * (time.process_time() - begun)
            each = spent / sum(map(len, texts)) * 20_000
            counts = (str(len(texts)), str(found))
            rows.append((name, country, *counts, f"{spent / len(texts):.3f}", f"{each:.2f}"))
            print(*rows[-1], flush=True)
    columns = ("world", "country", "pages", "with an address", "ms a page", "ms for 20,000 characters")
    return Table(columns, tuple(rows))


def draw(worlds: Path, world: str, country: str, number: str) -> None:
    """Show pages drawn at random (seed 20) with what was found: to be checked by hand."""
    drawn = sorted(pages(worlds / world), key=lambda page: page.url)
    for page in random.Random(20).sample(drawn, int(number)):
        text = f"{page.title}\n{page.text}\n{page.margin}"
        print(
            f"\n=== {page.url}\n    found: {[(p.text, p.confidence) for p in find(text, country)][:5]}\n{text[:3_000]}"
        )


if __name__ == "__main__":
    main()
