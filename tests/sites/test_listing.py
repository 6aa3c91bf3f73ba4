"""Lists of sites with invalid lines, and the table of what was read of each site."""

import pytest

from clew.domain.sites.site_list import read_site_list
from clew.domain.sites.site_table import SiteTable
from clew.errors import ConfigError
from clew.rank.sites.policy import Sites
from clew.types import Rule


def written(tmp_path, text, encoding="utf-8"):
    path = tmp_path / "list.txt"
    path.write_bytes(text.encode(encoding))
    return path


def test_hosts_and_urls_are_listed_once_and_invalid_lines_named(tmp_path):
    text = (
        "# sites\n\nA.example.org\nhttps://b.example.org/data?x=1\nfoo bar baz\na.example.org\nreadme\n"
        "ftp://c.test\nsomeone@d.test\n192.0.2.7:8080\n<html>\n//e.test/\nBücher.example\n1.2\n"
    )
    found = read_site_list(written(tmp_path, text))
    assert found.urls == [
        "http://a.example.org/", "https://b.example.org/data?x=1", "http://192.0.2.7:8080/", "http://e.test/",
        "http://xn--bcher-kva.example/",
    ]  # fmt: skip
    assert [line for line, _ in found.duplicates] == [6]
    assert [line for line, _ in found.invalid] == [5, 7, 8, 9, 11, 14]


def test_lines_may_carry_a_label(tmp_path):
    found = read_site_list(
        written(tmp_path, "a.test\tyes\nb.test, no\nc.test 1\nd.test\nx y z\n"), truth=True
    )
    assert found.labels == {"a.test": True, "b.test": False, "c.test": True}
    assert [line for line, _ in found.invalid] == [4, 5]


def test_thousands_of_lines_are_read_at_once(tmp_path):
    text = "".join(f"site{n}.example.org\n" for n in range(20_000)) * 2
    found = read_site_list(written(tmp_path, text))
    assert len(found.urls) == found.hosts == len(found.duplicates) == 20_000


def test_as_editors_save_it(tmp_path):
    assert read_site_list(written(tmp_path, "a.test\r\nb.test\r\n", "utf-16")).hosts == 2
    assert read_site_list(written(tmp_path, "a.test\nb.test\n", "utf-8-sig")).hosts == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "names no site; write one host"),
        ("foo bar\n", "names no site, line 1 is 'foo bar'"),
        ("PK\3\4", "not a text file"),
    ],
)
def test_a_file_without_sites_is_a_fault_with_its_cure(tmp_path, text, message):
    with pytest.raises(ConfigError, match=message):
        read_site_list(written(tmp_path, text))


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(ConfigError, match="cannot be read: No such file"):
        read_site_list(tmp_path / "none.txt")


def test_http_and_https_are_one_site_and_domains_may_be():
    table = SiteTable()
    assert table.add_origins(["http://a.test", "https://a.test", "http://a.test:8080"]) == [0, 0, 1]
    assert table.names == ["a.test", "a.test:8080"]
    domains = SiteTable(by="domain")
    domains.add_origins(["http://www.stats.gov.uk", "https://data.stats.gov.uk"])
    assert domains.names == ["stats.gov.uk"]


def test_a_table_is_saved_and_loaded(tmp_path):
    table = SiteTable()
    table.add_origins([f"http://s{n}.test" for n in range(300)])
    table.add_page(7, 0.25, found=False)
    table.add_page(7, 0.75, found=True)
    table.failed[9] += 1
    table.refresh_pool()
    table.save(tmp_path, {"phase": "explore"})
    again = SiteTable()
    assert again.load(tmp_path) == {"phase": "explore"}
    assert again.names == table.names
    assert again.statuses()[7] == table.statuses()[7]
    assert again.failed[9] == 1
    assert SiteTable().load(tmp_path / "nowhere") == {}


def test_the_interval_of_a_status_shrinks():
    table = SiteTable()
    table.add_origins(["http://a.test", "http://b.test", "http://c.test"])
    table.add_page(0, 0.3, found=False)
    for _ in range(20):
        table.add_page(1, 0.3, found=False)
    table.refresh_pool()
    few, many, none = (table.statuses()[row] for row in range(3))
    for each in (few, many, none):
        assert 0 <= each.low <= each.chance <= each.high <= 1
    assert many.high - many.low < few.high - few.low
    assert none.verdict == "unknown"
    table.labels[1] = True
    assert table.statuses()[1].verdict == "yes"


def test_only_labels_of_sites_make_a_site():
    """What is excluded, a pattern above all, is no site of the list."""
    policy = Sites()
    for name, verb in (("*/calendar/*", "exclude"), ("re:[?&]sort=", "exclude"), ("b.test", "include")):
        policy.apply_rule(Rule(name, verb, 0.0))
    assert list(policy.table.names) == []
    policy.apply_rule(Rule("a.test", "yes", 0.0))
    assert list(policy.table.names) == ["a.test"]
