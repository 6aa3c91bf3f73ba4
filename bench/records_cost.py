"""What does a page cost the record learner, after 1,000, 10,000 and 50,000 pages? CPU, and as a ratio to the first.

    python -m bench.records_cost [PAGES]

A synthetic web of bookshops and other sites: of ten pages two show one book, one is a list of twelve, seven are prose with a
menu. Two books of five are popular and are on many sites, the others are on one page, so that about the same share of every
page is known, however many pages were read; old pages that new patterns need are read again at once.
"""

import argparse
import random
import time

from bench.figures import publish
from clew.domain.records.record_learner import RecordLearner
from clew.domain.records.record_table import RecordTable
from docs.figures import Table

ENDS = "den fir gal hum jor kin lan mur nel pos rik sam tor ven wis bel cor dal fen gim".split()  # noqa: SIM905 - reads better as text
WORDS = [
    a + b + c
    for a in ("ba", "ke", "lo", "mi", "nu", "ra", "se", "ti", "vo", "zu")
    for b in ENDS
    for c in ("", *ENDS)
]
COLUMNS = ("author", "title")
POPULAR = 0.4
MARKS = (1_000, 10_000, 50_000)
WINDOW = 1_000


def draw_book(rng: random.Random) -> tuple[str, str]:
    """Draw a book: a popular one, or a new one."""
    if rng.random() < POPULAR:
        rng = random.Random(rng.randrange(500))
    author = f"{rng.choice(WORDS).title()} {rng.choice(WORDS).title()}"
    return author, " ".join(rng.choices(WORDS, k=4)).capitalize()


def page(number: int) -> tuple[str, str]:
    """Return the address and the markup of a page; every site has five hundred, and a template of its own."""
    site, at = divmod(number, 500)
    rng = random.Random(number)
    host = f"http://site{site}.example"
    menu = "".join(f'<li><a href="/{word}">{word}</a></li>' for word in WORDS[site % 20 : site % 20 + 12])
    kind = at % 10
    if kind < 2:
        author, title = draw_book(rng)
        tag = ("h1", "h2", "h3")[site % 3]
        inner = f'<div class="book"><{tag} class="t{chr(97 + site % 26)}">{title}</{tag}><p><b>By:</b> <span>{author}</span></p></div>'
        url = f"{host}/book/{at}"
    elif kind == 2:
        item = ('<li class="x"><b>{1}</b> <i>{0}</i></li>', "<li><a>{1}</a>: {0}</li>")[site % 2]
        inner = f'<ul class="list">{"".join(item.format(*draw_book(rng)) for _ in range(12))}</ul>'
        url = f"{host}/list/{at}"
    else:
        inner = "".join(f"<p>{' '.join(rng.choices(WORDS, k=60))}.</p>" for _ in range(6))
        url = f"{host}/text/{at}"
    body = f"<div><ul>{menu}</ul></div>{inner}<div><p>Contact and imprint of {site}</p></div>"
    return url, f"<html><head><title>{at}</title></head><body>{body}</body></html>"


def measure(method: str, pages: int) -> list[tuple[int, float, int, int]]:
    """Return CPU milliseconds a page in the window before each mark, rows and patterns by then."""
    examples = {draw_book(random.Random(number)) for number in range(100)}
    table = RecordTable(COLUMNS, sorted(examples)[:40])
    learner = RecordLearner(table, method=method)
    results: list[tuple[int, float, int, int]] = []
    spent, reread = 0.0, 0
    for number in range(1, pages + 1):
        url, markup = page(number)
        began = time.process_time()
        learner.process_page(number, url, markup, 0.0)
        spent += time.process_time() - began
        for old in learner.wanted():
            old_page = page(old)
            began = time.process_time()
            learner.again(old, *old_page, 0.0)
            spent += time.process_time() - began
            reread += 1
        if number % WINDOW == 0:
            if number in MARKS:
                results.append((number, 1_000 * spent / WINDOW, len(table), len(learner.patterns())))
                print(
                    f"{method} {number:,} pages: {results[-1][1]:.2f} ms a page, {len(table):,} rows, {reread:,} read again",
                    flush=True,
                )
            spent = 0.0
    return results


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("pages", nargs="?", type=int, default=MARKS[-1], help=f"pages read ({MARKS[-1]:,})")
    pages = parser.parse_args().pages
    rows = [
        (method, str(count), f"{cost:.2f}")
        for method in ("trees", "dipre")
        for count, cost, *_ in measure(method, pages)
    ]
    table = Table(("method", "pages", "ms CPU a page"), tuple(rows))
    publish({"records-cost": table}, "python -m bench.records_cost")


if __name__ == "__main__":
    main()
