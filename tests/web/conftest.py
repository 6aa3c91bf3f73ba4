"""One crawl for all tests of the pages."""

import pytest

from tests.web.kit import copy_of, hostile_crawl, make_client


@pytest.fixture(scope="session")
def finished(tmp_path_factory):
    """A finished crawl that tests only read, and its web."""
    with hostile_crawl(tmp_path_factory.mktemp("web")) as (folder, web):
        yield folder, web


@pytest.fixture(scope="session")
def client(finished):
    """A client of a server that tests do not change."""
    return make_client(finished[0].parent)


@pytest.fixture
def own(finished, tmp_path):
    """A client of a copy of the crawl that a test may change, and the folder."""
    folder = copy_of(finished[0], tmp_path)
    return make_client(tmp_path), folder
