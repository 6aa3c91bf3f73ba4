"""A small synthetic web of books: libraries, publishers, shops, courses and readers, each in its own markup.

The same books are listed on many hosts, on each in another order. A crawl begins with a few rows, author and
title, and looks for the rest; the five example rows are those of the paper that proposed the task. Like the
large web, it is generated from its seed alone, and comes with its ground truth.
"""

from collections.abc import Callable
from functools import cache, cached_property
from html import escape
from typing import NamedTuple

from clew.lab.synthetic import randomness
from clew.lab.synthetic.resources import load, split_words
from clew.lab.synthetic.web import SyntheticResponse

COLUMNS = ("author", "title")


LIBRARY, PRESS, SHOP, COURSE, READERS, GAZETTE, LINKS = (
    "www.ludlow-library.org", "www.marlow-press.com", "www.skipton-books.com", "reading.kendal-college.edu",
    "www.totnes-readers.org", "www.frome-gazette.com", "www.ely-links.org",
)  # fmt: skip
HOSTS = (LIBRARY, PRESS, SHOP, COURSE, READERS, GAZETTE, LINKS)

_PER_PAGE = 20
_NEWS = 60
_SHARE = {LIBRARY: 80, PRESS: 45, SHOP: 70, COURSE: 40, READERS: 35}  # per cent of all books that a host has
_EXAMPLES_SHARE = 75
_WITHOUT_AUTHOR = 8  # per cent of the books of which the press does not name the author


class Book(NamedTuple):
    """One book."""

    number: int
    author: str
    title: str
    year: int
    subject: str


class BookWeb:
    """A web of some thousand pages about books. The same seed gives the same bytes.

    >>> web = BookWeb()
    >>> web.respond(web.seeds()[0]).status
    200
    >>> web.grade_row(("C.J. Date", "An Introduction to Database Systems"))
    'right'
    """

    def __init__(self, seed: int = 1, per_subject: int = 90) -> None:
        self.seed = seed
        self.per_subject = per_subject

    @cached_property
    def books(self) -> list[Book]:
        """All books, the example rows first."""
        draw = randomness.random_stream(randomness.combine(self.seed, 41))
        rows = [(author, title, "databases") for author, title in example_rows()]
        taken = {title for _, title in example_rows()}
        authors = _authors(draw)
        for subject, words in subjects().items():
            count = 0
            while count < self.per_subject:
                title = _title(words, draw)
                if title not in taken:
                    taken.add(title)
                    rows.append((authors[draw() % len(authors)], title, subject))
                    count += 1
        return [
            Book(number, author, title, 1968 + draw() % 55, subject)
            for number, (author, title, subject) in enumerate(rows)
        ]

    @cached_property
    def _by_title(self) -> dict[str, Book]:
        return {book.title: book for book in self.books}

    def seeds(self) -> list[str]:
        """Return URLs a person might begin with."""
        return [f"http://{LINKS}/", f"http://{LIBRARY}/"]

    def books_on(self, host: str, subject: str) -> list[Book]:
        """Return the books of a host on a subject, in its own order; most hosts have the example rows."""
        number, share = randomness.hash_text(host), _SHARE.get(host, 0)
        found = []
        for book in self.books:
            bits = randomness.combine(number, book.number, self.seed)
            least = max(share, _EXAMPLES_SHARE if book.number < len(example_rows()) else 0)
            if book.subject == subject and bits % 100 < least:
                found.append((bits >> 32, book))
        return [book for _, book in sorted(found)]

    def rows(self, url: str) -> list[tuple[str, str]]:
        """Return the rows that a page shows, author and title; books without an author are left out."""
        host, path = _split_url(url)
        found = self._page(host, path)
        return [(book.author, book.title) for book in found[1]] if found else []

    def grade_row(self, values: tuple[str, ...], subject: str = "databases") -> str:
        """Grade a row: "right", "off-topic", or "noise" when there is no such book.

        A row without its author is graded by its title alone: not every host names an author.
        """
        author, title = values
        book = self._by_title.get(title)
        if book is None or author not in ("", book.author):
            return "noise"
        return "right" if book.subject == subject else "off-topic"

    def respond(self, url: str) -> SyntheticResponse:
        """Return the response to a request for a URL."""
        host, path = _split_url(url)
        if host not in HOSTS:
            return SyntheticResponse(
                502, (("Content-Type", "text/plain"),), b"there is no such host in this web"
            )
        found = self._page(host, path)
        if path == "/robots.txt" or found is None:
            return SyntheticResponse(404, (("Content-Type", "text/plain"),), b"not here")
        return SyntheticResponse(200, (("Content-Type", "text/html; charset=utf-8"),), found[0].encode())

    # ---- pages -------------------------------------------------------------------------------------

    def _page(self, host: str, path: str) -> tuple[str, list[Book]] | None:
        """Return a page and the books that it names with their authors."""
        write = _PAGE_WRITERS.get(host)
        kind, _, rest = path.strip("/").partition("/")
        found = write(self, kind, rest) if write else None
        if found is None:
            return None
        title, main, books = found
        menu = "".join(f'<a href="http://{other}/">{other}</a> ' for other in HOSTS if other != host)
        page = (
            f"<html lang=en><head><title>{escape(title)}</title></head><body><div class=top>"
            f'<a href="/">{host}</a></div><main><h1>{escape(title)}</h1>{main}</main>'
            f"<footer>Friends: {menu}</footer></body></html>"
        )
        return page, books


PageParts = tuple[str, str, list[Book]]
"""Title, main part, and the books that are named with their authors."""


@cache
def example_rows() -> tuple[tuple[str, str], ...]:
    """Return the rows a crawl begins with: author and title of five books on databases."""
    return tuple((author, title) for author, title in load("books")["example_rows"])


@cache
def subjects() -> dict[str, list[str]]:
    """Return the subjects, and what their books are about."""
    return {name: split_words(words) for name, words in load("books")["subjects"].items()}


def _split_url(url: str) -> tuple[str, str]:
    host, _, path = url.partition("://")[2].partition("/")
    return host, f"/{path}"


def _authors(draw: randomness.RandomStream) -> list[str]:
    letters = "ABCDEFGHJKLMNPRSTW"
    names = split_words(load("books")["family_names"])
    return [
        "".join(f"{letters[draw() % len(letters)]}." for _ in range(1 + draw() % 2)) + f" {name}"
        for name in names
        for _ in range(2)
    ]


def _title(words: list[str], draw: randomness.RandomStream) -> str:
    patterns, objects = load("books")["title_patterns"], split_words(load("books")["objects"])
    pattern: str = patterns[draw() % len(patterns)]
    return pattern.format(words[draw() % len(words)], objects[draw() % len(objects)])


def _subject_links(folder: str) -> str:
    return "".join(
        f'<p><a href="/{folder}/{subject}">{subject.capitalize()}</a></p>' for subject in subjects()
    )


def _library(web: BookWeb, kind: str, rest: str) -> PageParts | None:
    """Tables of twenty books, page by page."""
    if not kind:
        return "Ludlow Library: the catalogue by subject", _subject_links("subject"), []
    subject, _, number = rest.partition("/")
    if kind != "subject" or subject not in subjects() or not (number or "1").isdigit():
        return None
    books = web.books_on(LIBRARY, subject)
    page, pages = int(number or 1), -(-len(books) // _PER_PAGE)
    if not 1 <= page <= pages:
        return None
    some = books[(page - 1) * _PER_PAGE : page * _PER_PAGE]
    rows = "".join(
        f"<tr><td class=a>{escape(book.author)}</td><td class=t>{escape(book.title)}</td>"
        f"<td>{book.year}</td></tr>"
        for book in some
    )
    pager = "".join(
        f'<a href="/subject/{subject}/{other}">{other}</a> ' for other in range(1, pages + 1) if other != page
    )
    head = "<tr><th>Author</th><th>Title</th><th>Year</th></tr>"
    main = f"<table class=cat>{head}{rows}</table><p>Pages: {pager}</p>"
    return f"Books on {subject}, page {page}", main, some


def _press(web: BookWeb, kind: str, rest: str) -> PageParts | None:
    """One list a subject, title first; of some the author is not named."""
    if not kind:
        return "Marlow Press", f"<p>Our books, by subject.</p>{_subject_links('list')}", []
    if kind != "list" or rest not in subjects():
        return None
    books = web.books_on(PRESS, rest)
    named = [book for book in books if randomness.combine(book.number, web.seed, 3) % 100 >= _WITHOUT_AUTHOR]
    items = "".join(
        f"<li><b>{escape(book.title)}</b>"
        + (f", by <span class=by>{escape(book.author)}</span>" if book in named else "")
        + f" ({book.year})</li>"
        for book in books
    )
    return f"Marlow Press: {rest}", f"<ul class=list>{items}</ul>", named


def _shop(web: BookWeb, kind: str, rest: str) -> PageParts | None:
    """Lists by subject that link to a page for each book."""
    if not kind:
        return "Skipton Books", f"<p>Second-hand and new.</p>{_subject_links('shelf')}", []
    if kind == "shelf" and rest in subjects():
        books = web.books_on(SHOP, rest)
        items = "".join(
            f'<div class=b><a href="/book/{book.number}">{escape(book.title)}</a></div>' for book in books
        )
        return f"Shelf: {rest}", items, []
    if kind != "book" or not rest.isdigit() or int(rest) >= len(web.books):
        return None
    book = web.books[int(rest)]
    if book not in web.books_on(SHOP, book.subject):
        return None
    price = 5 + randomness.combine(book.number, 9) % 60
    main = (
        f"<div class=detail><h2 class=name>{escape(book.title)}</h2><p class=who>{escape(book.author)}</p>"
        f'<p class=price>{price}.00</p><p>In print since {book.year}. <a href="/shelf/{book.subject}">More on'
        f" {book.subject}</a></p></div>"
    )
    return f"Book no. {book.number}", main, [book]


def _course(web: BookWeb, kind: str, rest: str) -> PageParts | None:
    """Reading lists in plain paragraphs."""
    if not kind:
        return "Kendal College: reading lists", _subject_links("list"), []
    if kind != "list" or rest not in subjects():
        return None
    books = web.books_on(COURSE, rest)
    items = "".join(
        f"<p>{escape(book.author)}: <i>{escape(book.title)}</i>. {book.year}.</p>" for book in books
    )
    return f"Reading list for {rest}", f"<div class=reading>{items}</div>", books


def _readers(web: BookWeb, kind: str, rest: str) -> PageParts | None:
    """Reviews, one page each, linked by number."""
    books = [book for subject in subjects() for book in web.books_on(READERS, subject)]
    if not kind:
        items = "".join(f'<a href="/review/{book.number}">Review {book.number}</a> ' for book in books)
        return "Totnes Readers", f"<p>What we have read:</p>{items}", []
    found = [book for book in books if kind == "review" and rest == str(book.number)]
    if not found:
        return None
    book = found[0]
    stars = "★" * (1 + randomness.combine(book.number, 5) % 5)
    main = (
        f"<article><h3>{escape(book.title)}</h3><div class=meta>{escape(book.author)} · {book.year}</div>"
        f"<p>{stars} We read it in the winter and talked about it over tea.</p></article>"
    )
    return f"Review {book.number}", main, found


def _gazette(web: BookWeb, kind: str, rest: str) -> PageParts | None:
    """News without any book."""
    del web
    if not kind:
        items = "".join(
            f'<li><a href="/news/{number}">News item {number}</a></li>' for number in range(_NEWS)
        )
        return "The Frome Gazette", f"<ul>{items}</ul>", []
    if kind != "news" or not rest.isdigit() or int(rest) >= _NEWS:
        return None
    text = "The council met on Tuesday and spoke about the bridge, the market and the weather. " * 4
    return (
        f"News item {rest}",
        f"<p>{text}</p><p><b>Weather</b>, by <span class=by>our reporter</span></p>",
        [],
    )


def _links(web: BookWeb, kind: str, rest: str) -> PageParts | None:
    """A page of links: the seed."""
    del web, rest
    if kind:
        return None
    items = "".join(f'<li><a href="http://{host}/">{host}</a></li>' for host in HOSTS if host != LINKS)
    return "Ely Links", f"<p>Pages we like.</p><ul>{items}</ul>", []


_PAGE_WRITERS: dict[str, Callable[[BookWeb, str, str], PageParts | None]] = {
    LIBRARY: _library, PRESS: _press, SHOP: _shop, COURSE: _course, READERS: _readers, GAZETTE: _gazette,
    LINKS: _links,
}  # fmt: skip
