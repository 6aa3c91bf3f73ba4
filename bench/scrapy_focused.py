"""An ordinary spider in three orders, for `bench.scrapy_scheduler`: the only difference are its settings.

    python -m bench.scrapy_focused JOB.json

The job names the order (`focused`, `fifo`, `priority`), proxy, seeds, words, pages, folder and the file of items.
"""

import json
import os
import sys
from pathlib import Path

from scrapy import Spider
from scrapy.crawler import CrawlerProcess
from scrapy.linkextractors import LinkExtractor

FIFO = {
    "DEPTH_PRIORITY": 1,
    "SCHEDULER_DISK_QUEUE": "scrapy.squeues.PickleFifoDiskQueue",
    "SCHEDULER_MEMORY_QUEUE": "scrapy.squeues.FifoMemoryQueue",
}


class Topic(Spider):
    """Follow every link; with `by_words` first those whose text or URL has words of the topic."""

    name = "topic"
    extractor = LinkExtractor()
    words: list[str] = []  # noqa: RUF012 - an argument of the spider
    by_words = False

    def parse(self, response):
        yield {"url": response.url, "title": response.css("title::text").get()}
        for link in self.extractor.extract_links(response):
            if not link.url.startswith("http:"):  # the archives hold nothing else
                continue
            said = f"{link.text} {link.url}".lower()
            priority = sum(word in said for word in self.words) if self.by_words else 0
            yield response.follow(link, self.parse, priority=priority)


def main() -> None:
    """Run the spider as the job says."""
    job = json.loads(Path(sys.argv[1]).read_text())
    os.environ["http_proxy"] = job["proxy"]
    focused = {
        "ADDONS": {"clew.scrapy.FocusedCrawl": 500},
        "CLEW_DIR": job["folder"],
        "CLEW_ABOUT": job["about"],
        "CLEW_SETTINGS": {"crawl.pages": job["pages"], "store.min_free": 0},
    }
    process = CrawlerProcess(
        {
            "ROBOTSTXT_OBEY": True,
            "CLOSESPIDER_ITEMCOUNT": job["pages"],
            "FEEDS": {job["items"]: {"format": "jsonlines"}},
            "LOG_LEVEL": "CRITICAL",
            "TELNETCONSOLE_ENABLED": False,
            **({"focused": focused, "fifo": FIFO}.get(job["order"], {})),
        }
    )
    words = job["about"].lower().split()
    process.crawl(Topic, start_urls=job["seeds"], words=words, by_words=job["order"] == "priority")
    process.start()


if __name__ == "__main__":
    main()
