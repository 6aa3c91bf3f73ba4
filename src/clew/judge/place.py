"""The `place` judge: does a page contain a postal address, and with what confidence?"""

from clew.domain.places import Place, checked_country, find
from clew.domain.text import printable
from clew.types import Label, Page, Verdict

_FULL_ADDRESS = 0.5
_MAX_REASONS = 3


class PlaceJudge:
    """Find postal addresses of a country in title and text: `place:jp`, `de`, `us`, `gb` or `world`.

    The verdict is the chance that at least one of the addresses found is real. A mention that is less than
    an address, such as a prefecture with a city, counts once, however often it occurs: a list of cities is
    not a page with an address.

    >>> from clew.testing import sample_page
    >>> verdict = PlaceJudge(of="jp").judge(sample_page(text="本社 〒100-0005 東京都千代田区丸の内1-9-1"))
    >>> verdict.value, verdict.why[0]
    (0.98, '"〒100-0005 東京都千代田区丸の内1-9-1" at 13 % of the text')
    """

    def __init__(self, *, of: str = "jp") -> None:
        self.of = of

    def prepare(self) -> None:
        """Load the gazetteer before the first page, or raise a ConfigError."""
        find("〒100-0005 Berlin 10115, Main St 5, 1012 AB Amsterdam", checked_country(self.of))

    def judge(self, page: Page) -> Verdict:
        text = f"{page.title}\n{page.text}\n{page.margin}"
        places = find(text, self.of)
        miss_chance, weak = 1.0, 0.0
        for place in places:
            if place.confidence >= _FULL_ADDRESS:
                miss_chance *= 1 - place.confidence
            else:
                weak = max(weak, place.confidence)
        best = sorted(places, key=lambda place: -place.confidence)[:_MAX_REASONS]
        why = tuple(_describe(place, len(text)) for place in best)
        if len(places) > _MAX_REASONS:
            why += (f"and {len(places) - _MAX_REASONS:,} more",)
        return Verdict(round(1 - miss_chance * (1 - weak), 4), why or ("no address",))

    def learn(self, label: Label, page: Page) -> None:
        """Ignore labels: what is an address does not depend on them."""


def _describe(place: Place, length: int) -> str:
    sure = "" if place.confidence >= _FULL_ADDRESS else " (no full address)"
    return f'"{printable(place.text, 80)}" at {100 * place.start // length} % of the text{sure}'
