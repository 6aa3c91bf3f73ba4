"""The link graph of a crawl: every link between the pages that were read."""

import xml.etree.ElementTree as ET

import pyarrow.parquet as pq
import pytest

import clew
from clew.cli.export import export
from clew.errors import ConfigError
from tests.small_web import CONTACT, QUICK, linked, serving

PAGES = {
    "/": linked("/a", "/b", "/old", title='Home & "more"'),
    "/a": linked("/", "/b", "/a", text="words"),
    "/b": linked("/a", "/never", text="words <here>"),
    "/old": (301, {"Location": "/b"}, b""),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("graph") / "c"
    with serving(PAGES) as web:
        settings = QUICK | {"scope.exclude": ["*/never"]}
        clew.Crawl(folder, "words", [web.origin], CONTACT, settings=settings).run()
    return folder


def ends(url):
    return "/" + url.rpartition("/")[2]


EDGES = {("/", "/a"), ("/", "/b"), ("/a", "/"), ("/a", "/b"), ("/b", "/a")}


@pytest.mark.parametrize(
    ("name", "space"),
    [("g.gexf", "{http://gexf.net/1.3}"), ("g.graphml", "{http://graphml.graphdrawing.org/xmlns}")],
)
def test_a_graph_has_every_page_and_every_link_between_them(folder, tmp_path, name, space):
    export(folder, tmp_path / name)
    tree = ET.parse(tmp_path / name)
    urls = {}
    for node in tree.iter(f"{space}node"):
        values = {each.get("for") or each.get("key"): each.get("value") or each.text for each in node.iter()}
        urls[node.get("id")] = ends(values["url"])
    assert set(urls.values()) == {"/", "/a", "/b"}
    assert {(urls[e.get("source")], urls[e.get("target")]) for e in tree.iter(f"{space}edge")} == EDGES


def test_edges_are_a_table_with_links_to_unread_pages(folder, tmp_path, capsys):
    export(folder, tmp_path / "edges.parquet", links=True)
    rows = pq.read_table(tmp_path / "edges.parquet").to_pylist()
    assert {(ends(row["source"]), ends(row["target"])) for row in rows} == EDGES | {("/b", "/never")}
    assert [row["target"] for row in rows if not row["target_read"]] == [rows[-1]["target"]]
    assert "wrote 6 links" in capsys.readouterr().out
    with pytest.raises(ConfigError, match="links can be written as"):
        export(folder, tmp_path / "edges.txt", links=True)
