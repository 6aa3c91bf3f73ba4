"""Order the requests of a Scrapy spider by a Clew policy.

    # settings.py, or custom_settings of a spider
    ADDONS = {"clew.scrapy.FocusedCrawl": 500}
    CLEW_DIR = "crawls/lighthouses"
    CLEW_ABOUT = "lighthouses, fog signals and their keepers"

The spider keeps its callbacks, items and pipelines, Scrapy its downloader, delays and robots.txt. Clew reads
the pages beside the spider, judges them, learns, and decides which of the spider's requests is next. The
folder is an ordinary crawl: `clew status`, `clew why`, `clew export` and `clew serve` read it.
"""

from importlib.util import find_spec

from clew.domain.installation import install_command
from clew.errors import ConfigError

if find_spec("scrapy") is None:
    _MISSING = f"clew.scrapy needs Scrapy; get it with: {install_command('scrapy')}"
    raise ConfigError(_MISSING)

from clew.scrapy.addon import FocusedCrawl
from clew.scrapy.middleware import FailureMiddleware, PageMiddleware
from clew.scrapy.scheduler import FocusedScheduler

__all__ = ["FailureMiddleware", "FocusedCrawl", "FocusedScheduler", "PageMiddleware"]
