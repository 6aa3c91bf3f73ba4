"""Engines with a key: Brave, Mojeek, Kagi and Marginalia, each as its documentation says."""

from clew.search.dialect import (
    Dialect,
    EngineRequest,
    ResultPage,
    address,
    error_words,
    listed,
    plain,
    read_json,
    rows_of,
    whole,
)
from clew.search.http import Reply
from clew.search.queries import joined

_UNPROCESSABLE = 422


class Keyed(Dialect):
    """An engine that wants a key, at its own address unless another is given."""

    base = ""

    def __init__(self, key: str, base: str = "") -> None:
        self.key = key
        self.base = base.rstrip("/") or self.base


class Brave(Keyed):
    """Ask Brave's own index: 20 results a page, ten pages at most."""

    kind = "brave"
    base = "https://api.search.brave.com/res/v1"
    size = 20
    # Brave calls some languages otherwise than everybody else.
    languages = {"ja": "jp", "zh": "zh-hans", "zh-cn": "zh-hans", "zh-tw": "zh-hant", "pt": "pt-pt"}  # noqa: RUF012

    def request(self, ask: EngineRequest) -> tuple[str, dict[str, str]]:
        given = {
            "q": joined(ask.query, connector=" AND "),
            "count": self.size,
            "offset": ask.page,
            "country": "ALL",  # it would be the United States
            "search_lang": self.languages.get(ask.lang.lower(), ask.lang.lower()),
            "text_decorations": "false",
            "result_filter": "web",
        }
        return address(f"{self.base}/web/search", given), {
            "Accept": "application/json",
            "X-Subscription-Token": self.key,
        }

    def read(self, reply: Reply) -> ResultPage:
        said, error = read_json(reply)
        if error:
            return ResultPage(error=error)
        query = said.get("query") if isinstance(said, dict) else None
        more = not isinstance(query, dict) or query.get("more_results_available") is not False
        return ResultPage(
            rows=rows_of(listed(said, "web", "results"), "url", "title", "description"), more=more
        )

    def rest(self, reply: Reply) -> float:
        """Read the windows that are used up: seconds until each opens again, e.g. `1, 1419704`."""
        left = _numbers(reply.headers.get("x-ratelimit-remaining", ""))
        resets = _numbers(reply.headers.get("x-ratelimit-reset", ""))
        shut = [reset for n, reset in zip(left, resets, strict=False) if n == 0] or resets[:1]
        return reply.rest() or max(shut, default=0.0)

    def fault(self, reply: Reply) -> str:
        said = error_words(reply)
        if reply.status == _UNPROCESSABLE:
            if "token" in said.lower() or "SUBSCRIPTION_TOKEN" in reply.text:
                return f"refuses the key (422: {plain(said, 60)}); {self.key_cure()}"
            return f"cannot use the question (422: {plain(said, 80)}); shorten it, or change seek.languages"
        return super().fault(reply)


class Mojeek(Keyed):
    """Ask Mojeek's own index; its `status` says whether all is well."""

    kind = "mojeek"
    base = "https://api.mojeek.com"
    size = 10

    def request(self, ask: EngineRequest) -> tuple[str, dict[str, str]]:
        given = {
            "api_key": self.key,
            "q": joined(ask.query, site=False),
            "site": ask.query.site,
            "s": ask.seen + 1,
            "t": self.size,
            "lb": ask.lang[:2].upper(),
            "lbb": 100 if ask.lang else "",
            "fmt": "json",
        }
        return address(f"{self.base}/search", given), {"Accept": "application/json"}

    def read(self, reply: Reply) -> ResultPage:
        said, error = read_json(reply)
        response = said.get("response") if isinstance(said, dict) else None
        if error or not isinstance(response, dict):
            return ResultPage(error=error or "answers with JSON that holds no response; check its address")
        status = response.get("status")
        if status != "OK":
            return ResultPage(error=self._refused(plain(status, 80)))
        head = response.get("head")
        total = whole(head.get("results")) if isinstance(head, dict) else None
        return ResultPage(rows=rows_of(listed(response, "results"), "url", "title", "desc"), total=total)

    def _refused(self, status: str) -> str:
        said = status.lower()
        if "limit" in said:
            return f'has had enough ("{status}"); ask tomorrow, or name another engine in seek.search'
        cure = self.key_cure() if "key" in said or "access" in said else "check the question"
        return f'says "{status}"; {cure}'


class Kagi(Keyed):
    """Ask Kagi: one page of results, as many as wanted; errors come as a list."""

    kind = "kagi"
    base = "https://kagi.com/api/v0"
    pages = 1

    def request(self, ask: EngineRequest) -> tuple[str, dict[str, str]]:
        given = {"q": joined(ask.query, connector=" AND "), "limit": min(ask.count, 100)}
        return address(f"{self.base}/search", given), {
            "Accept": "application/json",
            "Authorization": f"Bot {self.key}",
        }

    def read(self, reply: Reply) -> ResultPage:
        said, error = read_json(reply)
        if error:
            return ResultPage(error=error)
        if faults := listed(said, "error"):
            return ResultPage(error=self._refused(faults[0]))
        data = said.get("data") if isinstance(said, dict) else None
        if isinstance(data, dict):  # version 1 sorts its results by kind
            return ResultPage(rows=rows_of(listed(data, "search"), "url", "title", "snippet"))
        found = [item for item in listed(said, "data") if item.get("t") == 0]  # 1 is related searches
        return ResultPage(rows=rows_of(found, "url", "title", "snippet"))

    def fault(self, reply: Reply) -> str:
        said, _ = read_json(reply)
        faults = listed(said, "error")
        return self._refused(faults[0]) if faults else super().fault(reply)

    def _refused(self, fault: dict[str, object]) -> str:
        said, code = plain(fault.get("msg"), 80), fault.get("code")
        cure = {
            2: self.key_cure(),
            100: "give your billing data in its settings",
            101: "add funds to your API balance there",
        }.get(code if isinstance(code, int) else -1, "check the question, or try again later")
        return f'says "{said or code}"; {cure}'


class Marginalia(Keyed):
    """Ask Marginalia's index of the small web; the key `public` works, and is often busy."""

    kind = "marginalia"
    base = "https://api2.marginalia-search.com"
    most = 100

    def request(self, ask: EngineRequest) -> tuple[str, dict[str, str]]:
        given = {"query": joined(ask.query), "count": min(ask.count, self.most), "page": ask.page + 1}
        return address(f"{self.base}/search", given), {"Accept": "application/json", "API-Key": self.key}

    def read(self, reply: Reply) -> ResultPage:
        said, error = read_json(reply)
        if error:
            return ResultPage(error=error)
        return ResultPage(rows=rows_of(listed(said, "results"), "url", "title", "description"))


def _numbers(text: str) -> list[float]:
    """Read a list of windows as in `1, 1419704`."""
    found = (part.strip() for part in text.split(","))
    return [float(part[:12]) for part in found if part.isascii() and part.isdigit()]
