"""Features of a table, by which statistics are distinguished from other files."""

import re
from collections.abc import Sequence
from itertools import pairwise
from math import log10

import numpy as np
from numpy.typing import NDArray

from clew.domain.datafiles.table import DataTable

ROWS, COLUMNS = 250, 40
"""Rows and columns of a table that are measured."""

NAMES = (
    "rows", "columns", "numbers", "empty", "missing", "decimals", "texts", "text_length", "long_texts",
    "text_words", "number_columns", "text_columns", "keys", "repeated", "header_texts", "header_years",
    "units", "statistical", "personal", "years", "dates", "times", "links", "codes", "counters", "degrees",
    "spread", "ragged", "header_repeated", "preamble", "areas", "digits", "integers", "constant", "small",
    "percent", "grouped", "first_numbers", "header_short", "varied",
)  # fmt: skip

_NUMBER = re.compile(
    r"[(\[]?[-+−–▲△]?\s*[€$£¥]?\s*(?:\d{1,3}(?:[  ,.'’]\d{3})+|\d+)(?:[.,]\d+)?(?:[eE][-+]?\d+)?\s*"
    r"[)\]%‰€$£¥]?[*†rpbe]?"
)
_DECIMAL = re.compile(r"\d[.,](?!\d{3}(?:\D|$))\d+|\d[eE][-+]?\d|0[.,]\d+")
_GROUPED = re.compile(r"\d[  ,'’]\d{3}(?:\D|$)")
_MISSING = re.compile(
    r"(?:n\.?/?a\.?n?|null|none|nan|-+|–|—|\.{1,3}|…|:|x|\*+|/|\?|not available|k\.\s?a\.|c|#n/a|・|‐|－|Ｘ)",
    re.IGNORECASE,
)
_YEAR = re.compile(
    r"(?:1[6-9]|20)\d\d(?:(?:[-/–](?:\d\d|\d{4}))|\s?(?:Q[1-4]|M\d\d|年度?|-Q[1-4]|-\d\d))?|FY\s?\d{2,4}"
    r"|(?:昭和|平成|令和|明治|大正)\s?(?:\d+|元)年度?|X(?:19|20)\d\d|\d{4}年\d{1,2}月",
    re.IGNORECASE,
)
_DATE = re.compile(
    r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}(?:[T ].*)?|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}(?: .*)?"
    r"|(?:19|20)\d{2}(?:0[1-9]|1[0-2])[0-3]\d"
    r"|(?:\d{1,2}[ -])?[A-Z][a-z]{2}[a-z]*[ -](?:\d{1,2},? )?\d{2,4}"
)
_WHEN = re.compile(f"(?:{_DATE.pattern})|(?:{_YEAR.pattern})", re.IGNORECASE)
_TIME = re.compile(r"\b\d{1,2}:\d{2}(?::\d{2})?\b")
_LINK = re.compile(r"https?://|www\.|^[\w.+-]+@[\w-]+\.\w+$|^[\w./~-]*/[\w.-]+\.\w{1,5}$|^\+?[\d ()/-]{9,}$")
_CODE = re.compile(
    r"(?=.*\d)(?=.*[A-Za-z_])[\w.:/#-]{3,}|[0-9a-f]{12,}|[a-z]+(?:_[a-z0-9]+)+|#[0-9a-fA-F]{3,8}"
)
_AREA = re.compile(r"[A-Z]{2,3}|[A-Z]{2}[A-Z0-9]{1,3}|\d{2}000|US-[A-Z]{2}|[A-Z]{1,3}\d{4,8}")
_UNIT = re.compile(
    r"%|‰|\b(?:kg|km2?|ha|gwh|mwh|tonnes?|per|thousands?|millions?|mio|mrd|tsd|1[ ,.]?000|usd|eur|gbp|yen|"
    r"index|°c|mm|years?|age|hours?|percent(?:age)?|pct|proz?ent|anzahl|euro|ug/m3|mg|cm|days?)\b"
    r"|千人|百万円|億円|千円|単位|人口|世帯|（人）|（件）|（円）|率|元|万",
    re.IGNORECASE,
)
_STATISTICAL = re.compile(
    r"\b(?:totals?|means?|average|avg|median|rates?|ratio|share|number|population|count|counts|"
    r"estimates?|value|obs_value|observations?|time_period|std|sd|se|variance|min|max|sum|gdp|"
    r"income|unemploy\w*|employ\w*|births?|deaths?|cases|male|female|both sexes|sex|gender|region|"
    r"province|country|year|quarter|month|households?|gesamt|insgesamt|jahr|männlich|weiblich|"
    r"bevölkerung|anteil|durchschnitt|nombre|taux|année|hommes|femmes|población|tasa|año|"
    r"hombres|mujeres|treatment|group|score|weight|height|residual|coef\w*|p[-_.]?value|df|ci|lower|"
    r"upper|conf\w*|percent\w*|growth|change|exports?|imports?|production|consumption|price|wage\w*|"
    r"votes?|turnout|temperature|rainfall|response)\b"
    r"|総数|合計|計$|人口|世帯|男|女|年度|平均|割合|指数|増減",
    re.IGNORECASE,
)
_PERSONAL = re.compile(
    r"\b(?:id|name|e?-?mail|phone|tel|fax|address|street|zip|postcode|plz|url|link|website|path|"
    r"file|filename|hash|sku|title|description|notes?|comments?|key|translation|version|status|type|"
    r"category|user\w*|login|author|isbn|doi|message|level|first_?name|last_?name|surname|vorname|"
    r"nachname|strasse|ort|telefon|image|brand|slug|lang\w*|definition|label|symbol|synonyms?|start|"
    r"end|stop_\w+|route_\w+|trip_\w+|lat|lon|lng|latitude|longitude|geometry|wkt|x|y|z)\b"
    r"|住所|氏名|電話|名称|郵便番号|備考|所在地",
    re.IGNORECASE,
)
_DEGREES = re.compile(
    r"^(?:lat|lon|lng|long|latitude|longitude|breite|länge|x|y|z|easting|northing|緯度|経度)\b", re.IGNORECASE
)
_WORDS = re.compile(r"\w+")
_SMALL = 10
_LONG = 60
_SHORT = 3
_SERIES = 5
_SERIAL = 12  # digits


def features_of(table: DataTable) -> NDArray[np.float64]:
    """Return the features of a table, in the order of `NAMES`; shares are 0 to 1."""
    rows = [row[:COLUMNS] for row in table.rows[: ROWS + 20]]
    width = min(COLUMNS, _usual([len(row) for row in rows]))
    start = next((at for at, row in enumerate(rows) if sum(map(bool, row)) > max(1, width // 3)), 0)
    header, body = rows[start], rows[start + 1 : start + 1 + ROWS] or rows[:ROWS]
    columns = [_Column([row[at] if at < len(row) else "" for row in body]) for at in range(max(1, width))]
    cells = [cell for column in columns for cell in column.filled]
    every = max(1, sum(len(column.cells) for column in columns))
    return np.array(
        [
            log10(1 + len(table.rows)), log10(1 + table.width),
            *_cells(cells, every),
            *_columns(columns),
            *_header(header, rows[: start + 3], body),
            *_shape(columns, rows, width, start),
        ],
        np.float64,
    )[_ORDER]  # fmt: skip


def _usual(widths: Sequence[int]) -> int:
    """Return the most common width of rows; of several, the largest."""
    return max(set(widths), key=lambda width: (widths.count(width), width), default=0)


class _Column:
    """Statistics of the cells of one column."""

    def __init__(self, cells: list[str]) -> None:
        self.cells = cells
        self.filled = [cell for cell in cells if cell and not _MISSING.fullmatch(cell)]
        self.missing = sum(bool(cell) for cell in cells) - len(self.filled)
        self.numbers = [cell for cell in self.filled if _NUMBER.fullmatch(cell)]
        self.share = len(self.numbers) / max(1, len(self.filled))
        self.distinct = len(set(self.filled)) / max(1, len(self.filled))

    @property
    def counts_up(self) -> bool:
        """Return whether it is a column of running numbers: row names and identifiers."""
        whole = [int(cell) for cell in self.numbers[:50] if cell.isdecimal() and len(cell) < _SERIAL]
        running = all(after == before + 1 for before, after in pairwise(whole))
        return running and len(whole) > 1 and len(whole) == len(self.filled[:50])

    @property
    def is_years(self) -> bool:
        """Return whether it is a column of years, quarters or fiscal years."""
        return len(self.filled) > 1 and sum(bool(_YEAR.fullmatch(cell)) for cell in self.filled) > 0.8 * len(
            self.filled
        )

    @property
    def is_dates(self) -> bool:
        """Return whether it is a column of days."""
        return len(self.filled) > 1 and sum(bool(_DATE.fullmatch(cell)) for cell in self.filled) > 0.8 * len(
            self.filled
        )


_CELLS = (
    "numbers", "empty", "missing", "decimals", "texts", "text_length", "long_texts", "text_words", "repeated",
    "links", "codes", "times", "areas", "digits", "integers", "percent", "grouped",
)  # fmt: skip


def _cells(cells: list[str], every: int) -> list[float]:
    numbers = [cell for cell in cells if _NUMBER.fullmatch(cell)]
    texts = [cell for cell in cells if not _NUMBER.fullmatch(cell) and not _WHEN.fullmatch(cell)]
    filled, among, text_count = max(1, len(cells)), max(1, len(numbers)), max(1, len(texts))
    decimals = sum(bool(_DECIMAL.search(cell)) for cell in numbers)
    lengths = [len(text) for text in texts]
    return [
        len(numbers) / filled,
        1 - len(cells) / every,
        0.0,  # set from the columns
        decimals / among,
        len(texts) / filled,
        sum(lengths) / text_count,
        sum(length > _LONG for length in lengths) / text_count,
        sum(len(_WORDS.findall(text[:200])) for text in texts) / text_count,
        1 - len(set(texts)) / text_count if texts else 0.0,
        sum(bool(_LINK.search(text)) for text in texts) / filled,
        sum(bool(_CODE.fullmatch(text)) for text in texts) / filled,
        sum(bool(_TIME.search(cell)) for cell in cells) / filled,
        sum(bool(_AREA.fullmatch(cell)) for cell in cells) / filled,
        sum(map(_digits, numbers)) / among,
        1 - decimals / among if numbers else 0.0,
        sum("%" in cell for cell in numbers) / among,
        sum(bool(_GROUPED.search(cell)) for cell in numbers) / among,
    ]


def _digits(cell: str) -> int:
    return sum(map(str.isdigit, cell))


_OF_COLUMNS = (
    "number_columns", "text_columns", "keys", "years", "dates", "counters", "spread", "constant", "small",
    "first_numbers", "varied",
)  # fmt: skip


def _columns(columns: list[_Column]) -> list[float]:
    number = len(columns)
    numeric = [column for column in columns if column.share > 0.8 and column.filled]  # noqa: PLR2004
    among = max(1, len(numeric))
    telling = [column for column in numeric if not column.counts_up and not column.is_years]
    return [
        len(numeric) / number,
        sum(column.share < 0.2 and bool(column.filled) for column in columns) / number,  # noqa: PLR2004
        columns[0].distinct,
        float(any(column.is_years for column in columns)),
        sum(column.is_dates for column in columns) / number,
        sum(column.counts_up for column in columns) / number,
        sum(column.distinct for column in telling) / max(1, len(telling)),
        sum(len(set(column.filled)) == 1 for column in columns) / number,
        sum(len(set(column.filled)) <= _SMALL for column in numeric) / among if numeric else 0.0,
        columns[0].share,
        len(telling) / number,
    ]


_OF_HEADER = (
    "header_texts", "header_years", "units", "statistical", "personal", "degrees", "header_repeated",
    "header_short",
)  # fmt: skip


def _header(header: list[str], top: list[list[str]], body: list[list[str]]) -> list[float]:
    named = [cell for cell in header if cell]
    number = max(1, len(named))
    heads = [cell.replace("_", " ").replace(".", " ") for cell in named]
    above = [cell for row in top for cell in row if cell]
    words = [word.lower() for cell in named for word in _WORDS.findall(cell)]
    first = [row[0] for row in body[:50] if row and row[0]]
    stub = sum(bool(_STATISTICAL.search(cell)) for cell in first) / max(1, len(first))
    return [
        sum(not _NUMBER.fullmatch(cell) for cell in named) / number,
        sum(bool(_YEAR.fullmatch(cell)) for cell in named) / number,
        sum(bool(_UNIT.search(cell)) for cell in above) / max(1, len(above)),
        sum(bool(_STATISTICAL.search(cell)) for cell in heads) / number + stub,
        sum(bool(_PERSONAL.search(cell)) for cell in heads) / number,
        sum(bool(_DEGREES.search(cell)) for cell in heads) / number,
        1 - len(set(words)) / len(words) if words else 0.0,
        sum(len(cell) <= _SHORT for cell in named) / number,
    ]


_OF_SHAPE = ("ragged", "preamble", "missing")


def _shape(columns: list[_Column], rows: list[list[str]], width: int, start: int) -> list[float]:
    every = max(1, sum(len(column.cells) for column in columns))
    return [
        sum(len(row) != width for row in rows) / max(1, len(rows)),
        min(_SERIES, start) / _SERIES,
        sum(column.missing for column in columns) / every,
    ]


_MADE = ("rows", "columns", *_CELLS, *_OF_COLUMNS, *_OF_HEADER, *_OF_SHAPE)
_ORDER = [max(at for at, made in enumerate(_MADE) if made == name) for name in NAMES]
