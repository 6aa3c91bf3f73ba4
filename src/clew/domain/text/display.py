"""Text that is safe to show on a terminal."""

import re

_UNSAFE = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]+")


def printable(text: str, width: int = 0) -> str:
    r"""Return text without control and direction characters, shortened to `width`.

    >>> printable("\x1b[31mred\x07 alert")
    '[31mred alert'
    """
    clean = " ".join(_UNSAFE.sub(" ", text).split())
    return clean if not width or len(clean) <= width else clean[: width - 1] + "…"
