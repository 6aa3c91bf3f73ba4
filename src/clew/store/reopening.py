"""Reopen pages that were read but have almost no text, so that a browser can read them again."""

from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path

from clew.store.database import open_for_labels, store_errors
from clew.store.folder import DATABASE
from clew.store.schema import IS_PAGE

_THIN = f"""CREATE TEMP TABLE thin AS SELECT links.id AS id, url FROM pages JOIN links USING (id)
    LEFT JOIN texts ON texts.page = pages.id
    WHERE {IS_PAGE} AND NOT noindex AND mime IN ('text/html', 'application/xhtml+xml')
    AND length(ifnull(text, '')) < ?"""  # noqa: S608 - ours
_STEPS = (
    "DELETE FROM texts WHERE page IN (SELECT id FROM thin)",
    "DELETE FROM records WHERE page IN (SELECT id FROM thin)",
    "DELETE FROM pages WHERE id IN (SELECT id FROM thin)",
    "UPDATE links SET state = 0, tries = 0, reason = NULL WHERE id IN (SELECT id FROM thin)",
)


def reopen_thin_pages(folder: Path, characters: int, places: Callable[[str], Iterable[str]]) -> int:
    """Queue web pages with less text than this once more; return their number.

    Pages without text make their places look generated, so what is known of these (`places` names those of a
    URL) is forgotten: otherwise their links would wait. The responses stay in the archive. To be called while
    no crawl runs in the folder.
    """
    with closing(open_for_labels(folder)) as db, store_errors(folder / DATABASE):
        db.execute(_THIN, (characters,))
        suspected = {place for (url,) in db.execute("SELECT url FROM thin") for place in places(url)}
        db.execute("BEGIN IMMEDIATE")
        db.executemany("DELETE FROM places WHERE key = ?", [(place,) for place in suspected])
        for step in _STEPS:
            db.execute(step)
        db.execute("COMMIT")
        ((count,),) = db.execute("SELECT count(*) FROM thin").fetchall()
    return int(count)
