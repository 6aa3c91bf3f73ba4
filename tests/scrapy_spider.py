"""A spider for tests/test_scrapy.py, run in a process of its own: python scrapy_spider.py JOB.json.

It reads pages with two callbacks, passes on how it came there, and makes requests of every kind.
"""

import json
import sys
from pathlib import Path

from scrapy import FormRequest, Request, Spider
from scrapy.crawler import CrawlerProcess


class Sections(Spider):
    name = "sections"

    def parse(self, response):
        yield {"url": response.url, "by": "parse"}
        if response.url.endswith("/broken"):
            yield response.follow("/after-broken")
            msg = "a fault of the spider"
            raise RuntimeError(msg)
        if response.url.endswith("/form"):
            yield FormRequest(response.urljoin("/search"), formdata={"q": "x"}, callback=self.parse_search)
            yield Request(response.urljoin("/"), callback=self.parse_again, dont_filter=True)
        for href in response.css("a::attr(href)").getall():
            yield response.follow(
                href,
                self.parse_leaf if "leaf" in href else self.parse,
                cb_kwargs={"came_from": response.url} if "leaf" in href else {},
                meta=response.meta,  # as many spiders do
            )

    def parse_leaf(self, response, came_from):
        yield {"url": response.url, "by": "leaf", "from": came_from}
        for href in response.css("a::attr(href)").getall():
            yield response.follow(href, self.parse)

    def parse_search(self, response):
        yield {"url": response.url, "by": "search", "method": response.request.method}
        for href in response.css("a::attr(href)").getall():
            yield response.follow(href)

    async def parse_again(self, response):
        yield {"url": response.url, "by": "again"}


def main():
    job = json.loads(Path(sys.argv[1]).read_text())
    process = CrawlerProcess(
        {
            "TELNETCONSOLE_ENABLED": False,
            "REMOTE_CONTROL_ENABLED": False,
            "LOG_LEVEL": "INFO",
            "RETRY_TIMES": 1,
            "ROBOTSTXT_OBEY": True,
            "FEEDS": {job["items"]: {"format": "jsonlines", "overwrite": False}},
            **job["settings"],
        }
    )
    process.crawl(Sections, start_urls=job["seeds"])
    process.start()


if __name__ == "__main__":
    main()
