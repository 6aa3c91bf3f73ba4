"""Whether the owners of a page ask not to use it for training: by headers, meta elements and robots.txt.

X-Robots-Tag and meta robots with `noai`; the TDM Reservation Protocol (`tdm-reservation: 1` as header or
meta element); and groups in robots.txt for crawlers that gather training data, if they refuse the page.
"""

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


class AiRules:
    """What a robots.txt says to crawlers that gather text for training, if it names any of them."""

    def __init__(self, text: str) -> None:
        low = text.lower()
        self.rules = [RobotsRules.read(200, text, name) for name in AI_CRAWLERS if name.lower() in low]

    def refuses(self, url: str) -> bool:
        return any(rules.refusal(url) for rules in self.rules)


def reserved_by_headers(fields: Mapping[str, list[str]]) -> bool:
    """Return whether header fields, by lower-case name, reserve a page."""
    words = " ".join(fields.get("x-robots-tag", ())).lower().replace(",", " ").replace(":", " ").split()
    return "noai" in words or "1" in (value.strip() for value in fields.get("tdm-reservation", ()))


def reserved_by_metas(document: "LexborHTMLParser") -> bool:
    """Return whether meta elements reserve a page."""
    for node in document.css("meta[name][content]"):
        name, content = ((node.attributes.get(key) or "").strip().lower() for key in ("name", "content"))
        if (name == "robots" and "noai" in content.replace(",", " ").split()) or (
            name == "tdm-reservation" and content == "1"
        ):
            return True
    return False
