"""Which extractor makes the texts of a crawl, by name and version."""

from importlib.metadata import PackageNotFoundError, version

VERSION = 5
"""The version of the extraction: it grows whenever the same page may yield another text."""

EXTRACTOR = f"clew-text/{VERSION}"
"""What made a text, as it is written beside it."""


def extractor_name(chosen: str) -> str:
    """Return name and version of the extractor that `parse.text` names."""
    if chosen == "clew":
        return EXTRACTOR
    try:
        return f"{chosen}/{version(chosen)}"
    except PackageNotFoundError:
        return chosen
