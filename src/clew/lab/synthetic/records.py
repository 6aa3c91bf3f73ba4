"""Records with true attributes, and postal addresses: what extraction can be measured with."""

from dataclasses import dataclass
from typing import NamedTuple

from clew.lab.synthetic import names
from clew.lab.synthetic.hosts import Holds
from clew.lab.synthetic.prose import facts
from clew.lab.synthetic.randomness import mix
from clew.lab.synthetic.site import Section, Site, record_name
from clew.lab.synthetic.topics import LANGUAGES, TOPICS
from clew.lab.synthetic.url_schemes import PageKind, UrlTarget

_LABELS = {
    "en": ("Name", "Place", "Year", "Condition", "Reference"),
    "de": ("Name", "Ort", "Jahr", "Zustand", "Kennziffer"),
    "ja": ("名称", "所在地", "年", "状態", "番号"),
    "fr": ("Nom", "Lieu", "Année", "État", "Référence"),
}
_OTHER_LABELS = {
    "en": ("Title", "Location", "Built", "Status", "No."),
    "de": ("Bezeichnung", "Standort", "Baujahr", "Status", "Nr."),
    "ja": ("件名", "場所", "年代", "区分", "整理番号"),
    "fr": ("Titre", "Commune", "Date", "Statut", "N°"),
}
_MEASURES = {
    "height": ("Height", "Höhe", "高さ", "Hauteur"),
    "length": ("Length", "Länge", "長さ", "Longueur"),
    "depth": ("Depth", "Tiefe", "深さ", "Profondeur"),
    "weight": ("Weight", "Gewicht", "重さ", "Poids"),
    "capacity": ("Capacity", "Inhalt", "容量", "Capacité"),
    "area": ("Area", "Fläche", "面積", "Surface"),
    "power": ("Power", "Leistung", "出力", "Puissance"),
    "age": ("Age", "Alter", "年齢", "Âge"),
    "price": ("Price", "Preis", "価格", "Prix"),
}
_UNITS = {
    "height": ("m", 3, 90),
    "length": ("m", 4, 900),
    "depth": ("m", 2, 60),
    "weight": ("kg", 1, 400),
    "capacity": ("l", 20, 9000),
    "area": ("m²", 12, 7000),
    "power": ("kW", 5, 3000),
    "age": ("a", 2, 180),
    "price": ("EUR", 5, 950),
}
_STATES = {
    "en": ("good", "in use", "restored", "closed", "ruined", "unknown"),
    "de": ("gut", "in Betrieb", "restauriert", "geschlossen", "zerstört", "unbekannt"),
    "ja": ("良好", "使用中", "修復済", "閉鎖", "廃墟", "不明"),
    "fr": ("bon", "en service", "restauré", "fermé", "en ruine", "inconnu"),
}


class SyntheticRecord(NamedTuple):
    """One record: its values in the order of the labels."""

    name: str
    place: str
    year: str
    measure: str
    state: str
    reference: str


def labels(site: Site, section: Section) -> tuple[str, ...]:
    """Return the names of the columns as this section writes them."""
    known = (_LABELS if section.key >> 9 & 1 else _OTHER_LABELS)[site.lang]
    measure = _MEASURES[TOPICS[section.topic].measure][LANGUAGES.index(site.lang)]
    return (*known[:3], measure, *known[3:])


def row(site: Site, section: Section, place: int) -> SyntheticRecord:
    """Return the record of one page."""
    about = section.page(place)
    known = facts(site.lang, mix(about.key))
    unit, low, high = _UNITS[TOPICS[section.topic].measure]
    key = mix(about.key + 5)
    states = _STATES[site.lang]
    return SyntheticRecord(
        name=record_name(site.lang, about),
        place=known.place,
        year=str(known.year),
        measure=f"{low + key % (high - low)} {unit}",
        state=states[(key >> 20) % len(states)],
        reference=f"{chr(65 + (section.key >> 4) % 26)}-{1000 + (section.start + place) * 3}",
    )


def rows_of(site: Site, spot: UrlTarget) -> list[SyntheticRecord]:
    """Return the records that a page shows."""
    if spot.kind not in {PageKind.LIST, PageKind.CONTENT, PageKind.FILE}:
        return []
    section = site.sections[spot.section]
    if spot.kind == PageKind.FILE or (spot.kind == PageKind.CONTENT and section.holds == Holds.DATA):
        if spot.kind == PageKind.CONTENT or spot.other == "pdf":
            return []
        return [row(site, section, (spot.place + step) % section.count) for step in range(20)]
    if section.holds != Holds.RECORDS:
        return []
    if spot.kind == PageKind.CONTENT:
        return [row(site, section, spot.place)]
    return [row(site, section, place) for place in listed(site, spot)]


def listed(site: Site, spot: UrlTarget) -> list[int]:
    """Return the places of the pages that a list shows, in its order."""
    section = site.sections[spot.section]
    begin = spot.place * site.per_list
    places = list(range(begin, min(begin + site.per_list, section.count)))
    if spot.other:
        column = {"name": 0, "place": 1, "year": 2}[spot.other]
        places.sort(key=lambda place: row(site, section, place)[column])
    return places


@dataclass(frozen=True, slots=True)
class Address:
    """Where a host's people can be found."""

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
    streets = names.STREETS[site.lang].split(",")
    town = towns[(site.key >> 27) % len(towns)]
    street = streets[site.habit(41, len(streets))]
    number = 1 + site.habit(42, 90)
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
        phone=f"0{site.habit(43, 900) + 100}-{site.habit(44, 900_000) + 100_000}",
    )
