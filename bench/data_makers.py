"""Parts of synthetic tables: numbers, days, years, names and words."""

import datetime as dt
import random
import re

Rows = list[list[str]]


def listed(text: str, at: str | None = None) -> list[str]:
    return text.split(at)


COUNTRIES = listed(
    "Austria Belgium Bulgaria Croatia Denmark Estonia Finland France Germany Greece Hungary Ireland Italy Latvia Malta Norway Poland Portugal Spain Sweden Kenya Ghana Brazil Chile Peru India Japan Nepal Canada Mexico"
)
CODES = listed("AT BE BG HR DK EE FI FR DE GR HU IE IT LV MT NO PL PT ES SE KE GH BR CL PE IN JP NP CA MX")
GIVEN = listed(
    "Anna Ben Clara David Emma Felix Grace Hugo Ida Jonas Kenji Lena Mari Nils Olga Paul Rosa Sven Tomoko Uwe Vera Yuki"
)
FAMILY = listed(
    "Abe Bauer Costa Dubois Evans Fischer Garcia Haas Ito Jensen Klein Lopez Meyer Novak Okada Petit Rossi Smith Tanaka Weber"
)
STREETS = listed(
    "High Street,Church Road,Hauptstraße,Bahnhofstraße,Rue de la Paix,Station Road,Mill Lane,Via Roma,Am Markt,Park Avenue",
    ",",
)
TOWNS = listed("Leeds Bath Köln Erfurt Lyon Nantes Torino Porto Gent Malmö Osaka Nagoya York Kiel Graz Bern")
NOUNS = listed(
    "lamp chair bottle cable bag clock shirt phone kettle mirror tent brush table wheel filter glass sensor button panel"
)
ADJECTIVES = listed(
    "red small wooden classic wireless portable large cotton steel outdoor soft digital vintage compact"
)
TEXT = listed(
    "the a of and to in is for on with this that we you page file error user open save close please select cannot found new old value name list item all none"
)


def number(
    rng: random.Random, scale: float, decimals: int = 0, grouped: str = "", comma: bool = False
) -> str:
    value = rng.lognormvariate(0, 0.8) * scale
    text = f"{value:,.{decimals}f}"
    return text.replace(",", "§").replace(".", "," if comma else ".").replace("§", grouped)


def holes(rng: random.Random, rows: Rows, share: float, mark: str, first: int = 1) -> Rows:
    return [
        rows[0],
        *(
            [cell if at < first or rng.random() > share else mark for at, cell in enumerate(row)]
            for row in rows[1:]
        ),
    ]


def days(rng: random.Random, count: int) -> list[str]:
    """Return days one after another, in one of the usual date formats."""
    form = rng.choice(
        [
            "%Y-%m-%d",
            "%d/%m/%Y",
            "%m/%d/%Y",
            "%d.%m.%Y",
            "%Y%m%d",
            "%Y/%m/%d",
            "%b %d, %Y",
            "%d-%b-%y",
            "%Y-%m-%d 00:00:00",
        ]
    )
    first = dt.date(rng.randint(1950, 2022), rng.randint(1, 12), rng.randint(1, 28))
    step = rng.choice([1, 1, 1, 7, 30])
    made = [(first + dt.timedelta(days=step * at)).strftime(form) for at in range(count)]
    return [re.sub(r"\b0(?=\d/)", "", day) for day in made] if form == "%m/%d/%Y" else made


def years(rng: random.Random, most: int = 30) -> list[int]:
    end = rng.randint(1975, 2024)
    return list(range(end - rng.randint(3, most), end + 1))


def phrase(rng: random.Random, least: int, most: int) -> str:
    return " ".join(
        rng.choice(TEXT + NOUNS + ADJECTIVES) for _ in range(rng.randint(least, most))
    ).capitalize()


def digits(rng: random.Random, count: int) -> str:
    return "".join(rng.choice("0123456789") for _ in range(count))


def hexes(rng: random.Random, count: int) -> str:
    return "".join(rng.choice("0123456789abcdef") for _ in range(count))
