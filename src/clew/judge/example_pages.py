"""Read example pages from files, folders and finished crawls."""

import re
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from selectolax.lexbor import LexborHTMLParser

from clew.domain.text import language
from clew.errors import ConfigError
from clew.types import Link, Page, Response

MAX_EXAMPLES = 500
"""Maximum examples read of one folder or crawl, sampled evenly: more had no measurable effect."""

MAX_BYTES = 400_000
"""Maximum bytes read of one file; the main text of a page comes well before."""

MAX_FILES = 100_000
"""Maximum files of a folder that are considered."""

_CHARSET = re.compile(rb"charset\s*=\s*[\"']?\s*([\w-]{2,40})", re.IGNORECASE)
_MARKUP = re.compile(r"<(?:!doctype|html|head|body|title|p|div|a)\b", re.IGNORECASE)
_NOT_TEXT = (b"%PDF", b"PK\x03\x04", b"\x89PNG", b"GIF8", b"\xff\xd8\xff", b"\x1f\x8b", b"{\\rtf")
_BOILERPLATE = "script,style,noscript,template,nav,header,footer,aside,form"
_CRAWL = """
    SELECT links.url, coalesce(pages.title, ''), coalesce(pages.lang, ''), texts.text
    FROM pages JOIN links ON links.id = pages.id JOIN texts ON texts.page = pages.id
    WHERE pages.verdict IS NOT NULL AND pages.relevant = ?
    ORDER BY pages.id * 2654435761 % 4294967296 LIMIT ?
"""


@dataclass(frozen=True, slots=True)
class ExamplePage:
    """A page given as an example, and whether it is (or, from a finished crawl, is not) on topic."""

    name: str
    page: Page
    good: bool = True


def is_url(name: str) -> bool:
    """Return whether an example is a URL, which is fetched like a seed, rather than a local file."""
    return name.startswith(("http://", "https://"))


def read_examples(names: Sequence[str]) -> Iterator[ExamplePage]:
    """Read the examples that are local files; URLs are skipped.

    A file without text (a picture, a PDF) is skipped as well, unless it was named itself.
    """
    for name in names:
        if is_url(name):
            continue
        path = Path(name).expanduser()
        if (path / "crawl.db").is_file():
            yield from _read_crawl(path)
        elif path.is_dir():
            yield from _read_folder(path)
        elif not path.exists():
            msg = f"example {name} does not exist; goal.good and goal.bad take files, folders, crawls or URLs"
            raise ConfigError(msg)
        else:
            page = _read_file(path)
            if page is None:
                msg = f"example {name} holds no text that can be read; save it as HTML or plain text"
                raise ConfigError(msg)
            yield ExamplePage(str(path), page)


def sample_evenly(paths: Sequence[Path], most: int = MAX_EXAMPLES) -> list[Path]:
    """Return at most `most` paths, sampled evenly."""
    if len(paths) <= most:
        return list(paths)
    return [paths[at * len(paths) // most] for at in range(most)]


def _read_folder(folder: Path) -> Iterator[ExamplePage]:
    try:
        candidates = islice((path for path in folder.rglob("*") if path.is_file()), MAX_FILES)
        files = sorted(path for path in candidates if not path.name.startswith("."))
    except OSError as error:
        msg = f"example {folder} cannot be read: {error.strerror}; give yourself access to it"
        raise ConfigError(msg) from None
    found = 0
    for path in sample_evenly(files):
        page = _read_file(path)
        if page is not None:
            found += 1
            yield ExamplePage(str(path), page)
    if not found:
        what = f"none of its {len(files):,} files holds text" if files else "it is empty"
        msg = f"example folder {folder}: {what}; put saved pages (HTML or plain text) into it"
        raise ConfigError(msg)


def _read_crawl(folder: Path) -> Iterator[ExamplePage]:
    """Yield relevant pages of a crawl as good, and its irrelevant pages as not good."""
    try:
        with closing(
            sqlite3.connect(f"{(folder / 'crawl.db').resolve().as_uri()}?mode=ro", uri=True)
        ) as base:
            rows = [
                (good, row) for good in (True, False) for row in base.execute(_CRAWL, (good, MAX_EXAMPLES))
            ]
    except sqlite3.Error as error:
        msg = f"example crawl {folder} cannot be read: {error}; is it a finished crawl of this clew?"
        raise ConfigError(msg) from None
    if not any(good for good, _ in rows):
        msg = f"example crawl {folder} has no relevant page to learn from; choose another crawl"
        raise ConfigError(msg)
    for good, (url, title, lang, text) in rows:
        yield ExamplePage(url, _make_page(url, title, text, lang), good)


def _read_file(path: Path) -> Page | None:
    """Read a saved page or a plain text; None if it contains no text."""
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES)
    except OSError as error:
        msg = f"example {path} cannot be read: {error.strerror}; give yourself access to it"
        raise ConfigError(msg) from None
    text = _decode(data)
    if text is None:
        return None
    title = ""
    if _MARKUP.search(text[:5_000]):
        tree = LexborHTMLParser(text)
        title_node = tree.css_first("title")
        title = title_node.text(strip=True) if title_node else ""
        stated = tree.root.attributes.get("lang") if tree.root else None
        for node in tree.css(_BOILERPLATE):
            node.decompose()
        text = tree.body.text(separator=" ", strip=True) if tree.body else ""
        lang = language(text, stated=stated or "")
    else:
        lang = language(text)
    return _make_page(path.absolute().as_uri(), title, text, lang) if text.strip() or title else None


def _decode(data: bytes) -> str | None:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace")
    if data.startswith(_NOT_TEXT) or b"\0" in data[:4_096]:
        return None
    stated = _CHARSET.search(data[:2_048])
    for name in ("utf-8-sig", stated[1].decode() if stated else "", "cp1252"):
        try:
            return data.decode(name)
        except (LookupError, UnicodeDecodeError, ValueError):
            continue
    return data.decode("utf-8", "replace")


def _make_page(url: str, title: str, text: str, lang: str) -> Page:
    response = Response(link=Link(id=0, url=url, origin=""), started=0.0, ended=0.0, status=200)
    return Page(response=response, title=title, text=text, lang=lang)
