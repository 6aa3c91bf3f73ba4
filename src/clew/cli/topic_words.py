"""`clew learn --search` and `--stopwords`: learn topic terms and stop words from search results."""

import asyncio
import json as json_
from pathlib import Path

from clew.builder import open_crawl
from clew.cli import screen
from clew.config import Config
from clew.domain.text import derive_stop_words, printable
from clew.domain.topic_terms import TERMS_FILE, read_topic_terms
from clew.errors import ConfigError
from clew.services.search import MODELS, OTHERS, STOPWORDS, SearchService
from clew.services.search.term_learning import TermLearning
from clew.store import read_sql
from clew.types import Link, Page, Response

_PER_LINE = 12
_PAGES = """
SELECT searches.query, links.url, coalesce(pages.title, ''), texts.text, pages.lang
FROM searches JOIN search_results ON search = searches.id JOIN pages ON pages.id = link
JOIN links ON links.id = link JOIN texts ON page = link WHERE searches.why = ?"""


def learn_words(folder: Path, config: Config, *, others: bool) -> None:
    """Query the search engines, fetch the results and learn topic terms; fetch nothing else.

    `others` queries unrelated topics too, and derives stop words from their pages.
    """
    # Links on the results are out of scope for now: a later run, with its own depth, opens them again.
    alone = config.scope.model_copy(update={"depth": 0})
    asyncio.run(_fetch_results(folder, config.model_copy(update={"scope": alone}), others))
    if others:
        _write_stop_words(folder)
    show_words(folder)


async def _fetch_results(folder: Path, config: Config, others: bool) -> None:
    async with open_crawl(folder, config) as run:
        service = next((each for each in run.services if isinstance(each, SearchService)), None)
        if service is None or not service.engines:
            msg = f'{folder} has no search engine; add one to clew.toml: seek.search = ["searxng=http://…"]'
            raise ConfigError(msg)
        run.subscribe(lambda text, **_: screen.echo(f"  {printable(text)}"))
        if others:
            service.ask_control_topics()
        service.vocabulary.defer_terms()
        async for _ in run.results():
            # Published terms release the links: stop instead of following them, even if results are due.
            learned = not service.pending_pages or (service.vocabulary.published_pages > 0 and not others)
            if learned and not run.stopping:
                run.stop()


def _write_stop_words(folder: Path) -> None:
    """Write the words that occur on at least 30 % of the pages of two or more topics."""
    topics: dict[str, TermLearning] = {}
    for query, url, title, text, lang in read_sql(folder, _PAGES, OTHERS):
        response = Response(link=Link(id=0, url=url, origin=""), started=0.0, ended=0.0)
        topics.setdefault(query, TermLearning()).add_relevant(
            Page(response=response, title=title, text=text, lang=lang)
        )
    words = sorted(derive_stop_words(dict(topic.topic_terms(1000).values) for topic in topics.values()))
    path = folder / MODELS / STOPWORDS
    path.parent.mkdir(exist_ok=True)
    lines = [" ".join(words[at : at + _PER_LINE]) for at in range(0, len(words), _PER_LINE)]
    head = f"# Stop words: each occurs on 30 % of the pages of two or more of {len(topics)} topics."
    path.write_text("\n".join([head, *lines, ""]), "utf-8")
    screen.echo(f"✓ {printable(str(path))}: {len(words):,} stop words from {len(topics)} unrelated topics")


def show_words(folder: Path, most: int = 20, *, json: bool = False) -> bool:
    """Print the learned topic terms; return False if there are none."""
    terms = read_topic_terms(folder / MODELS / TERMS_FILE)
    if terms is None:
        return False
    if json:
        screen.echo(
            json_.dumps(
                {
                    "file": TERMS_FILE,
                    "pages": terms.pages,
                    "edited": terms.edited,
                    "words": dict(terms.values),
                }
            )
        )
        return True
    screen.echo(f"{TERMS_FILE}: {terms.size_text}")
    for word, value in list(terms.values.items())[:most]:
        screen.echo(f"  {value:.2f}  {printable(word, 60)}")
    if len(terms) > most:
        screen.echo(
            f"  and {len(terms) - most:,} more; you can edit {printable(str(folder / MODELS / TERMS_FILE))}"
        )
    return True
