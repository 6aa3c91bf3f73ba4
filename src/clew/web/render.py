"""Fill templates. Everything is escaped; an address becomes a link only if it is http or https."""

import time
from importlib import resources
from typing import Any
from urllib.parse import quote, urlsplit

from jinja2 import Environment, FunctionLoader, StrictUndefined, select_autoescape

from clew.domain.installation import __version__
from clew.domain.text import printable
from clew.domain.verdict_text import chance_text, verdict_text

TEMPLATES = "templates"
TEXT_TYPES = {
    ".css": "text/css",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
    ".json": "application/json",
}


def _load(name: str) -> str | None:
    try:
        return resources.files("clew.web").joinpath(TEMPLATES, name).read_text("utf-8")
    except FileNotFoundError:
        return None


def static_files() -> dict[str, tuple[bytes, str]]:
    """Return every file that is served as it is, by name, with its type; all are read once."""
    found = {}
    for entry in resources.files("clew.web").joinpath("static").iterdir():
        kind = next((kind for suffix, kind in TEXT_TYPES.items() if entry.name.endswith(suffix)), "")
        if kind:
            found[entry.name] = (entry.read_bytes(), f"{kind}; charset=utf-8")
    return found


def web_url(url: object) -> str:
    """Return an address if a browser may follow it, else an empty string.

    >>> web_url("https://a.org/x"), web_url("javascript:alert(1)"), web_url(" jAvascript:alert(1)")
    ('https://a.org/x', '', '')
    """
    text = str(url)
    try:
        parts = urlsplit(text)
    except ValueError:
        return ""
    return text if parts.scheme in ("http", "https") and parts.netloc and text.isprintable() else ""


def number(value: float | None) -> str:
    """Return a number with separators."""
    return "–" if value is None else f"{value:,.0f}"


def share(value: float | None) -> str:
    """Return a share as per cent."""
    if value is None:
        return "–"
    return f"{value:.1%}" if 0 < value < 0.1 else f"{value:.0%}"  # noqa: PLR2004


def when(at: float | None) -> str:
    """Return a time as local date and time."""
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(at)) if at else "–"


def duration(seconds: float | None) -> str:
    """Return a duration in the two largest units.

    >>> duration(42), duration(3_720), duration(200_000)
    ('42 s', '1 h 2 min', '2 d 7 h')
    """
    if seconds is None:
        return "–"
    left = int(seconds)
    parts: list[str] = []
    for unit, size in (("d", 86_400), ("h", 3_600), ("min", 60), ("s", 1)):
        if left >= size or (unit == "s" and not parts):
            parts.append(f"{left // size} {unit}")
            left %= size
    return " ".join(parts[:2])


def size(count: float | None) -> str:
    """Return a number of bytes in a readable unit."""
    value = float(count or 0)
    for unit in ("B", "KB", "MB", "GB"):
        if value < 1_000:  # noqa: PLR2004
            return f"{value:.0f} {unit}" if unit == "B" or value >= 10 else f"{value:.1f} {unit}"  # noqa: PLR2004
        value /= 1_000
    return f"{value:.1f} TB"


def short_url(url: object, most: int = 90) -> str:
    """Return an address without its scheme, cut in the middle if it is long."""
    text = printable(str(url)).partition("://")[2] or printable(str(url))
    return text if len(text) <= most else f"{text[: most // 2]}…{text[-most // 2 + 1 :]}"


def environment() -> Environment:
    """Return the environment of all templates."""
    made = Environment(
        loader=FunctionLoader(_load),
        autoescape=select_autoescape(default=True, default_for_string=True),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "web_url": web_url,
        "number": number,
        "share": share,
        "when": when,
        "duration": duration,
        "size": size,
        "short_url": short_url,
        "clean": printable,
        "verdict": verdict_text,
        "part": lambda text: quote(str(text), safe=""),
    }
    made.globals |= {"version": __version__, "chance_text": chance_text}
    return made


def fill(made: Environment, template: str, values: dict[str, Any]) -> str:
    """Return a filled template."""
    return made.get_template(template).render(values)
