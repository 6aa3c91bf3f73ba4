"""The `place` judge: does a page hold an address, and how surely."""

from clew.domain.places import Place, checked_country, find
from clew.domain.text import printable
from clew.types import Label, Page, Verdict

_SURE = 0.5
_SHOWN = 3


class PlaceJudge:
    """Look for addresses of a country in title and text: `place:jp`, `de`, `us`, `gb` or `world`.

    Each address is a chance that the page is wanted; the verdict is the chance that one of them is real. A
    mention that is less than an address, such as a prefecture with a city, counts once, however often it
    occurs: a page full of cities is not yet one with an address.

    >>> from clew.testing import sample_page
    >>> verdict = PlaceJudge(of="jp").judge(sample_page(text="本社 〒100-0005 東京都千代田区丸の内1-9-1"))
    >>> verdict.value, verdict.why[0]
    (0.98, '"〒100-0005 東京都千代田区丸の内1-9-1" at 13 % of the text')
    """

    def __init__(self, *, of: str = "jp") -> None:
        self.of = of

    def prepare(self) -> None:
        """Load the gazetteer before the first page, or say what is missing."""
        find("〒100-0005 Berlin 10115, Main St 5, 1012 AB Amsterdam", checked_country(self.of))

    def judge(self, page: Page) -> Verdict:
        text = f"{page.title}\n{page.text}\n{page.margin}"
        places = find(text, self.of)
        missed, weak = 1.0, 0.0
        for place in places:
            if place.confidence >= _SURE:
                missed *= 1 - place.confidence
            else:
                weak = max(weak, place.confidence)
        best = sorted(places, key=lambda place: -place.confidence)[:_SHOWN]
        why = tuple(_said(place, len(text)) for place in best)
        if len(places) > _SHOWN:
            why += (f"and {len(places) - _SHOWN:,} more",)
        return Verdict(round(1 - missed * (1 - weak), 4), why or ("no address",))

    def learn(self, label: Label, page: Page) -> None:
        """Learn nothing: an address is one whatever a person thinks of the page."""


def _said(place: Place, length: int) -> str:
    sure = "" if place.confidence >= _SURE else " (no full address)"
    return f'"{printable(place.text, 80)}" at {100 * place.start // length} % of the text{sure}'
