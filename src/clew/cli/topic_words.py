"""`clew learn --search` and `--stopwords`: the words of a topic, learned from a search engine and shown."""

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
    """Search, and read what was found, to learn from it; fetch nothing else.

    `others` searches for unrelated subjects too, and makes stop words of what all their pages say.
    """
    asyncio.run(_study(folder, config, others))
    if others:
        _stop_words(folder)
    show_words(folder)


async def _study(folder: Path, config: Config, others: bool) -> None:
    async with open_crawl(folder, config) as walk:
        searching = next((each for each in walk.services if isinstance(each, SearchService)), None)
        if searching is None or not searching.engines:
            msg = f'{folder} names no engine; add one to clew.toml: seek.search = ["searxng=http://…"]'
            raise ConfigError(msg)
        walk.subscribe(lambda text, **_: screen.say(f"  {printable(text)}"))
        if others:
            searching.ask_control_topics()
        searching.vocabulary.hold_back()
        async for _ in walk.results():
            # Once the words are there, links open: a few pages that are late are no reason to follow them.
            learned = not searching.pending_pages or (searching.vocabulary.published_pages > 0 and not others)
            if learned and not walk.stopping:
                walk.stop()


def _stop_words(folder: Path) -> None:
    """Write the words that at least 30 % of the pages say under two or more subjects."""
    subjects: dict[str, TermLearning] = {}
    for query, url, title, text, lang in read_sql(folder, _PAGES, OTHERS):
        visit = Response(link=Link(id=0, url=url, origin=""), started=0.0, ended=0.0)
        subjects.setdefault(query, TermLearning()).take(
            Page(response=visit, title=title, text=text, lang=lang)
        )
    words = sorted(derive_stop_words(dict(each.array(1000).values) for each in subjects.values()))
    path = folder / MODELS / STOPWORDS
    path.parent.mkdir(exist_ok=True)
    lines = [" ".join(words[at : at + _PER_LINE]) for at in range(0, len(words), _PER_LINE)]
    head = f"# Words of no topic: 30 % of the pages say them under two or more of {len(subjects)} subjects."
    path.write_text("\n".join([head, *lines, ""]), "utf-8")
    screen.say(f"✓ {printable(str(path))}: {len(words):,} stop words from {len(subjects)} other subjects")


def show_words(folder: Path, most: int = 20, *, json: bool = False) -> bool:
    """Show the priority array, if there is one."""
    found = read_topic_terms(folder / MODELS / TERMS_FILE)
    if found is None:
        return False
    if json:
        screen.say(
            json_.dumps(
                {
                    "file": TERMS_FILE,
                    "pages": found.pages,
                    "edited": found.edited,
                    "words": dict(found.values),
                }
            )
        )
        return True
    screen.say(f"{TERMS_FILE}: {found.size_text}")
    for word, value in list(found.values.items())[:most]:
        screen.say(f"  {value:.2f}  {printable(word, 60)}")
    if len(found) > most:
        screen.say(
            f"  and {len(found) - most:,} more; edit {printable(str(folder / MODELS / TERMS_FILE))} as "
            "you like"
        )
    return True
