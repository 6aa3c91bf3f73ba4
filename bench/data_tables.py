"""Synthetic statistical tables of many kinds, as statistical offices publish them."""

# ruff: noqa: PERF401 - a table grows row by row

import random
from collections.abc import Callable

from bench.data_makers import CODES, COUNTRIES, Rows, days, holes, listed, number, years

LAENDER = [
    "Baden-Württemberg",
    "Bayern",
    "Berlin",
    "Brandenburg",
    "Bremen",
    "Hamburg",
    "Hessen",
    "Saarland",
    "Sachsen",
    "Thüringen",
]
PREFECTURES = listed(
    "北海道 青森県 岩手県 宮城県 秋田県 山形県 福島県 茨城県 栃木県 群馬県 埼玉県 千葉県 東京都 神奈川県 新潟県 富山県 石川県 福井県 山梨県 長野県"
)
TOPICS = [
    "Population",
    "Unemployment rate",
    "Live births",
    "Exports of goods",
    "Household income",
    "Road accidents",
    "Electricity production",
    "Hospital beds",
    "Crops harvested",
    "Consumer prices",
    "Students enrolled",
    "Waste collected",
    "Overnight stays",
]
UNITS = [
    "thousand persons",
    "%",
    "million EUR",
    "per 1,000 inhabitants",
    "index 2015=100",
    "GWh",
    "tonnes",
    "number",
    "ha",
]


def wide_years(rng: random.Random) -> Rows:
    """Regions down, years across, as offices print it, with a title, a unit and a source."""
    topic, unit, span = rng.choice(TOPICS), rng.choice(UNITS), years(rng)
    decimals, scale, grouped = (
        rng.choice([0, 0, 1, 2]),
        rng.choice([3, 50, 4e3, 9e5]),
        rng.choice(["", ",", " "]),
    )
    names = rng.sample(COUNTRIES, rng.randint(5, 28))
    rows = [[rng.choice(["", "Region", "Country", "geo\\time"]), *map(str, span)]]
    rows += [
        [name, *(number(rng, scale, decimals, grouped) for _ in span)]
        for name in ["Total", *names][rng.randint(0, 1) :]
    ]
    rows = holes(rng, rows, rng.choice([0, 0, 0.05, 0.3]), rng.choice([":", "", "..", "n/a", "-"]))
    if rng.random() < 0.5:
        rows = [[f"{topic} by country, {span[0]}-{span[-1]}"], [f"Unit: {unit}"][: rng.randint(0, 1)], *rows]
    if rng.random() < 0.4:
        rows += [["Source: National statistical office"], ["Notes: provisional figures in the last year"]]
    return rows


def series(rng: random.Random) -> Rows:
    """One line for each period, a few measures across."""
    kind = rng.choice(["year", "month", "quarter", "day"])
    count = rng.randint(12, 220)
    start = rng.randint(1950, 2010)
    period = {
        "year": [str(start + i) for i in range(min(count, 60))],
        "month": [f"{start + i // 12}-{1 + i % 12:02d}" for i in range(count)],
        "quarter": [f"{start + i // 4}{rng.choice(['Q', '-Q', ' Q'])}{1 + i % 4}" for i in range(count)],
        "day": days(rng, count),
    }[kind]
    names = rng.sample(
        [
            "gdp",
            "cpi",
            "unemp",
            "m1",
            "exports",
            "imports",
            "tbilrate",
            "realgdp",
            "wages",
            "cases",
            "deaths",
            "value",
            "rainfall",
            "tmax",
            "tmin",
            "sunspots",
        ],
        rng.randint(1, 7),
    )
    scales, decimals = [rng.choice([1, 20, 700, 1e5]) for _ in names], rng.choice([0, 1, 2, 3, 5])
    head = [rng.choice([kind, "date", "time", "Year", "DATE", "period"]), *names]
    rows = [head, *([at, *(number(rng, scale, decimals) for scale in scales)] for at in period)]
    if rng.random() < 0.25:  # a mark for figures that are estimated or provisional
        rows = [
            [*rows[0], rng.choice(["code", "status", "flag"])],
            *([*row, rng.choice(["A", "A", "e", "P"])] for row in rows[1:]),
        ]
    return holes(rng, rows, rng.choice([0, 0, 0.1, 0.5]), rng.choice(["", "NA", "-", "."]))


def observations(rng: random.Random) -> Rows:
    """One observation a line under codes of its dimensions, as exchanged between offices."""
    head = ["FREQ", "GEO", "INDICATOR", "SEX", "AGE", "TIME_PERIOD", "OBS_VALUE", "OBS_STATUS"]
    keep = sorted(rng.sample(range(1, 5), rng.randint(1, 4)))
    rows = []
    for geo in rng.sample(CODES, rng.randint(3, 12)):
        for year in years(rng, 12):
            cells = [
                "A",
                geo,
                rng.choice(["EMP_RT", "POP_TOT", "B1GQ"]),
                rng.choice("MFT"),
                rng.choice(["Y15-24", "Y25-64", "TOTAL"]),
                str(year),
                number(rng, 60, 1),
                rng.choice(["", "", "p", "e"]),
            ]
            rows.append([cells[at] for at in (*keep, 5, 6, 7)])
    return [[head[at] for at in (*keep, 5, 6, 7)], *rows]


def crossed(rng: random.Random) -> Rows:
    """Two lines of headings, groups down, shares across."""
    tops, subs = (
        rng.sample(["Men", "Women", "Total", "Urban", "Rural", "2011", "2021"], rng.randint(2, 3)),
        rng.sample(["Number", "%", "Rate", "15-24", "25-64", "65+"], rng.randint(2, 3)),
    )
    rows = [
        [rng.choice(["Table 3. ", ""]) + rng.choice(TOPICS) + " by age and sex"],
        [""] + [top if not at else "" for top in tops for at in range(len(subs))],
        ["Age group", *(subs * len(tops))],
    ]
    for low in range(0, rng.randint(30, 95), 5):
        rows.append(
            [
                f"{low}-{low + 4}",
                *(
                    number(rng, rng.choice([30, 4e4]), rng.choice([0, 1]), ",")
                    for _ in range(len(tops) * len(subs))
                ),
            ]
        )
    return [*rows, ["Total", *(number(rng, 9e4, 0, ",") for _ in range(len(tops) * len(subs)))]]


def german(rng: random.Random) -> Rows:
    """A table of a German office: semicolons, decimal commas, a date of reference."""
    span = years(rng, 8)
    rows = [
        [rng.choice(["Bevölkerung nach Ländern", "Erwerbslose", "Übernachtungen", "Verbraucherpreise"])],
        ["Deutschland"],
        ["Stichtag", *([""] * 3)],
    ]
    rows.append(["Land", *(f"31.12.{year}" if rng.random() < 0.5 else str(year) for year in span)])
    scale, decimals = rng.choice([(8e6, 0), (7, 1), (110, 2)])
    rows += [
        [land, *(number(rng, scale, decimals, rng.choice(["", "."]), comma=True) for _ in span)]
        for land in [*LAENDER, "Insgesamt"]
    ]
    return [
        *holes(rng, rows, 0.05, rng.choice([".", "-", "x", "/"])),
        ["__________"],
        ["© Statistisches Amt, " + str(span[-1])],
    ]


def japanese(rng: random.Random) -> Rows:
    """A table of a Japanese office: a title, a unit, eras, names of prefectures."""
    heads = rng.choice(
        [
            ["総数", "男", "女"],
            ["世帯数", "人口", "人口密度"],
            ["平成27年", "令和2年", "増減率"],
            [f"{y}年" for y in range(2015, 2021)],
            ["出生数", "死亡数", "自然増減"],
        ]
    )
    rows = [
        [
            rng.choice(
                ["第1表　都道府県別人口", "人口推計", "労働力調査　長期時系列", "家計調査", "学校基本調査"]
            )
        ],
        [rng.choice(["（単位：千人）", "単位：人", "（百万円）", ""])],
    ]
    rows.append([rng.choice(["", "都道府県", "地域", "年次"]), *heads])
    names = ["全国", *PREFECTURES[: rng.randint(6, 20)]]
    coded = rng.random() < 0.4
    for at, name in enumerate(names):
        rows.append(
            [
                *([f"{at:02d}000"] if coded else []),
                name,
                *(
                    number(rng, rng.choice([900, 2e6]), rng.choice([0, 0, 1]), rng.choice(["", ","]))
                    for _ in heads
                ),
            ]
        )
    return [*rows, ["資料：総務省統計局"]] if rng.random() < 0.5 else rows


def votes(rng: random.Random) -> Rows:
    """Results of a vote in each district."""
    parties = rng.sample(
        ["CDU", "SPD", "Labour", "Green", "Liberal", "Others", "PSOE", "PP", "Left"], rng.randint(2, 6)
    )
    rows = [["district", "registered", "turnout %", "valid votes", *parties]]
    for at in range(rng.randint(8, 150)):
        rows.append(
            [
                f"{rng.choice(COUNTRIES)} {at + 1}",
                number(rng, 5e4),
                number(rng, 60, 1),
                number(rng, 3e4),
                *(number(rng, 6e3) for _ in parties),
            ]
        )
    return rows


def estimated(rng: random.Random) -> Rows:
    """Results of models: coefficients with their errors, or a matrix of correlations."""
    names = rng.sample(
        ["const", "age", "educ", "income", "x1", "x2", "treat", "year", "sex"], rng.randint(3, 8)
    )
    if rng.random() < 0.4:
        return [["", *names], *([name, *(number(rng, 0.3, 4) for _ in names)] for name in names)]
    head = ["", "coef", "std err", "t", "P>|t|", "[0.025", "0.975]"]
    return [
        head,
        *([name, *(rng.choice(["", "-"]) + number(rng, 0.7, 4) for _ in head[1:])] for name in names),
    ]


def ranked(rng: random.Random) -> Rows:
    """Places or teams with many measures of the same year."""
    heads = rng.sample(
        [
            "GDP per capita",
            "Life expectancy",
            "HDI",
            "Literacy rate",
            "Area km2",
            "Density",
            "Goals",
            "Points",
            "Wins",
            "Internet users %",
            "CO2 per capita",
            "Median age",
        ],
        rng.randint(3, 9),
    )
    return [
        ["Rank", "Country", *heads],
        *(
            [
                str(at + 1),
                name,
                *(
                    number(rng, rng.choice([1, 70, 3e4]), rng.choice([0, 1, 2]), rng.choice(["", ","]))
                    for _ in heads
                ),
            ]
            for at, name in enumerate(rng.sample(COUNTRIES, rng.randint(8, 30)))
        ),
    ]


def tidy(rng: random.Random) -> Rows:
    """One value a line, its groups in words."""
    groups = {
        "Sex": ["Male", "Female", ""],
        "Age": ["15-24", "25-54", "55+", ""],
        "Area": ["Urban", "Rural", ""],
        "Region": ["North", "South", "Centre", ""],
        "Sector": ["Industry", "Services", "Agriculture"],
        "Quintile": ["I", "II", "III", "IV", "V"],
    }
    used = rng.sample(sorted(groups), rng.randint(0, 3))
    more = rng.random() < 0.4
    rows = [["Year", *used, *(["Units"] if more else []), rng.choice(["Value", "value", "OBS", "Percent"])]]
    unit, scale, decimals = rng.choice(UNITS), rng.choice([0.6, 30, 2e4]), rng.choice([0, 1, 2])
    for year in years(rng, 20):
        for _ in range(rng.randint(1, 6)):
            rows.append(
                [
                    str(year),
                    *(rng.choice(groups[name]) for name in used),
                    *([unit] if more else []),
                    number(rng, scale, decimals),
                ]
            )
    return holes(rng, rows, rng.choice([0, 0, 0.3, 0.7]), "", len(rows[0]) - 1)


def indicators(rng: random.Random) -> Rows:
    """Countries down with the name and code of an indicator, many years across, most early ones empty."""
    span = list(range(1960, 2024, rng.choice([1, 1, 5])))
    rows = [["Country Name", "Country Code", "Indicator Name", "Indicator Code", *map(str, span)]]
    names = [f"{rng.choice(TOPICS)} ({rng.choice(UNITS)})" for _ in range(rng.randint(1, 3))]
    scale, decimals = rng.choice([(0.5, 6), (60, 2), (4e6, 0), (3e9, 4)])
    for code, country in rng.sample(list(zip(CODES, COUNTRIES, strict=True)), rng.randint(5, 30)):
        for name in names:
            first = rng.randint(0, len(span) - 1)
            values = [number(rng, scale, decimals) if at >= first else "" for at in range(len(span))]
            rows.append([country, code, name, f"SP.{code}.TOTL", *values])
    return rows


FAMILIES: dict[str, Callable[[random.Random], Rows]] = {
    made.__name__: made
    for made in (
        wide_years,
        series,
        observations,
        crossed,
        german,
        japanese,
        votes,
        estimated,
        ranked,
        tidy,
        indicators,
    )
}
