"""Answers about pages: find the page of each, read files of them, and store them as labels."""

import codecs
import csv
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clew import urls
from clew.contracts import KnownUrl, LabelReader
from clew.errors import ConfigError
from clew.store import SqliteLabelReader, add_labels, drop_labels, find_urls, url_variants
from clew.types import Label

YES = ("yes", "y", "good", "true", "1", "+", "relevant")
NO = ("no", "n", "bad", "false", "0", "-", "irrelevant")
CLEAR = ("clear", "undo", "none")

_MAX_REDIRECTS = 10
_MAX_BYTES = 64_000_000
_URLS = ("url", "address", "page", "link", "uri")
_ANSWERS = ("answer", "label", "good", "relevant")
_READ = 200


@dataclass(frozen=True, slots=True)
class LabelAnswer:
    """A label given to one URL: relevant, not relevant, or None to remove the label.

    `known` tells whether the crawl has found the URL; `verdict` is that of its page, if it was judged.
    """

    url: str
    good: bool | None
    known: bool = False
    verdict: float | None = None

    def effect(self) -> str:
        """Return what the label changes, in a few words."""
        if self.good is None:
            return "label removed"
        if not self.known:
            return "not in this crawl yet: applied when the page is fetched"
        if self.verdict is None:
            return "not fetched yet: applied when it is"
        return f"its verdict was {self.verdict:.2f}"

    def __str__(self) -> str:
        label = {True: "relevant", False: "not relevant", None: "no label"}[self.good]
        return f"{self.url}: {label} ({self.effect()})"


def parse_answer(word: str) -> bool | None:
    """Return the label that a word stands for, None for clear; raise `ValueError` for any other word."""
    plain = word.strip().lower()
    for words, answer in ((YES, True), (NO, False), (CLEAR, None)):
        if plain in words:
            return answer
    msg = f"{word!r} is not an answer; write yes, no or clear"
    raise ValueError(msg)


# ---- finding the page --------------------------------------------------------------------------


def find_pages(
    folder: Path, given: Sequence[tuple[str, bool | None]], drop: Sequence[str], *, guess: bool = False
) -> list[LabelAnswer]:
    """Find the page of each answer by any spelling of its URL; a redirect is resolved to its target.

    With `guess`, a part of a URL is enough if only one known URL contains it. A complete URL that the crawl
    has not found is accepted as it is: its label is applied when the page is fetched.
    """
    reader, canon = SqliteLabelReader(folder), urls.Canon(drop)
    variants = {address: url_variants(address.strip(), canon) for address, _ in given}
    known = reader.known_urls([url for some in variants.values() for url in some])
    answers = []
    for address, good in given:
        match = next((known[url] for url in variants[address] if url in known), None)
        if match is None and guess and "://" not in address:
            match = _containing(folder, reader, address)
        if match is None:
            answers.append(LabelAnswer(_unknown_url(folder, address, canon), good))
        else:
            target = _redirect_target(reader, match)
            answers.append(LabelAnswer(target.url, good, known=True, verdict=target.verdict))
    return answers


def _containing(folder: Path, reader: LabelReader, text: str) -> KnownUrl | None:
    """Return the only known URL that contains a text; several are an error that names some."""
    matches = find_urls(folder, text)
    if len(matches) > 1:
        examples = "\n".join(f"  {url}" for url in matches[:2])
        msg = f"{text!r} is part of several URLs in {folder}; name one of them, for example\n{examples}"
        raise ConfigError(msg)
    return reader.known_urls(matches).get(matches[0]) if matches else None


def _unknown_url(folder: Path, address: str, canon: urls.Canon) -> str:
    """Return the canonical form of a URL that the crawl has not found; raise if it is none."""
    url = canon(address if "://" in address else f"http://{address}")
    if not url or not {".", ":"} & set(urls.host(url)):
        msg = (
            f"{address!r} is not a URL, nor part of one found in {folder}; give a complete one, as https://…"
        )
        raise ConfigError(msg)
    return url


def _redirect_target(reader: LabelReader, known: KnownUrl) -> KnownUrl:
    """Follow redirects to the page that the user saw."""
    for _ in range(_MAX_REDIRECTS):
        target = known.redirect
        if not target:
            break
        known = reader.known_urls([target]).get(target, KnownUrl(target))
    return known


# ---- files of answers --------------------------------------------------------------------------


def read_answers(data: bytes, name: str) -> list[tuple[str, bool | None]]:
    """Read answers from a table (tabs, commas, semicolons or blanks) or from JSON lines.

    Each has a URL and yes, no or clear. A first line may name the columns, as in an export of pages; cells
    may then contain line breaks, and rows with an empty answer are skipped. A row that cannot be read is an
    error with its line; then no answer of the file is stored. Rows of an export without a page are skipped.
    """
    encoding = "utf-16" if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "utf-8-sig"
    if len(data) > _MAX_BYTES or (encoding != "utf-16" and b"\0" in data[:1000]):
        msg = f"{name} is not a file of answers; write a URL, a tab, and yes or no on each line"
        raise ConfigError(msg)
    csv.field_size_limit(_MAX_BYTES)  # an export has the text of a page in one cell
    try:
        found = list(_answers(data.decode(encoding, "replace")))
    except _RowError as error:
        msg = f"{name}, line {error.line}: {error}; each line needs a URL and yes, no or clear"
        raise ConfigError(f"{msg}. Nothing was stored") from None  # noqa: EM102
    if not found:
        msg = f"{name} contains no answers; write a URL, a tab, and yes or no on each line"
        raise ConfigError(msg)
    return found


class _RowError(ValueError):
    """A row of a file that cannot be read, with the number of its line."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line


def _answers(text: str) -> Iterator[tuple[str, bool | None]]:
    """Yield the answers of a text."""
    lines = text.splitlines(keepends=True)
    is_row = [bool(line.strip()) and not line.startswith("#") for line in lines]
    first = is_row.index(True) if any(is_row) else len(lines)
    if first < len(lines) and (header := _header(lines[first], first + 1)):
        yield from _from_table(lines[first + 1 :], first + 1, *header)
        return
    for number, line in enumerate(lines, 1):
        if is_row[number - 1]:
            try:
                if line.lstrip().startswith("{"):
                    yield from _from_json(line)
                else:
                    yield _from_line(line.rstrip("\r\n"))
            except ValueError as error:
                raise _RowError(number, str(error)) from None


def _header(line: str, number: int) -> tuple[str, list[str]] | None:
    """Return the delimiter and the names of the columns, if this line names them."""
    for delimiter in "\t,;":
        names = [cell.strip().lower() for cell in next(csv.reader([line], delimiter=delimiter))]
        if not set(names) & set(_URLS):
            continue
        if set(names) & set(_ANSWERS):
            return delimiter, names
        if len(names) > 1:
            columns = ", ".join(name[:30] for name in names[:6])
            msg = f"no column has answers ({columns}); name one of them {' or '.join(_ANSWERS[:2])}"
            raise _RowError(number, msg)
    return None


def _from_table(
    lines: list[str], before: int, delimiter: str, names: list[str]
) -> Iterator[tuple[str, bool | None]]:
    """Yield the answers of a table with a header; `before` are the lines up to it."""
    url, answer = (next(names.index(key) for key in keys if key in names) for keys in (_URLS, _ANSWERS))
    rows = csv.reader(lines, delimiter=delimiter)
    for cells in rows:
        number = before + rows.line_num
        if not any(map(str.strip, cells)) or cells[0].startswith("#"):
            continue
        if len(cells) != len(names):
            raise _RowError(number, f"{len(cells)} cells, but the header has {len(names)}")
        if not cells[answer].strip() or not _is_read(dict(zip(names, cells, strict=True))):
            continue
        try:
            yield cells[url].strip(), parse_answer(cells[answer])
        except ValueError as error:
            raise _RowError(number, str(error)) from None


def _is_read(row: Mapping[str, Any]) -> bool:
    """Return whether a row of an export is of a page that was read: of the others, nobody has seen a text."""
    return row.get("kind", "page") == "page" and str(row.get("status", _READ)) in (str(_READ), "")


def _from_line(line: str) -> tuple[str, bool | None]:
    """Read a line without a header; the answer comes last, because a URL may contain commas."""
    if "\t" in line:
        cells = line.split("\t")
    elif line.lstrip().startswith('"'):
        cells = next(csv.reader([line], delimiter=";" if '";' in line else ","))
    else:
        comma = max(line.rfind(","), line.rfind(";"))
        cells = [line[:comma], line[comma + 1 :]] if comma >= 0 else line.rsplit(None, 1)
    if len(cells) < 2:  # noqa: PLR2004
        msg = "a URL or an answer is missing"
        raise ValueError(msg)
    return cells[0].strip(), parse_answer(cells[1])


def _from_json(line: str) -> Iterator[tuple[str, bool | None]]:
    try:
        row: dict[str, Any] = json.loads(line)
    except json.JSONDecodeError as error:
        msg = f"this is not valid JSON ({error.msg})"
        raise ValueError(msg) from None
    address = next((row[key] for key in _URLS if key in row), None)
    key = next((key for key in _ANSWERS if key in row), None)
    if not isinstance(address, str) or key is None:
        msg = 'this has no "url" and "good"'
        raise ValueError(msg)
    answer = row[key]
    if _is_read(row):
        yield address, answer if answer is None or isinstance(answer, bool) else parse_answer(str(answer))


# ---- storing -----------------------------------------------------------------------------------


def store_answers(folder: Path, answers: Sequence[LabelAnswer]) -> int:
    """Store answers as labels, where a running crawl finds them; return how many labels were removed.

    The last answer for a URL counts.
    """
    last = {answer.url: answer.good for answer in answers}
    now = time.time()
    if labels := [Label(url, good, now) for url, good in last.items() if good is not None]:
        add_labels(folder, labels)
    removed = [url for url, good in last.items() if good is None]
    return drop_labels(folder, removed) if removed else 0


def stored_answers(folder: Path) -> Iterator[tuple[LabelAnswer, float]]:
    """Yield every labelled URL with its last answer and the time of it, oldest first."""
    reader = SqliteLabelReader(folder)
    labels = reader.latest_labels()
    known = reader.known_urls([label.url for label in labels])
    for label in labels:
        page = known.get(label.url)
        verdict = page.verdict if page else None
        yield LabelAnswer(label.url, label.relevant, known=page is not None, verdict=verdict), label.at
