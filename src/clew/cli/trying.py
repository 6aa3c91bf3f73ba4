"""`clew try`: the whole program on a small made-up web, beside breadth-first, measured in the same run."""

import tempfile
import time
from pathlib import Path

from clew import sample_web
from clew.api import Crawl
from clew.cli.screen import say
from clew.text import shown

TOPIC = "lighthouses"


def show(pages: int) -> int:
    """Crawl the made-up web twice, with and without focus, and show what each found."""
    with tempfile.TemporaryDirectory(prefix="clew-try-") as folder, sample_web.served() as homes:
        total = len(homes) * sample_web.PAGES
        say(f"clew try: a made-up web of {total * len(sample_web.TOPICS):,} pages on this computer, nothing leaves it")
        say(f"looking for: {TOPIC} ({total} pages hidden in it), with a budget of {pages} pages\n")
        found = {}
        for policy in ("breadth", "best-first"):
            began = time.perf_counter()
            crawl = Crawl(
                Path(folder) / policy, about="lighthouse keeper beacon", seeds=homes[:1],
                contact="https://github.com/clew-crawler/clew",
                settings={"rank.policy": policy, "fetch.delay": 0, "fetch.per_host": 4, "fetch.allow": ["127.0.0.0/8"]},
            )  # fmt: skip
            crawl.run(pages=pages)
            rows = list(crawl.pages)
            found[policy] = sum(sample_web.is_about(TOPIC, row["url"]) for row in rows)
            bar = "█" * round(40 * found[policy] / max(1, pages))
            say(f"{policy:>12}  {found[policy]:4} of {len(rows)} pages on topic  {bar}  {time.perf_counter() - began:.1f} s")
        say("\nthe last pages it chose to read:")
        for row in rows[-5:]:
            say(f"  {row['verdict'] or 0:.2f} {shown(row['url'], 50):50} {shown(row['title'], 30):30} link text {shown(row['anchor'], 20)!r}")
    say("\nnext:  clew new my-crawl --about 'what you look for' --seed https://… --contact https://…")
    say("       clew run my-crawl")
    return 0 if found["best-first"] > found["breadth"] else 1
