"""Synthetic measurements of many kinds: surveys, laboratories, markets, stations."""

# ruff: noqa: PERF401 - a table grows row by row

import random
from collections.abc import Callable

from bench.data_makers import CODES, COUNTRIES, Rows, days, holes, number


def microdata(rng: random.Random) -> Rows:
    """One person a line, answers as codes and small numbers."""
    names = rng.sample(
        [
            "age",
            "sex",
            "educ",
            "income",
            "hours",
            "married",
            "children",
            "q1",
            "q2",
            "q3",
            "q4",
            "region",
            "weight",
            "smoker",
            "score",
            "party",
            "satisfaction",
            "exper",
            "union",
            "wage",
        ],
        rng.randint(4, 16),
    )
    words = {
        "sex": ["male", "female"],
        "region": ["north", "south", "east", "west"],
        "smoker": ["yes", "no"],
        "party": ["A", "B", "C", "none"],
        "married": ["yes", "no"],
    }
    spoken = rng.random() < 0.5

    def answer(name: str) -> str:
        if name in words:
            return rng.choice(words[name]) if spoken else str(rng.randint(0, len(words[name]) - 1))
        if name in ("income", "wage", "weight"):
            return number(rng, rng.choice([12, 2e4]), rng.choice([0, 2]))
        return str(
            rng.randint(16, 90)
            if name == "age"
            else rng.randint(1, 60)
            if name in ("hours", "exper", "score")
            else rng.randint(0, 5)
        )

    index = rng.random() < 0.5
    rows = [[*([rng.choice(["", "rownames", "id"])] if index else []), *names]]
    rows += [[*([str(i + 1)] if index else []), *map(answer, names)] for i in range(rng.randint(20, 250))]
    return holes(rng, rows, rng.choice([0, 0.02, 0.1]), rng.choice(["NA", "", "."]))


def laboratory(rng: random.Random) -> Rows:
    """Measurements under treatments, a trial a line."""
    groups = rng.sample(
        ["control", "treated", "low", "high", "placebo", "A", "B", "C", "setosa", "wild type", "mutant"],
        rng.randint(2, 4),
    )
    measured = rng.sample(
        [
            "length",
            "width",
            "mass",
            "conc",
            "uptake",
            "time",
            "yield",
            "response",
            "ph",
            "temp",
            "od600",
            "count",
            "dose",
        ],
        rng.randint(1, 6),
    )
    rows = [
        [
            *(["rownames"] if rng.random() < 0.4 else []),
            *measured,
            rng.choice(["group", "treatment", "species"]),
        ]
    ]
    index = rows[0][0] == "rownames"
    scale, decimals = [rng.choice([0.5, 6, 90]) for _ in measured], rng.choice([1, 2, 3, 4])
    for at in range(rng.randint(10, 200)):
        rows.append(
            [
                *([str(at + 1)] if index else []),
                *(number(rng, s, decimals) for s in scale),
                rng.choice(groups),
            ]
        )
    if rng.random() < 0.2:
        rows = [row[:-1] for row in rows]
    return rows


def market(rng: random.Random) -> Rows:
    """Prices of a day: open, high, low, close, volume."""
    head = rng.choice(
        [
            ["Date", "Open", "High", "Low", "Close", "Volume"],
            ["date", "price"],
            ["Month", "Adj Close", "Return"],
        ]
    )
    return [
        head,
        *([day, *(number(rng, 80, 2) for _ in head[1:])] for day in days(rng, rng.randint(30, 250))),
    ]


def outbreak(rng: random.Random) -> Rows:
    """Counts of each day in each place."""
    rows = [["date", "iso_code", "location", "new_cases", "total_cases", "new_deaths", "positive_rate"]]
    for code, name in rng.sample(list(zip(CODES, COUNTRIES, strict=True)), rng.randint(2, 6)):
        for day in days(rng, rng.randint(10, 60)):
            rows.append(
                [day, code, name, number(rng, 300), number(rng, 9000), number(rng, 9), number(rng, 0.1, 3)]
            )
    return holes(rng, rows, 0.08, "", 3)


def bare(rng: random.Random) -> Rows:
    """Numbers with short column names or none, as in text books and program output."""
    several = [f"X{at}" for at in range(rng.randint(2, 12))]
    names = rng.choice([["x", "y"], ["V1", "V2", "V3"], ["y", "x1", "x2", "x3"], several, ["time", "value"]])
    decimals = rng.choice([0, 1, 2, 4, 6])
    rows = [[number(rng, rng.choice([1, 40]), decimals) for _ in names] for _ in range(rng.randint(8, 200))]
    return rows if rng.random() < 0.25 else [names, *rows]


def stations(rng: random.Random) -> Rows:
    """Weather of stations with their codes."""
    rows = [["STATION", "NAME", "DATE", "PRCP", "TMAX", "TMIN", "SNOW"]]
    for at, day in enumerate(days(rng, rng.randint(20, 200))):
        rows.append(
            [
                f"USW000{rng.randint(1, 9)}{at % 7:04d}",
                f"{rng.choice(COUNTRIES).upper()} AIRPORT",
                day,
                number(rng, 0.2, 2),
                number(rng, 60, 0),
                number(rng, 40, 0),
                number(rng, 0.1, 1),
            ]
        )
    return holes(rng, rows, 0.05, "", 3)


FAMILIES: dict[str, Callable[[random.Random], Rows]] = {
    made.__name__: made for made in (microdata, laboratory, market, outbreak, bare, stations)
}
