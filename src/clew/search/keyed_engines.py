"""Engines with an API key: Brave, Mojeek, Kagi and Marginalia, as documented by each."""

from clew.search.dialect import (
    Dialect,
    EngineRequest,
    ResultPage,
    as_count,
    build_url,
    clean_text,
    error_message,
    make_results,
    objects_at,
    read_json,
)
from clew.search.http import Reply
from clew.search.queries import format_query

_UNPROCESSABLE = 422


class Keyed(Dialect):
    """An engine that needs a key, at its own URL unless another is given."""

    base = ""

    def __init__(self, key: str, base: str = "") -> None:
        self.key = key
        self.base = base.rstrip("/") or self.base


class Brave(Keyed):
    """Query Brave's own index: 20 results a page, ten pages at most."""

    kind = "brave"
    base = "https://api.search.brave.com/res/v1"
    size = 20
    # Brave has its own codes for some languages.
    languages = {"ja": "jp", "zh": "zh-hans", "zh-cn": "zh-hans", "zh-tw": "zh-hant", "pt": "pt-pt"}  # noqa: RUF012

    def request(self, ask: EngineRequest) -> tuple[str, dict[str, str]]:
        parameters = {
            "q": format_query(ask.query, connector=" AND "),
            "count": self.size,
            "offset": ask.page,
            "country": "ALL",  # the default is the United States
            "search_lang": self.languages.get(ask.lang.lower(), ask.lang.lower()),
            "text_decorations": "false",
            "result_filter": "web",
        }
        return build_url(f"{self.base}/web/search", parameters), {
            "Accept": "application/json",
            "X-Subscription-Token": self.key,
        }

    def read(self, reply: Reply) -> ResultPage:
        answer, error = read_json(reply)
        if error:
            return ResultPage(error=error)
        query = answer.get("query") if isinstance(answer, dict) else None
        more = not isinstance(query, dict) or query.get("more_results_available") is not False
        return ResultPage(
            rows=make_results(objects_at(answer, "web", "results"), "url", "title", "description"), more=more
        )

    def retry_after(self, reply: Reply) -> float:
        """Return the longest wait of the exhausted rate limits, e.g. of `1, 1419704` seconds."""
        left = _numbers(reply.headers.get("x-ratelimit-remaining", ""))
        resets = _numbers(reply.headers.get("x-ratelimit-reset", ""))
        exhausted = [reset for n, reset in zip(left, resets, strict=False) if n == 0] or resets[:1]
        return reply.retry_after() or max(exhausted, default=0.0)

    def describe_error(self, reply: Reply) -> str:
        message = error_message(reply)
        if reply.status == _UNPROCESSABLE:
            if "token" in message.lower() or "SUBSCRIPTION_TOKEN" in reply.text:
                return f"refuses the key (422: {clean_text(message, 60)}); {self.key_hint()}"
            reason = clean_text(message, 80)
            return f"cannot use the question (422: {reason}); shorten it, or change seek.languages"
        return super().describe_error(reply)


class Mojeek(Keyed):
    """Query Mojeek's own index; its `status` field reports errors."""

    kind = "mojeek"
    base = "https://api.mojeek.com"
    size = 10

    def request(self, ask: EngineRequest) -> tuple[str, dict[str, str]]:
        parameters = {
            "api_key": self.key,
            "q": format_query(ask.query, site=False),
            "site": ask.query.site,
            "s": ask.seen + 1,
            "t": self.size,
            "lb": ask.lang[:2].upper(),
            "lbb": 100 if ask.lang else "",
            "fmt": "json",
        }
        return build_url(f"{self.base}/search", parameters), {"Accept": "application/json"}

    def read(self, reply: Reply) -> ResultPage:
        answer, error = read_json(reply)
        response = answer.get("response") if isinstance(answer, dict) else None
        if error or not isinstance(response, dict):
            return ResultPage(error=error or "answers with JSON that holds no response; check its address")
        status = response.get("status")
        if status != "OK":
            return ResultPage(error=self._describe_refusal(clean_text(status, 80)))
        head = response.get("head")
        total = as_count(head.get("results")) if isinstance(head, dict) else None
        return ResultPage(
            rows=make_results(objects_at(response, "results"), "url", "title", "desc"), total=total
        )

    def _describe_refusal(self, status: str) -> str:
        answer = status.lower()
        if "limit" in answer:
            return f'has had enough ("{status}"); ask tomorrow, or name another engine in seek.search'
        cure = self.key_hint() if "key" in answer or "access" in answer else "check the question"
        return f'says "{status}"; {cure}'


class Kagi(Keyed):
    """Query Kagi: one page of results, as many as wanted; errors come as a list."""

    kind = "kagi"
    base = "https://kagi.com/api/v0"
    pages = 1

    def request(self, ask: EngineRequest) -> tuple[str, dict[str, str]]:
        parameters = {"q": format_query(ask.query, connector=" AND "), "limit": min(ask.count, 100)}
        return build_url(f"{self.base}/search", parameters), {
            "Accept": "application/json",
            "Authorization": f"Bot {self.key}",
        }

    def read(self, reply: Reply) -> ResultPage:
        answer, error = read_json(reply)
        if error:
            return ResultPage(error=error)
        if faults := objects_at(answer, "error"):
            return ResultPage(error=self._describe_refusal(faults[0]))
        data = answer.get("data") if isinstance(answer, dict) else None
        if isinstance(data, dict):  # version 1 sorts its results by kind
            return ResultPage(rows=make_results(objects_at(data, "search"), "url", "title", "snippet"))
        found = [item for item in objects_at(answer, "data") if item.get("t") == 0]  # 1 is related searches
        return ResultPage(rows=make_results(found, "url", "title", "snippet"))

    def describe_error(self, reply: Reply) -> str:
        answer, _ = read_json(reply)
        faults = objects_at(answer, "error")
        return self._describe_refusal(faults[0]) if faults else super().describe_error(reply)

    def _describe_refusal(self, describe_error: dict[str, object]) -> str:
        answer, code = clean_text(describe_error.get("msg"), 80), describe_error.get("code")
        cure = {
            2: self.key_hint(),
            100: "give your billing data in its settings",
            101: "add funds to your API balance there",
        }.get(code if isinstance(code, int) else -1, "check the question, or try again later")
        return f'says "{answer or code}"; {cure}'


class Marginalia(Keyed):
    """Query Marginalia's index of the small web; the key `public` works, and is often busy."""

    kind = "marginalia"
    base = "https://api2.marginalia-search.com"
    most = 100

    def request(self, ask: EngineRequest) -> tuple[str, dict[str, str]]:
        parameters = {
            "query": format_query(ask.query),
            "count": min(ask.count, self.most),
            "page": ask.page + 1,
        }
        return build_url(f"{self.base}/search", parameters), {
            "Accept": "application/json",
            "API-Key": self.key,
        }

    def read(self, reply: Reply) -> ResultPage:
        answer, error = read_json(reply)
        if error:
            return ResultPage(error=error)
        return ResultPage(rows=make_results(objects_at(answer, "results"), "url", "title", "description"))


def _numbers(text: str) -> list[float]:
    """Parse a list of numbers as in `1, 1419704`."""
    found = (part.strip() for part in text.split(","))
    return [float(part[:12]) for part in found if part.isascii() and part.isdigit()]
