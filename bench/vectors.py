"""The public test vectors: the exact share passed of each set, and every deviation explained.

    python -m bench.vectors FOLDER [--only robots|urls|encodings|markup|warc] [--all] [--json FILE]

FOLDER holds what other projects publish as their own tests:

    robots-google/cases.json                  google/robotstxt, robots_test.cc as JSON
    robots-real/robots-top-sites.tar.gz       scrapy/protego, real robots.txt files
    url-wpt/*.json                            web-platform-tests, as carried by ada-url/ada
    html5lib/encoding, html5lib/tree-construction     html5lib/html5lib-tests
    encoding-chardet/chardet-tests.tar.gz     chardet/chardet, real documents by true encoding
    warc/                                     webrecorder/warcio and iipc/jwarc, small archives

How to read it: a share below 100 % is not always a fault. Our addresses go further than the WHATWG standard
(no fragments, no userinfo, only http and https …), so they are compared after these documented differences; our WARC
reader is made for our own files. Each deviation is printed with its reason; "not explained" is a fault.
Setters of URL objects and html5lib's tokenizer vectors test parts we do not have.
"""

import argparse
from dataclasses import asdict
from pathlib import Path

from bench import measure
from bench.vector_sets import SETS, Tally

SHOWN = 12
"""Deviations printed for one set unless all are asked for."""


def main() -> None:
    """Run the sets and print the table and the deviations."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", choices=list(SETS), action="append", help="only this kind of vector")
    parser.add_argument(
        "--all", action="store_true", help="print every deviation, not only the first of each set"
    )
    parser.add_argument("--json", type=Path, help="write raw numbers here")
    options = parser.parse_args()
    known = measure.facts("ada-url", "chardetng-py", "warcio", "fastwarc")
    measure.print_facts(known)
    tallies = []
    for kind in options.only or SETS:
        for run in SETS[kind]:
            try:
                tallies.append(run(options.folder))
            except (FileNotFoundError, ModuleNotFoundError) as error:
                print(f"{kind}: {run.__name__} left out: {error}")
    rows = [
        [t.name, f"{t.passed:,}", f"{t.total:,}", f"{100 * t.passed / max(1, t.total):.2f} %", t.note]
        for t in tallies
    ]
    print(measure.table(["set", "passed", "of", "share", ""], rows))
    for tally in tallies:
        show(tally, len(tally.deviations) if options.all else SHOWN)
    measure.write_json(options.json, {"facts": known, "sets": [asdict(tally) for tally in tallies]})


def show(tally: Tally, most: int) -> None:
    """Print the deviations of one set."""
    if not tally.deviations:
        return
    print(f"\n{tally.name}: {len(tally.deviations)} deviations")
    for what, why in tally.deviations[:most]:
        print(f"  {what}\n      {why}")
    if len(tally.deviations) > most:
        print(f"  … and {len(tally.deviations) - most} more (--all prints them)")


if __name__ == "__main__":
    main()
