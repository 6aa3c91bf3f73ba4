"""HTML pages: text, title, language, robots, refresh, base, canonical."""

import random

import pytest
from parse_visits import URL, page

from clew.parse.simhash import simhash

PINNED = 3081075698634502720
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def test_title_text_and_language():
    read = page("<html lang=de-AT><title> Ein\n Titel </title><body><p>Guten <b>Tag</b>!</p><p>Zwei</p>")
    assert (read.title, read.text, read.lang) == ("Ein Titel", "Guten Tag!\nZwei", "de")
    assert (read.mime, read.encoding, read.error, read.truncated) == ("text/html", "utf-8", "", False)


def test_boilerplate_is_left_out():
    body = (
        "<header>Logo</header><nav>Menu</nav><div class='sidebar x'>Side</div><div role=navigation>Nav</div>"
        "<main><h1>Head</h1><p>Long content. </p></main><script>var x</script><style>p{}</style>"
        "<div hidden>Hidden</div><div style='display: none'>Gone</div><noscript>Enable</noscript><footer>Foot</footer>"
    )
    assert (
        page(body.replace("Long content.", "Long content. " * 20).strip()).text
        == "Head\n" + ("Long content. " * 20).strip()
    )


def test_a_wrapper_with_a_telling_name_is_kept_when_it_holds_the_page():
    assert page(
        "<div class=menu><p>All of the text is here, in a badly named box.</p></div>"
    ).text.startswith("All of")


def test_inline_markup_does_not_tear_words_apart():
    assert (
        page("<p><b>東京</b>都<a href=x>千代田</a>区<ruby>漢<rt>かん</rt></ruby></p>").text
        == "東京都千代田区漢"
    )


def test_minified_blocks_are_divided():
    assert page("<ul><li>one</li><li>two</li></ul><td>three<br>four").text == "one\ntwo\nthree\nfour"


def test_control_characters_are_stripped_everywhere():
    read = page(
        "<title>a\x1b[0m&#x202e;b&#x7;</title><p>x&#x85;&#x9b;y&#8238;z <a href=/l>l\u2066i\x08nk</a></p>"
    )
    assert read.title == "a[0mb"
    assert read.links.anchors == ["link"]
    for text in (read.title, read.text, *read.links.anchors, *read.links.contexts):
        assert not any(ord(c) < 32 or 0x7F <= ord(c) < 0xA0 or c in "\u202e\u2066" for c in text)


def test_lone_surrogates_cannot_come_through():
    read = page("<title>&#xD800;x</title><p>&#xDFFF;")
    read.title.encode()
    read.text.encode()


@pytest.mark.parametrize(
    ("html", "headers", "lang"),
    [
        ("<html lang=en-GB><p>x", (), "en"),
        ("<html lang=jp><p>x", (), "ja"),
        ("<html xml:lang=fr><p>x", (), "fr"),
        ("<meta http-equiv=content-language content='it'><p>x", (), "it"),
        ("<p>x", (("Content-Language", "es-MX, en"),), "es"),
        ("<html lang=en><p>これは日本語のページで、英語ではありません。", (), "ja"),
        (
            "<p>" + "The council of the city has decided that the bridge will be closed for the winter. " * 5,
            (),
            "en",
        ),
        (
            "<p>"
            + "Der Rat der Stadt hat beschlossen, dass die Brücke im Winter gesperrt wird und nicht mehr. "
            * 5,
            (),
            "de",
        ),
        ("<p>x", (), ""),
    ],
)
def test_language(html, headers, lang):
    assert page(html, headers=headers).lang == lang


@pytest.mark.parametrize(
    ("html", "tags", "directives"),
    [
        ("<meta name=robots content=noindex>", [], (True, False)),
        ("<META NAME='ROBOTS' CONTENT='NoIndex, NOFOLLOW'>", [], (True, True)),
        ("<meta name=robots content=none>", [], (True, True)),
        ("<meta name=robots content='index,follow'>", [], (False, False)),
        ("<meta name=clew content=nofollow>", [], (False, True)),
        ("<meta name=googlebot content=noindex>", [], (False, False)),
        ("<meta name=robots content=noindex><meta name=robots content=nofollow>", [], (True, True)),
        ("<body><p>late <meta name=robots content=noindex>", [], (True, False)),
        ("", ["noindex"], (True, False)),
        ("", ["noindex", "nofollow"], (True, True)),
        ("", ["otherbot: noindex, nofollow"], (False, False)),
        ("", ["Clew: none"], (True, True)),
        ("", ["otherbot: noindex, clew: nofollow"], (False, True)),
        ("", ["unavailable_after: 25 Jun 2010 15:00:00 PST, nofollow"], (False, True)),
        ("", ["max-snippet: 20, noindex"], (True, False)),
        ("<meta name=robots content=nofollow>", ["noindex"], (True, True)),
    ],
)
def test_robots_directives(html, tags, directives):
    read = page(html or "<p>x", headers=tuple(("X-Robots-Tag", tag) for tag in tags))
    assert (read.noindex, read.nofollow) == directives


def test_robots_header_counts_for_pictures_too():
    assert page(b"\x89PNG", "image/png", headers=(("X-Robots-Tag", "noindex"),)).noindex


@pytest.mark.parametrize(
    ("content", "redirect", "links"),
    [
        ("0; url=/new", "https://site.org/new", []),
        ("5;URL='../up'", "https://site.org/up", []),
        ('0;url="/q?a=1"', "https://site.org/q?a=1", []),
        ("3, /bare", "https://site.org/bare", []),
        ("0;url=//other.org/", "https://other.org/", []),
        ("10; url=/edge", "https://site.org/edge", []),
        ("30; url=/later", "", ["https://site.org/later"]),
        ("60", "", []),
        (f"0; url={URL}", "", []),
        ("0; url=javascript:alert(1)", "", []),
        ("soon; url=/x", "", []),
    ],
)
def test_meta_refresh(content, redirect, links):
    read = page(
        f"<meta http-equiv=Refresh content='{content}'>"
        if "'" not in content
        else f'<meta http-equiv=refresh content="{content}">'
    )
    assert (read.redirect, read.links.urls) == (redirect, links)


def test_a_refresh_for_readers_without_scripts_is_a_link():
    read = page("<head><noscript><meta http-equiv=refresh content='0; url=/nojs'></noscript></head><p>text")
    assert (read.redirect, read.links.urls, read.text) == ("", ["https://site.org/nojs"], "text")


def test_refresh_header():
    assert page("<p>x", headers=(("Refresh", "1; url=/r"),)).redirect == "https://site.org/r"


@pytest.mark.parametrize(
    ("location", "redirect"),
    [
        ("/a", "https://site.org/a"),
        ("b?utm_source=x", "https://site.org/dir/b"),
        ("http://other.org:80/#top", "http://other.org/"),
        ("/straße", "https://site.org/stra%C3%9Fe"),
        ("ftp://x.org/", ""),
        ("file:///etc/passwd", ""),
    ],
)
def test_redirects(location, redirect):
    read = page(b"<a href=/x>moved</a>", status=302, headers=(("Location", location),))
    assert read.redirect == redirect
    assert bool(read.error) == (not redirect)
    assert len(read.links) == 0


def test_links_are_relative_to_the_base():
    read = page("<base href='/sub/'><a href=x>x</a><a href='?p=2'>y</a>")
    assert read.links.urls == ["https://site.org/sub/x", "https://site.org/sub/?p=2"]


def test_a_base_that_is_none_of_ours_is_ignored():
    assert page("<base href='javascript:x'><a href=x>x</a>").links.urls == ["https://site.org/dir/x"]


def test_the_error_and_cut_of_the_visit_are_kept():
    read = page("<p>half a pa", error="connection reset", truncated=True)
    assert (read.error, read.truncated, read.text) == ("connection reset", True, "half a pa")
    read = page(b"x", headers=(("Content-Encoding", "sdch"),), error="timeout")
    assert read.error == "timeout; unknown content encoding 'sdch'"


def test_decoded_size_is_limited():
    read = page("<p>" + "x" * 5_000, limit=1_000)
    assert (read.truncated, len(read.text)) == (True, 997)


class TestFingerprint:
    def text(self, seed, words=400):
        chooser = random.Random(seed)
        return " ".join("".join(chooser.choices(LETTERS, k=chooser.randint(2, 10))) for _ in range(words))

    def test_empty_text_has_none(self):
        assert simhash("") == simhash("123 456 !") == page("<p>").fingerprint == 0

    def test_digits_case_and_spacing_do_not_count(self):
        assert simhash("Visitors: 4711 Today") == simhash("visitors 12   TODAY")
        assert simhash("Straße ÄÖ 1") == simhash("straße äö 2")

    @pytest.mark.parametrize("words", [60, 400, 5_000])
    def test_near_duplicates_differ_in_few_bits(self, words):
        text = self.text(1, words)
        changed = text.replace(text.split()[words // 2], "something", 1) + " later"
        assert (simhash(text) ^ simhash("Hello " + changed)).bit_count() <= 8

    def test_different_texts_differ_in_many(self):
        prints = [simhash(self.text(seed)) for seed in range(12)]
        assert min((a ^ b).bit_count() for i, a in enumerate(prints) for b in prints[:i]) >= 12

    def test_japanese_near_duplicates(self):
        text = "東京都千代田区の図書館では、毎週土曜日に読み聞かせの会を開いています。参加は無料です。" * 3
        other = "大阪市北区の市場では新鮮な魚と野菜を売っており、朝早くから多くの人で賑わっている。" * 3
        assert (simhash(text) ^ simhash(text + "ぜひどうぞ。")).bit_count() <= 10
        assert (simhash(text) ^ simhash(other)).bit_count() >= 16

    def test_it_does_not_change_between_releases(self):
        assert simhash("A name that is stored must stay. 名前") == PINNED
