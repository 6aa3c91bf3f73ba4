"""Measure what each policy costs: links scored per second of one core, and bytes and time per page.

A synthetic crawl is passed to every ranker in the order of the engine: learn, rerank, score. Pages have
5,000 characters of text and 50 links, a third of which are known.  Read: pages/s should stay in the
hundreds, so that ranking is never the bottleneck of a crawl.  Run:  python -m bench.rankers [--pages N] [NAME…]
"""

import argparse
import json
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from clew import registry, urls
from clew.testing import sample_page
from clew.types import Kind, Links, Outcome, Verdict

GOAL = {"about": "planning permits for offshore wind farms", "good": (), "bad": (), "seed": 1}
EACH = 50


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="policies to measure (all unless given)")
    parser.add_argument(
        "--pages", type=int, default=2_000, help="pages of the synthetic crawl (2,000 unless given)"
    )
    parser.add_argument("--json", type=Path, help="write the raw numbers in this file")
    options = parser.parse_args()
    pages = list(crawl(options.pages))
    print(
        f"{options.pages:,} pages of {EACH} links, {len({int(h) for _, x in pages for h in x.hashes}):,} of them different"
    )
    print(
        f"{'policy':<16}{'links/s':>10}{'pages/s':>9}{'learn µs':>10}{'rerank µs':>11}{'score µs':>10}{'longest ms':>12}"
    )
    results = {}
    for name in options.names or registry.names("ranker"):
        results[name] = measure(name, pages)
        print(
            "{:<16}{:>10,.0f}{:>9,.0f}{:>10.0f}{:>11.0f}{:>10.0f}{:>12.1f}".format(
                name, *results[name].values()
            )
        )
    if options.json:
        options.json.write_text(json.dumps(results, indent=1), "utf-8")


def measure(name: str, pages: list[tuple[Outcome, Links]]) -> dict[str, float]:
    """Pass a crawl to a new ranker; return the CPU time of each method."""
    ranker = registry.make("ranker", name, **GOAL)
    rerank, score = getattr(ranker, "rerank", lambda: None), getattr(ranker, "parts", ranker.score)
    spent, longest = [0.0, 0.0, 0.0], 0.0
    for outcome, links in pages:
        marks = [time.process_time()]
        ranker.learn(outcome)
        marks.append(time.process_time())
        rerank()
        marks.append(time.process_time())
        score(outcome, links)
        marks.append(time.process_time())
        for at in range(3):
            spent[at] += marks[at + 1] - marks[at]
        longest = max(longest, marks[-1] - marks[0])
    count, total = len(pages), sum(spent)
    return {
        "links_per_second": count * EACH / total,
        "pages_per_second": count / total,
        **{
            f"{verb}_us": 1e6 * s / count for verb, s in zip(("learn", "rerank", "score"), spent, strict=True)
        },
        "longest_ms": 1e3 * longest,
    }


def crawl(pages: int) -> Iterator[tuple[Outcome, Links]]:
    """Yield outcomes with their links, as in a crawl over fifty hosts."""
    rng = np.random.default_rng(5)
    words = ["".join(rng.choice(list("aeioulnrstdm"), rng.integers(3, 10))) for _ in range(5_000)]
    words[20:120:20] = ["planning", "permits", "offshore", "wind", "farms"]
    known_urls = ["https://h0.test/"]
    for number in range(pages):
        page_words = [words[n] for n in rng.zipf(1.3, 900) % 5_000]
        fresh = [
            f"https://h{rng.integers(50)}.test/{page_words[n]}/{page_words[n + 1]}-{number}.html"
            for n in range(35)
        ]
        page_urls = list(
            dict.fromkeys(fresh + [known_urls[n] for n in rng.integers(0, len(known_urls), 3 * EACH)])
        )[:EACH]
        page_urls += [f"https://h1.test/{number}/{n}" for n in range(EACH - len(page_urls))]
        links = Links(
            urls=page_urls,
            origins=[urls.origin(url) for url in page_urls],
            hashes=np.array([urls.fingerprint(url) for url in page_urls], np.uint64),
            anchors=[" ".join(page_words[3 * n : 3 * n + 3]) for n in range(EACH)],
            contexts=[" ".join(page_words[3 * n : 3 * n + 25]) for n in range(EACH)],
            paths=[f"body/div.{n % 3}/main/ul.{number % 7}/li/a" for n in range(EACH)],
            rels=[""] * EACH,
            positions=np.linspace(0, 1, EACH, dtype=np.float32),
            kinds=[Kind.PAGE] * EACH,
        )
        page = sample_page(known_urls[number], title=page_words[0], text=" ".join(page_words))
        yield Outcome(page, Verdict(float(rng.random() < 0.2))), links
        known_urls += fresh


if __name__ == "__main__":
    main()
