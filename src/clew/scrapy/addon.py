"""The add-on: one line in the settings of a Scrapy project switches scheduler and middlewares on."""

from pathlib import Path
from typing import Any

from scrapy.settings import BaseSettings, Settings

from clew.api import Crawl
from clew.config.contact import checked_contact

SCHEDULER = "clew.scrapy.FocusedScheduler"
MIDDLEWARES = {
    "SPIDER_MIDDLEWARES": "clew.scrapy.PageMiddleware",
    "DOWNLOADER_MIDDLEWARES": "clew.scrapy.FailureMiddleware",
}
FIRST = 1
"""Order of our middlewares: nearest to the engine."""

DEFAULT_CONTACT = "https://scrapy.org"
"""Of spiders whose user agent names none: it is what Scrapy's own says."""


class FocusedCrawl:
    """Scrapy's add-on: `ADDONS = {"clew.scrapy.FocusedCrawl": 500}`."""

    def update_settings(self, settings: BaseSettings) -> None:
        """Switch on the scheduler and the middlewares it needs."""
        settings.set("SCHEDULER", SCHEDULER, "addon")
        for key, name in MIDDLEWARES.items():
            settings[key][name] = FIRST


def missing_middlewares(settings: BaseSettings) -> list[str]:
    """Return the middlewares that the scheduler needs and that are not switched on."""
    names = {key: {str(name) for name in settings.getdict(key)} for key in MIDDLEWARES}
    return [name for key, name in MIDDLEWARES.items() if name not in names[key]]


def crawl_of(settings: Settings, spider_name: str) -> Crawl:
    """Return the crawl that the settings of a Scrapy project describe.

    The folder is `CLEW_DIR`, else `clew` in `JOBDIR`, else `clew-SPIDER`. `CLEW_ABOUT`, `CLEW_GOOD` and
    `CLEW_BAD` describe the topic; `CLEW_SETTINGS` takes any key of clew.toml, as `{"rank.policy": "shark"}`.
    """
    jobs = settings.get("JOBDIR")
    folder = settings.get("CLEW_DIR") or (Path(jobs) / "clew" if jobs else f"clew-{spider_name}")
    return Crawl(
        folder, settings.get("CLEW_ABOUT", ""), contact=contact_of(settings),
        good=settings.getlist("CLEW_GOOD"), bad=settings.getlist("CLEW_BAD"),
        settings={**_left_to_scrapy(settings), **settings.getdict("CLEW_SETTINGS")},
    )  # fmt: skip


def _left_to_scrapy(settings: Settings) -> dict[str, Any]:
    """Return the keys of clew.toml that leave delays, retries, robots.txt and scope to Scrapy."""
    per_host = settings.getint("CONCURRENT_REQUESTS_PER_DOMAIN")
    return {
        "fetch.robots": False,
        "fetch.delay": 0.0,
        "fetch.per_host": 1 if settings.getfloat("DOWNLOAD_DELAY") else max(1, min(64, per_host)),
        "fetch.concurrency": max(1, settings.getint("CONCURRENT_REQUESTS")),
        "fetch.tries": 1,
        "scope.suspect_pages": 0,
        "scope.sitemaps": False,
        "scope.feeds": False,
    }


def contact_of(settings: BaseSettings) -> str:
    """Return `CLEW_CONTACT`, or the first URL or e-mail address in the user agent."""
    words = [settings.get("CLEW_CONTACT", ""), *settings.get("USER_AGENT", "").split(), DEFAULT_CONTACT]
    for word in words:
        try:
            return checked_contact(word.strip("()+;,"))
        except ValueError:
            continue
    return DEFAULT_CONTACT
