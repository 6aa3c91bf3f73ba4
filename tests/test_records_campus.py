"""Five rows of one directory, a crawl over ten others that are written in other ways: from the command line."""

import csv
import subprocess
import sys

from clew.domain.records.values import row_key
from tests.records.campus_sites import EXAMPLES, campus_pages, staff
from tests.small_web import CONTACT, QUICK, serving


def test_rows_are_found_in_directories_that_are_written_in_other_ways(tmp_path):
    pages = {url: html for site in range(EXAMPLES + 1) for url, html in campus_pages(site).items()}
    examples = staff(EXAMPLES)[:5]
    table = tmp_path / "people.csv"
    table.write_text("name,phone\n" + "".join(f'"{name}","{phone}"\n' for name, phone in examples))
    folder, seeds = tmp_path / "crawl", tmp_path / "seeds.txt"
    seeds.write_text("".join(f"http://www.campus{site}.test/\n" for site in (EXAMPLES, *range(EXAMPLES))))
    with serving(pages) as web:
        settings = {**QUICK, "fetch.proxy": web.origin, "parse.workers": 1}
        options = [part for name, value in settings.items() for part in ("--set", f"{name}={_toml(value)}")]
        _clew(
            "new",
            str(folder),
            "--records",
            str(table),
            "--seed",
            str(seeds),
            "--contact",
            CONTACT,
            "--no-check",
        )
        _clew("run", str(folder), *options, "--set", "crawl.pages=200")
    _clew("export", str(folder), str(tmp_path / "rows.csv"), "--records")
    with (tmp_path / "rows.csv").open(encoding="utf-8-sig") as file:
        found = {row_key((row["name"], row["phone"])) for row in csv.DictReader(file)}
    known = {row_key(row) for row in examples}
    true = {row_key(row) for site in range(EXAMPLES + 1) for row in staff(site)} - known
    found -= known
    by_site = {site: len(found & {row_key(row) for row in staff(site)}) for site in range(EXAMPLES + 1)}
    assert len(found & true) / max(1, len(found)) >= 0.95, sorted(found - true)
    assert len(found & true) / len(true) >= 0.6, by_site


def _clew(*arguments: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "clew", *arguments], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def _toml(value: object) -> str:
    return str(value).replace("'", '"') if isinstance(value, list) else str(value)
