"""How one engine is asked, and how its answers are read: what all protocols have in common."""

import html
import json
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from clew.contracts import SearchQuery
from clew.domain.text import printable
from clew.search.http import Reply

_TAG = re.compile(r"<[^<>]{0,200}>")
_UNAUTHORIZED, _PAYMENT, _FORBIDDEN, _NOT_FOUND = 401, 402, 403, 404


@dataclass(frozen=True, slots=True)
class RawResult:
    """One result as the engine wrote it."""

    url: str
    title: str = ""
    snippet: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultPage:
    """One page of results; `more` says whether another may follow, `error` why this one cannot be read."""

    rows: tuple[RawResult, ...] = ()
    total: int | None = None
    more: bool = True
    error: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineRequest:
    """What is wanted: a question, a language or none, results in all; the page (from 0) and rows seen."""

    query: SearchQuery
    lang: str = ""
    count: int = 10
    page: int = 0
    seen: int = 0


class Dialect(ABC):
    """The protocol of one engine. These defaults suit most; each engine says `request` and `read` itself."""

    kind = ""
    pages = 10  # pages of one question, at most
    spread = True  # whether one site may not fill an answer: no for those who list a site on purpose

    def first(self) -> str:
        """Return an address to be read before the first question; empty when there is none."""
        return ""

    def learn(self, reply: Reply) -> str:  # noqa: ARG002
        """Take in what that address says; return what is wrong with it."""
        return ""

    def refusal(self, query: SearchQuery) -> str:  # noqa: ARG002
        """Return why a question cannot be answered here, with the cure."""
        return ""

    @abstractmethod
    def request(self, ask: EngineRequest) -> tuple[str, dict[str, str]]:
        """Return address and headers of a question."""

    @abstractmethod
    def read(self, reply: Reply) -> ResultPage:
        """Read an answer with a good status."""

    def nothing(self, reply: Reply) -> bool:  # noqa: ARG002
        """Tell a bad status that means no more than: nothing was found."""
        return False

    def rest(self, reply: Reply) -> float:
        """Return for how many seconds a busy engine wants to be left alone; 0 when it does not say."""
        return reply.rest()

    def fault(self, reply: Reply) -> str:
        """Put a bad status into words, with the cure."""
        said = f" ({printable(words, 80)})" if (words := error_words(reply)) else ""
        status = reply.status
        if status in (_UNAUTHORIZED, _FORBIDDEN):
            return f"refuses us with {status}{said}; {self.key_cure()}"
        if status == _PAYMENT:
            return f"wants to be paid first ({status}){said}; look at your account there"
        if status == _NOT_FOUND:
            return f"knows no such address (404){said}; correct it in seek.search"
        if status >= 500:  # noqa: PLR2004
            return f"failed ({status}){said}; try again later, or name another engine in seek.search"
        return f"answers {status}{said}; check its address and the question"

    def key_cure(self) -> str:
        """Say what to do when it does not let us in."""
        return f"set CLEW_{self.kind.upper()}_KEY to a valid key" if self.kind else "check your key"


def address(base: str, parameters: Mapping[str, object]) -> str:
    """Add parameters to an address; those that are empty are left out."""
    given = {name: str(value) for name, value in parameters.items() if value not in ("", None)}
    return f"{base}{'&' if '?' in base else '?'}{urlencode(given)}"


def read_json(reply: Reply) -> tuple[Any, str]:
    """Return the body as JSON, or what is wrong with it."""
    try:
        return json.loads(reply.text), ""
    except (ValueError, RecursionError):
        head = reply.text.lstrip()[:200].lower()
        if not head:
            return None, "answers with nothing at all; try again later"
        if "html" in reply.mime or head.startswith(("<!doctype html", "<html")):
            return None, "answers with a web page instead of JSON; check its address"
        return None, f'answers with something that is not JSON ("{printable(head, 40)}"); check its address'


def listed(value: object, *path: str) -> list[dict[str, Any]]:
    """Return the objects of a list deep inside an answer; whatever is not there counts as empty."""
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def rows_of(items: Iterable[dict[str, Any]], url: str, title: str, snippet: str) -> tuple[RawResult, ...]:
    """Make rows of objects whose fields are called so."""
    return tuple(
        RawResult(item[url], plain(item.get(title), 300), plain(item.get(snippet), 500))
        for item in items
        if isinstance(item.get(url), str)
    )


def plain(value: object, width: int) -> str:
    """Return text without tags, entities and control characters; anything that is no text gives nothing."""
    if not isinstance(value, str):
        return ""
    return printable(html.unescape(_TAG.sub("", value[: 8 * width])), width)


def whole(value: object) -> int | None:
    """Return a count that an engine claims, if it is one."""
    if isinstance(value, str) and value.isascii() and value.isdigit():
        value = int(value[:15])
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def error_words(reply: Reply) -> str:
    """Return what an error answer says in its JSON, wherever APIs are used to say it."""
    try:
        said = json.loads(reply.text)
    except (ValueError, RecursionError):
        return ""
    for key in ("error", "errors", "message", "detail", "status"):
        found = said.get(key) if isinstance(said, dict) else None
        if isinstance(found, list) and found:
            found = found[0]
        if isinstance(found, dict):
            found = next((found[k] for k in ("detail", "message", "msg", "code") if k in found), None)
        if isinstance(found, str):
            return found
    return ""
