"""Kind of file behind a link, by what is known before it is fetched, and by its first bytes."""

import re
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import parse_qsl, unquote

from clew.domain.datafiles import file_words
from clew.domain.datafiles.magic import kind_of_bytes

_REQUESTED = 0.85  # a URL that requests a format gets it, or an error page
_ANCHOR_ONLY = 0.6  # the words of a link alone: "CSV" may also lead to a page about it
_OFFERED = 0.75  # the same words on a URL that serves files
_MAX_LENGTH = 2_000  # characters of a URL that are used
_KINDS = frozenset({*file_words.DATA, *file_words.OTHER, *file_words.ALIASES})
_VIEWERS = re.compile(r"/(?:blob|blame|commits?|tree|edit|raw-view|preview|view)/|/-/blob/")
_VIEWING = ("github.com", "gitlab.com", "bitbucket.org", "codeberg.org")
_NAMESPACE = re.compile(r"(?:^|/)(?:wiki/|file:|image:|datei:|fichier:|media:|talk:)", re.IGNORECASE)
_WORD = re.compile(r"[a-zà-ÿ][a-zà-ÿ0-9-]*", re.IGNORECASE)
_BESIDE = re.compile(
    "形式|ファイル|ダウンロード|データ|版|表|一覧|を|で|の|下载|数据|文件|скачать|данные", re.IGNORECASE
)
_ELSE = re.compile(r"[^\W\d_a-zà-ÿ]", re.IGNORECASE)
_SIZE = re.compile(r"\b\d[\d.,]*\s*(?:bytes|[kmg]i?b)\b", re.IGNORECASE)
_SPOKEN = frozenset({
    "csv", "tsv", "xls", "xlsx", "xlsm", "ods", "dta", "stata", "sav", "spss", "rds", "rdata", "parquet",
    "px", "pc-axis", "pcaxis", "sdmx", "excel", "json-stat", "pdf", "docx", "epub", "arrow", "sas",
})  # fmt: skip
_AROUND = frozenset({
    "download", "as", "data", "file", "format", "the", "table", "in", "for", "export", "to", "full", "and",
    "dataset", "kb", "mb", "herunterladen", "datei", "télécharger", "descargar", "scarica", "baixar", "get",
    "save", "open", "spreadsheet", "version", "tabelle", "daten", "all", "raw", "zip", "or",
})  # fmt: skip
_GIVING = frozenset({"download", "export", "data", "api", "format", "file", "files"})
_DISPOSITION = re.compile(r"filename\*?\s*=\s*(?:[\w-]*'[\w-]*')?\"?([^\";]+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class KindSign:
    """The kind of file behind a link, its confidence, the chance that it is data, and the reason."""

    kind: str = ""
    sure: float = 0.0
    chance: float = 0.0
    why: str = ""


NOTHING = KindSign()


@lru_cache(maxsize=16_384)
def kind_of(url: str, type: str = "", anchor: str = "", first: bytes = b"") -> KindSign:
    """Return the kind of file behind a URL; `NOTHING` for what seems to be a page.

    `type` is its stated type: a type attribute, a Content-Type, a Content-Disposition or a file name;
    `anchor` the words of the link; `first` the first bytes, which are right where they contradict the rest.

    >>> kind_of("http://a.org/table.csv").kind, kind_of("http://a.org/q?format=xlsx").kind
    ('csv', 'xlsx')
    >>> kind_of("http://a.org/table.csv.html"), kind_of("http://a.org/t.xls", first=b"<!doctype html>").kind
    (KindSign(kind='', sure=0.0, chance=0.0, why=''), 'html')
    """
    sign = _named(url[:_MAX_LENGTH], type, anchor)
    if first:
        return _seen(first, sign)
    return sign


def named_in(disposition: str) -> str:
    """Return the file name in a Content-Disposition, or an empty string."""
    found = _DISPOSITION.search(disposition)
    return unquote(found[1]).strip() if found else ""


def _named(url: str, type: str, anchor: str) -> KindSign:
    """Judge by names alone: the type first, because the server or the author states it, then the URL."""
    stated = _stated(type)
    by_address = _addressed(url)
    if (
        stated
        and stated != "html"
        and file_words.DATA.get(stated, 0) >= file_words.DATA.get(by_address.kind, 0)
    ):
        return _weighed(stated, 0.97, f'type "{type[:60]}"', url, anchor)
    if stated in file_words.OTHER:
        return KindSign(stated, 0.97, 0.0, f'type "{type[:60]}"') if stated != "html" else NOTHING
    if by_address.kind:
        return _weighed(by_address.kind, by_address.sure, by_address.why, url, anchor)
    if kind := _spoken(anchor):
        offered = any(mark in url.lower() for mark in file_words.ENDPOINTS)
        return _weighed(
            kind, _OFFERED if offered else _ANCHOR_ONLY, f'its words "{anchor[:60]}"', url, anchor
        )
    return NOTHING


def _stated(type: str) -> str:
    """Return the kind that a media type, a Content-Disposition or a file name states."""
    text = type.strip().lower()
    if not text:
        return ""
    kind = file_words.TYPES.get(text.partition(";")[0].strip(), "")
    if not kind and "sdmx" in text:
        return "sdmx"
    return kind or _extension(named_in(text) or ("" if "/" in text else text))[0]


def _extension(name: str) -> tuple[str, str]:
    """Return the kind that a file name ends in, and its extension; compressed files count as content."""
    parts = name.lower().rsplit(".", 2)
    if len(parts) < 2:  # noqa: PLR2004 - nothing before the dot, or no dot
        return "", ""
    last = parts[-1].strip()
    if last in file_words.PACKED and len(parts) > 2 and (inner := _kind(parts[-2])) in file_words.STRICT:  # noqa: PLR2004
        return inner, f"{parts[-2]}.{last}"
    kind = _kind(last)
    return (kind, last) if kind != "html" and parts[-2] else ("", "")


def _kind(name: str) -> str:
    kind = file_words.ALIASES.get(name, name)
    return kind if kind in file_words.DATA or kind in file_words.OTHER else ""


def _addressed(url: str) -> KindSign:
    """Judge by the URL: its extension, the format its query selects, the last word of its path."""
    host, _, tail = url.partition("://")[2].partition("/")
    path, _, query = tail.lower().partition("?")
    requested = _by_query(tail.partition("?")[2])
    if requested.kind:
        return requested
    viewing = host.removeprefix("www.") in _VIEWING and _VIEWERS.search(f"/{path}") and "raw=" not in query
    segments = [unquote(part) for part in path.split("/") if part]
    if viewing or not segments or _NAMESPACE.search(path):
        return NOTHING
    kind, ending = _extension(segments[-1])
    if kind:
        return KindSign(kind, 0.95, 0.0, f".{ending}")
    if (kind := _kind(segments[-1])) in file_words.STRICT and not _GIVING.isdisjoint(segments[:-1]):
        return KindSign(kind, 0.8, 0.0, f"…/{segments[-1]}")
    return (
        KindSign("sdmx", _REQUESTED, 0.0, "sdmx in its address")
        if "sdmx" in path and "data" in path
        else NOTHING
    )


def _by_query(query: str) -> KindSign:
    """Judge by the query: `format=csv`, or a value that ends like a file of data."""
    if not query:
        return NOTHING
    for name, value in parse_qsl(query[:_MAX_LENGTH], keep_blank_values=True, max_num_fields=None)[:50]:
        text = value.strip().lower()
        if name.lower() in file_words.FORMATS and (kind := _stated(text) or _kind(text.partition(";")[0])):
            return KindSign(kind, _REQUESTED, 0.0, f"{name}={value[:20]}")
        kind, ending = _extension(text.rpartition("/")[2])
        if kind in file_words.STRICT:
            return KindSign(kind, _REQUESTED, 0.0, f"{name}=….{ending}")
        if not text and _kind(name.lower()) in file_words.STRICT:
            return KindSign(_kind(name.lower()), _REQUESTED, 0.0, f"?{name}")
    return NOTHING


def _spoken(anchor: str) -> str:
    """Return the kind that the words of a link name, if they contain little else: "Download (CSV, 35 kB)"."""
    if not anchor or len(anchor) > 200:  # noqa: PLR2004 - a sentence about files is not a file
        return ""
    text: list[str] = [word.lower() for word in _WORD.findall(anchor)]
    named = [word for word in text if word in _SPOKEN]
    if not named:
        return ""
    kind = file_words.ALIASES.get(named[0], named[0])
    bracketed = re.search(rf"[(\[（【]\s*\.?{re.escape(named[0])}\b", anchor, re.IGNORECASE)
    alone = all(word in _AROUND or word in _SPOKEN for word in text) and not _ELSE.search(
        _BESIDE.sub("", anchor)
    )
    return kind if bracketed or _SIZE.search(anchor) or alone else ""


def _weighed(kind: str, sure: float, why: str, url: str, anchor: str) -> KindSign:
    """Give a kind its chance of being data; ambiguous kinds need supporting words."""
    if kind in file_words.OTHER:
        return KindSign(kind, sure, 0.0, why)
    chance = file_words.DATA[kind]
    address, spoken = url.lower(), anchor.lower()
    if kind not in file_words.STRICT:
        if any(mark in address for mark in file_words.OWN) and kind in ("json", "xml", "txt"):
            return KindSign(kind, sure, 0.01, f"{why}, a file of the site's own")
        if kind == "zip" and any(mark in address or mark in spoken for mark in file_words.SOFTWARE):
            return KindSign(kind, sure, 0.02, f"{why}, software by its name")
        inside = _spoken(anchor)
        if inside in file_words.STRICT:
            return KindSign(inside, sure, sure * 0.9, f'{why} with the words "{anchor[:60]}"')
        word = next((word for word in file_words.SPEAKING if word in spoken or word in unquote(address)), "")
        if word:
            chance = min(0.7, 4 * chance + 0.1)
            why = f'{why} and "{word}"'
    return KindSign(kind, sure, round(sure * chance, 4), why)


def _seen(first: bytes, sign: KindSign) -> KindSign:
    """Judge by the first bytes: they are more reliable than any name."""
    kind, why = kind_of_bytes(first, sign.kind)
    if not kind:
        return KindSign("", 1.0, 0.0, why) if sign.kind else NOTHING
    if kind in file_words.OTHER or kind not in file_words.DATA:
        named = f", though named {sign.why}" if sign.kind and sign.kind != kind else ""
        return KindSign(kind, 1.0, 0.0, f"{why}{named}")
    vague = kind not in file_words.STRICT and not (sign.kind and sign.chance > file_words.DATA[kind])
    return KindSign(
        kind, 1.0, sign.chance if vague and sign.kind else max(sign.chance, file_words.DATA[kind]), why
    )
