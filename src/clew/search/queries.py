"""Parse the user's query: no control characters, a maximum length, `site:` and AND."""

import re
from dataclasses import replace

from clew import urls
from clew.contracts import SearchQuery
from clew.domain.text import printable

MAX_CHARACTERS = 400
"""Maximum characters of a query: the limit of Brave."""

MAX_WORDS = 50
"""Maximum words of a query: the limit of Brave."""

_SITE = re.compile(r"(?:^|\s)site:(\S+)", re.IGNORECASE)


def parse_query(query: SearchQuery | str) -> tuple[SearchQuery, tuple[str, ...]]:
    """Return a query cleaned, shortened and parsed, with a note if something was left out.

    >>> parse_query('lighthouse AND "fog signal" site:example.org')[0]
    SearchQuery(text='lighthouse', also=('fog signal',), site='example.org')
    """
    parsed = _parse(query) if isinstance(query, str) else query
    also = tuple(word for each in parsed.also if (word := printable(each).replace('"', "").strip()))
    text, site = printable(parsed.text), printable(parsed.site)[:100].strip().removeprefix("*.").lower()
    if text.count('"') % 2:  # a single quotation mark would open a phrase without an end
        text = " ".join(text.replace('"', " ").split())
    required = tuple(word[:60].strip() for word in also[:5])
    retry_after = str(replace(parsed, text="", also=required, site=site))
    cut = _shorten(
        text, MAX_CHARACTERS - len(retry_after) - len(" AND "), MAX_WORDS - len(retry_after.split()) - 1
    )
    notes: tuple[str, ...] = ()
    if cut != text or required != also:
        notes = (f"the query is long; only its first {len(cut):,} characters were used",)
    return replace(parsed, text=cut, also=required, site=site), notes


def _parse(text: str) -> SearchQuery:
    """Parse a line: `site:` names a site, AND in capitals joins required words."""
    text = printable(text)
    sites = _SITE.findall(text)
    first, *more = re.split(r"\s+AND\s+", _SITE.sub(" ", text).strip())
    return SearchQuery(text=first, also=tuple(more), site=sites[0] if sites else "")


def _shorten(text: str, most: int, words: int) -> str:
    """Shorten at a space if there is one, and never inside a phrase."""
    short = text
    if len(text) > most:
        head = text[: most + 1]
        short = (head.rpartition(" ")[0] or head[:-1]) if " " in head[most // 2 :] else head[:-1]
    short = " ".join(short.split()[: max(words, 1)])
    return short.replace('"', "") if short.count('"') % 2 else short


def format_query(query: SearchQuery, *, connector: str = " ", site: bool = True) -> str:
    """Format a query as one line: phrases in quotation marks, parts joined by `connector`."""
    words = [f'"{word}"' if " " in word else word for word in query.also]
    line = connector.join([query.text, *words] if query.text else words)
    return f"{line} site:{query.site}".strip() if site and query.site else line


def host_of(site: str) -> str:
    """Return the host of a site given as a name or a URL; empty if it is invalid."""
    url = urls.Canon()(site if "://" in site else f"http://{site}")
    host = urls.host(url) if url else ""
    return host if "." in host or host == "localhost" else ""
