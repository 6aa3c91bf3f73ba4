"""What the link classifier has learned, as a file: readable, portable, and refused when it is damaged."""

import re

import numpy as np
import pytest
import xxhash

from clew.errors import ConfigError
from clew.rank.baselines.ariadne import Ariadne

from .graphs import links
from .test_ariadne import RECIPES, REPORTS, chances, read, taught


@pytest.fixture
def saved(tmp_path):
    """The folder of a ranker that has learned, and the ranker."""
    ranker = taught(Ariadne(about="turbine"), [*REPORTS, *RECIPES])
    ranker.save(tmp_path)
    return tmp_path, ranker


def test_the_file_can_be_read_by_people(saved):
    folder, ranker = saved
    text = (folder / "links.tsv").read_text("utf-8")
    head, _, table = text.partition("[tokens]\n")
    assert head.startswith("# clew model links 1\n")
    assert "its link text\t0." in head
    rows = [line.split("\t") for line in table.splitlines()]
    assert rows[0] == ["token", "family", "log-odds", "good", "seen", "leans on"]
    known = {(row[0], row[1]): row[2:] for row in rows[1:] if len(row) == 6}
    assert known["soup", "text"][1:3] == ["0.000", "20.000"]
    assert float(known["soup", "text"][0]) < -1
    assert known["//s.test/reports/", "address"][3] == "//s.test"
    assert known["s.test/", "page"][3] == "judged 0.50"
    assert ranker.learned > 0


def test_another_crawl_begins_with_it(saved):
    folder, ranker = saved
    warm, cold = Ariadne(about="turbine"), Ariadne(about="turbine")
    warm.load(folder)
    some = links(
        *[(url, text) for url, text, _ in [*REPORTS[:5], *RECIPES[:5]]], ("https://n.test/a", "turbine soup")
    )
    source = read("https://s.test/", 0.5)
    assert np.allclose(warm.score(source, some), ranker.score(source, some), atol=0.02)
    n = "https://n.test/"
    assert chances(cold, n, "soup") == chances(cold, n, "harp")
    assert chances(warm, n, "soup") < chances(warm, n, "harp")


def test_every_link_keeps_its_score(saved):
    folder, ranker = saved
    ranker.learn(read("https://s.test/new.html", 0.9, id=77, parent=1, anchor="not weighed yet"))
    ranker.save(folder)
    again = Ariadne(about="turbine")
    again.load(folder)
    again.set_priors({"harp": 1.0})  # what is told meanwhile waits for the next adaptation
    held, now = ranker.current_weights(), again.weights()
    assert np.array_equal(held.table, now.table)
    assert held.groups == now.groups
    assert again.weights() is None


def test_what_comes_later_is_added(saved):
    folder, _ = saved
    warm = Ariadne(about="turbine")
    warm.load(folder)
    taught(warm, [(url + "?again", text, value) for url, text, value in RECIPES])
    warm.save(folder)
    text = (folder / "links.tsv").read_text("utf-8")
    assert re.search(r"^soup\ttext\t-\d\.\d+\t0\.000\t40\.000\t$", text, re.MULTILINE)


def test_a_missing_file_is_no_error(tmp_path):
    ranker = Ariadne(about="turbine")
    before = chances(ranker, "https://a.test/", "turbine")
    ranker.load(tmp_path / "models")
    assert chances(ranker, "https://a.test/", "turbine") == before


def _signed(text):
    """Return a changed model with an end that fits, as a careful vandal would."""
    body = text[: text.rindex("# end ")].encode()
    count = text[: text.rindex("# end ")].count("\n")
    return body + f"# end {count} lines {xxhash.xxh3_64_hexdigest(body)}\n".encode()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("soup\ttext", "soup\tsmell", "makes no sense"),
        ("0.000\t20.000", "30.000\t20.000", "makes no sense"),
        ("0.000\t20.000", "nan\t20.000", "makes no sense"),
        ("good pages\t", "good things\t", "missing"),
        ("[tokens]", "[words]", "no table of tokens"),
        ("log-odds", "odds", "no table of tokens"),
        ("links 1\n", "links 2\n", "newer clew"),
    ],
)
def test_a_damaged_file_is_named_with_a_hint(saved, old, new, message):
    folder, _ = saved
    path = folder / "links.tsv"
    text = path.read_text("utf-8")
    assert old in text
    path.write_bytes(_signed(text.replace(old, new, 1)))
    ranker = Ariadne()
    with pytest.raises(ConfigError, match=message) as fault:
        ranker.load(folder)
    assert not ranker.stats.seen.any()
    assert "links.tsv" in str(fault.value)
    assert "delete the file" in str(fault.value)


def test_half_a_file_is_refused(saved):
    folder, _ = saved
    path = folder / "links.tsv"
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(ConfigError, match="damaged"):
        Ariadne().load(folder)
