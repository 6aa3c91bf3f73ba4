"""Fill the tables and figures of the docs from the data files in docs/lab/data.

Run:  python docs/figures.py

A data file is a CSV table; lines that begin with # come first: the command that made it, date, commit.
A page holds two kinds of markers, and this program writes what stands between them:

    <!-- figures: NAME | column=value; column=value | column; column -->     a table of data/NAME.csv
    <!-- /figures -->                              filters and the choice of columns may be left out

    <!-- f:NAME.KEY.COLUMN -->0.583<!-- /f -->     one value; KEY begins its row, cells joined by /
    <!-- f:NAME.FIELD -->600<!-- /f -->            one field of the header

Column `X ±` is half the 95 % interval of `X`, `X low` and `X high` are its bounds; tables show them in
one cell. Benches write data files with `save_markdown` or `save` and then call `refresh`.
`tests/test_figures.py` fails when a page differs from its data, or when prose names a figure by hand.
"""

import csv
import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

DOCS = Path(__file__).parent
DATA = DOCS / "lab" / "data"
_OTHERS = (DOCS.parent / "README.md", DOCS / "installing.md", DOCS / "papers.md")
PAGES = (*_OTHERS, *sorted((DOCS / "lab").glob("*.md")))

BLOCK = re.compile(r"(<!-- figures: (.+?) -->\n).*?(<!-- /figures -->)", re.DOTALL)
VALUE = re.compile(r"(<!-- f:(.+?) -->).*?(<!-- /f -->)", re.DOTALL)
NUMBER = r"[+−-]?(?:\d[\d,]*)?\.?\d+(?:e-?\d+)?%?"
MEAN_HALF = re.compile(rf"({NUMBER}) ± ({NUMBER})")
MEAN_RANGE = re.compile(rf"({NUMBER}) \(({NUMBER})–({NUMBER})\)")
MEAN_NAME = re.compile(rf"({NUMBER}) \(([^()]+)\)")

POLICIES = ("clew", "ariadne", "shark", "keyword", "ache", "best-first", "tagpath")
"""The policies of the table in the README."""


@dataclass(frozen=True, slots=True)
class Table:
    """A data file: header fields, names of columns, and rows of text."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    header: Mapping[str, str] = field(default_factory=dict)

    def select(self, filters: Mapping[str, str], names: Sequence[str]) -> "Table":
        """Return the rows that have these values, with these columns; a filtered column is not shown."""
        self._check([*filters, *names])
        kept = [
            row
            for row in self.rows
            if all(row[self.columns.index(name)] == value for name, value in filters.items())
        ]
        shown = [at for at, name in enumerate(self.columns) if self._is_shown(name, filters, names)]
        if names:
            shown.sort(key=lambda at: names.index(_base(self.columns[at], self.columns)))
        columns = tuple(self.columns[at] for at in shown)
        return Table(columns, tuple(tuple(row[at] for at in shown) for row in kept), self.header)

    def value(self, key: str, column: str) -> str:
        """Return one cell; the key must be the beginning of exactly one row."""
        self._check([column])
        parts = tuple(key.split("/"))
        found = [row for row in self.rows if row[: len(parts)] == parts]
        if len(found) != 1:
            problem = f"{len(found)} rows begin with {key}"
            raise LookupError(problem)
        return _shown(found[0][self.columns.index(column)])

    def _check(self, names: Iterable[str]) -> None:
        for name in names:
            if name not in self.columns:
                problem = f"no column {name}; there are: {', '.join(self.columns)}"
                raise LookupError(problem)

    def _is_shown(self, name: str, filters: Mapping[str, str], names: Sequence[str]) -> bool:
        base = _base(name, self.columns)
        return base in names if names else base not in filters


def load(name: str) -> Table:
    """Read a data file by its name, without suffix."""
    if (DATA / f"{name}.json").exists():
        read = json.loads((DATA / f"{name}.json").read_text("utf-8"))
        rows = tuple(tuple(map(_number, row.values())) for row in read["rows"])
        columns = tuple("mean ±" if column == "interval" else column for column in read.pop("rows")[0])
        return Table(columns, rows, {key: str(value) for key, value in read.items()})
    lines = (DATA / f"{name}.csv").read_text("utf-8").splitlines()
    header = dict(line[2:].split(": ", 1) for line in lines if line.startswith("# "))
    columns, *rows = csv.reader(line for line in lines if not line.startswith("# "))
    return Table(tuple(columns), tuple(map(tuple, rows)), header)


def save(name: str, table: Table, **header: object) -> None:
    """Write a data file; the header says what made it, and is completed with today's date."""
    fields = {"date": f"{datetime.now(UTC):%Y-%m-%d}", **table.header, **header}
    DATA.mkdir(parents=True, exist_ok=True)
    with (DATA / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
        file.writelines(f"# {key}: {value}\n" for key, value in fields.items())
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(table.columns)
        writer.writerows(table.rows)


def save_markdown(name: str, text: str, **header: object) -> None:
    """Write the first Markdown table of a text as a data file."""
    save(name, from_markdown(text), **header)


# ---- from Markdown ---------------------------------------------------------------------------------


def from_markdown(text: str) -> Table:
    """Read the first Markdown table of a text; means with intervals become columns of their own."""
    lines = [line.strip() for line in text.splitlines()]
    first = next(at for at, line in enumerate(lines) if line.startswith("|"))
    cells = []
    for line in lines[first:]:
        if not line.startswith("|"):
            break
        cells.append([cell.strip() for cell in line.strip("|").split("|")])
    head, _, *rows = [[re.sub(r"\*\*|`", "", cell) for cell in row] for row in cells]
    columns: list[str] = []
    filled: list[list[str]] = [[] for _ in rows]
    for at, name in enumerate(head):
        names, values = _split(name, [row[at] if at < len(row) else "" for row in rows])
        columns += names
        for row, value in zip(filled, values, strict=True):
            row.extend(value)
    return Table(tuple(columns), tuple(map(tuple, filled)))


def _split(name: str, cells: Sequence[str]) -> tuple[list[str], list[list[str]]]:
    """Return the columns that one column of a Markdown table becomes, and their values row by row."""
    for pattern, suffixes in ((MEAN_HALF, (" ±",)), (MEAN_RANGE, (" low", " high"))):
        if any(pattern.fullmatch(cell) for cell in cells):
            wide = [_matched(pattern, cell, len(suffixes) + 1) for cell in cells]
            return [name, *(name + suffix for suffix in suffixes)], wide
    many = max((cell.count(" / ") for cell in cells), default=0) + 1
    names = name.split(" / ")
    if many > 1 and len(names) == many:
        prefix = names[0].rpartition(" ")[0]
        if prefix and all(" " not in each for each in names[1:]):
            names = [names[0], *(f"{prefix} {each}" for each in names[1:])]
        parts = [cell.split(" / ") for cell in cells]
        return names, [[_plain(part) for part in each] + [""] * (many - len(each)) for each in parts]
    if cells and all(MEAN_NAME.fullmatch(cell) for cell in cells if cell):
        return [name, f"{name}: which"], [_matched(MEAN_NAME, cell, 2) for cell in cells]
    if any(cell.endswith("%") for cell in cells) and all(
        re.fullmatch(NUMBER, cell) for cell in cells if cell.strip("–")
    ):
        return [f"{name}, %"], [[_plain(cell.rstrip("%"))] for cell in cells]
    return [name], [[_plain(cell)] for cell in cells]


def _matched(pattern: re.Pattern[str], cell: str, width: int) -> list[str]:
    match = pattern.fullmatch(cell)
    return [_plain(part) for part in match.groups()] if match else [_plain(cell)] + [""] * (width - 1)


def _plain(cell: str) -> str:
    """Return a number as programs read it; a dash is an empty cell."""
    if cell in ("–", "nan", "–%"):
        return ""
    if re.fullmatch(NUMBER, cell) and not cell.endswith("%"):
        cell = cell.replace(",", "").replace("−", "-")
        return re.sub(r"^([+-]?)\.", r"\g<1>0.", cell)
    return cell


# ---- into pages ------------------------------------------------------------------------------------


def filled(text: str, folder: Path) -> str:
    """Return a page with its tables and figures written anew from the data files."""
    text = BLOCK.sub(lambda match: f"{match[1]}{block(match[2], folder)}{match[3]}", text)
    return VALUE.sub(lambda match: f"{match[1]}{one(match[2])}{match[3]}", text)


def block(spec: str, folder: Path) -> str:
    """Return the Markdown table that a marker asks for, and the line that says where it comes from."""
    name, filters, names = (*(part.strip() for part in spec.split("|")), "", "")[:3]
    wanted = dict(part.strip().split("=", 1) for part in filters.split(";") if part.strip())
    table = load(name).select(wanted, [part.strip() for part in names.split(";") if part.strip()])
    return f"{markdown(table)}\n{_source(name, table.header, folder)}\n"


def one(spec: str) -> str:
    """Return the one value that a marker names."""
    name, _, rest = spec.partition(".")
    key, dot, column = rest.rpartition(".")
    table = load(name)
    return table.value(key, column) if dot else _shown(table.header[rest])


def markdown(table: Table) -> str:
    """Return a table in Markdown; an interval stands in the cell of its mean."""
    bases = list(dict.fromkeys(_base(name, table.columns) for name in table.columns))
    rows = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
    lines = [[_joined(row, base) for base in bases] for row in rows]
    right = [_numeric(row[table.columns.index(base)] for row in table.rows) for base in bases]
    rule = "|".join("---:" if number else "---" for number in right)
    return "\n".join([_line(bases), f"|{rule}|", *map(_line, lines)]) + "\n"


def _joined(row: Mapping[str, str], name: str) -> str:
    cell = _shown(row[name])
    if row.get(f"{name} ±"):
        return f"{cell} ± {_shown(row[f'{name} ±'])}"
    if row.get(f"{name} low"):
        return f"{cell} ({_shown(row[f'{name} low'])}–{_shown(row[f'{name} high'])})"
    if row.get(f"{name}: which"):
        return f"{cell} ({row[f'{name}: which']})"
    return cell


def in_order(names: Sequence[str]) -> tuple[str, ...]:
    """Return names of columns with each interval behind its mean."""
    return tuple(sorted(names, key=lambda name: names.index(_base(name, names))))


def _base(name: str, columns: Sequence[str]) -> str:
    """Return the column in whose cell this one is shown: its own, or that of the mean it belongs to."""
    for suffix in (" ±", " low", " high", ": which"):
        if name.endswith(suffix) and name.removesuffix(suffix) in columns:
            return name.removesuffix(suffix)
    return name


def _shown(cell: str) -> str:
    if re.fullmatch(r"-?\d{4,}", cell):
        return f"{int(cell):,}"
    return cell or "–"


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _numeric(cells: Iterable[str]) -> bool:
    return all(re.fullmatch(rf"(?:> )?{NUMBER}|", cell) for cell in cells)


def _number(value: object) -> str:
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def _source(name: str, header: Mapping[str, str], folder: Path) -> str:
    """Return the line below a table: its data file, when and at which commit it was measured."""
    path = next(path for path in (DATA / f"{name}.csv", DATA / f"{name}.json") if path.exists())
    link = path.relative_to(folder).as_posix()
    commit = f" at commit {header['commit']}" if header.get("commit") else ""
    return f"*Data: [{path.name}]({link}), measured {header['date']}{commit}.*"


# ---- all of it -------------------------------------------------------------------------------------


def policies() -> str:
    """Return the figures of the README as JSON, taken from the race of the default policy."""
    totals = load("clew-totals")
    area = "normalised area"
    rows = [
        {
            "policy": name,
            "mean": float(totals.value(f"auto/0/{name}", area)),
            "interval": float(totals.value(f"auto/0/{name}", f"{area} ±")),
        }
        for name in POLICIES
    ]
    header = {key: totals.header[key] for key in ("command", "date", "commit")}
    counts = {"judge": "auto", "budget": int(totals.header["pages"]), "tasks": int(totals.header["tasks"])}
    return json.dumps({**header, **counts, "rows": rows}, indent=1, ensure_ascii=False) + "\n"


def refresh() -> list[Path]:
    """Write all generated parts anew; return the files that changed."""
    return [path for path, text in generated() if _written(path, text)]


def generated() -> Iterator[tuple[Path, str]]:
    """Yield every file that holds generated parts, with the text it should have."""
    yield DATA / "policies.json", policies()
    for page in PAGES:
        yield page, filled(page.read_text("utf-8"), page.parent)


def _written(path: Path, text: str) -> bool:
    if path.exists() and path.read_text("utf-8") == text:
        return False
    path.write_text(text, "utf-8")
    return True


if __name__ == "__main__":
    for changed in refresh():
        sys.stdout.write(f"{changed.relative_to(DOCS.parent)} changed\n")
