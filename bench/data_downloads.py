"""Files that are tables but no statistics: people, goods, places, bookings, logs."""

# ruff: noqa: PERF401 - a table grows row by row

import random
from collections.abc import Callable

from bench.data_makers import ADJECTIVES, FAMILY, GIVEN, NOUNS, STREETS, TOWNS, Rows, digits, hexes, phrase


def addresses(rng: random.Random) -> Rows:
    """People or shops with their addresses."""
    head = rng.choice(
        [
            ["name", "street", "zip", "city", "phone", "email"],
            ["Company", "Address", "Town", "Postcode", "Tel"],
            ["id", "first_name", "last_name", "email", "city"],
            ["名称", "住所", "電話番号", "郵便番号"],
        ]
    )
    japanese = head[0] == "名称"
    rows = [head]
    for at in range(rng.randint(10, 200)):
        given, family = rng.choice(GIVEN), rng.choice(FAMILY)
        if japanese:
            rows.append(
                [
                    f"{rng.choice('中東西南北')}{rng.choice('山川田島')}{rng.choice(['商店', '小学校', '公民館', '図書館'])}",
                    f"{rng.choice('中東西南北')}{rng.choice('町村')}{rng.randint(1, 9)}-{rng.randint(1, 20)}-{rng.randint(1, 9)}",
                    f"0{digits(rng, 2)}-{digits(rng, 3)}-{digits(rng, 4)}",
                    f"{digits(rng, 3)}-{digits(rng, 4)}",
                ]
            )
            continue
        known = {
            "name": f"{given} {family}",
            "Company": f"{family} {rng.choice(['Ltd', 'GmbH', '& Sons'])}",
            "street": f"{rng.choice(STREETS)} {rng.randint(1, 150)}",
            "zip": digits(rng, 5),
            "Postcode": digits(rng, 5),
            "city": rng.choice(TOWNS),
            "Town": rng.choice(TOWNS),
            "phone": f"+{digits(rng, 2)} {digits(rng, 3)} {digits(rng, 6)}",
            "Tel": f"0{digits(rng, 4)}/{digits(rng, 6)}",
            "email": f"{given.lower()}.{family.lower()}@{rng.choice(TOWNS).lower()}.org",
            "id": str(at + 1),
            "first_name": given,
            "last_name": family,
        }
        known["Address"] = known["street"]
        rows.append([known[name] for name in head])
    return rows


def log(rng: random.Random) -> Rows:
    """Logs of servers and machines."""
    if rng.random() < 0.5:
        rows = [["timestamp", "ip", "method", "path", "status", "bytes", "ms"]]
        for at in range(rng.randint(20, 250)):
            rows.append(
                [
                    f"2024-05-{1 + at // 60 % 28:02d}T{at % 24:02d}:{at % 60:02d}:{rng.randint(0, 59):02d}Z",
                    ".".join(str(rng.randint(1, 254)) for _ in range(4)),
                    rng.choice(["GET", "POST"]),
                    f"/{rng.choice(NOUNS)}/{rng.choice(NOUNS)}.html",
                    rng.choice(["200", "200", "404", "302"]),
                    str(rng.randint(100, 90000)),
                    str(rng.randint(1, 900)),
                ]
            )
        return rows
    return [
        ["time", "level", "module", "message"],
        *(
            [
                f"2023-11-02 {at % 24:02d}:{at % 60:02d}:11,{digits(rng, 3)}",
                rng.choice(["INFO", "WARN", "ERROR"]),
                rng.choice(NOUNS) + ".core",
                phrase(rng, 3, 14),
            ]
            for at in range(rng.randint(20, 250))
        ),
    ]


def feed(rng: random.Random) -> Rows:
    """Goods of a shop with prices and stock."""
    rows = [
        rng.choice(
            [
                ["sku", "title", "description", "price", "currency", "stock", "link"],
                ["id", "name", "brand", "price", "image_link", "availability"],
                ["Artikelnummer", "Bezeichnung", "Preis", "Lager"],
            ]
        )
    ]
    for at in range(rng.randint(15, 200)):
        name, price = (
            f"{rng.choice(ADJECTIVES)} {rng.choice(NOUNS)}".title(),
            f"{rng.randint(1, 300)}.{rng.choice(['99', '95', '00', '49'])}",
        )
        rows.append(
            {
                7: [
                    f"SKU-{digits(rng, 5)}",
                    name,
                    phrase(rng, 6, 25),
                    price,
                    "EUR",
                    str(rng.randint(0, 90)),
                    f"https://shop.org/p/{at}",
                ],
                6: [
                    str(1000 + at),
                    name,
                    rng.choice(FAMILY),
                    price,
                    f"https://shop.org/i/{hexes(rng, 8)}.jpg",
                    rng.choice(["in stock", "out of stock"]),
                ],
                4: [digits(rng, 8), name, price.replace(".", ","), str(rng.randint(0, 40))],
            }[len(rows[0])]
        )
    return rows


def geometry(rng: random.Random) -> Rows:
    """Points, lines and meshes."""
    kind = rng.randint(0, 3)
    if kind == 0:
        return [
            ["name", "lat", "lon"],
            *(
                [
                    f"{rng.choice(TOWNS)} {rng.choice(NOUNS)}",
                    f"{rng.uniform(-60, 70):.6f}",
                    f"{rng.uniform(-170, 170):.6f}",
                ]
                for _ in range(rng.randint(20, 200))
            ),
        ]
    if kind == 1:
        return [
            ["x", "y", "z"],
            *(
                [f"{rng.uniform(-100, 100):.{rng.choice([3, 6])}f}" for _ in range(3)]
                for _ in range(rng.randint(30, 250))
            ),
        ]
    if kind == 2:
        return [
            ["id", "wkt"],
            *(
                [
                    str(at),
                    f"POLYGON(({', '.join(f'{rng.uniform(5, 9):.5f} {rng.uniform(45, 50):.5f}' for _ in range(rng.randint(4, 12)))}))",
                ]
                for at in range(rng.randint(10, 90))
            ),
        ]
    return [
        ["stop_id", "stop_name", "stop_lat", "stop_lon", "location_type"],
        *(
            [
                digits(rng, 6),
                f"{rng.choice(STREETS)}",
                f"{rng.uniform(47, 54):.6f}",
                f"{rng.uniform(6, 14):.6f}",
                rng.choice("01"),
            ]
            for _ in range(rng.randint(20, 200))
        ),
    ]


def timetable(rng: random.Random) -> Rows:
    """Departures, opening hours, events."""
    if rng.random() < 0.5:
        stops = rng.sample(TOWNS, rng.randint(3, 9))
        return [
            ["Train", *stops],
            *(
                [
                    f"RE {rng.randint(100, 999)}",
                    *(f"{(5 + at) % 24:02d}:{rng.randint(0, 59):02d}" for _ in stops),
                ]
                for at in range(rng.randint(6, 60))
            ),
        ]
    return [
        ["Subject", "Start Date", "Start Time", "End Time", "Location"],
        *(
            [
                phrase(rng, 2, 6),
                f"2024-{rng.randint(1, 12):02d}-{rng.randint(1, 28):02d}",
                f"{rng.randint(8, 20)}:00",
                f"{rng.randint(9, 22)}:30",
                rng.choice(TOWNS),
            ]
            for _ in range(rng.randint(8, 80))
        ),
    ]


def statement(rng: random.Random) -> Rows:
    """Bookings on an account."""
    return [
        ["Date", "Description", "Reference", "Amount", "Balance"],
        *(
            [
                f"{rng.randint(1, 28):02d}/{rng.randint(1, 12):02d}/2023",
                f"{rng.choice(FAMILY).upper()} {rng.choice(['CARD', 'TRANSFER', 'DD'])} {digits(rng, 6)}",
                hexes(rng, 10),
                f"{rng.choice(['-', ''])}{rng.randint(1, 900)}.{digits(rng, 2)}",
                f"{rng.randint(10, 9000)}.{digits(rng, 2)}",
            ]
            for _ in range(rng.randint(15, 150))
        ),
    ]


def books(rng: random.Random) -> Rows:
    """A list of literature, films or songs."""
    return [
        rng.choice(
            [
                ["author", "title", "year", "publisher", "isbn"],
                ["Title", "Director", "Year", "Genre", "Url"],
                ["artist", "album", "year", "label", "length"],
            ]
        ),
        *(
            [
                f"{rng.choice(FAMILY)}, {rng.choice(GIVEN)}",
                phrase(rng, 2, 10),
                str(rng.randint(1900, 2024)),
                rng.choice(FAMILY),
                f"978{digits(rng, 10)}",
            ]
            for _ in range(rng.randint(15, 200))
        ),
    ]


def trips(rng: random.Random) -> Rows:
    """Stops of vehicles, as in GTFS."""
    return [
        ["trip_id", "arrival_time", "departure_time", "stop_id", "stop_sequence"],
        *(
            [
                f"{1000 + at // 12}",
                f"{6 + at % 12:02d}:{rng.randint(0, 59):02d}:00",
                f"{6 + at % 12:02d}:{rng.randint(0, 59):02d}:30",
                digits(rng, 6),
                str(1 + at % 12),
            ]
            for at in range(rng.randint(30, 250))
        ),
    ]


def texts(rng: random.Random) -> Rows:
    """Pieces of text with a label, as language models are trained on."""
    head = rng.choice([["text", "label"], ["question", "answer"], ["review", "stars"]])
    return [
        head,
        *(
            [phrase(rng, 8, 60), phrase(rng, 1, 9) if head[1] == "answer" else rng.choice(["0", "1", "5"])]
            for _ in range(rng.randint(15, 150))
        ),
    ]


def staff(rng: random.Random) -> Rows:
    """People of an office with their posts."""
    return [
        ["Name", "Department", "Room", "Extension", "Since"],
        *(
            [
                f"{rng.choice(GIVEN)} {rng.choice(FAMILY)}",
                rng.choice(["Sales", "IT", "Library", "Registry"]),
                f"{rng.choice('ABC')}{digits(rng, 3)}",
                digits(rng, 4),
                str(rng.randint(1995, 2024)),
            ]
            for _ in range(rng.randint(10, 150))
        ),
    ]


def members(rng: random.Random) -> Rows:
    """Which thing belongs to which group."""
    return [
        rng.choice([["group", "member"], ["division", "dept"], ["parent", "child"], ["pref", "city"]]),
        *(
            [
                rng.choice(TOWNS),
                rng.choice([rng.choice(FAMILY), f"{rng.choice('ABCDEFGH')}{rng.choice('ABCDEFGH')}"]),
            ]
            for _ in range(rng.randint(10, 150))
        ),
    ]


FAMILIES: dict[str, Callable[[random.Random], Rows]] = {
    made.__name__: made
    for made in (addresses, log, feed, geometry, timetable, statement, books, trips, texts, staff, members)
}
