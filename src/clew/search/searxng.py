"""SearXNG: a metasearch engine that anybody can run, asked for JSON."""

from clew.search.dialect import (
    Dialect,
    EngineRequest,
    ResultPage,
    address,
    listed,
    plain,
    read_json,
    rows_of,
    whole,
)
from clew.search.http import Reply
from clew.search.queries import joined

_FORBIDDEN = 403


class SearXNG(Dialect):
    """Ask an instance at `base`; it passes the words on to other engines as they are."""

    kind = "searxng"

    def __init__(self, base: str) -> None:
        self.base = base.rstrip("/").removesuffix("/search")

    def request(self, ask: EngineRequest) -> tuple[str, dict[str, str]]:
        given = {"q": joined(ask.query), "format": "json", "pageno": ask.page + 1, "language": ask.lang}
        return address(f"{self.base}/search", given), {"Accept": "application/json"}

    def read(self, reply: Reply) -> ResultPage:
        said, error = read_json(reply)
        if error:
            return ResultPage(error=self._closed() if "web page" in error else error)
        if not isinstance(said, dict) or not isinstance(said.get("results"), list):
            return ResultPage(
                error="answers with JSON that holds no results; check that its address is a SearXNG"
            )
        rows = rows_of(listed(said, "results"), "url", "title", "content")
        failed = said.get("unresponsive_engines")
        if not rows and isinstance(failed, list) and failed:
            return ResultPage(error=f"its engines gave nothing: {_reasons(failed)}; try again later")
        return ResultPage(rows=rows, total=whole(said.get("number_of_results")) or None)

    def fault(self, reply: Reply) -> str:
        return self._closed() if reply.status == _FORBIDDEN else super().fault(reply)

    def key_cure(self) -> str:
        return "set CLEW_SEARXNG_LOGIN to user:password, or ask who runs it"

    def _closed(self) -> str:
        return (
            "the instance does not answer in JSON: add json to search.formats in its settings.yml, "
            "or name an instance that allows it"
        )


def _reasons(failed: list[object]) -> str:
    """Put the engines that did not answer into words: pairs of name and reason."""
    said = [
        f"{plain(each[0], 20)} ({plain(each[1], 40)})"
        for each in failed
        if isinstance(each, list) and len(each) > 1
    ]
    return ", ".join(said[:3]) + (f" and {len(said) - 3} more" if len(said) > 3 else "")  # noqa: PLR2004
