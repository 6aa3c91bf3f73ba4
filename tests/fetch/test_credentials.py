"""Headers, cookies and log-ins of the user: sent to their hosts only, and recorded nowhere."""

import gzip
from pathlib import Path

import pytest

import clew
from clew.errors import ConfigError
from clew.fetch.credentials import Credentials, read_credentials
from tests.small_web import CONTACT, QUICK, linked, serving

SECRET = "s3cr3t-value"


def cookie_file(tmp_path, *rows):
    path = tmp_path / "cookies.txt"
    path.write_text("# Netscape HTTP Cookie File\n" + "".join("\t".join(row) + "\n" for row in rows))
    return str(path)


def test_headers_for_all_and_for_one_host():
    environ = {"TOKEN": SECRET, "CLEW_AUTH": "wiki.test=me:pass other.test:8080=a:b"}
    given = ["Accept-Language: de", "api.test Authorization: Bearer ${TOKEN}", "api.test X-Note: hello"]
    found = read_credentials(given, "", Path("nowhere"), environ)
    assert found.headers == ("Accept-Language: de",)
    assert found.lines("https://api.test/x") == [f"Authorization: Bearer {SECRET}", "X-Note: hello"]
    assert found.lines("https://www.api.test/x") == []
    assert found.lines("http://wiki.test/") == ["Authorization: Basic bWU6cGFzcw=="]
    assert found.lines("http://other.test:8080/")
    assert not found.lines("http://other.test/")


def test_cookies_go_to_their_own_site(tmp_path):
    path = cookie_file(
        tmp_path,
        (".site.test", "TRUE", "/", "FALSE", "0", "id", "7"),
        ("#HttpOnly_shop.test", "FALSE", "/cart", "TRUE", "0", "key", "x"),
        ("old.test", "FALSE", "/", "FALSE", "1000", "gone", "y"),
    )
    found = read_credentials([], path, tmp_path, {})
    assert found.cookie("http://www.site.test/a") == b"id=7"
    assert found.cookie("http://site.test/a", b"id=8; b=1") == b"id=8; b=1"  # the site has set another one
    assert found.cookie("http://xsite.test/a") == b""
    assert found.cookie("https://shop.test/cart/1") == b"key=x"
    assert found.cookie("http://shop.test/cart/1") == found.cookie("https://shop.test/cartoon") == b""
    assert found.cookie("http://old.test/") == b""


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ("nonsense", "is no header"),
        ("Cookie: a=b", "fetch.cookies"),
        ("User-Agent: Mozilla", "fetch.agent"),
        ("Authorization: Bearer abc", "must not go to every host"),
        ("api.test Authorization: Bearer abc", "nor into clew.toml"),
        ("api.test X-Api-Key: ${MISSING_KEY}", "MISSING_KEY is not set"),
    ],
)
def test_wrong_headers_are_refused_with_a_way_out(given, wanted, tmp_path):
    with pytest.raises(ConfigError, match=wanted):
        read_credentials([given], "", tmp_path, {})


def test_wrong_files_and_logins(tmp_path):
    with pytest.raises(ConfigError, match="cannot be read"):
        read_credentials([], "none.txt", tmp_path, {})
    with pytest.raises(ConfigError, match="line 2 is no cookie"):
        read_credentials([], cookie_file(tmp_path, ("a", "b")), tmp_path, {})
    with pytest.raises(ConfigError, match="host=user:password"):
        read_credentials([], "", tmp_path, {"CLEW_AUTH": "me:pass"})
    assert read_credentials([], "", tmp_path, {}) == Credentials()


def test_a_crawl_sends_them_and_keeps_them_out_of_its_folder(tmp_path, monkeypatch):
    home = (200, {"Set-Cookie": f"session={SECRET}3; Path=/"}, linked("/a").encode())
    with serving({"/": home, "/a": linked(text="words")}) as web:
        monkeypatch.setenv("MY_TOKEN", SECRET)
        monkeypatch.setenv("CLEW_AUTH", f"elsewhere.test=me:{SECRET}4")
        path = cookie_file(tmp_path, ("127.0.0.1", "FALSE", "/", "FALSE", "0", "login", f"{SECRET}2"))
        settings = QUICK | {
            "fetch.headers": ["Accept-Language: de", "127.0.0.1 X-Auth-Token: ${MY_TOKEN}"],
            "fetch.cookies": path,
        }
        crawl = clew.Crawl(tmp_path / "c", "words", [web.origin], CONTACT, settings=settings)
        assert crawl.run().pages == 2
        sent = web.headers["/a"]
    assert sent["X-Auth-Token"] == SECRET
    assert sent["Accept-Language"] == "de"
    assert f"login={SECRET}2" in sent["Cookie"]
    assert f"session={SECRET}3" in sent["Cookie"]
    assert "Authorization" not in sent
    for file in crawl.folder.rglob("*"):
        if file.is_file():
            data = file.read_bytes()
            data += gzip.decompress(data) if file.name.endswith(".gz") else b""
            assert SECRET.encode() not in data, file
