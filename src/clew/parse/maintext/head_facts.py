"""What the head of a page and its address say about its type."""

from dataclasses import dataclass

_KINDS = {
    "article": ("article", "posting", "report"),
    "product": ("product", "offer"),
    "forum": ("discussion", "qapage", "question", "answer"),
    "listing": ("collection", "itemlist", "searchresult"),
    "organisation": ("organization", "localbusiness", "service"),
    "faq": ("faq",),
    "recipe": ("recipe", "howto"),
}
_PATHS = {
    "product": ("product", "/p/", "/dp/", "/item"),
    "forum": ("/t/", "thread", "forum", "question", "topic", "comments", "discuss"),
    "collection": ("categor", "collection", "/shop", "/c/", "/tag"),
    "documentation": ("doc", "/api", "guide", "reference", "manual", "wiki", "help"),
    "article": ("blog", "news", "/20", "article", "post", "story"),
}
FACTS = (
    *(f"kind_{name}" for name in _KINDS),
    "og_article", "og_website", "og_product", "url_depth", "url_home", "url_words", "url_digits",
    *(f"url_{name}" for name in _PATHS),
)  # fmt: skip


@dataclass(slots=True)
class HeadFacts:
    """Title and description (also those for other sites), schema.org types, og:type and address of a page."""

    title: str = ""
    description: str = ""
    kinds: tuple[str, ...] = ()
    og_type: str = ""
    url: str = ""


def fact_values(facts: HeadFacts) -> list[float]:
    """Return the values of `FACTS`."""
    kinds, og_type = " ".join(facts.kinds).lower(), facts.og_type.lower()
    path = facts.url.partition("//")[2].partition("/")[2].partition("?")[0].partition("#")[0].lower()[:500]
    name = path.rstrip("/").rpartition("/")[2]
    whole = f"/{path}/"
    return [
        *(float(any(stem in kinds for stem in stems)) for stems in _KINDS.values()),
        float("article" in og_type), float("website" in og_type), float("product" in og_type),
        float(path.count("/") + bool(path)), float(not path), float(name.count("-") + name.count("_")),
        float(sum(map(str.isdigit, path))),
        *(float(any(stem in whole for stem in stems)) for stems in _PATHS.values()),
    ]  # fmt: skip
