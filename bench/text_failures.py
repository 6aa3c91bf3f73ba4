"""On which pages is the main text poor? Counts by type of page, and the worst pages to look at.

    python -m bench.text_failures WCXB [--worst 3]

Measured with the shipped model, which has seen these pages: what is poor here is poor for other reasons than new domains.
A page is poor below an F1 of 0.7; it has too much if precision is lower than recall, too little otherwise.
"""

import argparse
from collections import defaultdict
from pathlib import Path

from bench.figures import publish
from bench.text_extractors import TYPES
from bench.text_pages import measure, read_pages
from clew.parse.maintext import extract_text
from docs.figures import Table

POOR = 0.7


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("wcxb", type=Path)
    parser.add_argument("--worst", type=int, default=3, help="pages of each type that are named")
    options = parser.parse_args()
    found = defaultdict(list)
    for page in read_pages(options.wcxb):
        text = extract_text(page.html, page.url)
        found[page.kind].append((measure(page, text), bool(text), page.url))
    rows = []
    for kind in TYPES:
        poor = sorted(each for each in found[kind] if each[0][0] < POOR)
        nothing = sum(not text for _, text, _ in poor)
        much = sum(text and precision < recall for (_, precision, recall), text, _ in poor)
        counts = (len(found[kind]), len(poor), much, len(poor) - much - nothing, nothing)
        rows.append((kind, *map(str, counts)))
        for (score, precision, recall), _, url in poor[: options.worst]:
            print(f"{kind} {score:.2f} ({precision:.2f}, {recall:.2f}) {url}")
    table = Table(("type", "pages", "poor", "too much", "too little", "nothing"), tuple(rows))
    publish({"text-failures": table}, "python -m bench.text_failures WCXB", limit=POOR)


if __name__ == "__main__":
    main()
