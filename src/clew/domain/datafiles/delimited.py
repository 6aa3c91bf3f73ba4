"""Delimited text: detect encoding and delimiter, and read the rows."""

import csv
import io
import re
from collections import Counter
from itertools import islice

MOST_ROWS = 1_000
MOST_COLUMNS = 1_000
MOST_CELL = 300
_SIGNS = ",;\t|"
_TRIED = 60
"""Lines that are used to detect the delimiter."""

_LINE = 20_000
_LOOKED = 4_096
_MIN_AGREEMENT = 0.7  # share of lines that must agree on the number of cells
_MIN_CELLS = 5  # cells: a sentence may have as many commas
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_SIGN = re.compile(r"[^\x00-\x7f]")
_WITHIN = re.compile(r"(?<=[A-Za-z])[^\x00-\x7f]|[^\x00-\x7f](?=[a-z])")
_PROSE = re.compile(r"[^\W\d]{2,} [^\W\d]{2,} [^\W\d]{2,} [^\W\d]{2,}")


def decoded(body: bytes, hint: str = "") -> tuple[str, str]:
    """Return bytes as text with the encoding, or two empty strings if they are not text.

    A character that the end of the bytes cuts in two is no fault.
    """
    if body.startswith((b"\xff\xfe", b"\xfe\xff")):
        return body[: len(body) & ~1].decode("utf-16", "replace"), "utf-16"
    if body.startswith(b"\xef\xbb\xbf"):
        return body[3:].decode("utf-8", "replace"), "utf-8"
    if b"\0" in body[:_LOOKED]:
        return _in_pairs(body)
    for encoding in (*((hint,) if hint else ()), "utf-8", "cp932", "gb18030"):
        try:
            text = _whole(body, encoding)
        except (UnicodeDecodeError, LookupError):
            continue
        if encoding in ("utf-8", hint) or not _is_mixed(text):
            return (text, encoding) if _is_clean(text, 50) else ("", "")
    text = body.decode("cp1252", "replace")
    return (text, "cp1252") if _is_clean(text, 100) else ("", "")


def _in_pairs(body: bytes) -> tuple[str, str]:
    """Read UTF-16 without a BOM: every other byte is 0. Anything else with zeros is not text."""
    even, odd = body[:_LOOKED:2].count(0), body[1:_LOOKED:2].count(0)
    if abs(even - odd) * 3 < min(len(body), _LOOKED):
        return "", ""
    encoding = "utf-16-le" if odd > even else "utf-16-be"
    return body[: len(body) & ~1].decode(encoding, "replace"), encoding


def _is_mixed(text: str) -> bool:
    """Detect Western text decoded as Chinese or Japanese: single characters between Latin letters."""
    signs = _SIGN.findall(text[:_LOOKED])
    return 2 * len(_WITHIN.findall(text[:_LOOKED])) > len(signs)


def _is_clean(text: str, rarely: int) -> bool:
    """Return whether decoded bytes are text: it has few control characters."""
    return len(_CONTROLS.findall(text[:_LOOKED])) * rarely < len(text[:_LOOKED]) + 1


def _whole(body: bytes, encoding: str) -> str:
    try:
        return body.decode(encoding)
    except UnicodeDecodeError as fault:
        if fault.start < len(body) - 4 or encoding not in ("utf-8", "cp932", "gb18030"):
            raise
        return body[: fault.start].decode(encoding)


def delimiter_of(text: str) -> str:
    r"""Return the delimiter of a text, or an empty string if it has no cells.

    >>> delimiter_of("a;b\n1,5;2\n3,5;4\n"), delimiter_of("Well, this is prose.\nIt goes on, and on, so.")
    (';', '')
    """
    lines = [line[:_LINE] for line in islice(_lines(text), _TRIED)]
    if len(lines) < 2:  # noqa: PLR2004 - one line is not enough
        return ""
    best, sign, columns = 0.0, "", 0
    for delimiter in _SIGNS:
        if sum(delimiter in line for line in lines) * 2 < len(lines):
            continue
        counts = [len(row) for row in _rows("".join(lines), delimiter) if row]
        wide = [count for count in counts if count > 1]
        if not wide:
            continue
        width, same = Counter(wide).most_common(1)[0]
        before = _leading(counts)
        agree = same / max(1, len(counts) - before)
        value = agree * min(width, 20) ** 0.25 * (1 - before / len(counts))
        if agree >= _MIN_AGREEMENT and value > best:
            best, sign, columns = value, delimiter, width
    prose = columns < _MIN_CELLS and sum(bool(_PROSE.search(line[:500])) for line in lines) > len(lines) * 0.6
    return "" if sign == "," and prose and '"' not in text else sign


def _leading(counts: list[int]) -> int:
    """Count the lines before the table: titles and notes have one cell."""
    return next((at for at, count in enumerate(counts) if count > 1), 0)


def _lines(text: str) -> io.StringIO:
    return io.StringIO(text.replace("\r\n", "\n").replace("\r", "\n"))


def _rows(text: str, delimiter: str) -> list[list[str]]:
    rows: list[list[str]] = []
    try:
        for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True):
            rows.append([cell[:MOST_CELL].strip() for cell in row[:MOST_COLUMNS]])
            if len(rows) >= MOST_ROWS:
                break
    except csv.Error:  # a cell is too long; the rows before it count
        pass
    return rows


def read_delimited(text: str, *, cut: bool = False) -> list[list[str]]:
    """Return the rows of a text; the last is left out if the text is truncated."""
    text = text.lstrip("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    if text.startswith("sep=") and "\n" in text[:10]:  # a directive for Excel
        text = text.partition("\n")[2]
    rows = _rows(text, delimiter_of(text) or ",")
    return rows[:-1] if cut and len(rows) > 1 and len(rows) < MOST_ROWS else rows
