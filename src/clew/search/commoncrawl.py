"""The URL index of Common Crawl: every address it met below a host or a path. It knows no words."""

import json
from typing import Any

from clew.contracts import SearchQuery
from clew.search.dialect import Dialect, EngineRequest, RawResult, ResultPage, address, listed, read_json
from clew.search.http import Reply
from clew.search.queries import host_of

SERVER = "https://index.commoncrawl.org"
_BAD_REQUEST, _NOT_FOUND = 400, 404
_CURE = 'ask for a site ("site:example.org" or https://example.org/path/), or name another engine beside it'


class CommonCrawl(Dialect):
    """Ask one index, or the newest of a server: `base` is `…/CC-MAIN-2026-10-index`, or the server alone."""

    kind = "commoncrawl"
    spread = False

    def __init__(self, base: str = "") -> None:
        self.base = base.rstrip("/") or SERVER
        self.index = self.base if self.base.endswith("-index") or "/cdx" in self.base else ""

    def first(self) -> str:
        return "" if self.index else f"{self.base}/collinfo.json"

    def learn(self, reply: Reply) -> str:
        said, error = read_json(reply)
        if error:
            return error
        known: list[Any] = [each.get("cdx-api") for each in listed({"all": said}, "all")]
        found = [each for each in known if isinstance(each, str)]
        if not found:
            return "names no index in its collinfo.json; name one: commoncrawl=https://…-index"
        name = found[0].rstrip("/").rpartition("/")[2]
        self.index = f"{self.base}/{name}"  # the newest stands first; asked where the person said
        return ""

    def refusal(self, query: SearchQuery) -> str:
        return "" if _pattern(query) else f"knows addresses, not words; {_CURE}"

    def request(self, ask: EngineRequest) -> tuple[str, dict[str, str]]:
        given = {
            "url": _pattern(ask.query),
            "output": "json",
            "fl": "url,status,mime",
            "filter": "=status:200",
            "pageSize": 1,
            "page": ask.page,
        }
        return address(self.index, given), {"Accept": "application/json"}

    def nothing(self, reply: Reply) -> bool:
        """Its way to say that no page was captured there, or that pages have come to an end."""
        text = reply.text[:500].lower()
        return (reply.status == _NOT_FOUND and "no captures" in text) or (
            reply.status == _BAD_REQUEST and "invalid" in text and "page" in text
        )

    def read(self, reply: Reply) -> ResultPage:
        if reply.status != 200:  # noqa: PLR2004
            return ResultPage(more=False)
        rows, strange = [], 0
        for line in reply.text.splitlines():
            if not line.strip():
                continue
            try:
                said = json.loads(line)
            except (ValueError, RecursionError):
                said = None
            url = said.get("url") if isinstance(said, dict) else None
            if isinstance(url, str):
                rows.append(RawResult(url))
            else:
                strange += 1
        if strange and not rows:
            _, error = read_json(reply)
            return ResultPage(error=error or "answers with JSON that holds no addresses; check its address")
        return ResultPage(rows=tuple(dict.fromkeys(rows)))


def _pattern(query: SearchQuery) -> str:
    """Return what stands for all addresses of a site or below a path; empty for a question in words.

    >>> _pattern(SearchQuery(text="", site="example.org")), _pattern(SearchQuery(text="https://example.org/a/b"))
    ('*.example.org', 'example.org/a/b*')
    """
    if query.site:
        named = query.site
    elif " " in query.text or query.also:
        return ""
    else:
        named = query.text
    named = named.strip('"').rstrip("*")
    bare = named.partition("://")[2] or named
    bare = bare.removeprefix("*.").partition("#")[0]
    host = host_of(bare)
    if not host or (not query.site and "." not in host):
        return ""
    path = bare.partition("/")[2]
    return f"{host}/{path}*" if path else f"*.{host}"
