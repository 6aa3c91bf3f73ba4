"""Replay an archived page harmlessly: cleaned, and in a sandbox without scripts, network and origin.

Both would be enough alone. The cleaning also removes what a policy does not cover: name lookups ahead of
time, links that a click would follow, and refreshes.
"""

from pathlib import Path

from selectolax.lexbor import LexborHTMLParser

from clew.store.archive import serial_of
from clew.store.folder import PAGES
from clew.store.warc import read_record
from clew.web.operations import MissingThing

MAX_BYTES = 2_000_000
"""Bytes of a page that are replayed."""

REPLAY_HEADERS = {
    "Content-Security-Policy": "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:;"
    " form-action 'none'; base-uri 'none'; frame-ancestors 'self'",
    "X-Frame-Options": "SAMEORIGIN",
}
_REMOVED = (
    "script",
    "noscript",
    "iframe",
    "frame",
    "frameset",
    "object",
    "embed",
    "applet",
    "link",
    "meta",
    "base",
    "portal",
    "audio",
    "video",
    "source",
    "track",
    "template",
    "svg",
    "math",
    "dialog",
    "input",
    "button",
)
_KEPT = frozenset(
    (
        "class",
        "colspan",
        "dir",
        "headers",
        "height",
        "id",
        "lang",
        "rowspan",
        "scope",
        "style",
        "width",
        "align",
        "valign",
        "bgcolor",
        "color",
        "border",
        "cellpadding",
        "cellspacing",
    )
)


def replayed(folder: Path, place: tuple[str, int, str, str]) -> str:
    """Return the cleaned HTML of an archived page."""
    name, offset, _, encoding = place
    serial_of(name)  # a name that Clew does not make is refused: no path leaves the folder
    try:
        with (folder / PAGES / name).open("rb") as file:
            _, body = read_record(file, offset).http
    except (OSError, EOFError, ValueError) as error:
        raise MissingThing from error
    try:
        text = body[:MAX_BYTES].decode(encoding or "utf-8", "replace")
    except LookupError:
        text = body[:MAX_BYTES].decode("utf-8", "replace")
    return cleaned(text)


def cleaned(text: str) -> str:
    """Return HTML without elements and attributes that do something.

    >>> cleaned('<p onclick="x()">Hi <a href="javascript:y()">there</a><script>z()</script>')
    '<!DOCTYPE html><meta charset="utf-8"><html><head></head><body><p>Hi <a>there</a></p></body></html>'
    """
    tree = LexborHTMLParser(text)
    tree.strip_tags(list(_REMOVED), recursive=True)
    for node in tree.css("*"):
        for name in list(node.attributes):
            if name.lower() in _KEPT or (
                name == "src" and (node.attributes[name] or "").startswith("data:image/")
            ):
                continue
            del node.attrs[name]
    for node in tree.css("style"):
        if "</" in (node.text() or ""):
            node.decompose()
    root = tree.root
    return f'<!DOCTYPE html><meta charset="utf-8">{root.html if root is not None else ""}'
