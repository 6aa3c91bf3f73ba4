"""Write what is new: as text, HTML, a letter, an Atom or JSON feed, JSON lines or a table."""

import csv
import json
from collections.abc import Callable
from datetime import UTC, datetime
from email.message import EmailMessage
from email.utils import format_datetime
from html import escape
from io import StringIO
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from clew.domain.text import printable
from clew.errors import ConfigError
from clew.insight.changes.passages import Passage
from clew.insight.changes.report import WORDS, ChangedPage, ChangeReport
from clew.store.export import replace_atomically

HEADINGS = {
    "new": "New pages",
    "changed": "Changed pages",
    "back": "Back again",
    "moved": "Moved",
    "gone": "Gone",
}
HEAD = 280
"""Characters of a new page that a digest shows."""

MOST_PASSAGES = 12
"""Changed passages of one page that a digest shows."""

_STYLE = (
    "<style>body{font-family:system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem;"
    "line-height:1.5}ins{background:#d9f2d9;text-decoration:none}del{background:#f6d5d5}"
    "li{margin-bottom:1rem}small{color:#555}</style>"
)
_MARKS = {"same": "{}", "removed": "<del>{}</del>", "added": "<ins>{}</ins>"}


def render(report: ChangeReport, format: str, name: str) -> str:
    """Return a report in one of the formats; `name` is what the collection is called."""
    if format not in FORMATS:
        msg = f"there is no format {format} for changes; use one of {', '.join(FORMATS)}"
        raise ConfigError(msg)
    return FORMATS[format](report, name)


def write_changes(report: ChangeReport, target: Path, name: str) -> int:
    """Write a report in the format of the suffix of a file; return the number of pages in it."""
    text = render(report, target.suffix.lower().removeprefix("."), name)
    with replace_atomically(target) as file:
        file.write(text.encode("utf-8", "replace"))
    return len(report.pages)


def _text(report: ChangeReport, name: str) -> str:
    lines = [f"{name}: {report.sentence()} since {_day(report.since)}"]
    for word in WORDS:
        pages = report.of(word)
        lines += ["", f"{HEADINGS[word]} ({len(pages):,})"] if pages else []
        for page in pages:
            lines += ["", f"  {printable(page.title) or '(no title)'}", f"  {printable(page.url)}"]
            lines += [f"    {line}" for line in _details(page)]
    if report.rows:
        lines += ["", f"New rows ({len(report.rows):,})"]
        lines += [f"  {printable(' · '.join(_values(row)), 300)}" for row in report.rows]
    return "\n".join(lines) + "\n"


def _details(page: ChangedPage) -> list[str]:
    """Return the lines about one page in a text."""
    if page.change == "new":
        found = [f"found on {printable(page.found_on)}"] if page.found_on else []
        return [*found, *([printable(page.text, HEAD)] if page.text else [])]
    lines = [f"moved to {printable(page.moved_to)}"] if page.moved_to else []
    if page.verdict is not None and page.verdict_before is not None and page.verdict != page.verdict_before:
        lines.append(f"verdict {page.verdict_before:.2f}, now {page.verdict:.2f}")
    if page.change in ("changed", "back"):
        lines += [printable(str(passage), 600) for passage in page.passages[:MOST_PASSAGES]]
        if len(page.passages) > MOST_PASSAGES:
            lines.append(f"… and {len(page.passages) - MOST_PASSAGES:,} more passages")
        if not page.passages and page.bytes != page.bytes_before:
            lines.append(f"{page.bytes_before:,} bytes, now {page.bytes:,}")
    for rows, sign in ((page.removed_rows, "-"), (page.added_rows, "+")):
        lines += [f"row {sign} {printable(' · '.join(row.values()), 300)}" for row in rows[:MOST_PASSAGES]]
    return lines


def _html(report: ChangeReport, name: str) -> str:
    title = f"<title>{escape(name)}: what is new</title>"
    parts = [
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">{title}{_STYLE}</head><body>',
        f"<h1>{escape(name)}</h1><p>{escape(report.sentence())} since {_day(report.since)}</p>",
    ]
    for word in WORDS:
        if pages := report.of(word):
            items = "".join(f"<li>{_entry(page)}</li>" for page in pages)
            parts.append(f"<h2>{HEADINGS[word]} ({len(pages):,})</h2><ul>{items}</ul>")
    if report.rows:
        rows = "".join(f"<li>{escape(' · '.join(_values(row)))}</li>" for row in report.rows)
        parts.append(f"<h2>New rows ({len(report.rows):,})</h2><ul>{rows}</ul>")
    return "\n".join([*parts, "</body></html>"]) + "\n"


def _entry(page: ChangedPage) -> str:
    """Return one page as HTML; all of it comes from the web and is escaped."""
    link = f'<a href="{escape(page.url)}">{escape(page.title or page.url)}</a>'
    return f"{link}<br><small>{escape(page.url)}</small>{_body(page)}"


def _body(page: ChangedPage) -> str:
    if page.change == "new":
        return f"<p>{escape(page.text[:HEAD])}{'…' * (len(page.text) > HEAD)}</p>" if page.text else ""
    moved = (
        f'<p>moved to <a href="{escape(page.moved_to)}">{escape(page.moved_to)}</a></p>'
        if page.moved_to
        else ""
    )
    passages = "".join(f"<p>{_marked(each)}</p>" for each in page.passages[:MOST_PASSAGES])
    rows = "".join(
        f"<p>{_MARKS[what].format(escape(' · '.join(row.values())))}</p>"
        for some, what in ((page.removed_rows, "removed"), (page.added_rows, "added"))
        for row in some[:MOST_PASSAGES]
    )
    return moved + (passages if page.change in ("changed", "back") else "") + rows


def _marked(passage: Passage) -> str:
    return " ".join(_MARKS[what].format(escape(piece)) for piece, what in passage.words())


def _letter(report: ChangeReport, name: str) -> str:
    """Return a letter with text and HTML, ready to be sent: only sender and receiver are missing."""
    message = EmailMessage()
    message["Subject"] = printable(f"{name}: {report.sentence()}", 200)
    message["Date"] = format_datetime(datetime.fromtimestamp(report.until, UTC))
    message.set_content(_text(report, name))
    message.add_alternative(_html(report, name), subtype="html")
    return message.as_string()


def _atom(report: ChangeReport, name: str) -> str:
    entries = "".join(
        f"<entry><id>{_id(page)}</id><title>{_xml(_titled(page))}</title>"
        f'<link rel="alternate" href="{_xml(page.moved_to or page.url)}"/>'
        f"<updated>{_stamp(page.at)}</updated>"
        f'<category term="{page.change}"/><content type="html">{_xml(_body(page))}</content></entry>\n'
        for page in _newest_first(report)
    )
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom">\n'
        f"<id>{uuid5(NAMESPACE_URL, name).urn}</id><title>{_xml(name)}: what is new</title>"
        f"<updated>{_stamp(report.until)}</updated><author><name>clew</name></author>\n{entries}</feed>\n"
    )


def _json_feed(report: ChangeReport, name: str) -> str:
    items = [
        {"id": _id(page), "url": page.moved_to or page.url, "title": _titled(page),
         "content_html": _body(page), "date_modified": _stamp(page.at), "tags": [page.change]}
        for page in _newest_first(report)
    ]  # fmt: skip
    feed = {"version": "https://jsonfeed.org/version/1.1", "title": f"{name}: what is new", "items": items}
    return json.dumps(feed, ensure_ascii=False, indent=1) + "\n"


def _json_lines(report: ChangeReport, name: str) -> str:  # noqa: ARG001 - a format like the others
    return "".join(json.dumps(_as_dict(page), ensure_ascii=False) + "\n" for page in report.pages)


def _csv(report: ChangeReport, name: str) -> str:  # noqa: ARG001 - a format like the others
    file = StringIO()
    writer = csv.writer(file)
    names = ("change", "url", "title", "at", "verdict", "relevant", "moved_to", "found_on", "diff")
    writer.writerow(names)
    for page in report.pages:
        row = _as_dict(page)
        row["diff"] = "\n".join(str(passage) for passage in page.passages)
        writer.writerow([_safe_cell(row[each]) for each in names])
    return file.getvalue()


def _as_dict(page: ChangedPage) -> dict[str, Any]:
    return {
        "change": page.change, "url": page.url, "title": page.title, "at": _stamp(page.at),
        "verdict": page.verdict, "verdict_before": page.verdict_before, "relevant": page.relevant,
        "why": page.why, "moved_to": page.moved_to, "found_on": page.found_on, "text": page.text,
        "passages": [{"before": each.before, "after": each.after} for each in page.passages],
        "added_rows": list(page.added_rows), "removed_rows": list(page.removed_rows),
        "bytes_before": page.bytes_before, "bytes": page.bytes,
    }  # fmt: skip


def _safe_cell(value: object) -> object:
    """Return a value that no spreadsheet runs as a formula."""
    return (
        f"'{value}"
        if isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r"))
        else value
    )


def _newest_first(report: ChangeReport) -> list[ChangedPage]:
    return sorted(report.pages, key=lambda page: -page.at)


def _titled(page: ChangedPage) -> str:
    title = page.title or page.url
    return title if page.change == "new" else f"{title} ({page.change})"


def _id(page: ChangedPage) -> str:
    """Return the name of an entry: the same for the same change of the same page."""
    return uuid5(NAMESPACE_URL, f"{page.url} {page.change} {page.at:.3f}").urn


def _xml(text: str) -> str:
    return escape("".join(c for c in text if c in "\t\n\r" or (c >= " " and c not in "\ufffe\uffff")))


def _values(row: dict[str, Any]) -> list[str]:
    return [str(value) for name, value in row.items() if name not in ("confidence", "found_at")]


def _day(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M")


def _stamp(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


FORMATS: dict[str, Callable[[ChangeReport, str], str]] = {
    "txt": _text, "html": _html, "eml": _letter, "atom": _atom, "json": _json_feed, "jsonl": _json_lines,
    "csv": _csv,
}  # fmt: skip
"""How a report can be written: text, HTML, a letter, an Atom feed, a JSON feed, JSON lines, a table."""
