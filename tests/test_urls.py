"""One form for every address: what must be equal is equal, what must differ differs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew import urls
from clew.urls import Canon

canon = Canon()


@pytest.mark.parametrize(
    "spelling",
    [
        "http://a.org/b/c?x=1",
        "HTTP://A.ORG:80/b/c?x=1",
        "http://a.org/b/./c?x=1#top",
        "http://a.org/b/z/../c?x=1",
        "http://user:secret@a.org/b/c?x=1",
        "http://a.org./b/c?x=1",
        "http://a.org/%62/c?x=1",
        "http://a.org/b/c?x=1&utm_source=mail&PHPSESSID=77",
        "http://a.org/b/c;jsessionid=8F2A?x=1",
        "  http://a.org/b/\tc?x=1\n",
        "http:\\\\a.org\\b\\c?x=1",
        "http://a.org/b/c?x=1&",
    ],
)
def test_spellings_of_one_address_become_one(spelling):
    assert canon(spelling) == "http://a.org/b/c?x=1"


@pytest.mark.parametrize(
    ("spelling", "address"),
    [
        ("http://127.1/", "http://127.0.0.1/"),
        ("http://0x7f000001/", "http://127.0.0.1/"),
        ("http://2130706433/", "http://127.0.0.1/"),
        ("http://0177.0.0.1/", "http://127.0.0.1/"),
        ("http://１２７.0.0.1/", "http://127.0.0.1/"),
        ("http://[0:0:0:0:0:0:0:1]/", "http://[::1]/"),
        ("http://münchen.de/straße", "http://xn--mnchen-3ya.de/stra%C3%9Fe"),
        ("https://a.org:443/", "https://a.org/"),
        ("https://a.org:80/", "https://a.org:80/"),
        ("http://a.org", "http://a.org/"),
        ("http://a.org/?", "http://a.org/"),
        ("http://a.org/%e3%81%82", "http://a.org/%E3%81%82"),
        ("http://a.org/a%2fb", "http://a.org/a%2Fb"),
        ("http://a.org//a", "http://a.org//a"),
    ],
)
def test_canonical_form(spelling, address):
    assert canon(spelling) == address


@pytest.mark.parametrize(
    "nonsense",
    ["", "mailto:a@b.org", "javascript:alert(1)", "file:///etc/passwd", "ftp://a.org/", "data:text/html,x", "http://",
     "http://./", "http://a b.org/", "gopher://127.0.0.1:6379/_x", "http://a.org:99999/", "http://a.org/" + "a" * 3000],
)  # fmt: skip
def test_what_is_not_ours_to_fetch(nonsense):
    assert canon(nonsense) is None


@pytest.mark.parametrize(
    ("href", "address"),
    [
        ("c.html", "http://a.org/x/c.html"),
        ("/c.html", "http://a.org/c.html"),
        ("../c.html", "http://a.org/c.html"),
        ("?q=2", "http://a.org/x/y.html?q=2"),
        ("//b.org/z", "http://b.org/z"),
        ("#part", "http://a.org/x/y.html"),
        ("", "http://a.org/x/y.html"),
        (".", "http://a.org/x/"),
        ("c:d", None),
        (".hidden/x", "http://a.org/x/.hidden/x"),
    ],
)
def test_relative_to_a_page(href, address):
    assert canon(href, "http://a.org/x/y.html") == address


def test_relative_to_a_page_with_a_slash_in_its_query():
    assert canon("c.html", "http://a.org/x/y?back=/p/q") == "http://a.org/x/c.html"


def test_parameters_to_drop_can_be_chosen():
    assert Canon(drop=["ref"])("http://a.org/?ref=1&utm_source=2") == "http://a.org/?utm_source=2"


@given(st.text(max_size=80))
def test_canonical_form_is_stable(text):
    once = canon(text, "http://base.org/d/e?f")
    assert once is None or canon(once) == once


@given(st.text(alphabet="abc./%?&=#;:@\\ é2f", max_size=40))
def test_canonical_form_is_stable_for_tricky_paths(text):
    once = canon(f"http://h.org/{text}")
    assert once is None or (canon(once) == once and urls.origin(once) == "http://h.org")


@given(st.from_regex(r"\A[a-z0-9_~!*().-]{1,12}(/[a-z0-9_~!*().-]{0,12}){0,3}\Z"))
def test_quick_road_and_parser_agree(path):
    import ada_url

    base = "http://base.org/d/e.html"
    assert canon(path, base) == ada_url.join_url(base, path)
    assert canon("/" + path, base) == ada_url.join_url(base, "/" + path)


@given(
    st.from_regex(r"\A(\.\./){0,4}[a-z.]{0,4}(/[a-z.]{0,4}){0,3}(\?[a-z=&]{0,5})?(#[a-z/?]{0,4})?\Z"),
    st.sampled_from(
        [
            "http://base.org/",
            "http://base.org/d/e.html",
            "http://base.org/a//b/c/?q=/x/y",
            "http://base.org/a/b/",
        ]
    ),
)
def test_relative_addresses_agree_with_the_parser(href, base):
    import ada_url

    plain = Canon(drop=())
    try:
        whole = ada_url.join_url(base, href)
    except ValueError:
        assert plain(href, base) is None
        return
    assert plain(href, base) == plain(whole) == Canon(drop=())(whole, "http://other.org/z")
    assert plain(href) is None


@given(st.from_regex(r"\Ahttps?://([a-c1]{1,3}\.){0,3}[a-c0-9]{1,3}(:[0-9]{0,5})?/[a-c]?\Z"))
def test_hosts_and_ports_agree_with_the_parser(address):
    import ada_url

    try:
        whole = ada_url.normalize_url(address)
    except ValueError:
        assert canon(address) is None
    else:
        assert canon(address) == whole


@pytest.mark.parametrize(
    "address", ["http://1.2.3.4:8080/x", "http://a.org:8443/", "https://a.org:80/", "http://a.org:65535/y"]
)
def test_ports_that_are_not_the_default_stay(address):
    assert canon(address) == address


def test_fingerprint_does_not_mind_the_order_of_parameters():
    assert urls.fingerprint("http://a.org/?a=1&b=2") == urls.fingerprint("http://a.org/?b=2&a=1")
    assert urls.fingerprint("http://a.org/?a=1&b=2") != urls.fingerprint("http://a.org/?a=2&b=1")
    assert urls.fingerprint("http://a.org/a") != urls.fingerprint("http://a.org/b")


def test_parts():
    assert urls.host("http://[::1]:8080/x") == "[::1]"
    assert urls.host("https://www.a.co.uk:8443/x") == "www.a.co.uk"
    assert urls.site("www.city.kawasaki.jp") == "city.kawasaki.jp"
    assert urls.site("127.0.0.1") == "127.0.0.1"
    assert urls.clock_key("http://a.org:8080") != urls.clock_key("http://a.org")
