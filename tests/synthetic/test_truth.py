"""The ground truth of the synthetic web: counted right, never served, and hard to guess."""

import re
from collections import Counter

import pytest

from clew.errors import ConfigError
from clew.lab.synthetic import Web, WebTruth
from clew.lab.synthetic.layouts import CLASSES
from clew.lab.synthetic.topics import LANGUAGES, TOPICS
from clew.lab.synthetic.url_schemes import PageKind, path
from tests.synthetic.test_pages import page_of, targets

CLASS_NAMES = {name for names in CLASSES for name in names} | {"item", "hd", "row", "top", "page"}


@pytest.fixture(scope="module")
def web():
    return Web(3_000, seed=7)


@pytest.fixture(scope="module")
def truth(web):
    return WebTruth(web)


def everything(web):
    for number in range(len(web.graph.names)):
        site = web.graph.site(number)
        for target in targets(site):
            yield site, target, f"http://{site.name}{path(site, target)}"


def test_counts_are_what_counting_every_page_gives(web, truth):
    task = {topic.name: web.task(topic.name) for topic in TOPICS.searchable}
    counted = Counter()
    for _, _, url in everything(web):
        page_truth = truth.page_truth(url)
        if page_truth.topic in task and truth.is_relevant(url, task[page_truth.topic]):
            counted[page_truth.topic] += 1
    assert truth.counts("en") == {name: counted[name] for name in task}


def test_relevant_pages_are_rare_on_a_web_of_any_size():
    for size, seed in ((20_000, 1), (20_000, 2), (1_000_000, 1)):
        web = Web(size, seed)
        shares = [count / web.pages for count in WebTruth(web).counts().values()]
        assert min(shares) > 0.002
        assert max(shares) < 0.03
        assert abs(web.pages / size - 1) < 0.06


def test_grades(web, truth):
    task = web.task("railways")
    grades = Counter(truth.grade(url, task) for _, _, url in everything(web))
    assert grades[2] == truth.count(task) > 0
    assert grades[1] > 0
    assert (
        truth.grade("http://nowhere.org/", task) == truth.grade(web.home_urls()[0] + "robots.txt", task) == 0
    )


def test_a_sample_is_drawn_evenly(web, truth):
    urls = truth.sample(4_000)
    assert urls == truth.sample(4_000)
    assert urls != truth.sample(4_000, seed=1)
    kinds = Counter(truth.page_truth(url).kind for url in urls)
    true = Counter(truth.page_truth(url).kind for _, _, url in everything(web))
    for kind, count in true.items():
        assert abs(kinds[kind] / 4_000 - count / web.pages) < 0.03, kind


def test_records_and_addresses_are_on_their_pages(web, truth):
    records = addresses = 0
    for site, target, url in everything(web):
        if (
            site.is_closed
            or target.kind not in {PageKind.CONTACT, PageKind.LIST, PageKind.CONTENT}
            or target.position > 2
        ):
            continue
        text = re.sub(r"<[^>]+>", " ", web.respond(url).body.decode(page_of(web, url).encoding, "replace"))
        for row in truth.records(url):
            records += 1
            assert row.name in text, url
            assert row.reference in text, url
        where = truth.address(url)
        assert (where is not None) == (target.kind == PageKind.CONTACT)
        if where:
            addresses += 1
            assert where.code in text, url
            assert where.street in text, url
    assert records > 200
    assert addresses > 30


def test_nothing_but_visible_words_reveals_the_topic(web, truth):
    """Heads, attributes and headers are the same on all pages of a host, whatever a page is about."""
    topics, heads, pairs = {}, {}, {}
    for site, target, url in everything(web):
        if target.kind != PageKind.CONTENT or target.position % 3 or site.is_closed:
            continue
        reply = web.respond(url)
        html = reply.body.decode("latin-1")
        assert "<!--" not in html, url
        assert {name for name, _ in reply.headers} == {"Content-Type"}
        tags = re.findall(r"<[a-zA-Z][^>]*>", html.partition("<body")[2] or html.partition("<BODY")[2])
        attributes = {
            (name, value) for tag in tags for name, value in re.findall(r'([a-z-]+)="([^"]*)"', tag)
        }
        attributes = {(name, value) for name, value in attributes if name != "href"}
        assert {name for name, _ in attributes} <= {"class", "id"}, url
        assert {value for name, value in attributes if name == "class"} <= CLASS_NAMES, url
        assert {value for name, value in attributes if name == "id"} <= {"wrap", "banner"}, url
        topics.setdefault(site.name, set()).add(truth.page_truth(url).topic)
        if not html.startswith("<html><head><title>"):  # pages that somebody just put there have no head
            head = re.split("</head>", html, maxsplit=1, flags=re.IGNORECASE)[0]
            heads.setdefault(site.name, set()).add(
                re.sub(r"<title>.*</title>", "", head, flags=re.IGNORECASE)
            )
            pairs.setdefault(site.name, set()).add((reply.headers, frozenset(attributes)))
    assert sum(len(found) > 1 for found in topics.values()) > 30  # there was something to tell
    assert {name: found for name, found in heads.items() if len(found) > 1} == {}
    assert {name: found for name, found in pairs.items() if len(found) > 1} == {}


def test_most_urls_do_not_reveal_the_topic():
    web = Web(20_000)
    truth = WebTruth(web)
    telling = total = 0
    for url in truth.sample(3_000):
        page_truth = truth.page_truth(url)
        if page_truth.topic and page_truth.lang == "en" and page_truth.kind == "articles":
            words = TOPICS.by_name[page_truth.topic].query.split()
            total += 1
            telling += any(word in url.partition("//")[2].partition("/")[2] for word in words)
    assert 0 < telling < 0.2 * total


def test_titles_and_texts_are_no_certain_sign(web, truth):
    """Some pages on a topic do not use its obvious words, some others do."""
    dim = mentions = plain = 0
    for site, target, url in everything(web):
        page_truth = truth.page_truth(url)
        if page_truth.lang != "en" or page_truth.kind != "articles" or site.is_closed:
            continue
        words = TOPICS.by_name[page_truth.topic].query.split()
        if words and (page_truth.implicit or plain < 200) and target.position < 4:
            text = page_of(web, url).text.lower()
            word_count = sum(text.count(word) for word in words)
            dim += page_truth.implicit and word_count <= 1
            plain += not page_truth.implicit and word_count > 1
        mentions += bool(page_truth.mentions)
    assert dim > 20
    assert plain > 60
    assert mentions > 50


def test_secluded_sections_are_linked_from_their_own_host_only():
    web = Web(20_000)
    truth = WebTruth(web)
    inside = 0
    for url in truth.sample(1_200):
        for to in page_of(web, url).links.urls:
            page_truth = truth.page_truth(to)
            if page_truth and page_truth.secluded:
                assert to.split("/")[2] == url.split("/")[2], (url, to)
                inside += 1
    assert inside > 50


def test_seeds_are_off_the_topic_and_lead_to_it(web):
    web = Web(20_000)
    truth = WebTruth(web)
    for topic in ("lighthouses", "bread", "census"):
        task, seeds = web.task(topic), web.seeds(topic, 5)
        assert len(seeds) == 5
        assert not any(truth.is_relevant(url, task) for url in seeds)
        ring, seen, steps = list(seeds), set(seeds), 0
        while not any(truth.is_relevant(url, task) for url in ring):
            ring = list({to for url in ring for to in page_of(web, url).links.urls} - seen)
            seen.update(ring)
            steps += 1
        assert 1 <= steps <= 3, topic
        assert all(web.respond(url).status == 200 for url in seeds)


def test_examples_are_good_and_bad(web, truth):
    good, bad = web.examples("railways", 4)
    task = web.task("railways")
    assert len(good) == len(bad) == 4
    assert all(truth.is_relevant(url, task) for url in good)
    assert not any(truth.is_relevant(url, task) for url in bad)


def test_queries_are_in_the_language_of_the_task(web):
    assert web.task("lighthouses").words == "lighthouse keeper lantern beacon"
    assert "灯台" in web.task("lighthouses", "ja").words
    assert "Leuchtturm" in web.task("lighthouses", "de").words
    with pytest.raises(ConfigError, match="its topics are lighthouses, "):
        web.task("unicorns")
    with pytest.raises(ConfigError, match="its languages are en, de, ja, fr"):
        web.task("bread", "xx")


def test_the_vocabulary_is_large_and_shared_between_topics():
    from clew.lab.synthetic.resources import load
    from clew.lab.synthetic.word_slots import word_table

    assert len(TOPICS.searchable) >= 40
    names = [topic.name for topic in TOPICS.all]
    for lang in LANGUAGES:
        assert list(load(f"words_{lang}")) == ["general", *names], lang
    where = Counter()
    for topic in TOPICS.searchable:
        words = {word for row in word_table("en", topic.name) for word in row}
        assert len(words) >= 40, topic.name
        where.update(words)
        for other in topic.near:
            assert other in TOPICS.by_name
    assert all(where[word] >= 2 for word in ("lens", "signal", "castle", "keeper", "plate", "press", "crane"))
    for name in names:
        text = load("words_ja")[name]["name"] + "".join(
            word for row in word_table("ja", name) for word in row
        )
        assert text.encode("shift_jis") + text.encode("euc-jp")
