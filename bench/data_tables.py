"""Statistical tables made up in many shapes: what offices, surveys, stations and laboratories publish."""

import datetime
import random
import re
from collections.abc import Callable

Rows = list[list[str]]

COUNTRIES = "Austria Belgium Bulgaria Croatia Denmark Estonia Finland France Germany Greece Hungary Ireland Italy Latvia Malta Norway Poland Portugal Spain Sweden Kenya Ghana Brazil Chile Peru India Japan Nepal Canada Mexico".split()
CODES = "AT BE BG HR DK EE FI FR DE GR HU IE IT LV MT NO PL PT ES SE KE GH BR CL PE IN JP NP CA MX".split()
LAENDER = ["Baden-Württemberg", "Bayern", "Berlin", "Brandenburg", "Bremen", "Hamburg", "Hessen", "Saarland", "Sachsen", "Thüringen"]
PREFECTURES = "北海道 青森県 岩手県 宮城県 秋田県 山形県 福島県 茨城県 栃木県 群馬県 埼玉県 千葉県 東京都 神奈川県 新潟県 富山県 石川県 福井県 山梨県 長野県".split()
TOPICS = ["Population", "Unemployment rate", "Live births", "Exports of goods", "Household income", "Road accidents", "Electricity production", "Hospital beds", "Crops harvested", "Consumer prices", "Students enrolled", "Waste collected", "Overnight stays"]
UNITS = ["thousand persons", "%", "million EUR", "per 1,000 inhabitants", "index 2015=100", "GWh", "tonnes", "number", "ha"]


def number(rng: random.Random, scale: float, places: int = 0, grouped: str = "", comma: bool = False) -> str:
    value = rng.lognormvariate(0, 0.8) * scale
    text = f"{value:,.{places}f}"
    text = text.replace(",", "§").replace(".", "," if comma else ".").replace("§", grouped)
    return text


def holes(rng: random.Random, rows: Rows, share: float, mark: str, first: int = 1) -> Rows:
    return [rows[0], *([cell if at < first or rng.random() > share else mark for at, cell in enumerate(row)] for row in rows[1:])]


def days(rng: random.Random, count: int) -> list[str]:
    """Return days one after another, in one of the ways in which they are written."""
    form = rng.choice(["%Y-%m-%d", "%d/%m/%Y", "%m/%d/%Y", "%d.%m.%Y", "%Y%m%d", "%Y/%m/%d", "%b %d, %Y", "%d-%b-%y", "%Y-%m-%d 00:00:00"])
    first = datetime.date(rng.randint(1950, 2022), rng.randint(1, 12), rng.randint(1, 28))
    step = rng.choice([1, 1, 1, 7, 30])
    made = [(first + datetime.timedelta(days=step * at)).strftime(form) for at in range(count)]
    return [re.sub(r"\b0(?=\d/)", "", day) for day in made] if form == "%m/%d/%Y" else made


def years(rng: random.Random, most: int = 30) -> list[int]:
    end = rng.randint(1975, 2024)
    return list(range(end - rng.randint(3, most), end + 1))


def wide_years(rng: random.Random) -> Rows:
    """Regions down, years across, as offices print it, with a title, a unit and a source."""
    topic, unit, span = rng.choice(TOPICS), rng.choice(UNITS), years(rng)
    places, scale, grouped = rng.choice([0, 0, 1, 2]), rng.choice([3, 50, 4e3, 9e5]), rng.choice(["", ",", " "])
    names = rng.sample(COUNTRIES, rng.randint(5, 28))
    rows = [[rng.choice(["", "Region", "Country", "geo\\time"]), *map(str, span)]]
    rows += [[name, *(number(rng, scale, places, grouped) for _ in span)] for name in ["Total", *names][rng.randint(0, 1):]]
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
    names = rng.sample(["gdp", "cpi", "unemp", "m1", "exports", "imports", "tbilrate", "realgdp", "wages", "cases", "deaths", "value", "rainfall", "tmax", "tmin", "sunspots"], rng.randint(1, 7))
    scales, places = [rng.choice([1, 20, 700, 1e5]) for _ in names], rng.choice([0, 1, 2, 3, 5])
    head = [rng.choice([kind, "date", "time", "Year", "DATE", "period"]), *names]
    rows = [head, *([at, *(number(rng, scale, places) for scale in scales)] for at in period)]
    if rng.random() < 0.25:  # a mark for figures that are estimated or provisional
        rows = [[*rows[0], rng.choice(["code", "status", "flag"])], *([*row, rng.choice(["A", "A", "e", "P"])] for row in rows[1:])]
    return holes(rng, rows, rng.choice([0, 0, 0.1, 0.5]), rng.choice(["", "NA", "-", "."]))


def observations(rng: random.Random) -> Rows:
    """One observation a line under codes of its dimensions, as exchanged between offices."""
    head = ["FREQ", "GEO", "INDICATOR", "SEX", "AGE", "TIME_PERIOD", "OBS_VALUE", "OBS_STATUS"]
    keep = sorted(rng.sample(range(1, 5), rng.randint(1, 4)))
    rows = []
    for geo in rng.sample(CODES, rng.randint(3, 12)):
        for year in years(rng, 12):
            cells = ["A", geo, rng.choice(["EMP_RT", "POP_TOT", "B1GQ"]), rng.choice("MFT"), rng.choice(["Y15-24", "Y25-64", "TOTAL"]), str(year), number(rng, 60, 1), rng.choice(["", "", "p", "e"])]
            rows.append([cells[at] for at in (*keep, 5, 6, 7)])
    return [[head[at] for at in (*keep, 5, 6, 7)], *rows]


def microdata(rng: random.Random) -> Rows:
    """One person a line, answers as codes and small numbers."""
    names = rng.sample(["age", "sex", "educ", "income", "hours", "married", "children", "q1", "q2", "q3", "q4", "region", "weight", "smoker", "score", "party", "satisfaction", "exper", "union", "wage"], rng.randint(4, 16))
    words = {"sex": ["male", "female"], "region": ["north", "south", "east", "west"], "smoker": ["yes", "no"], "party": ["A", "B", "C", "none"], "married": ["yes", "no"]}
    spoken = rng.random() < 0.5

    def answer(name: str) -> str:
        if name in words:
            return rng.choice(words[name]) if spoken else str(rng.randint(0, len(words[name]) - 1))
        if name in ("income", "wage", "weight"):
            return number(rng, rng.choice([12, 2e4]), rng.choice([0, 2]))
        return str(rng.randint(16, 90) if name == "age" else rng.randint(1, 60) if name in ("hours", "exper", "score") else rng.randint(0, 5))

    index = rng.random() < 0.5
    rows = [[*([rng.choice(["", "rownames", "id"])] if index else []), *names]]
    rows += [[*([str(i + 1)] if index else []), *map(answer, names)] for i in range(rng.randint(20, 250))]
    return holes(rng, rows, rng.choice([0, 0.02, 0.1]), rng.choice(["NA", "", "."]))


def laboratory(rng: random.Random) -> Rows:
    """Measurements under treatments, a trial a line."""
    groups = rng.sample(["control", "treated", "low", "high", "placebo", "A", "B", "C", "setosa", "wild type", "mutant"], rng.randint(2, 4))
    measured = rng.sample(["length", "width", "mass", "conc", "uptake", "time", "yield", "response", "ph", "temp", "od600", "count", "dose"], rng.randint(1, 6))
    rows = [[*(["rownames"] if rng.random() < 0.4 else []), *measured, rng.choice(["group", "treatment", "species"])]]
    index = rows[0][0] == "rownames"
    scale, places = [rng.choice([0.5, 6, 90]) for _ in measured], rng.choice([1, 2, 3, 4])
    for at in range(rng.randint(10, 200)):
        rows.append([*([str(at + 1)] if index else []), *(number(rng, s, places) for s in scale), rng.choice(groups)])
    if rng.random() < 0.2:
        rows = [row[:-1] for row in rows]
    return rows


def crossed(rng: random.Random) -> Rows:
    """Two lines of headings, groups down, shares across."""
    tops, subs = rng.sample(["Men", "Women", "Total", "Urban", "Rural", "2011", "2021"], rng.randint(2, 3)), rng.sample(["Number", "%", "Rate", "15-24", "25-64", "65+"], rng.randint(2, 3))
    rows = [[rng.choice(["Table 3. ", ""]) + rng.choice(TOPICS) + " by age and sex"], [""] + [top if not at else "" for top in tops for at in range(len(subs))], ["Age group", *(subs * len(tops))]]
    for low in range(0, rng.randint(30, 95), 5):
        rows.append([f"{low}-{low + 4}", *(number(rng, rng.choice([30, 4e4]), rng.choice([0, 1]), ",") for _ in range(len(tops) * len(subs)))])
    return [*rows, ["Total", *(number(rng, 9e4, 0, ",") for _ in range(len(tops) * len(subs)))]]


def german(rng: random.Random) -> Rows:
    """A table of a German office: semicolons, decimal commas, a date of reference."""
    span = years(rng, 8)
    rows = [[rng.choice(["Bevölkerung nach Ländern", "Erwerbslose", "Übernachtungen", "Verbraucherpreise"])], ["Deutschland"], ["Stichtag", *([""] * 3)]]
    rows.append(["Land", *(f"31.12.{year}" if rng.random() < 0.5 else str(year) for year in span)])
    scale, places = rng.choice([(8e6, 0), (7, 1), (110, 2)])
    rows += [[land, *(number(rng, scale, places, rng.choice(["", "."]), comma=True) for _ in span)] for land in [*LAENDER, "Insgesamt"]]
    return [*holes(rng, rows, 0.05, rng.choice([".", "-", "x", "/"])), ["__________"], ["© Statistisches Amt, " + str(span[-1])]]


def japanese(rng: random.Random) -> Rows:
    """A table of a Japanese office: a title, a unit, eras, names of prefectures."""
    heads = rng.choice([["総数", "男", "女"], ["世帯数", "人口", "人口密度"], ["平成27年", "令和2年", "増減率"], [f"{y}年" for y in range(2015, 2021)], ["出生数", "死亡数", "自然増減"]])
    rows = [[rng.choice(["第1表　都道府県別人口", "人口推計", "労働力調査　長期時系列", "家計調査", "学校基本調査"])], [rng.choice(["（単位：千人）", "単位：人", "（百万円）", ""])]]
    rows.append([rng.choice(["", "都道府県", "地域", "年次"]), *heads])
    names = ["全国", *PREFECTURES[: rng.randint(6, 20)]]
    coded = rng.random() < 0.4
    for at, name in enumerate(names):
        rows.append([*([f"{at:02d}000"] if coded else []), name, *(number(rng, rng.choice([900, 2e6]), rng.choice([0, 0, 1]), rng.choice(["", ","])) for _ in heads)])
    return [*rows, ["資料：総務省統計局"]] if rng.random() < 0.5 else rows


def market(rng: random.Random) -> Rows:
    """Prices of a day: open, high, low, close, volume."""
    head = rng.choice([["Date", "Open", "High", "Low", "Close", "Volume"], ["date", "price"], ["Month", "Adj Close", "Return"]])
    return [head, *([day, *(number(rng, 80, 2) for _ in head[1:])] for day in days(rng, rng.randint(30, 250)))]


def outbreak(rng: random.Random) -> Rows:
    """Counts of each day in each place."""
    rows = [["date", "iso_code", "location", "new_cases", "total_cases", "new_deaths", "positive_rate"]]
    for code, name in rng.sample(list(zip(CODES, COUNTRIES, strict=True)), rng.randint(2, 6)):
        for day in days(rng, rng.randint(10, 60)):
            rows.append([day, code, name, number(rng, 300), number(rng, 9000), number(rng, 9), number(rng, 0.1, 3)])
    return holes(rng, rows, 0.08, "", 3)


def votes(rng: random.Random) -> Rows:
    """Results of a vote in each district."""
    parties = rng.sample(["CDU", "SPD", "Labour", "Green", "Liberal", "Others", "PSOE", "PP", "Left"], rng.randint(2, 6))
    rows = [["district", "registered", "turnout %", "valid votes", *parties]]
    for at in range(rng.randint(8, 150)):
        rows.append([f"{rng.choice(COUNTRIES)} {at + 1}", number(rng, 5e4), number(rng, 60, 1), number(rng, 3e4), *(number(rng, 6e3) for _ in parties)])
    return rows


def estimated(rng: random.Random) -> Rows:
    """Results of models: coefficients with their errors, or a matrix of correlations."""
    names = rng.sample(["const", "age", "educ", "income", "x1", "x2", "treat", "year", "sex"], rng.randint(3, 8))
    if rng.random() < 0.4:
        return [["", *names], *([name, *(number(rng, 0.3, 4) for _ in names)] for name in names)]
    head = ["", "coef", "std err", "t", "P>|t|", "[0.025", "0.975]"]
    return [head, *([name, *(rng.choice(["", "-"]) + number(rng, 0.7, 4) for _ in head[1:])] for name in names)]


def bare(rng: random.Random) -> Rows:
    """Figures alone with short names, as text books ship them."""
    names = rng.choice([["x", "y"], ["V1", "V2", "V3"], ["y", "x1", "x2", "x3"], [f"X{at}" for at in range(rng.randint(2, 12))], ["time", "value"]])
    places = rng.choice([0, 1, 2, 4, 6])
    return [names, *([number(rng, rng.choice([1, 40]), places) for _ in names] for _ in range(rng.randint(8, 200)))]


def stations(rng: random.Random) -> Rows:
    """Weather of stations with their codes."""
    rows = [["STATION", "NAME", "DATE", "PRCP", "TMAX", "TMIN", "SNOW"]]
    for at, day in enumerate(days(rng, rng.randint(20, 200))):
        rows.append([f"USW000{rng.randint(1, 9)}{at % 7:04d}", f"{rng.choice(COUNTRIES).upper()} AIRPORT", day, number(rng, 0.2, 2), number(rng, 60, 0), number(rng, 40, 0), number(rng, 0.1, 1)])
    return holes(rng, rows, 0.05, "", 3)


def ranked(rng: random.Random) -> Rows:
    """Places or teams with many measures of the same year."""
    heads = rng.sample(["GDP per capita", "Life expectancy", "HDI", "Literacy rate", "Area km2", "Density", "Goals", "Points", "Wins", "Internet users %", "CO2 per capita", "Median age"], rng.randint(3, 9))
    return [["Rank", "Country", *heads], *([str(at + 1), name, *(number(rng, rng.choice([1, 70, 3e4]), rng.choice([0, 1, 2]), rng.choice(["", ","])) for _ in heads)] for at, name in enumerate(rng.sample(COUNTRIES, rng.randint(8, 30))))]


def tidy(rng: random.Random) -> Rows:
    """One value a line, its groups in words."""
    groups = {"Sex": ["Male", "Female", ""], "Age": ["15-24", "25-54", "55+", ""], "Area": ["Urban", "Rural", ""], "Region": ["North", "South", "Centre", ""], "Sector": ["Industry", "Services", "Agriculture"], "Quintile": ["I", "II", "III", "IV", "V"]}
    used = rng.sample(sorted(groups), rng.randint(0, 3))
    more = rng.random() < 0.4
    rows = [["Year", *used, *(["Units"] if more else []), rng.choice(["Value", "value", "OBS", "Percent"])]]
    unit, scale, places = rng.choice(UNITS), rng.choice([0.6, 30, 2e4]), rng.choice([0, 1, 2])
    for year in years(rng, 20):
        for _ in range(rng.randint(1, 6)):
            rows.append([str(year), *(rng.choice(groups[name]) for name in used), *([unit] if more else []), number(rng, scale, places)])
    return holes(rng, rows, rng.choice([0, 0, 0.3, 0.7]), "", len(rows[0]) - 1)


FAMILIES: dict[str, Callable[[random.Random], Rows]] = {
    made.__name__: made
    for made in (wide_years, series, observations, microdata, laboratory, crossed, german, japanese, market, outbreak, votes, estimated, bare, stations, ranked, tidy)
}
