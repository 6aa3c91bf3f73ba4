"""Where links stood: kept as one number, read back the same, gone when a site is forgotten."""

import asyncio

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from store_kit import rows, some_found, some_link, some_links, some_step
from warcio.archiveiterator import ArchiveIterator

from clew.store import SqliteStore
from clew.store.export import export
from clew.store.packed_position import describe_position, pack_positions, unpack_positions
from clew.store.rescore_source import as_stored, read_source
from clew.types import Area

URL = "https://site.test/"


@given(st.lists(st.tuples(*[st.floats(0, 1)] * 4, st.sampled_from(Area)), min_size=1, max_size=20))
def test_a_number_holds_a_place(places):
    links = some_links(
        [f"{URL}{n}" for n in range(len(places))],
        coordinates=np.array([place[:4] for place in places], np.float32),
        areas=np.array([place[4] for place in places], np.uint8),
    )
    back, areas = unpack_positions(pack_positions(links))
    np.testing.assert_allclose(back, links.coordinates, atol=1 / 1998 + 1e-6)
    assert areas.tolist() == links.areas.tolist()
    assert unpack_positions(pack_positions(as_stored(links)))[0].tolist() == back.tolist()


def test_nonsense_is_kept_within_the_page():
    places = np.array([[np.nan, -3, 7, np.inf]], np.float32)
    back, _ = unpack_positions(pack_positions(some_links([URL], coordinates=places)))
    assert back.tolist() == [[0, 0, 1, 1]]


def test_places_are_read_again_as_they_were_kept(tmp_path):
    async def crawl():
        store = SqliteStore(tmp_path, min_free=0)
        store.open()
        store.add_links(some_found(1, [URL], 0))
        columns = {
            "coordinates": np.array([[0.5, 0.25, 0.9, 0.05]], np.float32),
            "areas": np.array([Area.NAV], np.uint8),
        }
        found = some_found(2, [f"{URL}a"], columns=columns)
        store.add(some_step(some_link(1, URL), new_links=found, visit={"rendered": "<p>gebaut: ü".encode()}))
        await store.commit()
        await store.aclose()
        return as_stored(found.links)

    kept = asyncio.run(crawl())
    _, links = read_source(tmp_path, 2)
    assert links.coordinates.tolist() == kept.coordinates.tolist()
    assert links.areas.tolist() == [Area.NAV]
    ((place, x, y),) = rows(
        tmp_path, "SELECT place, x, y FROM links JOIN links_readable USING (id) WHERE id = 2"
    )
    assert str(place) == "2500250899050"
    assert (x, y) == (899 / 999, 50 / 999)
    assert describe_position(place) == "top right, in the navigation"
    (file,) = (tmp_path / "pages").glob("*.warc.gz")
    with file.open("rb") as stream:
        read = [(each.rec_type, each.content_stream().read()) for each in ArchiveIterator(stream)]
    assert [kind for kind, _ in read] == ["warcinfo", "response", "conversion", "request"]
    assert read[2][1].decode() == "<p>gebaut: ü"
    export(tmp_path, tmp_path / "out.warc.gz")
    with (tmp_path / "out.warc.gz").open("rb") as stream:
        assert [each.rec_type for each in ArchiveIterator(stream)] == [kind for kind, _ in read]
