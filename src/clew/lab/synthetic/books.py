"""A small made-up web of books: libraries, publishers, shops, courses and readers, each in its own markup.

The same books stand on many hosts, on each in another order. It is there to begin with a few rows, author
and title, and to look for the rest; the five that a person knows are those of the paper that proposed it.
Like the large web, it is made from its seed alone, and knows the truth about itself.
"""

from collections.abc import Callable
from functools import cached_property
from html import escape
from typing import NamedTuple

from clew.lab.synthetic import randomness
from clew.lab.synthetic.book_words import FAMILY, OBJECTS, SUBJECTS, WAYS
from clew.lab.synthetic.web import SyntheticResponse

COLUMNS = ("author", "title")

KNOWN = (
    ("A.F. Cardenas", "Data Base Management Systems"),
    ("C.J. Date", "An Introduction to Database Systems"),
    ("D. Maier", "The Theory of Relational Databases"),
    ("H.S. Kunii", "Graph Data Model and Its Data Language"),
    ("R.G.G. Cattell", "Object Data Management"),
)
"""What the person knows: five books on databases."""

LIBRARY, PRESS, SHOP, COURSE, READERS, GAZETTE, LINKS = (
    "www.ludlow-library.org", "www.marlow-press.com", "www.skipton-books.com", "reading.kendal-college.edu",
    "www.totnes-readers.org", "www.frome-gazette.com", "www.ely-links.org",
)  # fmt: skip
HOSTS = (LIBRARY, PRESS, SHOP, COURSE, READERS, GAZETTE, LINKS)

_PER_PAGE = 20
_NEWS = 60
_SHARE = {LIBRARY: 80, PRESS: 45, SHOP: 70, COURSE: 40, READERS: 35}  # per cent of all books that a host has
_FAMOUS = 75
_NAMELESS = 8  # per cent of the books of which the press does not name the author


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
    >>> web.answer(web.seeds()[0]).status, web.word(("C.J. Date", "An Introduction to Database Systems"))
    (200, 'right')
    """

    def __init__(self, seed: int = 1, each: int = 90) -> None:
        self.seed = seed
        self.each = each

    @cached_property
    def books(self) -> list[Book]:
        """All books, the five that the person knows first."""
        throw = randomness.throws(randomness.key(self.seed, 41))
        made = [(author, title, "databases") for author, title in KNOWN]
        taken = {title for _, title in KNOWN}
        authors = _authors(throw)
        for subject, words in SUBJECTS.items():
            count = 0
            while count < self.each:
                title = _title(words.split(", "), throw)
                if title not in taken:
                    taken.add(title)
                    made.append((authors[throw() % len(authors)], title, subject))
                    count += 1
        return [
            Book(number, author, title, 1968 + throw() % 55, subject)
            for number, (author, title, subject) in enumerate(made)
        ]

    @cached_property
    def _about(self) -> dict[str, Book]:
        return {book.title: book for book in self.books}

    def seeds(self) -> list[str]:
        """Return addresses a person might begin with."""
        return [f"http://{LINKS}/", f"http://{LIBRARY}/"]

    def held(self, host: str, subject: str) -> list[Book]:
        """Return the books on a subject that a host has, in its own order; famous ones stand more often."""
        number, share = randomness.name(host), _SHARE.get(host, 0)
        found = []
        for book in self.books:
            throw = randomness.key(number, book.number, self.seed)
            least = max(share, _FAMOUS if book.number < len(KNOWN) else 0)
            if book.subject == subject and throw % 100 < least:
                found.append((throw >> 32, book))
        return [book for _, book in sorted(found)]

    def rows(self, url: str) -> list[tuple[str, str]]:
        """Return the rows that a page shows, author and title; a book without its author is none."""
        host, path = _parted(url)
        found = self._page(host, path)
        return [(book.author, book.title) for book in found[1]] if found else []

    def word(self, values: tuple[str, ...], subject: str = "databases") -> str:
        """Say what is true of a row: right, off-topic, or noise when there is no such book.

        A row without its author is as true as its title: not every host names one.
        """
        author, title = values
        about = self._about.get(title)
        if about is None or author not in ("", about.author):
            return "noise"
        return "right" if about.subject == subject else "off-topic"

    def answer(self, url: str) -> SyntheticResponse:
        """Answer a request for an address."""
        host, path = _parted(url)
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
        make = _MAKERS.get(host)
        kind, _, rest = path.strip("/").partition("/")
        found = make(self, kind, rest) if make else None
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


Made = tuple[str, str, list[Book]]


def _parted(url: str) -> tuple[str, str]:
    host, _, path = url.partition("://")[2].partition("/")
    return host, f"/{path}"


def _authors(throw: randomness.Throw) -> list[str]:
    letters = "ABCDEFGHJKLMNPRSTW"
    names = FAMILY.split(", ")
    return [
        "".join(f"{letters[throw() % len(letters)]}." for _ in range(1 + throw() % 2)) + f" {name}"
        for name in names
        for _ in range(2)
    ]


def _title(words: list[str], throw: randomness.Throw) -> str:
    ways, objects = WAYS.split("; "), OBJECTS.split(", ")
    way = ways[throw() % len(ways)]
    return way.format(words[throw() % len(words)], objects[throw() % len(objects)])


def _subjects(place: str) -> str:
    return "".join(f'<p><a href="/{place}/{subject}">{subject.capitalize()}</a></p>' for subject in SUBJECTS)


def _library(web: BookWeb, kind: str, rest: str) -> Made | None:
    """Tables of twenty books, page by page."""
    if not kind:
        return "Ludlow Library: the catalogue by subject", _subjects("subject"), []
    subject, _, number = rest.partition("/")
    if kind != "subject" or subject not in SUBJECTS or not (number or "1").isdigit():
        return None
    books = web.held(LIBRARY, subject)
    page, pages = int(number or 1), -(-len(books) // _PER_PAGE)
    if not 1 <= page <= pages:
        return None
    some = books[(page - 1) * _PER_PAGE : page * _PER_PAGE]
    rows = "".join(
        f"<tr><td class=a>{escape(book.author)}</td><td class=t>{escape(book.title)}</td>"
        f"<td>{book.year}</td></tr>"
        for book in some
    )
    turn = "".join(
        f'<a href="/subject/{subject}/{other}">{other}</a> ' for other in range(1, pages + 1) if other != page
    )
    head = "<tr><th>Author</th><th>Title</th><th>Year</th></tr>"
    main = f"<table class=cat>{head}{rows}</table><p>Pages: {turn}</p>"
    return f"Books on {subject}, page {page}", main, some


def _press(web: BookWeb, kind: str, rest: str) -> Made | None:
    """One list a subject, title first; of some the author is not named."""
    if not kind:
        return "Marlow Press", f"<p>Our books, by subject.</p>{_subjects('list')}", []
    if kind != "list" or rest not in SUBJECTS:
        return None
    books = web.held(PRESS, rest)
    named = [book for book in books if randomness.key(book.number, web.seed, 3) % 100 >= _NAMELESS]
    items = "".join(
        f"<li><b>{escape(book.title)}</b>"
        + (f", by <span class=by>{escape(book.author)}</span>" if book in named else "")
        + f" ({book.year})</li>"
        for book in books
    )
    return f"Marlow Press: {rest}", f"<ul class=list>{items}</ul>", named


def _shop(web: BookWeb, kind: str, rest: str) -> Made | None:
    """Shelves that lead to a page for each book."""
    if not kind:
        return "Skipton Books", f"<p>Second-hand and new.</p>{_subjects('shelf')}", []
    if kind == "shelf" and rest in SUBJECTS:
        books = web.held(SHOP, rest)
        items = "".join(
            f'<div class=b><a href="/book/{book.number}">{escape(book.title)}</a></div>' for book in books
        )
        return f"Shelf: {rest}", items, []
    if kind != "book" or not rest.isdigit() or int(rest) >= len(web.books):
        return None
    book = web.books[int(rest)]
    if book not in web.held(SHOP, book.subject):
        return None
    price = 5 + randomness.key(book.number, 9) % 60
    main = (
        f"<div class=detail><h2 class=name>{escape(book.title)}</h2><p class=who>{escape(book.author)}</p>"
        f'<p class=price>{price}.00</p><p>In print since {book.year}. <a href="/shelf/{book.subject}">More on'
        f" {book.subject}</a></p></div>"
    )
    return f"Book no. {book.number}", main, [book]


def _course(web: BookWeb, kind: str, rest: str) -> Made | None:
    """Reading lists in plain paragraphs."""
    if not kind:
        return "Kendal College: reading lists", _subjects("list"), []
    if kind != "list" or rest not in SUBJECTS:
        return None
    books = web.held(COURSE, rest)
    items = "".join(
        f"<p>{escape(book.author)}: <i>{escape(book.title)}</i>. {book.year}.</p>" for book in books
    )
    return f"Reading list for {rest}", f"<div class=reading>{items}</div>", books


def _readers(web: BookWeb, kind: str, rest: str) -> Made | None:
    """Reviews, one page each, linked by number."""
    books = [book for subject in SUBJECTS for book in web.held(READERS, subject)]
    if not kind:
        items = "".join(f'<a href="/review/{book.number}">Review {book.number}</a> ' for book in books)
        return "Totnes Readers", f"<p>What we have read:</p>{items}", []
    found = [book for book in books if kind == "review" and rest == str(book.number)]
    if not found:
        return None
    book = found[0]
    stars = "★" * (1 + randomness.key(book.number, 5) % 5)
    main = (
        f"<article><h3>{escape(book.title)}</h3><div class=meta>{escape(book.author)} · {book.year}</div>"
        f"<p>{stars} We read it in the winter and talked about it over tea.</p></article>"
    )
    return f"Review {book.number}", main, found


def _gazette(web: BookWeb, kind: str, rest: str) -> Made | None:
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


def _links(web: BookWeb, kind: str, rest: str) -> Made | None:
    """A page of links: where everything begins."""
    del web, rest
    if kind:
        return None
    items = "".join(f'<li><a href="http://{host}/">{host}</a></li>' for host in HOSTS if host != LINKS)
    return "Ely Links", f"<p>Pages we like.</p><ul>{items}</ul>", []


_MAKERS: dict[str, Callable[[BookWeb, str, str], Made | None]] = {
    LIBRARY: _library, PRESS: _press, SHOP: _shop, COURSE: _course, READERS: _readers, GAZETTE: _gazette,
    LINKS: _links,
}  # fmt: skip
