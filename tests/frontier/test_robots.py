"""RFC 9309, rule by rule, and rules made to hurt."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.frontier.robots import MAX_DELAY, TTL, Robots, RobotsRules

S = "http://a.example"


def allowed(text: str, path: str, agent: str = "clew") -> bool:
    return not RobotsRules.read(200, text, agent).refusal(S + path)


@pytest.mark.parametrize(
    ("rules", "path", "ok"),
    [
        ("Disallow: /x", "/xyz", False),
        ("Disallow: /x/", "/x", True),
        ("Disallow: /X", "/x", True),
        ("Disallow:", "/x", True),
        ("Disallow: /x\nAllow: /x", "/x", True),
        ("Allow: /x\nDisallow: /x", "/x", True),
        ("Disallow: /\nAllow: /p", "/page", True),
        ("Disallow: /page\nAllow: /p", "/page", False),
        ("Disallow: /*.php", "/a/b.php?x", False),
        ("Disallow: /*.php$", "/a/b.php?x", True),
        ("Disallow: /*.php$", "/a/b.php", False),
        ("Disallow: /$", "/", False),
        ("Disallow: /$", "/a", True),
        ("Disallow: /a*b*c", "/a-c-b", True),
        ("Disallow: /a*b*c", "/a-b-c-d", False),
        ("Disallow: *", "/any", False),
        ("Disallow: /*?", "/a?b", False),
        ("Disallow: /a%3cd.html", "/a%3Cd.html", False),
        ("Disallow: /%7ejoe", "/~joe", False),
        ("Disallow: /~joe", "/~joe", False),
        ("Disallow: /a%2fb", "/a/b", True),
        ("Disallow: /ツ", "/%E3%83%84", False),
        ("Disallow: /%e3%83%84", "/%E3%83%84", False),
        ("Disallow: /bar/%62%61%7A", "/bar/baz", False),
        ("Disallow: /b?u=http://x", "/b?u=http%3A%2F%2Fx", False),
        ("Disallow: /star-%2A", "/star-*", False),
        ("Disallow: /star-%2A", "/star-x", True),
        ("Disallow: /cost%24", "/cost$", False),
        ("Disallow: /a # why", "/a", False),
        ("Disallow /a", "/a", False),
        ("  DISALLOW  :   /a  ", "/a", False),
        ("Disallow: /", "/robots.txt", True),
        ("Disallow: a", "/a", True),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"])
def test_matching(rules: str, path: str, ok: bool, end: str) -> None:
    assert allowed("\ufeffUser-agent: *\n".replace("\n", end) + rules.replace("\n", end), path) is ok


@pytest.mark.parametrize(
    ("text", "ok"),
    [
        ("User-agent: other\nDisallow: /", True),
        ("User-agent: CLEW\nDisallow: /", False),
        ("User-agent: clew/1.0 (+x)\nDisallow: /", False),
        ("User-agent: clewbot\nDisallow: /", True),
        ("User-agent: *\nDisallow: /\n\nUser-agent: clew\nAllow: /", True),
        ("User-agent: *\nDisallow: /\n\nUser-agent: clew", True),
        (
            "User-agent: clew\nDisallow: /b\n\nUser-agent: x\nAllow: /\n\nUser-agent: clew\nDisallow: /a",
            False,
        ),
        ("User-agent: x\nUser-agent: clew\nDisallow: /", False),
        ("User-agent: clew\nSitemap: http://a.example/s\nUnknown: 1\nUser-agent: x\nDisallow: /", False),
        ("User-agent: clew\nCrawl-delay: 3\nUser-agent: x\nDisallow: /", False),
        ("Disallow: /\nUser-agent: clew\nAllow: /b", True),
        ("<html><body>Not here</body></html>", True),
        ("\x00\x01\x02" * 100, True),
        ("", True),
    ],
)
def test_groups(text: str, ok: bool) -> None:
    assert allowed(text, "/a") is ok


@pytest.mark.parametrize(
    ("status", "error", "refusal"),
    [(200, "", "robots: Disallow: /"), (404, "", ""), (403, "", ""), (429, "", ""), (302, "", ""),
     (500, "", "robots unreachable"), (503, "", "robots unreachable"), (0, "timeout", "robots unreachable"),
     (200, "incomplete body", "robots unreachable")],
)  # fmt: skip
def test_answers(status: int, error: str, refusal: str) -> None:
    robots = Robots(agent="clew")
    robots.learn(S, status, error, "User-agent: *\nDisallow: /", 0.0)
    assert robots.refusal(S + "/a") == refusal
    assert robots.refusal(S + "/robots.txt") == ""


@pytest.mark.parametrize(
    ("value", "delay"),
    [
        ("2", 2.0),
        ("0.5", 0.5),
        ("86400", MAX_DELAY),
        ("-1", None),
        ("nan", None),
        ("inf", None),
        ("soon", None),
        ("", None),
    ],
)
def test_crawl_delay(value: str, delay: float | None) -> None:
    robots = Robots(agent="clew")
    robots.learn(S, 200, "", f"User-agent: clew\nCrawl-delay: {value}\nUser-agent: *\nCrawl-delay: 40", 0.0)
    assert robots.delay(S) == delay


def test_rules_live_a_day_and_failures_an_hour() -> None:
    robots = Robots(agent="clew")
    assert not robots.is_fresh(S, 0.0)
    assert robots.refusal(S + "/a") == "robots: rules not read yet"
    robots.learn(S, 404, "", "", 100.0)
    assert robots.is_fresh(S, 100.0 + TTL - 1)
    assert not robots.is_fresh(S, 100.0 + TTL)
    assert not robots.is_fresh(S, 50.0), "the clock was set back: ask again"
    robots.learn(S, 500, "", "", 100.0)
    assert robots.is_fresh(S, 200.0)
    assert not robots.is_fresh(S, 100.0 + 3_600)


def test_memory_is_bounded_and_what_fell_out_is_refused() -> None:
    robots = Robots(agent="clew", capacity=10, max_compiled=3)
    text = "User-agent: *\n" + "".join(f"Disallow: /{n}\n" for n in range(100))
    for n in range(30):
        robots.learn(f"http://h{n}.example", 200, "", text, 0.0)
    assert len(robots) == 10
    assert robots.refusal("http://h0.example/x") == "robots: rules not read yet"
    assert robots.refusal("http://h25.example/77/x") == "robots: Disallow: /77", (
        "compiled again from what was kept"
    )
    assert robots.refusal("http://h25.example/x") == ""
    small = Robots(agent="clew", max_bytes=1_000)
    for n in range(30):
        small.learn(f"http://h{n}.example", 200, "", text, 0.0)
    assert 1 <= len(small) < 10


@pytest.mark.parametrize(
    "line", ["disallow: /a{0}/*/b*c", "disallow:*{0}", "disallow: /a{0}", "disallow: /" + "*a" * 40 + "{0}$"]
)
def test_half_a_megabyte_of_rules_takes_bounded_time(line: str) -> None:
    text = "user-agent: *\n" + "\n".join(line.format(n) for n in range(45_000))
    began = time.process_time()
    rules = RobotsRules.read(200, text, "clew")
    for _ in range(3):
        rules.refusal(S + "/" + "a" * 2_000 + "b")
    assert time.process_time() - began < 5.0


@given(
    st.lists(st.sampled_from(["a", "b", "*", "/", "ab"]), max_size=7),
    st.text("ab/", max_size=10),
    st.booleans(),
)
def test_wildcards_agree_with_a_plain_reading(parts: list[str], path: str, ends: bool) -> None:
    pattern = "/" + "".join(parts)

    def matches(pattern: str, target: str) -> bool:
        if not pattern:
            return not ends or not target
        if pattern[0] == "*":
            return any(matches(pattern[1:], target[n:]) for n in range(len(target) + 1))
        return target[:1] == pattern[0] and matches(pattern[1:], target[1:])

    text = f"User-agent: *\nDisallow: {pattern}{'$' if ends else ''}"
    assert allowed(text, "/" + path) is not matches(pattern, "/" + path)
