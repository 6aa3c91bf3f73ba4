"""Frames in noscript elements that end as in XHTML, such as those of tag managers on sites written in JSX.

A browser runs scripts and takes what is in noscript for text. A parser without scripts reads elements there,
and takes the whole rest of the page for the text of a frame that is never closed.
"""

import re

_FRAME = r"(<(?:iframe|IFRAME)[^<]{0,2000}/>\s*)(?=</noscript)"
_IN_TEXT, _IN_BYTES = re.compile(_FRAME), re.compile(_FRAME.encode())


def close_frames(markup: str | bytes) -> str | bytes:
    """Return markup in which every frame is closed that ends a noscript element.

    >>> close_frames("<noscript><iframe src=a.html /> </noscript><p>Text")
    '<noscript><iframe src=a.html /> </iframe></noscript><p>Text'
    """
    if isinstance(markup, bytes):
        return _IN_BYTES.sub(rb"\1</iframe>", markup) if b"</noscript" in markup else markup
    return _IN_TEXT.sub(r"\1</iframe>", markup) if "</noscript" in markup else markup
