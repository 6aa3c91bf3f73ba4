"""SearXNG: a metasearch engine that anyone can run, queried for JSON."""

from clew.search.dialect import (
    Dialect,
    EngineRequest,
    ResultPage,
    as_count,
    build_url,
    clean_text,
    make_results,
    objects_at,
    read_json,
)
from clew.search.http import Reply
from clew.search.queries import format_query

_FORBIDDEN = 403


class SearXNG(Dialect):
    """Query an instance at `base`, which passes the words to other engines unchanged."""

    kind = "searxng"

    def __init__(self, base: str) -> None:
        self.base = base.rstrip("/").removesuffix("/search")

    def request(self, ask: EngineRequest) -> tuple[str, dict[str, str]]:
        parameters = {
            "q": format_query(ask.query),
            "format": "json",
            "pageno": ask.page + 1,
            "language": ask.lang,
        }
        return build_url(f"{self.base}/search", parameters), {"Accept": "application/json"}

    def read(self, reply: Reply) -> ResultPage:
        answer, error = read_json(reply)
        if error:
            return ResultPage(error=self._closed() if "web page" in error else error)
        if not isinstance(answer, dict) or not isinstance(answer.get("results"), list):
            return ResultPage(
                error="answers with JSON that holds no results; check that its address is a SearXNG"
            )
        rows = make_results(objects_at(answer, "results"), "url", "title", "content")
        failed = answer.get("unresponsive_engines")
        if not rows and isinstance(failed, list) and failed:
            return ResultPage(
                error=f"its engines gave nothing: {_describe_failures(failed)}; try again later"
            )
        return ResultPage(rows=rows, total=as_count(answer.get("number_of_results")) or None)

    def describe_error(self, reply: Reply) -> str:
        return self._closed() if reply.status == _FORBIDDEN else super().describe_error(reply)

    def key_hint(self) -> str:
        return "set CLEW_SEARXNG_LOGIN to user:password, or ask who runs it"

    def _closed(self) -> str:
        return (
            "the instance does not answer in JSON: add json to search.formats in its settings.yml, "
            "or name an instance that allows it"
        )


def _describe_failures(failed: list[object]) -> str:
    """Describe the engines that did not respond, given as pairs of name and reason."""
    answer = [
        f"{clean_text(each[0], 20)} ({clean_text(each[1], 40)})"
        for each in failed
        if isinstance(each, list) and len(each) > 1
    ]
    return ", ".join(answer[:3]) + (f" and {len(answer) - 3} more" if len(answer) > 3 else "")  # noqa: PLR2004
