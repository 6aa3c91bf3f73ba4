"""The other side of `bench.throughput`: an ordinary Scrapy spider, run in an environment of its own.

    python scrapy_spider.py SEEDS PAGES OUT.jsonl

Every link of every page by LinkExtractor, title and text by selectors, robots.txt obeyed, JSON lines out;
breadth first, so that both programs read the same pages. Without telnet, cookies, logging and a job
folder: each of them would only make it slower.
"""

import sys

from scrapy import Spider
from scrapy.crawler import CrawlerProcess
from scrapy.linkextractors import LinkExtractor


class Pages(Spider):
    """Read every page and follow every link."""

    name = "pages"
    extractor = LinkExtractor()

    def parse(self, response):
        yield {
            "url": response.url,
            "title": response.css("title::text").get(),
            "text": " ".join(response.xpath("//body//text()[not(parent::script or parent::style)]").getall()),
        }
        for link in self.extractor.extract_links(response):
            yield response.follow(link, self.parse)


def main() -> None:
    """Crawl from the seeds until the page budget is spent."""
    seeds, pages, out = sys.argv[1].split(","), int(sys.argv[2]), sys.argv[3]
    process = CrawlerProcess(
        {
            "ROBOTSTXT_OBEY": True,
            "CLOSESPIDER_PAGECOUNT": pages,
            "CONCURRENT_REQUESTS": 64,
            "CONCURRENT_REQUESTS_PER_DOMAIN": 8,
            "DOWNLOAD_DELAY": 0,
            "DEPTH_PRIORITY": 1,
            "SCHEDULER_DISK_QUEUE": "scrapy.squeues.PickleFifoDiskQueue",
            "SCHEDULER_MEMORY_QUEUE": "scrapy.squeues.FifoMemoryQueue",
            "FEEDS": {out: {"format": "jsonlines"}},
            "LOG_ENABLED": False,
            "TELNETCONSOLE_ENABLED": False,
            "COOKIES_ENABLED": False,
            "USER_AGENT": "throughput-bench (+https://github.com/clew-crawler/clew)",
        }
    )
    process.crawl(Pages, start_urls=seeds)
    process.start()


if __name__ == "__main__":
    main()
