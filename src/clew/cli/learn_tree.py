"""`clew learn --tree`: grow the decision tree of the policy `layout` from all links of a crawl."""

import shlex
from dataclasses import replace
from pathlib import Path

from clew import store
from clew.cli import screen
from clew.config import Config
from clew.domain.text import printable
from clew.engine.checkpoint import MODELS
from clew.engine.parts import make_ranker
from clew.errors import ConfigError
from clew.parse import read
from clew.rank.layout.link_occurrences import LinkOccurrences
from clew.rank.layout.policy import Layout
from clew.rank.layout.tree_file import FILE, SavedTree, format_tree, write_tree
from clew.store.folder import DATABASE
from clew.types import Outcome, Verdict
from clew.urls import Canon

_VERDICTS = "SELECT url, verdict FROM pages JOIN links ON links.id = pages.id WHERE verdict IS NOT NULL"


def learn_tree(folder: Path, config: Config) -> None:
    """Read the fetched pages again, grow a tree from their links, print it, and write it."""
    if not (folder / DATABASE).exists():
        msg = f"{folder} has no pages yet; fetch some first: clew run {folder} --policy breadth"
        raise ConfigError(msg)
    made = make_ranker(config) if config.rank.policy == "layout" else None
    ranker = made if isinstance(made, Layout) else Layout(about=config.goal.about, judge=config.goal.judge)
    occurrences = _read_links(folder, config)
    rows = occurrences.training_rows()
    ranker.fit(rows)
    if ranker.tree is None:
        msg = (
            f"only {int(rows.relevant.sum())} of {len(rows.relevant):,} links led to a relevant page; "
            f"fetch more pages first: clew run {folder}"
        )
        raise ConfigError(msg)
    write_tree(folder / MODELS, SavedTree(ranker.tree, occurrences.hosts))
    for line in format_tree(ranker.tree, ranker.description):
        screen.echo(f"  {line}")
    pages, links = len(set(rows.sources.tolist())), len(rows.relevant)
    screen.echo(f"✓ {printable(str(folder / MODELS / FILE))}: from {links:,} links on {pages:,} pages")
    if config.rank.policy != "layout":
        again = shlex.join(["clew", "new", "NEW", "--like", str(folder), "--policy", "layout"])
        screen.echo(f"  use it in another crawl: {printable(again)}")


def _read_links(folder: Path, config: Config) -> LinkOccurrences:
    """Return every link of the stored pages with the verdicts on their targets."""
    verdicts = dict(store.read_sql(folder, _VERDICTS))
    occurrences = LinkOccurrences(about=config.goal.about, judge=config.goal.judge)
    canon = Canon(config.scope.drop_params)
    for number, response in enumerate(store.read_archived(folder), 1):
        url = response.link.url
        if url not in verdicts:
            continue
        numbered = replace(response, link=replace(response.link, id=number))
        page = read(numbered, canon=canon, max_bytes=config.fetch.max_bytes)
        outcome = Outcome(page, Verdict(verdicts[url]))
        occurrences.learn(outcome)
        occurrences.score(outcome, page.links)
    return occurrences
