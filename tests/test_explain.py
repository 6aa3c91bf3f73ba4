"""Every URL can be explained: fetched, open, refused, failed, unknown; and the numbers add up."""

import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import sys
import termios

import numpy as np
import pytest

from clew import Crawl
from clew.cli.exclude import exclude
from clew.domain.topic_terms import TERMS_FILE, TopicTerms, write_topic_terms
from clew.errors import ConfigError
from clew.testing import check_ranker
from tests.small_web import CONTACT, QUICK, linked, serving

PAGES = {
    "/robots.txt": (200, {"Content-Type": "text/plain"}, b"User-agent: *\nDisallow: /private/\n"),
    "/": linked(
        "/light",
        "/soup",
        "/private/diary",
        "/login",
        "/old",
        "/lost",
        "/x1",
        "/x2",
        "/private/x3",
        text="lighthouse start",
    ),
    "/light": linked("/lens", "/soup", text="lighthouse beacon " * 4, title="Lighthouse"),
    "/lens": linked("/lamp", text="lens of the lighthouse"),
    "/lamp": linked(text="a lamp"),
    "/soup": linked(text="a recipe for onion soup"),
    "/old": (301, {"Location": "/soup"}, b""),
}


class TwoParts:
    """Score by the source page and by whether the link text names the light."""

    def parts(self, source, links):
        has_letter = np.array(["l" in anchor for anchor in links.anchors], np.float32)
        return {
            "the page": np.full(len(links), source.verdict.value / 2, np.float32),
            "the words": has_letter * 0.4,
        }

    def score(self, source, links):
        return sum(self.parts(source, links).values())

    def learn(self, outcome):
        pass


@pytest.fixture(scope="module")
def crawl(tmp_path_factory):
    folder = tmp_path_factory.mktemp("why") / "c"
    with serving(PAGES) as web:
        settings = {**QUICK, "scope.exclude": ["*/login*"], "fetch.per_host": 1}
        crawl = Crawl(
            folder, "lighthouse beacon", [web.origin], CONTACT, settings=settings, ranker=TwoParts()
        )
        crawl.run(requests=9)
        config = (folder / "clew.toml").read_text()
        (folder / "clew.toml").write_text(config.replace("exclude = []", 'exclude = ["*/login*"]'))
        crawl.origin = web.origin
        yield crawl


def test_a_ranker_with_parts_passes_the_conformance_test():
    check_ranker(TwoParts())

    class Wrong(TwoParts):
        def score(self, source, links):
            return np.full(len(links), 0.1, np.float32)

    with pytest.raises(AssertionError, match="add up"):
        check_ranker(Wrong())


def test_a_fetched_page(crawl):
    why = crawl.why(f"{crawl.origin}/light")
    assert (why.state, why.page.relevant, why.page.title) == ("fetched", True, "Lighthouse")
    assert [step.url for step in why.path] == [f"{crawl.origin}/", f"{crawl.origin}/light"]
    assert [name for name, _ in why.ranking.parts] == ["the page", "the words"]
    assert sum(value for _, value in why.ranking.parts) == pytest.approx(why.ranking.score, abs=1e-6)
    row = next(row for row in crawl.links if row["url"] == why.url)
    assert why.ranking.score == pytest.approx(row["score"])
    assert '"beacon" 4×' in why.page.why
    assert why.ranking.policy == "TwoParts"
    text = "\n".join(why.lines())
    for part in ("seed", "└─▶", "+0.400  the words", "judged", 'via "to /light"', "200 text/html"):
        assert part in text
    assert json.loads(json.dumps(why.as_dict()))["parts"][1]["part"] == "the words"
    assert "&quot;" in why._repr_html_()


def test_the_parts_of_every_score_add_up(crawl):
    addresses = [row["url"] for row in crawl.links if row["kind"] == "page"]
    assert len(addresses) >= 8
    for url in addresses:
        why = crawl.why(url)
        assert sum(value for _, value in why.ranking.parts) == pytest.approx(why.ranking.score, abs=1e-6), url
        assert why.path[0].url == f"{crawl.origin}/"
        assert why.path[-1].url == url


def test_a_raised_link_names_the_page_that_raised_it(crawl):
    raised = crawl.pages.sql("SELECT url, raised.score FROM raised JOIN links ON links.id = link").rows()
    assert [url for url, _ in raised] == [f"{crawl.origin}/soup"]
    why = crawl.why(raised[0][0])
    assert why.ranking.score == pytest.approx(raised[0][1])
    assert why.ranking.scored_by == f"{crawl.origin}/light"


def test_refusals_name_the_rule(crawl):
    assert "robots: Disallow: /private/" in crawl.why(f"{crawl.origin}/private/diary").reason
    login = crawl.why(f"{crawl.origin}/login")
    assert (login.state, login.reason) == ("refused", 'scope.exclude "*/login*"')


def test_robots_txt_is_not_a_seed(crawl):
    why = crawl.why(f"{crawl.origin}/robots.txt")
    assert (why.kind, why.path[0].kind) == ("robots", "robots")
    text = "\n".join(why.lines())
    assert "seed" not in text
    assert f"path    {crawl.origin}/robots.txt" in text
    assert "fetched before the other URLs of its host" in text


def test_redirects_and_errors(crawl):
    assert crawl.why(f"{crawl.origin}/old").reason == f"redirects to {crawl.origin}/soup"
    assert crawl.why(f"{crawl.origin}/lost").reason == "HTTP 404"


def test_an_open_link_has_a_queue_position_and_obeys_exclusions(crawl):
    open_ = [row["url"] for row in crawl.links if row["state"] == "open" and row["kind"] == "page"]
    assert open_, "the budget was to leave something"
    why = crawl.why(open_[0])
    assert why.reason.startswith("not fetched yet: position 1 of 2 open links")
    assert "it will be refused: robots: Disallow: /private/" in crawl.why(open_[1]).reason
    exclude(crawl.folder, "127.0.0.1")
    assert "you excluded it" in crawl.why(open_[0]).reason
    exclude(crawl.folder, "127.0.0.1", undo=True)
    assert "excluded" not in crawl.why(open_[0]).reason


def test_unknown_urls(crawl):
    assert "no fetched page links to it" in crawl.why("http://elsewhere.example/x").reason
    assert "would be refused: robots: Disallow" in crawl.why(f"{crawl.origin}/private/other-things").reason
    assert 'scope.exclude "*/login*"' in crawl.why(f"{crawl.origin}/a/very/different/login/page").reason
    with pytest.raises(ConfigError, match="did you mean"):
        crawl.why(f"{crawl.origin}/private/diari")
    with pytest.raises(ConfigError, match="contains 'zzz'"):
        crawl.why("zzz")


def test_part_of_a_url_is_enough(crawl):
    assert crawl.why("diary").url == f"{crawl.origin}/private/diary"
    assert crawl.why(f"{crawl.origin}/light/").url == f"{crawl.origin}/light"


PARTS = ["source page", "link text", "URL", "tag path", "crawl path", "surroundings"]


@pytest.fixture(scope="module")
def by_default(tmp_path_factory):
    """A crawl with the default policy, stopped while links are open."""
    with serving(PAGES) as web:
        folder = tmp_path_factory.mktemp("default") / "c"
        crawl = Crawl(folder, "lighthouse beacon", [web.origin], CONTACT, settings=QUICK)
        crawl.run(requests=8)
        yield crawl


def test_the_default_policy_names_six_parts_of_every_link(by_default):
    explained = [
        by_default.why(row["url"]) for row in by_default.links if row["kind"] == "page" and row["depth"]
    ]
    assert {why.state for why in explained} >= {"fetched", "open", "refused"}
    for why in explained:
        assert why.ranking.policy == "clew"
        assert [name for name, _ in why.ranking.parts] == PARTS
        assert sum(value for _, value in why.ranking.parts) == pytest.approx(why.ranking.score, abs=1e-6), (
            why.url
        )


def test_the_deciding_word_is_named_and_a_new_policy_does_not_explain_old_scores(tmp_path):
    pages = {
        "/": '<main><p><a href="/lens">The lens</a> <a href="/soup">Onion soup</a>',
        "/lens": linked("/", text="lens"),
    }
    with serving(pages) as web:
        settings = {**QUICK, "rank.policy": "reseed"}
        (tmp_path / "c" / "models").mkdir(parents=True)
        write_topic_terms(
            tmp_path / "c" / "models" / TERMS_FILE, TopicTerms(values={"lighthouse": 1.0, "lens": 0.5})
        )
        crawl = Crawl(tmp_path / "c", "lighthouse beacon", [web.origin], CONTACT, settings=settings)
        crawl.run(requests=8)
        named = [row["url"] for row in crawl.links if row["score"] and row["depth"] and row["kind"] == "page"]
        cards = [str(crawl.why(url)) for url in named]
        assert any("the best word of its link text: «" in card for card in cards)
        crawl = Crawl(tmp_path / "c", settings={**QUICK, "rank.policy": "keyword"})
        crawl.run(requests=9)
        for url in named:
            ranking = crawl.why(url).ranking
            assert ranking.policy != "reseed" or not ranking.terms


def test_lines_are_wrapped_between_words_on_a_narrow_terminal(by_default):
    url = next(row["url"] for row in by_default.links if row["url"].endswith("/lens"))
    command = [sys.executable, "-m", "clew", "why", str(by_default.folder), url]
    whole = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    parent, child = pty.openpty()
    fcntl.ioctl(child, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 60, 0, 0))
    env = {name: value for name, value in os.environ.items() if name not in {"COLUMNS", "LINES"}}
    with subprocess.Popen(command, stdout=child, env=env) as narrow:
        os.close(child)
        output = b""
        while piece := read(parent):
            output += piece
    os.close(parent)
    assert narrow.returncode == 0
    lines = output.decode().splitlines()
    assert all(len(line) <= 60 for line in lines if "://" not in line)
    assert len(lines) > len(whole.splitlines())
    assert re.sub(r"\s+", " ", " ".join(lines)) == re.sub(r"\s+", " ", whole).strip()


def read(parent):
    """Read the output to a terminal; nothing once the other side is closed."""
    try:
        return os.read(parent, 65536)
    except OSError:
        return b""


def test_a_file_without_readable_text_is_called_unread(tmp_path):
    pages = {
        "/": linked("/a.bin", "/b.pdf", text="words"),
        "/b.pdf": (200, {"Content-Type": "application/pdf"}, b"%PDF-1.4 broken"),
        "/a.bin": (200, {"Content-Type": "application/x-tar"}, b"\0\1" * 900),
    }
    with serving(pages) as web:
        crawl = Crawl(tmp_path / "c", "words", [web.origin], CONTACT, settings=QUICK)
        crawl.run()
        assert "not read: clew reads no text of application/x-tar" in str(crawl.why(f"{web.origin}/a.bin"))
        assert "not read: PDF is damaged" in str(crawl.why(f"{web.origin}/b.pdf"))
