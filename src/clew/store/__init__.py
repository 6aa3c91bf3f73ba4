"""The store: a crawl in a folder. Database, WARC files, exports, and the promise that nothing is lost."""
