"""Figures in the README and the lab's pages come from data files, and the pages agree with them."""

import importlib.util
import re
import sys

import pytest

from tests.docs_kit import DOCS, ROOT, prose, short


def _generator():
    spec = importlib.util.spec_from_file_location("figures", DOCS / "figures.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["figures"] = module
    spec.loader.exec_module(module)
    return module


FIGURES = _generator()
MEASURED = [ROOT / "README.md", *sorted((DOCS / "lab").glob("*.md"))]
PAGES = [
    *MEASURED,
    DOCS / "installing.md",
    DOCS / "papers.md",
]  # which quotes the numbers of the papers themselves

# What a page may write by hand. Everything else with a digit in it is a figure, and so is every number
# word from thirteen to ninety-nine, and "3 of 4" whatever the numbers are.
NOT_A_FIGURE = (
    r"`[^`\n]*`",  # parameters, names and commands, quoted
    r"<[^>]*>",  # HTML
    r"\]\([^)]*\)",  # targets of links
    r"https?://\S+",
    r"\b(?:19|20)\d\d(?:-\d\d-\d\d)?\b",  # years and dates
    r"\b(?:Python|WARC|RFC|HTTP|Apache|TLS|SQLite|Clew|UTF|ISO)[ /-]?\d[\d.+]*",  # versions, standards
    r"\bC4\.5\b",  # the algorithm
    r"\b95 %",  # the level of every interval
    r"\b[A-Za-z]+\d+\b",  # names such as a1, C45, utf8
)
FIGURE = re.compile(
    r"\d[\d,.]* (?:of|in) (?:the )?\d[\d,]*"  # counts of a total
    r"|[-+−]?(?:\d+[.,])+\d+"  # decimals and thousands
    r"|\.\d+"
    r"|\d+ ?%"
    r"|\b(?:1[3-9]|[2-9]\d|\d{3,})\b"  # whole numbers above twelve
    r"|\b(?:thir|four|fif|six|seven|eigh|nine)teen\b"
    r"|\b(?:twen|thir|for|fif|six|seven|eigh|nine)ty\b",
    re.IGNORECASE,
)


def by_hand(text):
    """Return the figures of a page that stand outside code, generated tables and marked values."""
    text = FIGURES.VALUE.sub("", FIGURES.BLOCK.sub("", prose(text)))
    text = re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)
    for pattern in NOT_A_FIGURE:
        text = re.sub(pattern, "", text)
    return FIGURE.findall(text)


def tables_by_hand(text):
    """Return the header lines of Markdown tables outside generated blocks."""
    text = FIGURES.BLOCK.sub("", prose(text))
    return re.findall(r"^(\|.*)\n\|[-:| ]+\|$", text, re.MULTILINE)


@pytest.mark.parametrize("page", MEASURED, ids=short)
def test_prose_names_no_figure_by_hand(page):
    assert by_hand(page.read_text("utf-8")) == [], "mark it <!-- f:… -->, or leave it out: docs/figures.py"


@pytest.mark.parametrize("page", sorted((DOCS / "lab").glob("*.md")), ids=short)
def test_every_table_of_the_lab_is_generated(page):
    assert tables_by_hand(page.read_text("utf-8")) == []


def test_pages_agree_with_their_data():
    for path, text in FIGURES.generated():
        assert path.read_text("utf-8") == text, f"{short(path)}: run python docs/figures.py"


def test_every_data_file_says_where_it_comes_from():
    files = [path for path in FIGURES.DATA.iterdir() if path.suffix in (".csv", ".json")]
    assert len(files) > 30
    for path in files:
        table = FIGURES.load(path.stem)
        assert {"command", "date", "commit"} <= set(table.header), path.name
        assert table.rows, path.name
        assert len(set(table.columns)) == len(table.columns), path.name
        assert {len(row) for row in table.rows} == {len(table.columns)}, path.name


def test_every_data_file_is_named_by_a_page():
    text = "\n".join(page.read_text("utf-8") for page in PAGES)
    for path in FIGURES.DATA.iterdir():
        assert path.name in text, path.name


def test_every_picture_of_the_lab_is_shown_by_a_page():
    text = "\n".join(page.read_text("utf-8") for page in PAGES)
    for path in (DOCS / "lab").glob("*.svg"):
        assert f"({path.name})" in text, path.name


# ---- the test itself can fail ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "clew reaches 0.583 here", "better on 16 of 17 topics", "won 4 of 6", "up by 12 %", "600 fetches", "3,000 pages",
        "seventeen topics", "sixty pages", "an area of .58", "it read 13 pages", "−0.07", "| a | 0.5 |",
    ],
)  # fmt: skip
def test_a_figure_by_hand_is_found(text):
    assert by_hand(text)


@pytest.mark.parametrize(
    "text",
    [
        "three tasks", "0 is breadth-first, 1 the oracle", "on 2026-11-16", "Tanaka (2007)", "`leaf = 5`, `0.05`",
        "Python 3.11, WARC 1.1, RFC 9309", "[all](data/x-600.csv)", "95 % intervals", "a1 and a2", "exit code 4",
        "<!-- f:policies.clew.mean -->0.583<!-- /f -->", "```\n$ clew run --pages 500\n```",
        "<!-- figures: policies -->\n| a | 0.583 |\n<!-- /figures -->",
    ],
)  # fmt: skip
def test_what_is_no_figure_passes(text):
    assert by_hand(text) == []


def test_a_changed_figure_is_found():
    right = FIGURES.filled("<!-- f:policies.clew.mean --><!-- /f -->", DOCS / "lab")
    value = re.search(r"\d\.\d+", right)[0]
    wrong = right.replace(value, "0.999")
    assert FIGURES.filled(wrong, DOCS / "lab") == right != wrong


def test_a_changed_table_is_found():
    right = FIGURES.filled("<!-- figures: policies -->\n<!-- /figures -->", DOCS / "lab")
    wrong = right.replace("| clew | 0.", "| clew | 9.")
    assert FIGURES.filled(wrong, DOCS / "lab") == right != wrong


def test_a_marker_that_names_nothing_is_refused():
    for marker in ("f:policies.nobody.mean", "f:policies.clew.nothing"):
        with pytest.raises(LookupError):
            FIGURES.filled(f"<!-- {marker} --><!-- /f -->", DOCS)
    with pytest.raises(LookupError):
        FIGURES.filled("<!-- figures: policies | nothing=1 -->\n<!-- /figures -->", DOCS / "lab")


# ---- reading and writing data ----------------------------------------------------------------------


def test_a_markdown_table_becomes_data():
    table = FIGURES.from_markdown(
        "| policy | area | share | P / R | found |\n|---|---|---|---|---|\n"
        "| `a` | **.5 ± .1** | 12.5% | 1.00 / .9 | 1,388 |\n| b | 0.4 | – | 0.1 / 0.2 | > 600 |\n"
    )
    assert table.columns == ("policy", "area", "area ±", "share, %", "P", "R", "found")
    assert table.rows == (
        ("a", "0.5", "0.1", "12.5", "1.00", "0.9", "1388"),
        ("b", "0.4", "", "", "0.1", "0.2", "> 600"),
    )


def test_data_is_read_as_it_was_written(tmp_path, monkeypatch):
    monkeypatch.setattr(FIGURES, "DATA", tmp_path)
    table = FIGURES.from_markdown("| policy | area |\n|---|---|\n| a, b | 0.50 ± 0.10 |\n")
    FIGURES.save("one", table, command="python -m x", date="2026-01-01", commit="abc")
    read = FIGURES.load("one")
    assert (read.columns, read.rows) == (table.columns, table.rows)
    assert read.header == {"command": "python -m x", "date": "2026-01-01", "commit": "abc"}
    shown = FIGURES.block("one", tmp_path)
    assert "| a, b | 0.50 ± 0.10 |" in shown
    assert "[one.csv](one.csv), measured 2026-01-01 at commit abc" in shown
