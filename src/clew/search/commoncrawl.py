"""The URL index of Common Crawl: every URL it captured below a host or a path. It has no text search."""

import json
from typing import Any

from clew.contracts import SearchQuery
from clew.search.dialect import (
    Dialect,
    EngineRequest,
    RawResult,
    ResultPage,
    build_url,
    objects_at,
    read_json,
)
from clew.search.http import Reply
from clew.search.queries import host_of

SERVER = "https://index.commoncrawl.org"
_BAD_REQUEST, _NOT_FOUND = 400, 404
_HINT = 'ask for a site ("site:example.org" or https://example.org/path/), or name another engine beside it'


class CommonCrawl(Dialect):
    """Query one index, or the newest of a server: `base` is `…/CC-MAIN-2026-10-index`, or the server."""

    kind = "commoncrawl"
    limit_per_site = False

    def __init__(self, base: str = "") -> None:
        self.base = base.rstrip("/") or SERVER
        self.index = self.base if self.base.endswith("-index") or "/cdx" in self.base else ""

    def setup_url(self) -> str:
        return "" if self.index else f"{self.base}/collinfo.json"

    def load_setup(self, reply: Reply) -> str:
        content, error = read_json(reply)
        if error:
            return error
        known: list[Any] = [each.get("cdx-api") for each in objects_at({"all": content}, "all")]
        found = [each for each in known if isinstance(each, str)]
        if not found:
            return "names no index in its collinfo.json; name one: commoncrawl=https://…-index"
        name = found[0].rstrip("/").rpartition("/")[2]
        self.index = (
            f"{self.base}/{name}"  # the newest comes first; requested from the server that the user named
        )
        return ""

    def refusal(self, query: SearchQuery) -> str:
        return "" if _pattern(query) else f"knows addresses, not words; {_HINT}"

    def request(self, ask: EngineRequest) -> tuple[str, dict[str, str]]:
        parameters = {
            "url": _pattern(ask.query),
            "output": "json",
            "fl": "url,status,mime",
            "filter": "=status:200",
            "pageSize": 1,
            "page": ask.page,
        }
        return build_url(self.index, parameters), {"Accept": "application/json"}

    def is_empty_result(self, reply: Reply) -> bool:
        """Recognize its responses for "no captures" and for a page beyond the last."""
        text = reply.text[:500].lower()
        return (reply.status == _NOT_FOUND and "no captures" in text) or (
            reply.status == _BAD_REQUEST and "invalid" in text and "page" in text
        )

    def read(self, reply: Reply) -> ResultPage:
        if reply.status != 200:  # noqa: PLR2004
            return ResultPage(more=False)
        rows, invalid = [], 0
        for line in reply.text.splitlines():
            if not line.strip():
                continue
            try:
                content = json.loads(line)
            except (ValueError, RecursionError):
                content = None
            url = content.get("url") if isinstance(content, dict) else None
            if isinstance(url, str):
                rows.append(RawResult(url))
            else:
                invalid += 1
        if invalid and not rows:
            _, error = read_json(reply)
            return ResultPage(error=error or "responds with JSON without URLs; check its URL")
        return ResultPage(rows=tuple(dict.fromkeys(rows)))


def _pattern(query: SearchQuery) -> str:
    """Return the pattern of all URLs of a site or below a path; empty for a query in words.

    >>> _pattern(SearchQuery(text="", site="example.org")), _pattern(SearchQuery(text="https://example.org/a/b"))
    ('*.example.org', 'example.org/a/b*')
    """
    if query.site:
        name = query.site
    elif " " in query.text or query.also:
        return ""
    else:
        name = query.text
    name = name.strip('"').rstrip("*")
    bare = name.partition("://")[2] or name
    bare = bare.removeprefix("*.").partition("#")[0]
    host = host_of(bare)
    if not host or (not query.site and "." not in host):
        return ""
    path = bare.partition("/")[2]
    return f"{host}/{path}*" if path else f"*.{host}"
