"""What the head of a page and its address say about its type."""

from dataclasses import dataclass

_FORUM = ("/t/", "thread", "forum", "question", "topic", "comments", "discuss")
_COLLECTION = ("categor", "collection", "/shop", "/c/", "/tag")
FACTS = ("og_article", "og_product", "url_depth", "url_words", "url_digits", "url_forum", "url_collection")


@dataclass(slots=True)
class HeadFacts:
    """Title (also the one for other sites), og:type and address of a page."""

    title: str = ""
    og_type: str = ""
    url: str = ""


def fact_values(facts: HeadFacts) -> list[float]:
    """Return the values of `FACTS`."""
    og_type = facts.og_type.lower()
    path = facts.url.partition("//")[2].partition("/")[2].partition("?")[0].partition("#")[0].lower()[:500]
    name = path.rstrip("/").rpartition("/")[2]
    whole = f"/{path}/"
    return [
        "article" in og_type,
        "product" in og_type,
        path.count("/") + bool(path),
        name.count("-") + name.count("_"),
        sum(map(str.isdigit, path)),
        any(stem in whole for stem in _FORUM),
        any(stem in whole for stem in _COLLECTION),
    ]
