"""What a person typed, made fit for an engine: no control characters, no endless text, parts understood."""

import re
from dataclasses import replace

from clew import urls
from clew.contracts import SearchQuery
from clew.domain.text import printable

LONGEST = 400
"""Characters of a question: what Brave allows, and more than anybody types."""

MOST_WORDS = 50
"""Words of a question, by the same rule."""

_SITE = re.compile(r"(?:^|\s)site:(\S+)", re.IGNORECASE)


def understood(query: SearchQuery | str) -> tuple[SearchQuery, tuple[str, ...]]:
    """Return a question cleaned, cut and taken apart, with a note when something was left out.

    >>> understood('lighthouse AND "fog signal" site:example.org')[0]
    SearchQuery(text='lighthouse', also=('fog signal',), site='example.org')
    """
    asked = _parsed(query) if isinstance(query, str) else query
    also = tuple(word for each in asked.also if (word := printable(each).replace('"', "").strip()))
    text, site = printable(asked.text), printable(asked.site)[:100].strip().removeprefix("*.").lower()
    if text.count('"') % 2:  # one quotation mark alone opens a phrase that never ends
        text = " ".join(text.replace('"', " ").split())
    kept = tuple(word[:60].strip() for word in also[:5])
    rest = str(replace(asked, text="", also=kept, site=site))
    cut = _cut(text, LONGEST - len(rest) - len(" AND "), MOST_WORDS - len(rest.split()) - 1)
    notes: tuple[str, ...] = ()
    if cut != text or kept != also:
        notes = (f"the question is long; asked were its first {len(cut):,} characters",)
    return replace(asked, text=cut, also=kept, site=site), notes


def _parsed(said: str) -> SearchQuery:
    """Take a line apart: `site:` names a site, AND in capitals joins words that must all be there."""
    said = printable(said)
    sites = _SITE.findall(said)
    first, *more = re.split(r"\s+AND\s+", _SITE.sub(" ", said).strip())
    return SearchQuery(text=first, also=tuple(more), site=sites[0] if sites else "")


def _cut(text: str, most: int, words: int) -> str:
    """Cut at a blank where there is one, and never inside a phrase."""
    short = text
    if len(text) > most:
        head = text[: most + 1]
        short = (head.rpartition(" ")[0] or head[:-1]) if " " in head[most // 2 :] else head[:-1]
    short = " ".join(short.split()[: max(words, 1)])
    return short.replace('"', "") if short.count('"') % 2 else short


def joined(query: SearchQuery, *, connector: str = " ", site: bool = True) -> str:
    """Write a question on one line: phrases in quotation marks, parts joined as the engine wants."""
    words = [f'"{word}"' if " " in word else word for word in query.also]
    said = connector.join([query.text, *words] if query.text else words)
    return f"{said} site:{query.site}".strip() if site and query.site else said


def host_of(site: str) -> str:
    """Return the host of a site as a person wrote it: a name or an address; empty when it is none."""
    url = urls.Canon()(site if "://" in site else f"http://{site}")
    host = urls.host(url) if url else ""
    return host if "." in host or host == "localhost" else ""
