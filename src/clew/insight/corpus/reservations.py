"""Whether the owners of a page ask not to use it for training: by headers, meta elements and robots.txt.

X-Robots-Tag and meta robots with `noai`; the TDM Reservation Protocol (`tdm-reservation: 1` as header or
meta element); preferences about training (`Content-Signal: ai-train=no`, `Content-Usage: train-ai=n`) as
headers or in robots.txt; and groups there for crawlers that gather training data, if they refuse the page.
"""

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from clew.frontier.robots import RobotsRules

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser

AI_CRAWLERS = (
    "GPTBot", "CCBot", "Google-Extended", "ClaudeBot", "anthropic-ai", "Applebot-Extended", "Bytespider",
    "meta-externalagent", "cohere-ai", "Amazonbot",
)  # fmt: skip
"""Crawlers that gather text for training, as robots.txt names them."""

_OK = 200
_PREFERENCE_FIELDS = ("content-signal", "content-usage")
_PREFERENCE_LINE = re.compile(
    rf"^[ \t]*(?:{'|'.join(_PREFERENCE_FIELDS)})[ \t]*:[ \t]*(/\S*)?([^#\r\n]*)", re.IGNORECASE | re.MULTILINE
)
_TRAINING = re.compile(r"\b(?:ai-train|train-ai|train-genai)\s*=\s*([yn])", re.IGNORECASE)


class AiRules:
    """What a robots.txt says about training, and to crawlers that gather text for it."""

    def __init__(self, text: str) -> None:
        low = text.lower()
        self.rules = [RobotsRules.read(_OK, text, name) for name in AI_CRAWLERS if name.lower() in low]
        if preferences := _preferences(text):
            self.rules.append(RobotsRules(_OK, preferences))

    def refuses(self, url: str) -> bool:
        return any(rules.refusal(url) for rules in self.rules)


def _preferences(text: str) -> list[str]:
    r"""Return the preferences about training in a robots.txt as rules; of two for one path, the stricter one.

    >>> _preferences("Content-Signal: search=yes, ai-train=no\nContent-Usage: /open train-ai=y")
    ['Disallow: /', 'Allow: /open']
    """
    reserved: dict[str, bool] = {}
    for path, value in _PREFERENCE_LINE.findall(text):
        if _TRAINING.search(value):
            reserved[path or "/"] = reserved.get(path or "/", False) or _is_reserved(value)
    return [f"{'Disallow' if refused else 'Allow'}: {path}" for path, refused in reserved.items()]


def _is_reserved(preferences: str) -> bool:
    """Return whether preferences refuse training."""
    return "n" in map(str.lower, _TRAINING.findall(preferences))


def reserved_by_headers(fields: Mapping[str, list[str]]) -> bool:
    """Return whether header fields, by lower-case name, reserve a page."""
    words = " ".join(fields.get("x-robots-tag", ())).lower().replace(",", " ").replace(":", " ").split()
    return (
        "noai" in words
        or "1" in (value.strip() for value in fields.get("tdm-reservation", ()))
        or any(_is_reserved(value) for name in _PREFERENCE_FIELDS for value in fields.get(name, ()))
    )


def reserved_by_metas(document: "LexborHTMLParser") -> bool:
    """Return whether meta elements reserve a page."""
    for node in document.css("meta[name][content]"):
        name, content = ((node.attributes.get(key) or "").strip().lower() for key in ("name", "content"))
        if (name == "robots" and "noai" in content.replace(",", " ").split()) or (
            name == "tdm-reservation" and content == "1"
        ):
            return True
    return False
