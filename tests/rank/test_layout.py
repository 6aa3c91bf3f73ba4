"""Layout: what its tree learns, when it thinks again, what it says of itself, and the file it leaves."""

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from clew import urls
from clew.errors import ConfigError
from clew.lab.synthetic import Web, serving
from clew.rank.layout.link_attributes import SETS, LinkAttributes
from clew.rank.layout.policy import Layout
from clew.rank.layout.tree_file import format_tree, read_tree
from clew.testing import check_ranker, sample_link, sample_page
from clew.types import Area, Kind, Links, Outcome, Verdict

SEEDS = ["https://h0.test/", "https://h1.test/", "https://h2.test/", "https://h3.test/"]


def page(url, value, id=1):
    made = sample_page(url)
    response = replace(made.response, link=sample_link(url, id=id))
    return Outcome(replace(made, response=response), Verdict(value))


def listed(names, anchors=None, y=None, areas=None):
    """Links that stand at `y` of the height, tables and tags alike."""
    many = len(names)
    down = np.linspace(0, 1, many) if y is None else np.array(y)
    coordinates = np.column_stack([np.full(many, 0.5), down, np.full(many, 0.5), down]).astype(np.float32)
    kinds = np.zeros(many, np.uint8) if areas is None else np.array(areas, np.uint8)
    return replace(
        Links.plain(names, Kind.PAGE),
        anchors=anchors or ["more"] * many,
        coordinates=coordinates,
        areas=kinds,
    )


def crawl(ranker, relevant, pages=30, first=0, links_per_page=10):
    """Pass a ranker list pages, then all their targets; `relevant(page, position)` is the truth.

    Return the new scores of waiting links, one entry for each time the tree was fitted.
    """
    targets = []
    for number in range(first, first + pages):
        source = page(SEEDS[number % 4] + f"list{number}", 0.0, id=number + 1)
        names = [f"{SEEDS[number % 4]}{number}/{at}" for at in range(links_per_page)]
        ranker.learn(source)
        ranker.rerank()
        links = listed(names)
        ranker.score(source, links)
        targets += [(name, relevant(number, at)) for at, name in enumerate(names)]
    changed = []
    for name, is_relevant in targets:
        ranker.learn(page(name, float(is_relevant), id=1_000))
        if (new := ranker.rerank()) is not None:
            changed.append(new)
    return changed


def scores_at(ranker, *heights):
    links = listed([f"https://new.test/{height}" for height in heights], y=heights)
    return ranker.score(page("https://new.test/", 0.0, id=9_999), links).tolist()


def test_before_there_is_a_tree_the_oldest_comes_first():
    ranker = Layout(start=50)
    assert set(scores_at(ranker, 0.1, 0.9)) == {0.5}
    check_ranker(Layout(about="page", start=5))


@pytest.mark.parametrize("attributes", ["+a4", "all", "+css", "+names", "wide", "wider"])
def test_it_learns_positions_of_relevant_links(attributes):
    ranker = Layout(attributes=attributes, start=50)
    changed = crawl(ranker, lambda number, at: at >= 8)
    top, bottom = scores_at(ranker, 0.2, 0.95)
    assert bottom > 0.8
    assert top < 0.1
    assert changed, "open links are scored anew"
    names, values = changed[0]
    assert len(names) == len(values) == 300 - 50
    assert len(set(values.tolist())) > 1


def test_without_relevant_pages_links_with_a_signal_come_first():
    ranker = Layout(about="lighthouse", start=50)
    changed = crawl(ranker, lambda number, at: False)
    assert changed[0][1].max() == 0
    links = listed(["https://n.test/1", "https://n.test/2"], ["Lighthouses", "soup"])
    assert ranker.score(page("https://n.test/", 0.0), links).tolist() == [1.0, 0.5]
    assert "contains a word of the goal" in ranker.describe_links(page("https://n.test/", 0.0), links)[0]


def test_trees_split_only_by_attributes_of_their_set():
    for attributes in ("a1a2", "+a3"):
        ranker = Layout(attributes=attributes, start=50)
        crawl(ranker, lambda number, at: at >= 8)
        top, bottom = scores_at(ranker, 0.2, 0.95)
        assert top == bottom
    with pytest.raises(ConfigError, match="choose one of a1a2"):
        crawl(Layout(attributes="a5", start=50), lambda number, at: at >= 8)
    assert set(SETS["all"]) < set(SETS["wide"]) < set(SETS["wider"])


def test_words_of_host_names_lead_to_hosts_that_were_never_read():
    links = LinkAttributes()
    for number in range(4):
        links.hosts.count(f"www.city.town{number}.lg.jp", 5, 5)
        links.hosts.count(f"shop{number}.blog.test", 0, 5)
    numbers = [links.hosts.number(name) for name in ("www.city.new.lg.jp", "other.blog.test", "x.example")]
    city, blog, plain = links.hosts.name_shares(np.array(numbers)).tolist()
    assert city > plain > blog
    links.hosts.count("www.city.new.lg.jp", 0, 50)
    assert links.hosts.name_shares(np.array(numbers[:1]))[0] > 0.5, "a host's own pages do not count"


def test_hosts_count():
    ranker = Layout(attributes="+host", start=100)
    crawl(ranker, lambda number, at: number % 4 == 2)
    links = listed(["https://h2.test/new", "https://h1.test/new"], y=[0.5, 0.5])
    first, second = ranker.score(page("https://new.test/", 0.0), links).tolist()
    assert first > 0.7
    assert second < 0.2


def test_parts_of_pages_count():
    ranker = Layout(start=40)
    for number in range(40):
        source = page(f"https://h{number % 4}.test/{number}", 0.0, id=number + 1)
        names = [f"https://h{number % 4}.test/{number}/{at}" for at in range(3)]
        ranker.score(source, listed(names, y=[0.5] * 3, areas=[Area.NAV, Area.MAIN, Area.FOOTER]))
        for at, name in enumerate(names):
            ranker.learn(page(name, float(at == 2)))
            ranker.rerank()
    links = listed(["https://n.test/1", "https://n.test/2"], y=[0.5, 0.5], areas=[Area.FOOTER, Area.NAV])
    first, second = ranker.score(page("https://n.test/", 0.0), links).tolist()
    assert first > 0.7
    assert second < 0.1
    (description, _) = ranker.describe_links(page("https://n.test/", 0.0), links)
    assert description.startswith("in the footer: yes → ")


def test_a_rule_of_one_page_is_not_learned():
    ranker = Layout(attributes="+a4", start=90, support=3)
    crawl(ranker, lambda number, at: number == 0 and at >= 5, pages=10)
    assert len(set(scores_at(ranker, 0.2, 0.95))) == 1


def test_binary_scores_are_one_or_zero():
    ranker = Layout(attributes="all", start=50, binary=True)
    crawl(ranker, lambda number, at: at >= 7)
    assert scores_at(ranker, 0.2, 0.95) == [0.0, 1.0]


def test_it_adapts_when_relevant_positions_change():
    ranker = Layout(attributes="+a4", start=50)
    crawl(ranker, lambda number, at: at >= 8, pages=12)
    assert scores_at(ranker, 0.95)[0] > 0.7
    for number in range(100, 160):
        source = page(f"https://h1.test/list{number}", 0.0, id=number)
        names = [f"https://h1.test/{number}/{at}" for at in range(10)]
        ranker.score(source, listed(names))
        for at, name in enumerate(names):
            ranker.learn(page(name, float(at == 0)))
            ranker.rerank()
    top, bottom = scores_at(ranker, 0.0, 0.95)
    assert top > bottom + 0.2


def test_a_link_found_several_times_is_reranked_by_its_best_position():
    ranker = Layout(attributes="+a4", start=50)
    crawl(ranker, lambda number, at: at >= 8)
    for y in (0.2, 0.95, 0.3):
        ranker.score(page("https://n.test/", 0.0), listed(["https://n.test/x"], y=[y]))
    hashes, scores = crawl(ranker, lambda number, at: at >= 8, pages=8, first=100)[-1]
    (score,) = scores[hashes == urls.fingerprint("https://n.test/x")].tolist()
    top, middle, bottom = scores_at(ranker, 0.2, 0.3, 0.95)
    assert score == pytest.approx(bottom, abs=0.05)
    assert score > max(top, middle) + 0.5


def test_the_path_through_the_tree_is_described(tmp_path):
    ranker = Layout(judge="place:jp", attributes="all", start=50)
    for number in range(40):
        source = page(f"https://h{number % 4}.test/{number}", 0.0, id=number + 1)
        names = [f"https://h{number % 4}.test/{number}/{at}" for at in range(4)]
        ranker.score(source, listed(names, ["大阪店", "地図", "札幌店", "会社"], y=[0.1, 0.1, 0.8, 0.8]))
        for at, name in enumerate(names):
            ranker.learn(page(name, float(at == 0)))
            ranker.rerank()
    links = listed(["https://n.test/1"], ["神戸店"], y=[0.05])
    (description,) = ranker.describe_links(page("https://n.test/", 0.0), links, ["神戸店"])
    assert "its text names a place: yes" in description
    assert "by its tags in the top 10 % of the page" in description
    assert description.endswith("such links led to a relevant page")
    text = "\n".join(format_tree(ranker.tree, "names a place"))
    assert "its text names a place: no" in text
    parts = ranker.parts(page("https://n.test/", 0.0), links)
    assert sum(float(value[0]) for value in parts.values()) == pytest.approx(
        float(ranker.score(page("https://n.test/", 0.0), links)[0])
    )


# ---- what outlives the run -------------------------------------------------------------------------


@pytest.fixture
def saved(tmp_path):
    ranker = Layout(attributes="wide", start=50)
    crawl(ranker, lambda number, at: at >= 8)
    ranker.save(tmp_path)
    return ranker, tmp_path


def test_another_crawl_begins_with_the_tree(saved):
    ranker, folder = saved
    again = Layout()
    again.load(folder)
    assert scores_at(again, 0.2, 0.95) == pytest.approx(scores_at(ranker, 0.2, 0.95), abs=1e-3)
    assert again.learned == 0, "there is nothing new to save"
    Layout().load(folder / "nowhere")
    before = again.tree.seen[0]
    crawl(again, lambda number, at: at >= 8, pages=5)
    assert before < again.tree.seen[0] <= before + 50, "what is followed is counted in it"


def test_a_tree_marked_keep_is_not_changed(saved):
    _, folder = saved
    path = folder / "tree.tsv"
    path.write_text(path.read_text().replace("use\tauto", "use\tkeep"))
    again = Layout(start=10)
    again.load(folder)
    assert crawl(again, lambda number, at: at < 2) == []
    assert scores_at(again, 0.95)[0] > 0.8
    again.save(folder)
    assert "use\tkeep" in path.read_text()


def test_a_tree_may_be_written_by_hand(tmp_path):
    (tmp_path / "tree.tsv").write_text(
        "use\tkeep\nnode\tasks\tat most\tthen\telse\tgood\tlinks\n"
        "1\ty\t0.5\t2\t3\t8\t20\n2\t-\t-\t-\t-\t0\t10\n3\t-\t-\t-\t-\t8\t10\n"
    )
    ranker = Layout()
    ranker.load(tmp_path)
    top, bottom = scores_at(ranker, 0.5, 0.51)
    assert top < 0.2
    assert bottom > 0.6


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ("1\ty\t0.5\t2\t3\t8\t20", "further down"),
        ("1\ty\t0.5\t1\t1\t8\t20\n2\t-\t-\t-\t-\t0\t10", "further down"),
        (
            "1\tcolour\t0.5\t2\t3\t8\t20\n2\t-\t-\t-\t-\t0\t10\n3\t-\t-\t-\t-\t0\t1",
            'there is no attribute "colour"',
        ),
        ("1\ty\tnan\t2\t3\t8\t20\n2\t-\t-\t-\t-\t0\t10\n3\t-\t-\t-\t-\t0\t1", "is not a number"),
        ("1\t-\t-\t-\t-\t21\t20", "counts"),
        ("1\t-\t-\t-\t-\t-1\tinf", "counts"),
        ("2\t-\t-\t-\t-\t1\t20", "numbered from 1"),
        ("1\t-\t-\t-\t-\t1\t20\n2\t-\t-\t-\t-\t1\t20", "no other node leads to"),
        ("1\t-\t-", "a cell is missing"),
        ("", "no nodes"),
    ],
)
def test_an_invalid_tree_file_is_refused_with_its_line(tmp_path, wrong, why):
    (tmp_path / "tree.tsv").write_text(f"use\tauto\nnode\tasks\tat most\tthen\telse\tgood\tlinks\n{wrong}\n")
    with pytest.raises(ConfigError, match=why) as fault:
        Layout().load(tmp_path)
    assert "line" in str(fault.value)
    assert "delete the file to learn a new tree" in str(fault.value)


def test_a_binary_tree_file_is_refused(tmp_path):
    (tmp_path / "tree.tsv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ConfigError, match="UTF-8"):
        read_tree(tmp_path)


# ---- all of it, as a person does it ----------------------------------------------------------------


def clew(*words):
    done = subprocess.run(
        [sys.executable, "-m", "clew", *map(str, words)],
        capture_output=True,
        text=True,
        timeout=250,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def test_a_crawl_for_addresses_from_the_first_command_to_why(tmp_path):
    web, folder = Web(500, seed=3), tmp_path / "c"
    with serving(web) as proxy:
        seeds = [word for url in web.seeds("lighthouses", 6) for word in ("--seed", url)]
        quick = ["--set", f"fetch.proxy={proxy}", "--set", "fetch.delay=0"]
        contact = ["--contact", "https://github.com/clew-crawler/clew"]
        code, description = clew("new", folder, "--goal", "place=gb", *seeds, *contact, *quick)
        assert code == 0, description
        code, description = clew("run", folder, "--policy", "layout", "--pages", "130")
        assert code == 0, description
    code, description = clew("learn", folder, "--show")
    assert code == 0, description
    assert "tree.tsv: positions of links" in description
    learned = read_tree(folder / "models")
    assert learned.tree.relevant[0] >= 3
    assert sum(learned.hosts.seen) >= 100
    code, description = clew("why", folder, "contact.html")
    if code:  # several: take the first that is named
        code, description = clew(
            "why", folder, next(word for word in description.split() if word.startswith("http"))
        )
    assert code == 0, description
    assert "such links led to a relevant page" in description
    assert "base score" in description
