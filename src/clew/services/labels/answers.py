"""A person's answers: which page is meant, what a file of them says, and keeping them for good."""

import csv
import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from clew import urls
from clew.errors import ConfigError
from clew.store import add_labels, drop_labels, find_urls, read_sql, url_variants
from clew.types import Label

Row: TypeAlias = tuple[str, int, float | None, str | None]

YES = ("yes", "y", "good", "true", "1", "+", "relevant")
NO = ("no", "n", "bad", "false", "0", "-", "irrelevant")
CLEAR = ("clear", "undo", "none")

_HOPS = 10
_BYTES = 64_000_000
_KNOWN = """
SELECT url, state, verdict, redirect FROM links LEFT JOIN pages USING (id)
WHERE kind = 0 AND hash IN (SELECT value FROM json_each(?))"""
_URLS = ("url", "address", "page", "link", "uri")
_ANSWERS = ("answer", "label", "good", "relevant")


@dataclass(frozen=True, slots=True)
class LabelAnswer:
    """What was said about one address: yes, no, or None to take back what was said before.

    `known` tells whether the address was met; `verdict` is what the page got so far, if it was judged.
    """

    url: str
    good: bool | None
    known: bool = False
    verdict: float | None = None


def said(word: str) -> bool | None:
    """Return what a word means: yes, no, or None for taking back; raise `ValueError` for any other."""
    plain = word.strip().lower()
    for words, answer in ((YES, True), (NO, False), (CLEAR, None)):
        if plain in words:
            return answer
    msg = f"{word!r} is no answer; write yes, no or clear"
    raise ValueError(msg)


# ---- which page is meant -----------------------------------------------------------------------


def meant(
    folder: Path, given: Sequence[tuple[str, bool | None]], drop: Sequence[str], *, guess: bool = False
) -> list[LabelAnswer]:
    """Find the pages that people named, in any spelling; a redirect stands for the page it leads to.

    With `guess`, a part of an address is enough if only one that was met contains it. A whole address that
    was never met is taken as it is: the answer counts when the page is read.
    """
    canon = urls.Canon(drop)
    forms = {address: url_variants(address.strip(), canon) for address, _ in given}
    known = _known(folder, [url for some in forms.values() for url in some])
    found = []
    for address, good in given:
        row = next((known[url] for url in forms[address] if url in known), None)
        if row is None and guess and "://" not in address:
            row = _alike(folder, address)
        if row is None:
            found.append(LabelAnswer(_whole(folder, address, canon), good))
        else:
            url, _, verdict, _ = _landed(folder, row)
            found.append(LabelAnswer(url, good, known=True, verdict=verdict))
    return found


def _alike(folder: Path, address: str) -> Row | None:
    """Return the one address met that contains a text; several are an error that names some."""
    alike = find_urls(folder, address)
    if len(alike) > 1:
        nearest = "\n".join(f"  {url}" for url in alike[:2])
        msg = f"{address!r} is part of several addresses in {folder}; which one, for example?\n{nearest}"
        raise ConfigError(msg)
    return _known(folder, alike).get(alike[0]) if alike else None


def _whole(folder: Path, address: str, canon: urls.Canon) -> str:
    """Return an address that was never met; raise for what is none."""
    whole = canon(address if "://" in address else f"http://{address}")
    if not whole or not {".", ":"} & set(urls.host(whole)):
        msg = (
            f"{address!r} is no web address, nor part of one met in {folder}; give a whole one, as https://…"
        )
        raise ConfigError(msg)
    return whole


def _known(folder: Path, addresses: Sequence[str]) -> dict[str, Row]:
    """Return what the store knows of addresses, by address; one pass over the links for all of them."""
    names = [urls.fingerprint(url) for url in dict.fromkeys(addresses)]
    signed = [name - (1 << 64) if name >> 63 else name for name in names]
    return {row[0]: row for row in read_sql(folder, _KNOWN, json.dumps(signed))}


def _landed(folder: Path, row: Row) -> Row:
    """Follow redirects to the page a person saw."""
    for _ in range(_HOPS):
        target = row[3]
        if not target:
            break
        row = _known(folder, [target]).get(target, (target, 0, None, None))
    return row


# ---- files of answers --------------------------------------------------------------------------


def read_answers(data: bytes, name: str) -> list[tuple[str, bool | None]]:
    """Read answers from a table (tabs, commas or blanks) or from JSON lines: an address and yes, no or clear.

    A first line that names its columns is understood. Any line that cannot be read is an error with its
    number: then nothing of the file counts.
    """
    if len(data) > _BYTES or b"\0" in data[:1000]:
        msg = f"{name} is no file of answers; write an address, a tab, and yes or no on each line"
        raise ConfigError(msg)
    found: list[tuple[str, bool | None]] = []
    names: list[str] = []
    for number, line in enumerate(data.decode("utf-8-sig", "replace").splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        try:
            if line.lstrip().startswith("{"):
                found.append(_from_json(line))
            elif found or names or not (names := _names(line)):
                found.append(_from_cells(line, names))
        except ValueError as error:
            msg = f"{name}, line {number}: {error}; each line has an address and yes, no or clear"
            raise ConfigError(f"{msg}. Nothing was kept") from None  # noqa: EM102
    if not found:
        msg = f"{name} holds no answers; write an address, a tab, and yes or no on each line"
        raise ConfigError(msg)
    return found


def _cells(line: str) -> list[str]:
    return line.split("\t") if "\t" in line else next(csv.reader([line]))


def _names(line: str) -> list[str]:
    """Return the names of the columns, if this is a line of names."""
    names = [cell.strip().lower() for cell in _cells(line)]
    return names if set(names) & set(_URLS) and set(names) & set(_ANSWERS) else []


def _from_cells(line: str, names: list[str]) -> tuple[str, bool | None]:
    """Read one line of a table; without names the answer stands last, for an address may hold commas."""
    cells = _cells(line)
    if names:
        if len(cells) != len(names):
            msg = f"{len(cells)} cells, where the first line names {len(names)}"
            raise ValueError(msg)
        row = dict(zip(names, cells, strict=True))
        cells = [next(row[key] for key in keys if key in row) for keys in (_URLS, _ANSWERS)]
    elif "\t" not in line and not line.lstrip().startswith('"'):
        cells = line.rsplit("," if "," in line else None, 1)
    if len(cells) < 2:  # noqa: PLR2004
        msg = "an address or an answer is missing"
        raise ValueError(msg)
    return cells[0].strip(), said(cells[1])


def _from_json(line: str) -> tuple[str, bool | None]:
    try:
        row: dict[str, Any] = json.loads(line)
    except json.JSONDecodeError as error:
        msg = f"this is no JSON ({error.msg})"
        raise ValueError(msg) from None
    address = next((row[key] for key in _URLS if key in row), None)
    key = next((key for key in _ANSWERS if key in row), None)
    if not isinstance(address, str) or key is None:
        msg = 'this has no "url" and "good"'
        raise ValueError(msg)
    answer = row[key]
    if answer is None or isinstance(answer, bool):
        return address, answer
    return address, said(str(answer))


# ---- for good ----------------------------------------------------------------------------------


def keep_answers(folder: Path, answers: Sequence[LabelAnswer]) -> int:
    """Write answers to the disk, for a crawl that runs to hear; return how many labels were taken back.

    For one address the last answer counts.
    """
    last = {answer.url: answer.good for answer in answers}
    now = time.time()
    if labels := [Label(url, good, now) for url, good in last.items() if good is not None]:
        add_labels(folder, labels)
    gone = [url for url, good in last.items() if good is None]
    return drop_labels(folder, gone) if gone else 0


def kept_answers(folder: Path) -> Iterator[tuple[LabelAnswer, float]]:
    """Yield every address that has a label, with the last answer and its time, oldest first."""
    rows = read_sql(folder, "SELECT url, good, at FROM labels ORDER BY at, id")
    last = {url: (bool(good), at) for url, good, at in rows}
    known = _known(folder, list(last))
    for url, (good, at) in sorted(last.items(), key=lambda item: item[1][1]):
        row = known.get(url)
        yield LabelAnswer(url, good, known=row is not None, verdict=row[2] if row else None), at
