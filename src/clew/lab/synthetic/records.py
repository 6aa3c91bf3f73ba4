"""Records with known attributes, and postal addresses: ground truth for extraction."""

from dataclasses import dataclass
from typing import NamedTuple

from clew.lab.synthetic import names
from clew.lab.synthetic.hosts import SectionContent
from clew.lab.synthetic.prose import facts
from clew.lab.synthetic.randomness import mix
from clew.lab.synthetic.resources import load
from clew.lab.synthetic.site import Section, Site, record_name
from clew.lab.synthetic.topics import TOPICS
from clew.lab.synthetic.url_schemes import PageKind, UrlTarget


class SyntheticRecord(NamedTuple):
    """One record: its values in the order of the labels."""

    name: str
    place: str
    year: str
    measure: str
    state: str
    reference: str


def labels(site: Site, section: Section) -> tuple[str, ...]:
    """Return the column labels of a section."""
    data = load("records")
    common = data["labels" if section.key >> 9 & 1 else "other_labels"][site.lang]
    measure = data["measures"][TOPICS[section.topic].measure][site.lang]
    return (*common[:3], measure, *common[3:])


def row(site: Site, section: Section, position: int) -> SyntheticRecord:
    """Return the record of one page."""
    about = section.page(position)
    known = facts(site.lang, mix(about.key))
    measure = load("records")["measures"][TOPICS[section.topic].measure]
    low, high = measure["low"], measure["high"]
    key = mix(about.key + 5)
    states = load("records")["states"][site.lang]
    return SyntheticRecord(
        name=record_name(site.lang, about),
        place=known.place,
        year=str(known.year),
        measure=f"{low + key % (high - low)} {measure['unit']}",
        state=states[(key >> 20) % len(states)],
        reference=f"{chr(65 + (section.key >> 4) % 26)}-{1000 + (section.start + position) * 3}",
    )


def rows_of(site: Site, target: UrlTarget) -> list[SyntheticRecord]:
    """Return the records that a page shows."""
    if target.kind not in {PageKind.LIST, PageKind.CONTENT, PageKind.FILE}:
        return []
    section = site.sections[target.section]
    if target.kind == PageKind.FILE or (
        target.kind == PageKind.CONTENT and section.content == SectionContent.DATA
    ):
        if target.kind == PageKind.CONTENT or target.variant == "pdf":
            return []
        return [row(site, section, (target.position + step) % section.count) for step in range(20)]
    if section.content != SectionContent.RECORDS:
        return []
    if target.kind == PageKind.CONTENT:
        return [row(site, section, target.position)]
    return [row(site, section, position) for position in listed(site, target)]


def listed(site: Site, target: UrlTarget) -> list[int]:
    """Return the positions of the pages that a list shows, in its order."""
    section = site.sections[target.section]
    begin = target.position * site.per_list
    positions = list(range(begin, min(begin + site.per_list, section.count)))
    if target.variant:
        column = {"name": 0, "place": 1, "year": 2}[target.variant]
        positions.sort(key=lambda position: row(site, section, position)[column])
    return positions


@dataclass(frozen=True, slots=True)
class Address:
    """The postal address of a host's owner."""

    name: str
    street: str
    code: str
    town: str
    phone: str

    def lines(self, lang: str) -> list[str]:
        """Return the address as it is written in a language."""
        if lang == "ja":
            return [self.name, f"〒{self.code}", f"{self.town}{self.street}"]
        if lang == "en":
            return [self.name, self.street, self.town, self.code]
        return [self.name, self.street, f"{self.code} {self.town}"]


def address(site: Site) -> Address:
    """Return the postal address of a host."""
    towns = names.places(site.lang)
    streets = names.streets(site.lang)
    town = towns[(site.key >> 27) % len(towns)]
    street = streets[site.trait(41, len(streets))]
    number = 1 + site.trait(42, 90)
    code = town[1]
    if site.lang == "en":
        letters = "ABDEFGHJLNPQRSTUWXYZ"
        code = f"{code} {1 + number % 9}{letters[number % 20]}{letters[number * 7 % 20]}"
    return Address(
        name=site.title,
        street={"ja": f"{street}-{number % 20 + 1}", "de": f"{street} {number}"}.get(
            site.lang, f"{number} {street}"
        ),
        code=code,
        town=town[2] if site.lang == "ja" else town[0],
        phone=f"0{site.trait(43, 900) + 100}-{site.trait(44, 900_000) + 100_000}",
    )
