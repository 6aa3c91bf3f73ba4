"""A crawl with many pages: no page of the server is slow."""

import pytest

from bench.serve_pages import ADDRESSES, measure, write_large_crawl

PAGES = 30_000
MOST = 0.2
"""CPU seconds of a page; measured at a million pages by `python -m bench.serve_pages`."""


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    folder = tmp_path_factory.mktemp("serve") / "large"
    write_large_crawl(folder, PAGES)
    return measure(folder, ADDRESSES)


def test_no_page_is_slow(measured):
    assert {name: status for name, (status, *_) in measured.items() if status != 200} == {}
    assert {name: cpu for name, (_, cpu, _) in measured.items() if cpu > MOST} == {}
