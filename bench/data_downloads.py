"""Files that are tables but no statistics: address lists, logs, settings, feeds, geometry, look-up tables."""

import random
from collections.abc import Callable

Rows = list[list[str]]

GIVEN = "Anna Ben Clara David Emma Felix Grace Hugo Ida Jonas Kenji Lena Mari Nils Olga Paul Rosa Sven Tomoko Uwe Vera Yuki".split()
FAMILY = "Abe Bauer Costa Dubois Evans Fischer Garcia Haas Ito Jensen Klein Lopez Meyer Novak Okada Petit Rossi Smith Tanaka Weber".split()
STREETS = "High Street,Church Road,Hauptstraße,Bahnhofstraße,Rue de la Paix,Station Road,Mill Lane,Via Roma,Am Markt,Park Avenue".split(",")
TOWNS = "Leeds Bath Köln Erfurt Lyon Nantes Torino Porto Gent Malmö Osaka Nagoya York Kiel Graz Bern".split()
NOUNS = "lamp chair bottle cable bag clock shirt phone kettle mirror tent brush table wheel filter glass sensor button panel".split()
ADJECTIVES = "red small wooden classic wireless portable large cotton steel outdoor soft digital vintage compact".split()
TEXT = "the a of and to in is for on with this that we you page file error user open save close please select cannot found new old value name list item all none".split()


def said(rng: random.Random, least: int, most: int) -> str:
    return " ".join(rng.choice(TEXT + NOUNS + ADJECTIVES) for _ in range(rng.randint(least, most))).capitalize()


def digits(rng: random.Random, count: int) -> str:
    return "".join(rng.choice("0123456789") for _ in range(count))


def hexes(rng: random.Random, count: int) -> str:
    return "".join(rng.choice("0123456789abcdef") for _ in range(count))


def addresses(rng: random.Random) -> Rows:
    """People or shops with where they are."""
    head = rng.choice([["name", "street", "zip", "city", "phone", "email"], ["Company", "Address", "Town", "Postcode", "Tel"], ["id", "first_name", "last_name", "email", "city"], ["名称", "住所", "電話番号", "郵便番号"]])
    japanese = head[0] == "名称"
    rows = [head]
    for at in range(rng.randint(10, 200)):
        given, family = rng.choice(GIVEN), rng.choice(FAMILY)
        if japanese:
            rows.append([f"{rng.choice('中東西南北')}{rng.choice('山川田島')}{rng.choice(['商店', '小学校', '公民館', '図書館'])}", f"{rng.choice('中東西南北')}{rng.choice('町村')}{rng.randint(1, 9)}-{rng.randint(1, 20)}-{rng.randint(1, 9)}", f"0{digits(rng, 2)}-{digits(rng, 3)}-{digits(rng, 4)}", f"{digits(rng, 3)}-{digits(rng, 4)}"])
            continue
        known = {"name": f"{given} {family}", "Company": f"{family} {rng.choice(['Ltd', 'GmbH', '& Sons'])}", "street": f"{rng.choice(STREETS)} {rng.randint(1, 150)}", "zip": digits(rng, 5), "Postcode": digits(rng, 5), "city": rng.choice(TOWNS), "Town": rng.choice(TOWNS), "phone": f"+{digits(rng, 2)} {digits(rng, 3)} {digits(rng, 6)}", "Tel": f"0{digits(rng, 4)}/{digits(rng, 6)}", "email": f"{given.lower()}.{family.lower()}@{rng.choice(TOWNS).lower()}.org", "id": str(at + 1), "first_name": given, "last_name": family}
        known["Address"] = known["street"]
        rows.append([known[name] for name in head])
    return rows


def log(rng: random.Random) -> Rows:
    """What servers and machines write down."""
    if rng.random() < 0.5:
        rows = [["timestamp", "ip", "method", "path", "status", "bytes", "ms"]]
        for at in range(rng.randint(20, 250)):
            rows.append([f"2024-05-{1 + at // 60 % 28:02d}T{at % 24:02d}:{at % 60:02d}:{rng.randint(0, 59):02d}Z", ".".join(str(rng.randint(1, 254)) for _ in range(4)), rng.choice(["GET", "POST"]), f"/{rng.choice(NOUNS)}/{rng.choice(NOUNS)}.html", rng.choice(["200", "200", "404", "302"]), str(rng.randint(100, 90000)), str(rng.randint(1, 900))])
        return rows
    return [["time", "level", "module", "message"], *([f"2023-11-02 {at % 24:02d}:{at % 60:02d}:11,{digits(rng, 3)}", rng.choice(["INFO", "WARN", "ERROR"]), rng.choice(NOUNS) + ".core", said(rng, 3, 14)] for at in range(rng.randint(20, 250)))]


def settings(rng: random.Random) -> Rows:
    """Keys and values of a program."""
    return [rng.choice([["key", "value"], ["parameter", "default", "description"], ["name", "type", "unit", "default", "description", "status"]]), *(
        [f"{rng.choice(NOUNS)}_{rng.choice(ADJECTIVES)}", rng.choice(["true", "false", str(rng.randint(0, 100)), rng.choice(NOUNS)]), said(rng, 2, 9)] for _ in range(rng.randint(10, 120)))]


def translations(rng: random.Random) -> Rows:
    """Words of a program in several languages."""
    return [["key", "en", "de", "fr"][: rng.randint(3, 4)], *([f"{rng.choice(NOUNS)}.{rng.choice(NOUNS)}.label", *(said(rng, 1, 8) for _ in range(3))] for _ in range(rng.randint(20, 200)))]


def feed(rng: random.Random) -> Rows:
    """Goods of a shop with prices and stock."""
    rows = [rng.choice([["sku", "title", "description", "price", "currency", "stock", "link"], ["id", "name", "brand", "price", "image_link", "availability"], ["Artikelnummer", "Bezeichnung", "Preis", "Lager"]])]
    for at in range(rng.randint(15, 200)):
        name, price = f"{rng.choice(ADJECTIVES)} {rng.choice(NOUNS)}".title(), f"{rng.randint(1, 300)}.{rng.choice(['99', '95', '00', '49'])}"
        rows.append({7: [f"SKU-{digits(rng, 5)}", name, said(rng, 6, 25), price, "EUR", str(rng.randint(0, 90)), f"https://shop.org/p/{at}"], 6: [str(1000 + at), name, rng.choice(FAMILY), price, f"https://shop.org/i/{hexes(rng, 8)}.jpg", rng.choice(["in stock", "out of stock"])], 4: [digits(rng, 8), name, price.replace(".", ","), str(rng.randint(0, 40))]}[len(rows[0])])
    return rows


def words(rng: random.Random) -> Rows:
    """Words with their meaning, part of speech, or a number."""
    head = rng.choice([["word", "pos", "definition"], ["term", "translation"], ["lemma", "tag", "count"], ["kanji", "reading", "meaning"]])
    return [head, *([rng.choice(NOUNS + ADJECTIVES) + rng.choice("abcdefgh"), rng.choice(["noun", "verb", "adj"]), str(rng.randint(1, 900)) if head[-1] == "count" else said(rng, 1, 10)][: len(head)] for _ in range(rng.randint(30, 250)))]


def geometry(rng: random.Random) -> Rows:
    """Points, lines and meshes."""
    kind = rng.randint(0, 3)
    if kind == 0:
        return [["name", "lat", "lon"], *([f"{rng.choice(TOWNS)} {rng.choice(NOUNS)}", f"{rng.uniform(-60, 70):.6f}", f"{rng.uniform(-170, 170):.6f}"] for _ in range(rng.randint(20, 200)))]
    if kind == 1:
        return [["x", "y", "z"], *([f"{rng.uniform(-100, 100):.{rng.choice([3, 6])}f}" for _ in range(3)] for _ in range(rng.randint(30, 250)))]
    if kind == 2:
        return [["id", "wkt"], *([str(at), f"POLYGON(({', '.join(f'{rng.uniform(5, 9):.5f} {rng.uniform(45, 50):.5f}' for _ in range(rng.randint(4, 12)))}))"] for at in range(rng.randint(10, 90)))]
    return [["stop_id", "stop_name", "stop_lat", "stop_lon", "location_type"], *([digits(rng, 6), f"{rng.choice(STREETS)}", f"{rng.uniform(47, 54):.6f}", f"{rng.uniform(6, 14):.6f}", rng.choice("01")] for _ in range(rng.randint(20, 200)))]


def lookup(rng: random.Random) -> Rows:
    """Codes and what they stand for."""
    head = rng.choice([["code", "name"], ["alpha2", "alpha3", "numeric", "name"], ["id", "parent_id", "label", "description"], ["EPSG", "name", "area_code", "deprecated"]])
    rows = [head]
    for at in range(rng.randint(15, 220)):
        cells = [f"{rng.choice('ABCDEFG')}{digits(rng, rng.randint(1, 3))}", rng.choice(["", f"{rng.choice('ABC')}{digits(rng, 2)}"]), str(at), said(rng, 1, 7)]
        rows.append([*cells[: len(head) - 1], cells[-1]] if len(head) < 4 else rng.sample(cells, 4) if rng.random() < 0.3 else cells)
    return rows


def timetable(rng: random.Random) -> Rows:
    """Departures, opening hours, events."""
    if rng.random() < 0.5:
        stops = rng.sample(TOWNS, rng.randint(3, 9))
        return [["Train", *stops], *([f"RE {rng.randint(100, 999)}", *(f"{(5 + at) % 24:02d}:{rng.randint(0, 59):02d}" for _ in stops)] for at in range(rng.randint(6, 60)))]
    return [["Subject", "Start Date", "Start Time", "End Time", "Location"], *([said(rng, 2, 6), f"2024-{rng.randint(1, 12):02d}-{rng.randint(1, 28):02d}", f"{rng.randint(8, 20)}:00", f"{rng.randint(9, 22)}:30", rng.choice(TOWNS)] for _ in range(rng.randint(8, 80)))]


def statement(rng: random.Random) -> Rows:
    """Bookings on an account."""
    return [["Date", "Description", "Reference", "Amount", "Balance"], *([f"{rng.randint(1, 28):02d}/{rng.randint(1, 12):02d}/2023", f"{rng.choice(FAMILY).upper()} {rng.choice(['CARD', 'TRANSFER', 'DD'])} {digits(rng, 6)}", hexes(rng, 10), f"{rng.choice(['-', ''])}{rng.randint(1, 900)}.{digits(rng, 2)}", f"{rng.randint(10, 9000)}.{digits(rng, 2)}"] for _ in range(rng.randint(15, 150)))]


def books(rng: random.Random) -> Rows:
    """A list of literature, films or songs."""
    return [rng.choice([["author", "title", "year", "publisher", "isbn"], ["Title", "Director", "Year", "Genre", "Url"], ["artist", "album", "year", "label", "length"]]), *(
        [f"{rng.choice(FAMILY)}, {rng.choice(GIVEN)}", said(rng, 2, 10), str(rng.randint(1900, 2024)), rng.choice(FAMILY), f"978{digits(rng, 10)}"] for _ in range(rng.randint(15, 200)))]


def manifest(rng: random.Random) -> Rows:
    """Files with their sums and sizes."""
    rows = [[f"{rng.choice(NOUNS)}/{rng.choice(NOUNS)}{digits(rng, 2)}.{rng.choice(['py', 'js', 'png', 'txt'])}", f"sha256={hexes(rng, 32)}", str(rng.randint(10, 90000))] for _ in range(rng.randint(15, 220))]
    return rows if rng.random() < 0.6 else [["path", "hash", "size"], *rows]


def trips(rng: random.Random) -> Rows:
    """Stops of vehicles as programs exchange them."""
    return [["trip_id", "arrival_time", "departure_time", "stop_id", "stop_sequence"], *([f"{1000 + at // 12}", f"{6 + at % 12:02d}:{rng.randint(0, 59):02d}:00", f"{6 + at % 12:02d}:{rng.randint(0, 59):02d}:30", digits(rng, 6), str(1 + at % 12)] for at in range(rng.randint(30, 250)))]


def vectors(rng: random.Random) -> Rows:
    """Numbers for a program: weights, test vectors, pixels."""
    if rng.random() < 0.5:
        return [["dtype", "input", "output", "ulperror"], *(["np.float32", f"0x{hexes(rng, 8)}", f"0x{hexes(rng, 8)}", str(rng.randint(1, 4))] for _ in range(rng.randint(30, 250)))]
    width = rng.randint(16, 40)
    pixels = rng.random() < 0.5
    return [[str(rng.randint(0, 255)) if pixels else f"{rng.gauss(0, 1):.8f}" for _ in range(width)] for _ in range(rng.randint(20, 120))]


def colours(rng: random.Random) -> Rows:
    """Colours and signs with their numbers."""
    return [["name", "hex", "r", "g", "b"], *([f"{rng.choice(ADJECTIVES)}{rng.choice(NOUNS)}", f"#{hexes(rng, 6)}", *(str(rng.randint(0, 255)) for _ in range(3))] for _ in range(rng.randint(20, 160)))]


def moved(rng: random.Random) -> Rows:
    """Addresses of pages: old and new, or a list to fetch."""
    return [["from", "to", "code"], *([f"/{rng.choice(NOUNS)}/{digits(rng, 4)}", f"https://www.{rng.choice(TOWNS).lower()}.org/{rng.choice(NOUNS)}", "301"] for _ in range(rng.randint(15, 200)))]


def texts(rng: random.Random) -> Rows:
    """Pieces of text with a label, as language models are taught."""
    head = rng.choice([["text", "label"], ["question", "answer"], ["review", "stars"]])
    return [head, *([said(rng, 8, 60), said(rng, 1, 9) if head[1] == "answer" else rng.choice(["0", "1", "5"])] for _ in range(rng.randint(15, 150)))]


def staff(rng: random.Random) -> Rows:
    """People of an office with their posts."""
    return [["Name", "Department", "Room", "Extension", "Since"], *([f"{rng.choice(GIVEN)} {rng.choice(FAMILY)}", rng.choice(["Sales", "IT", "Library", "Registry"]), f"{rng.choice('ABC')}{digits(rng, 3)}", digits(rng, 4), str(rng.randint(1995, 2024))] for _ in range(rng.randint(10, 150)))]


def symbols(rng: random.Random) -> Rows:
    """Signs with codes and names."""
    return [["codepoint", "name", "category", "block"], *([f"U+{hexes(rng, 4).upper()}", said(rng, 2, 5).upper(), rng.choice(["Lu", "Ll", "So", "Nd"]), rng.choice(["Latin", "Greek", "Arrows"])] for _ in range(rng.randint(30, 250)))]


def codebook(rng: random.Random) -> Rows:
    """Names of variables with what they mean: about data, but none."""
    head = rng.choice([["variable", "description"], ["Code", "Label", "Values"], ["column", "type", "meaning"], ["field", "label"]])
    subjects = ["Median household income", "Population 25 to 64 years", "Total number of births", "Mean temperature (°C)", "Share of women (%)", "Rate per 1,000", "Age of the respondent"]
    rows = [head]
    for _ in range(rng.randint(8, 120)):
        cells = [rng.choice([f"B{digits(rng, 5)}", f"v{digits(rng, 2)}", f"{rng.choice(NOUNS)}_{rng.choice(NOUNS)}"]), f"{rng.choice(subjects)}{rng.choice(['', ': standard error', ', ' + said(rng, 1, 5)])}", rng.choice(["numeric", "1=yes 2=no", "factor", "integer"])]
        rows.append(cells if len(head) > 2 else cells[:2])
    return rows


def compared(rng: random.Random) -> Rows:
    """What products can do, with yes and no."""
    makes = [f"{rng.choice(FAMILY)} {rng.randint(100, 999)}" for _ in range(rng.randint(2, 7))]
    return [["Feature", *makes], *([said(rng, 1, 4), *(rng.choice(["yes", "no", "✓", "", f"{rng.randint(1, 64)} GB"]) for _ in makes)] for _ in range(rng.randint(8, 60)))]


def members(rng: random.Random) -> Rows:
    """Which thing belongs to which group."""
    return [rng.choice([["group", "member"], ["division", "dept"], ["parent", "child"], ["pref", "city"]]), *([rng.choice(TOWNS), rng.choice([rng.choice(FAMILY), f"{rng.choice('ABCDEFGH')}{rng.choice('ABCDEFGH')}"])] for _ in range(rng.randint(10, 150)))]


FAMILIES: dict[str, Callable[[random.Random], Rows]] = {
    made.__name__: made
    for made in (addresses, log, settings, translations, feed, words, geometry, lookup, timetable, statement, books, manifest, trips, vectors, colours, moved, texts, staff, symbols, codebook, compared, members)
}
