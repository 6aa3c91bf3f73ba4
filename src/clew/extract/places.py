"""The `places` extractor: one row for each address on a page."""

from clew.domain.places import Place, checked_country, find
from clew.types import Label, Page, Record

COLUMNS = (
    "place", "normal", "country", "region", "city", "town", "street", "number", "postal", "lat", "lon",
)  # fmt: skip
_MIN_CONFIDENCE = 0.5


class PlaceExtractor:
    """Extract the postal addresses of a country from a page: `places:jp`, `de`, `us`, `gb` or `world`.

    `place` is the address as it is written, `normal` one spelling for all ways to write it; coordinates are
    those of the city, and empty where it is not known. A row's source is its position in the main text;
    addresses in the title have position 0.
    """

    def __init__(self, *, of: str = "jp", least: float = _MIN_CONFIDENCE) -> None:
        self.of = of
        self.least = least

    def prepare(self) -> None:
        """Raise a ConfigError for an unknown country before the first page."""
        checked_country(self.of)

    def extract(self, page: Page) -> tuple[Record, ...]:
        before = len(page.title) + 1
        found = find(f"{page.title}\n{page.text}\n{page.margin}", self.of)
        return tuple(_row(place, before) for place in found if place.confidence >= self.least)

    def learn(self, label: Label, page: Page) -> None:
        """Ignore labels: the grammar of addresses does not depend on the topic."""


def _row(place: Place, before: int) -> Record:
    values = (
        " ".join(place.text.split()), place.normal, place.country, place.region, place.city, place.town,
        place.street, place.number, place.postal, _degrees(place.latitude), _degrees(place.longitude),
    )  # fmt: skip
    return Record(COLUMNS, values, max(0, place.start - before), place.confidence)


def _degrees(value: float | None) -> str:
    return "" if value is None else f"{value:.5f}"
