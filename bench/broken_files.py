"""What becomes of broken files? Damaged PDFs, pages, office documents and books in the parse workers.

    python -m bench.broken_files [--files 2000] [--seed 1]      # writes data of docs/lab/text.md

The fuzzer is that of the tests (tests/parse/broken_documents.py). A file is read, read in part (it says what is missing),
or not read and says why; HTML always is read, but may have no text left, as in a browser. On the files that are `lost` a
worker died or was ended.
"""

import argparse
import asyncio
import random
from collections import Counter

from bench.figures import publish
from clew.parse import ParsePool
from clew.types import Kind, Link, Page, Response
from docs.figures import Table
from tests.parse.broken_documents import HTML, broken, whole_documents

NAMES = {"application/pdf": "PDF", HTML: "HTML", "application/epub+zip": "EPUB"}
COLUMNS = ("type", "files", "read", "read in part", "not read, says why", "empty", "without a word", "lost")
SECONDS = 60.0
"""For a file: much, because other programs may run beside this one."""

_LOST = ("parser ", "parse timeout")


def name_of(type: str) -> str:
    return NAMES.get(type) or (".odt" if "opendocument" in type else ".docx")


def response(number: int, type: str, body: bytes) -> Response:
    head = f"HTTP/1.1 200 OK\r\nContent-Type: {type}\r\n\r\n".encode()
    link = Link(id=number, url=f"https://example.org/{number}", origin="https://example.org", kind=Kind.PAGE)
    return Response(link=link, started=0.0, ended=0.0, status=200, head=head, body=body)


def outcome(page: Page, type: str, body: bytes) -> str:
    """Return the column under which a page is counted."""
    if page.error.startswith(_LOST):
        return "lost"
    if page.text:
        return "read in part" if page.error or page.truncated else "read"
    if page.error:
        return "not read, says why"
    return "empty" if type == HTML or not body else "without a word"


async def read_all(files: list[tuple[str, bytes]]) -> list[Page]:
    """Read files with the workers of a crawl."""
    pool = ParsePool(workers=2, timeout=SECONDS)
    try:
        jobs = [pool(response(number, type, body)) for number, (type, body) in enumerate(files)]
        return list(await asyncio.gather(*jobs))
    finally:
        await pool.aclose()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--files", type=int, default=2_000, help="broken files of all types")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    dice, whole = random.Random(options.seed), whole_documents()
    files = []
    for number in range(options.files):
        type, body = whole[number % len(whole)]
        files.append((type, broken(type, body, dice)))
    pages = asyncio.run(read_all(files))
    counts: dict[str, Counter[str]] = {}
    reasons: Counter[str] = Counter()
    for (type, body), page in zip(files, pages, strict=True):
        counts.setdefault(name_of(type), Counter())[outcome(page, type, body)] += 1
        if page.error:
            reasons[f"{name_of(type)}: {page.error}"] += 1
    for reason, count in reasons.most_common():
        print(f"{count:6,}  {reason}")
    rows = [
        (name, f"{found.total():,}", *(f"{found[column]:,}" for column in COLUMNS[2:]))
        for name, found in counts.items()
    ]
    command = f"python -m bench.broken_files --files {options.files} --seed {options.seed}"
    publish({"text-broken": Table(COLUMNS, tuple(rows))}, command, files=options.files)


if __name__ == "__main__":
    main()
