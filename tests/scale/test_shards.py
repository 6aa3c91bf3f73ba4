"""Crawls in shards on one machine, as a user runs them."""

import json

import pytest

from clew.builder import _make_store
from clew.config import load
from clew.domain.partition import Partition, shard_of
from clew.errors import ConfigError
from clew.frontier.scope import Scope
from clew.scale.limits import check_shards
from clew.store import read_pages
from clew.types import Kind, Links
from tests.scale.shard_kit import clew, exported, new_crawl
from tests.scale.tree_web import TreeWeb, serving

SHARDS = 3


@pytest.fixture(scope="module")
def crawl(tmp_path_factory):
    """A finished crawl of a whole web in three shards."""
    with serving(TreeWeb(pages=90)) as web:
        folder = new_crawl(tmp_path_factory.mktemp("crawls") / "tree", web)
        done = clew("run", folder, "--shards", SHARDS)
        yield folder, web, done.stdout


def test_every_page_is_read_once_by_the_owner_of_its_host(crawl):
    folder, web, output = crawl
    assert "nothing is left to fetch: 90 pages" in output
    assert web.requests() == dict.fromkeys(web.urls, 1)
    pages = exported(folder)
    assert pages.keys() == web.urls
    for url, row in pages.items():
        owner = shard_of(row["host"], SHARDS)
        assert row["warc_file"].startswith(f"shards/{owner}/pages/"), url
        assert (folder / row["warc_file"]).exists()


def test_every_page_names_the_page_it_was_found_on_also_of_another_shard(crawl):
    folder, web, _ = crawl
    pages = exported(folder)
    parents = {web.url(k): web.url((k - 1) // 2) for k in range(1, web.pages)}
    assert {url: row["parent"] for url, row in pages.items() if row["parent"]} == parents
    assert any(shard_of(url, SHARDS) != shard_of(parent, SHARDS) for url, parent in parents.items())


def test_status_adds_up_all_shards(crawl):
    folder, web, _ = crawl
    status = json.loads(clew("status", folder, "--json").stdout)
    assert (status["read"]["pages"], status["read"]["relevant"]) == (90, 30)
    assert status["read"]["host_count"] == web.hosts
    assert status["state"] == "done"
    assert sum(status["read"]["verdicts"]) == 90


def test_why_follows_the_path_through_all_shards(crawl):
    folder, web, _ = crawl
    found = json.loads(clew("why", folder, web.url(77), "--json").stdout)
    expected, k = [], 77
    while k:
        expected.append(web.url(k))
        k = (k - 1) // 2
    expected.append(web.url(0))
    assert [step["url"] for step in found["thread"]] == expected[::-1]
    assert all(step["verdict"] is not None for step in found["thread"])
    owner, finder = (shard_of(web.url(k), SHARDS) for k in (77, 38))
    words = f"shard {owner}" if owner == finder else f"shard {owner}, found by shard {finder}"
    assert found["reason"] == words


def test_commands_that_cannot_cross_shards_say_so(crawl):
    folder, _, _ = crawl
    for command in ("plan", "records", "learn", "sites"):
        done = clew(command, folder, check=False)
        assert done.returncode == 2
        assert "does not work across shards yet" in done.stderr
    done = clew("export", folder, f"{folder}.gexf", check=False)
    assert (done.returncode, "does not work across the shards" in done.stderr) == (2, True)


def test_the_number_of_shards_cannot_change(crawl):
    folder, _, _ = crawl
    done = clew("run", folder, "--shards", 5, check=False)
    assert (done.returncode, "has 3 shards" in done.stderr) == (2, True)


def test_a_crawl_begun_without_shards_cannot_be_divided(tmp_path):
    with serving(TreeWeb(pages=3)) as web:
        folder = new_crawl(tmp_path / "whole", web)
        clew("run", folder)
        done = clew("run", folder, "--shards", 2, check=False)
    assert (done.returncode, "was begun without shards" in done.stderr) == (2, True)


def test_a_page_budget_is_kept_over_runs_and_labels_and_rules_reach_all_shards(tmp_path):
    with serving(TreeWeb(pages=300)) as web:
        folder = new_crawl(tmp_path / "tree", web)
        done = clew("run", folder, "--shards", SHARDS, "--pages", 40)
        assert "the budget of 40 pages is spent" in done.stdout
        assert len(exported(folder)) == 40
        labelled = next(url for url, row in exported(folder).items() if row["relevant"])
        assert "its verdict was" in clew("label", folder, labelled, "no").stdout
        clew("exclude", folder, "host7.example")
        clew("run", folder, "--pages", 80)
        pages = exported(folder)
    assert len(pages) == 80
    assert set(web.requests().values()) == {1}
    assert not pages[labelled]["relevant"]
    before = {url for url in pages if "host7.example" in url}
    assert len(before) <= 40 // web.hosts + 2
    assert "1 label: 0 yes, 1 no" in clew("label", folder).stdout
    assert "host7.example" in clew("exclude", folder).stdout


def test_a_forgotten_host_leaves_every_shard_and_the_crawl_goes_on(tmp_path):
    with serving(TreeWeb(pages=120)) as web:
        folder = new_crawl(tmp_path / "tree", web)
        clew("run", folder, "--shards", SHARDS, "--pages", 60)
        gone = next(url for url in exported(folder) if "host7.example" in url)
        clew("label", folder, gone, "yes")
        refused = clew("forget", folder, "host77.example", "--yes", check=False)
        assert (refused.returncode, "did you mean host7.example" in refused.stderr) == (2, True)
        assert "deleted: host7.example" in clew("forget", folder, "host7.example", "--yes").stdout
        assert "nothing is left" in clew("forget", folder, "host7.example", "--yes").stdout
        stored = b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
        assert b"host7.example/" not in stored
        before = len(web.log)
        clew("run", folder, "--set", "crawl.pages=0")
        pages = exported(folder)
    assert not any("host7.example" in url for _, url in web.log[before:])
    assert set(web.requests().values()) == {1}
    lost = {7 + 20 * k for k in range(6)}
    for k in range(120):  # what only the forgotten pages led to may be unknown
        lost |= {k} if (k - 1) // 2 in lost else set()
    assert pages.keys() >= {web.url(k) for k in range(120) if k not in lost}
    assert not any("host7.example" in url for url in pages)


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ("[rank]\npolicy = 'sites'", "policy sites does not work in shards: it compares all sites"),
        ("[rank]\npolicy = 'pagerank'", "policy pagerank does not work in shards"),
        ("[rank]\npolicy = 'reseed'", "policy reseed does not work in shards"),
        ("[rank]\npolicy = 'thompson-hosts'", "policy thompson-hosts does not work in shards"),
        ("[rank]\npolicy = 'objectrank'", "policy objectrank does not work in shards"),
        ("[goal]\nrecords = 'rows.csv'", "goal.records does not work in shards"),
        ("[goal]\ngood = ['http://a.example/x']", "example pages by URL do not work in shards"),
        ("[seek]\nsearch = ['https://search.example/']", "seek.search does not work in shards"),
    ],
)
def test_what_needs_the_whole_crawl_is_refused_with_its_reason(tmp_path, table, words):
    path = tmp_path / "clew.toml"
    path.write_text(
        f"[crawl]\ncontact = 'https://crawler.uni-x.org/bot'\nseeds = ['http://a.example/']\n{table}\n"
    )
    with pytest.raises(ConfigError, match=words):
        check_shards(load(path))


def test_hosts_of_a_domain_belong_together_and_shards_are_of_similar_size():
    assert shard_of("http://a.example.org", 16) == shard_of("https://b.c.example.org:8443", 16)
    counts = [0] * 8
    for number in range(8_000):
        counts[shard_of(f"https://site{number}.org", 8)] += 1
    assert min(counts) > 850
    assert max(counts) < 1_150


def test_links_to_hosts_of_others_are_left_to_their_scope():
    hosts = [f"http://h{number}.example" for number in range(40)]
    own = next(host for host in hosts if shard_of(host, 4) == 1)
    other = next(host for host in hosts if shard_of(host, 4) == 2)
    scope = Scope(hosts=["seeds"], seeds=[f"{own}/"], depth=3, exclude=["*/x*"], partition=Partition(4, 1))
    links = Links.plain([f"{own}/a", f"{own}/x", f"{other}/a", f"{other}/x"], Kind.PAGE)
    assert scope.refusals(links, 1) == ["", 'scope.exclude "*/x*"', "host of shard 2", "host of shard 2"]
    assert scope.refusals(links, 9)[0] == "scope.depth: 9 links from a seed"
    assert scope.refusals(links, 9)[2] == "host of shard 2"
    assert scope.refusal(f"{other}/a", 9) == "host of shard 2"


def test_a_crawl_can_be_coordinated_by_postgresql(tmp_path, fresh_schema):
    with serving(TreeWeb(pages=40)) as web:
        folder = new_crawl(tmp_path / "tree", web)
        done = clew("run", folder, "--shards", 2, "--coordinator", fresh_schema, check=False)
        assert "nothing is left to fetch: 40 pages" in done.stdout, done.stdout + done.stderr
        assert exported(folder).keys() == web.urls
        assert not (folder / "coordinator.db").exists()
        clew("label", folder, web.url(3), "no")
        assert "1 label" in clew("label", folder).stdout
        other = clew("run", folder, "--coordinator", "postgresql://elsewhere/db", check=False)
        assert (other.returncode, "cannot change" in other.stderr) == (2, True)
        again = new_crawl(tmp_path / "other", web)
        taken = clew("run", again, "--shards", 2, "--coordinator", fresh_schema, check=False)
        assert (taken.returncode, "coordinates another crawl" in taken.stderr) == (2, True)


def test_a_crawl_in_shards_is_never_mistaken_for_a_whole_one(crawl):
    folder, _, _ = crawl
    assert "shard 2: ok (quick_check)" in clew("doctor", folder, check=False).stdout
    with pytest.raises(ConfigError, match="is a crawl in shards"):
        list(read_pages(folder))
    with pytest.raises(ConfigError, match="which one process cannot run"):
        _make_store(folder, load(folder / "clew.toml"), None)
    assert not (folder / "crawl.db").exists()
