"""The documentation site: builds without a warning, loads nothing from other hosts, can be searched."""

import json
import os
import re
import subprocess
import sys
from html.parser import HTMLParser

import pytest

from tests.docs_kit import DOCS, ROOT

LOADED = {"script": "src", "link": "href", "img": "src", "iframe": "src", "source": "src"}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Return the folder of the built site."""
    target = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(target)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    built = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    assert "WARNING" not in built.stderr
    return target


class Resources(HTMLParser):
    """Collect what a page loads."""

    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attrs):
        if (address := dict(attrs).get(LOADED.get(tag, ""))) and dict(attrs).get("rel") != "canonical":
            self.found.append(address)


def test_every_document_is_a_page(site):
    pages = {path.relative_to(DOCS).with_suffix(".html") for path in DOCS.rglob("*.md")}
    pages = {page.with_name("index.html") if page.stem == "README" else page for page in pages}
    assert [page for page in pages if not (site / page).exists()] == []


def test_nothing_comes_from_other_hosts(site):
    for page in site.rglob("*.html"):
        parser = Resources()
        parser.feed(page.read_text("utf-8"))
        assert [address for address in parser.found if re.match(r"(https?:)?//", address)] == [], page
    for sheet in site.rglob("*.css"):
        assert re.findall(r"(?:url\(|@import )[\"']?(?:https?:)?//[^)]*", sheet.read_text("utf-8")) == [], (
            sheet
        )
    # With the address of a repository the theme asks GitHub for its stars.
    assert 'data-md-component="source"' not in (site / "index.html").read_text("utf-8")


def test_search_and_reference_know_the_public_names(site):
    index = json.loads((site / "search" / "search_index.json").read_text("utf-8"))
    titles = {entry["title"] for entry in index["docs"]}
    assert {"Tutorial", "Coming from another crawler", "Scrapy spiders"} <= titles
    reference = (site / "api.html").read_text("utf-8")
    names = ("clew.Crawl", "clew.Crawl.run", "clew.types.PageResult", "clew.contracts.parts.Ranker",
             "clew.testing.check_ranker", "clew.errors.ConfigError", "clew.scrapy.FocusedCrawl")  # fmt: skip
    assert [name for name in names if f'id="{name}"' not in reference] == []


def test_links_that_leave_the_documentation_lead_to_the_repository(site):
    text = (site / "benchmarks.html").read_text("utf-8")
    assert 'href="https://github.com/clew-crawler/clew/blob/main/bench/README.md"' in text


def test_no_paragraph_is_cut_by_the_name_of_a_figure():
    """Markdown takes a line that begins with a comment for a block of its own."""
    pages = [ROOT / "README.md", *DOCS.rglob("*.md")]
    assert [
        page.name for page in pages if re.search(r"^<!-- f:", page.read_text("utf-8"), re.MULTILINE)
    ] == []
