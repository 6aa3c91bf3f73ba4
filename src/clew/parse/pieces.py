"""A page cut at its tags: the tree is written out by the parser, in C, and that text is split.

This costs a seventh of asking every node. The parser closes every element and escapes what is no tag, so
that cutting is exact; only the insides of scripts and their like have to be skipped. A piece is what stands
between two `<`: `td width="5">some text`, `/td>`.
"""

from collections.abc import Iterator

BLOCKS = frozenset(
    """address article aside blockquote body center dd details dialog dir div dl dt fieldset figcaption figure
    footer form frameset h1 h2 h3 h4 h5 h6 header hgroup html legend li main menu nav ol p pre search section
    summary table ul""".split()  # noqa: SIM905 - reads better as text
)
"""Block-level elements in the sense of CSS 2.1 (block, list-item, table) that have a closing tag."""

ALONE = frozenset({"hr", "frame"})
"""Block-level elements that are one tag."""

LINKS = frozenset({"a", "area", "frame", "iframe", "link"})

RAW = frozenset({"script", "style", "noembed", "noframes", "xmp", "plaintext", "template"})
"""Elements whose insides are not shown and may look like tags; an iframe is a link as well."""


def cut(html: str) -> list[str]:
    """Cut a page at its tags; escaped characters become single ones, as wide as those they stand for.

    >>> cut("<p>a &amp; b</p>")
    ['', 'p>a & b', '/p>']
    """
    if "&" in html:
        html = html.replace("&nbsp;", " ").replace("&amp;", "&").replace("&lt;", "‹").replace("&gt;", "›")
    return html.split("<")


def skip(pieces: Iterator[str], tag: str) -> None:
    """Go on behind the end of an element."""
    end, deep = f"/{tag}>", 1
    for piece in pieces:
        if piece.startswith(end):
            deep -= 1
            if not deep:
                return
        elif tag == "template" and piece.startswith(tag):
            deep += 1


def behind_comment(pieces: Iterator[str], piece: str) -> str:
    """Go on behind a comment that begins with `piece`; return the text there."""
    while "-->" not in piece and (following := next(pieces, None)) is not None:
        piece = following
    return piece.rpartition("-->")[2]
