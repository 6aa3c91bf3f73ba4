"""Frames in noscript elements that end as in XHTML, such as those of tag managers on sites written in JSX.

A browser runs scripts and takes what is in noscript for text. A parser without scripts reads elements there,
and takes the whole rest of the page for the text of a frame that is never closed.
"""

from typing import AnyStr

_PARTS = {
    str: ("</noscript", "<", "<iframe", "/>", "</iframe>"),
    bytes: (b"</noscript", b"<", b"<iframe", b"/>", b"</iframe>"),
}
_LONGEST = 2_000  # characters of a frame's tag


def close_frames(markup: AnyStr) -> AnyStr:
    """Return markup in which every frame is closed that ends a noscript element.

    >>> close_frames("<noscript><iframe src=a.html /> </noscript><p>Text")
    '<noscript><iframe src=a.html /> </iframe></noscript><p>Text'
    """
    end_of_noscript, start, frame, closing, end_of_frame = _PARTS[type(markup)]
    parts, done = [], 0
    at = markup.find(end_of_noscript)
    while at >= 0:
        before = markup[max(at - _LONGEST, done) : at].rstrip()
        if before.endswith(closing) and before[before.rfind(start) :].lower().startswith(frame):
            parts += (markup[done:at], end_of_frame)
            done = at
        at = markup.find(end_of_noscript, at + 1)
    return markup[:0].join((*parts, markup[done:])) if parts else markup
