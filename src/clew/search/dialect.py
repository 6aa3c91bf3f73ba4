"""The protocol of a search engine: how a request is built and a result page is read."""

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
    """One page of results; `more` states whether another may follow, `error` why this one cannot be read."""

    rows: tuple[RawResult, ...] = ()
    total: int | None = None
    more: bool = True
    error: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineRequest:
    """A request: query, language or none, total results wanted; the page (from 0) and rows seen so far."""

    query: SearchQuery
    lang: str = ""
    count: int = 10
    page: int = 0
    seen: int = 0


class Dialect(ABC):
    """The protocol of one engine. The defaults suit most; each engine implements `request` and `read`."""

    kind = ""
    key = ""  # the API key, for engines that need one
    pages = 10  # maximum pages of one query
    limit_per_site = (
        True  # whether results per site are limited: not for engines that list one site on purpose
    )

    def setup_url(self) -> str:
        """Return a URL that must be read before the first query; empty if there is none."""
        return ""

    def load_setup(self, reply: Reply) -> str:  # noqa: ARG002
        """Read the response of the setup URL; return an error message or nothing."""
        return ""

    def refusal(self, query: SearchQuery) -> str:  # noqa: ARG002
        """Return why this engine cannot answer a query, with the remedy."""
        return ""

    @abstractmethod
    def request(self, ask: EngineRequest) -> tuple[str, dict[str, str]]:
        """Return URL and headers of a request."""

    @abstractmethod
    def read(self, reply: Reply) -> ResultPage:
        """Read a successful response."""

    def is_empty_result(self, reply: Reply) -> bool:  # noqa: ARG002
        """Return whether an error status only means that nothing was found."""
        return False

    def retry_after(self, reply: Reply) -> float:
        """Return the seconds to wait before the next request to a busy engine; 0 if it does not state any."""
        return reply.retry_after()

    def describe_error(self, reply: Reply) -> str:
        """Describe an error status, with the remedy."""
        detail = f" ({printable(text, 80)})" if (text := error_message(reply)) else ""
        status = reply.status
        if status in (_UNAUTHORIZED, _FORBIDDEN):
            return f"refuses us with {status}{detail}; {self.key_hint()}"
        if status == _PAYMENT:
            return f"wants to be paid first ({status}){detail}; look at your account there"
        if status == _NOT_FOUND:
            return f"knows no such address (404){detail}; correct it in seek.search"
        if status >= 500:  # noqa: PLR2004
            return f"failed ({status}){detail}; try again later, or name another engine in seek.search"
        return f"answers {status}{detail}; check its address and the question"

    def key_hint(self) -> str:
        """Return the remedy for a refused key."""
        return f"set CLEW_{self.kind.upper()}_KEY to a valid key" if self.kind else "check your key"


def build_url(base: str, parameters: Mapping[str, object]) -> str:
    """Add parameters to a URL; empty ones are left out."""
    parameters = {name: str(value) for name, value in parameters.items() if value not in ("", None)}
    return f"{base}{'&' if '?' in base else '?'}{urlencode(parameters)}"


def read_json(reply: Reply) -> tuple[Any, str]:
    """Return the body as JSON, and an error message or nothing."""
    try:
        return json.loads(reply.text), ""
    except (ValueError, RecursionError):
        head = reply.text.lstrip()[:200].lower()
        if not head:
            return None, "answers with nothing at all; try again later"
        if "html" in reply.mime or head.startswith(("<!doctype html", "<html")):
            return None, "answers with a web page instead of JSON; check its address"
        return None, f'answers with something that is not JSON ("{printable(head, 40)}"); check its address'


def objects_at(value: object, *path: str) -> list[dict[str, Any]]:
    """Return the objects of a nested list; a missing one counts as empty."""
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def make_results(
    items: Iterable[dict[str, Any]], url: str, title: str, snippet: str
) -> tuple[RawResult, ...]:
    """Return results from objects with fields of these names."""
    return tuple(
        RawResult(item[url], clean_text(item.get(title), 300), clean_text(item.get(snippet), 500))
        for item in items
        if isinstance(item.get(url), str)
    )


def clean_text(value: object, width: int) -> str:
    """Return text without tags, entities and control characters; empty if the value is not a string."""
    if not isinstance(value, str):
        return ""
    return printable(html.unescape(_TAG.sub("", value[: 8 * width])), width)


def as_count(value: object) -> int | None:
    """Return a value as a non-negative number, None if it is not one."""
    if isinstance(value, str) and value.isascii() and value.isdigit():
        value = int(value[:15])
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def error_message(reply: Reply) -> str:
    """Return the message of an error response in JSON, from the fields that APIs commonly use."""
    try:
        answer = json.loads(reply.text)
    except (ValueError, RecursionError):
        return ""
    for key in ("error", "errors", "message", "detail", "status"):
        message = answer.get(key) if isinstance(answer, dict) else None
        if isinstance(message, list) and message:
            message = message[0]
        if isinstance(message, dict):
            message = next((message[k] for k in ("detail", "message", "msg", "code") if k in message), None)
        if isinstance(message, str):
            return message
    return ""
