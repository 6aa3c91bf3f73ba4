"""Hooks of the documentation site (mkdocs.yml): the API reference, links to the sources, pages of folders."""

import json
import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

API = {
    "Crawls": ("clew.Crawl", "clew.extract_text"),
    "Values": ("clew.types",),
    "Contracts": ("clew.contracts.parts", "clew.contracts.optional", "clew.contracts.services"),
    "Conformance tests": ("clew.testing",),
    "Errors": ("clew.errors",),
    "Scrapy": ("clew.scrapy.FocusedCrawl", "clew.scrapy.FocusedScheduler"),
}
"""The names of the API reference, by chapter."""

LISTED = {"The lab": "lab/", "Decisions": "adr/", "Guides": "guides/", "Reference": ""}
"""Chapters of the navigation that list all pages of a folder after those that mkdocs.yml names."""

_LINK = re.compile(r"(\]\()(\.\./[^)\s#]+)")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Add the pages of folders that mkdocs.yml does not name to the navigation."""
    chapters = {name: pages for entry in config.nav or () for name, pages in entry.items()}
    known = {page for pages in chapters.values() for page in pages}
    for name, folder in LISTED.items():
        found = sorted(Path(config.docs_dir, folder).glob("*.md"))
        pages = [f"{folder}{path.name}" for path in found]
        chapters[name].extend(page for page in pages if page not in known)
    config.nav = [{name: pages} for name, pages in chapters.items()]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the API reference, which is made of docstrings."""
    chapters = [
        f"## {title}\n\n" + "\n\n".join(f"::: {name}" for name in names) for title, names in API.items()
    ]
    text = (
        "# API\n\nFrom the docstrings; [Python](python.md) lists the same names in short.\n\n"
        + "\n\n".join(chapters)
    )
    files.append(File.generated(config, "api.md", content=text))
    for path in sorted(Path(config.docs_dir, "notebooks").glob("*.ipynb")):
        files.append(File.generated(config, f"notebooks/{path.stem}.md", content=_notebook(path)))
    return files


def _notebook(path: Path) -> str:
    """Return a notebook with its outputs as Markdown."""
    parts = []
    for cell in json.loads(path.read_text("utf-8"))["cells"]:
        source = "".join(cell["source"])
        parts.append(source if cell["cell_type"] == "markdown" else f"```python\n{source}\n```")
        for output in cell.get("outputs", ()):
            data = output.get("data", {})
            text = "".join(output.get("text", data.get("text/plain", "")))
            table = "".join(data.get("text/html", ""))
            frame = re.search(r"<table.*</table>", table, re.DOTALL)
            parts.append(frame[0] if frame else f"```text\n{text.rstrip()}\n```")
    return "\n\n".join(parts)


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, **_: Any) -> str:
    """Let links that leave the documentation lead to the repository."""
    folder = posixpath.dirname(page.file.src_uri)

    def target(match: re.Match[str]) -> str:
        path = posixpath.normpath(posixpath.join("docs", folder, match[2]))
        if path.startswith("docs/"):
            return match[0]
        return f"{match[1]}{config.extra['repository']}/blob/main/{path}"

    return _LINK.sub(target, markdown)
