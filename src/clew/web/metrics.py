"""The state of all crawls as metrics for Prometheus."""

from collections.abc import Iterable

from clew.store.folder import free_space
from clew.web.overview import brief_state
from clew.web.server_state import ServerState

_HELP = {
    "clew_running": "1 while a process crawls",
    "clew_pages": "pages read",
    "clew_relevant_pages": "relevant pages",
    "clew_failed_requests": "requests without a page",
    "clew_open_links": "links queued",
    "clew_requests_in_flight": "requests under way",
    "clew_pages_per_second": "pages per second over the last half minute",
    "clew_disk_free_bytes": "free space on the disk of the crawl",
}


def metrics_text(server: ServerState) -> str:
    """Return the metrics of every crawl in the text format of Prometheus."""
    values: dict[str, list[tuple[str, float]]] = {name: [] for name in _HELP}
    for name, folder in server.crawls.all().items():
        state = brief_state(server, folder)
        for metric, value in (
            ("clew_running", float(state["running"])),
            ("clew_pages", state["pages"]),
            ("clew_relevant_pages", state["relevant"]),
            ("clew_failed_requests", state["failed"]),
            ("clew_open_links", state["open"]),
            ("clew_requests_in_flight", state["in_flight"]),
            ("clew_pages_per_second", state["pages_per_second"]),
            ("clew_disk_free_bytes", free_space(folder)),
        ):
            values[metric].append((name, value))
    return "".join(_metric(name, rows) for name, rows in values.items())


def _metric(name: str, rows: Iterable[tuple[str, float]]) -> str:
    lines = [f"# HELP {name} {_HELP[name]}", f"# TYPE {name} gauge"]
    for crawl, value in rows:
        label = crawl.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")
        lines.append(f'{name}{{crawl="{label}"}} {value:g}')
    return "\n".join(lines) + "\n"
