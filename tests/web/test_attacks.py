"""Attacks on the pages and on the REST interface: each must be refused, or come to nothing."""

import json
import re
import shutil
import sqlite3
import time
from contextlib import closing
from html.parser import HTMLParser
from urllib.parse import quote

import pytest

from clew.store import read_sql
from clew.web.guard import HEADERS, MAX_BODY, same_token
from clew.web.hooks import HookWatcher
from clew.web.replay import cleaned
from clew.web.server import ServeOptions, allowed_names, chosen_token
from tests.web.kit import ESCAPED, XSS, make_client

BASE, API = "/crawls/light", "/api/v1/crawls/light"
JSON = {"Content-Type": "application/json"}
PAGES = ["", "/pages", "/pages?q=lighthouse", "/pages?sort=verdict", "/teach", "/changes?since=60d", "/links", "/why?url=bad", "/table", "/map",
         "/sites", "/searches", "/export", "/settings", "/plan"]  # fmt: skip


class Elements(HTMLParser):
    """Collect the elements of a page as a browser would see them."""

    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, {name: value or "" for name, value in attrs}))


def elements_of(text):
    reader = Elements()
    reader.feed(text)
    assert len(reader.found) > 20
    return reader.found


# ---- markup from the web ---------------------------------------------------------------------


@pytest.mark.parametrize("path", PAGES)
def test_no_title_url_anchor_or_text_becomes_markup(client, path):
    answer = client.get(BASE + path)
    assert answer.status_code == 200
    for tag, attributes in elements_of(answer.text):
        assert not [name for name in attributes if name.startswith("on")], (tag, attributes)
        assert not any(value.lower().startswith("javascript:") for value in attributes.values())
        assert tag != "script" or attributes["src"].startswith("/static/")
        assert tag != "img" or attributes["src"].startswith("/static/")


def test_the_hostile_texts_are_there_and_escaped(client):
    assert ESCAPED in client.get(f"{BASE}/pages").text


@pytest.mark.parametrize(
    "q", [XSS, "'", '"', '" OR 1=1 --', "*", "NEAR(", "{a}", "a AND", "\x00", "x" * 5000, "％", "-", "^a"]
)
def test_queries_are_text_and_never_syntax(client, q):
    answer = client.get(f"{BASE}/pages", params={"q": q})
    assert answer.status_code in (200, 400)
    assert "<script>window" not in answer.text


@pytest.mark.parametrize(
    "name", ["host", "lang", "mime", "sort", "label", "since", "low", "offset", "url", "pattern"]
)
@pytest.mark.parametrize("page", ["pages", "links", "why"])
def test_parameters_are_reflected_as_text_only(client, page, name):
    answer = client.get(f"{BASE}/{page}", params={name: XSS})
    assert answer.status_code in (200, 400, 404)
    assert "<script>window" not in answer.text


@pytest.mark.parametrize("path", ["/pages", "/questions", "/hosts", "/links", "/why?url=bad", "/labels"])
def test_json_is_sent_as_json_that_no_browser_shows_as_a_page(client, path):
    answer = client.get(API + path)
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["x-content-type-options"] == "nosniff"
    json.loads(answer.text)


def test_names_of_crawls_are_escaped(tmp_path):
    folder = tmp_path / "<img src=x onerror=hacked=1>"
    folder.mkdir()
    (folder / "clew.toml").write_text("broken <script>hacked</script> =")
    answer = make_client(tmp_path).get("/")
    assert answer.status_code == 200
    assert "<img src=x" not in answer.text
    assert "<script>hacked" not in answer.text


def test_the_name_of_a_download_is_no_header(finished, tmp_path):
    name = 'li"; filename=evil.exe\r\nX-Evil: 1'
    shutil.copytree(finished[0], tmp_path / name)
    answer = make_client(tmp_path).get(f"/api/v1/crawls/{quote(name)}/export?format=csv")
    assert answer.status_code == 200
    assert "x-evil" not in answer.headers
    sent = answer.headers["content-disposition"]
    assert sent.startswith("attachment; ")
    assert not set('\r\n";') & set(sent.removeprefix("attachment; ").replace('filename="', "").rstrip('"'))


@pytest.mark.parametrize("bait", ["javascript:alert(1)", "data:text/html,<script>1</script>", "vbscript:x"])
def test_no_button_or_link_leads_to_a_script(own, bait):
    """A page with such a URL can only come into the database by another program."""
    client, folder = own
    with closing(sqlite3.connect(folder / "crawl.db")) as db, db:
        db.execute("UPDATE links SET url = ? WHERE url LIKE '%/soup'", (bait,))
    for path in ("", "/pages?q=soup", f"/why?url={quote(bait)}", f"/links?pattern={quote(bait)}", "/teach"):
        for tag, attributes in elements_of(client.get(f"/crawls/light{path}").text):
            for key in ("href", "src", "action", "formaction"):
                target = attributes.get(key, "").strip().lower()
                assert not target.startswith(("javascript:", "data:", "vbscript:")), (path, tag, target)


def test_metrics_escape_names(tmp_path):
    folder = tmp_path / 'a"} 1\nclew_pages{crawl="b'
    folder.mkdir()
    (folder / "clew.toml").write_text("[crawl]\ncontact = 'https://crawler.uni-x.org'\n")
    lines = make_client(tmp_path).get("/metrics").text.splitlines()
    assert sum(line.startswith("clew_pages{") for line in lines) == 1


# ---- the archived page ----------------------------------------------------------------------


def page_id(folder, path):
    (row,) = read_sql(folder, "SELECT id FROM links WHERE url LIKE ?", f"%{path}")
    return row[0]


def test_a_replayed_page_has_no_scripts_network_links_or_origin(client, finished):
    answer = client.get(f"{API}/pages/{page_id(finished[0], '/home')}/archived")
    assert answer.status_code == 200
    assert "lighthouse lantern keeper" in answer.text
    policy = answer.headers["content-security-policy"]
    assert policy.startswith("sandbox;")
    assert "default-src 'none'" in policy
    assert "allow-" not in policy
    for sign in ("<script", "onload", "onfocus", "javascript:", "href=", "<iframe", "<object", "<link", "http-equiv",
                 "<base", "src=", "<video", "action="):  # fmt: skip
        assert sign not in answer.text.lower(), sign


@pytest.mark.parametrize(
    "text",
    [
        "<svg/onload=alert(1)>", "<a href='jav&#x09;ascript:alert(1)'>x</a>", "<img src=x onerror=alert(1)>",
        "<math><mi xlink:href='javascript:alert(1)'>x</math>", "<body background='http://evil.example/'>",
        "<form><button formaction=javascript:alert(1)>x</form>", "<meta http-equiv=refresh content='0;url=//e.example'>",
        "<noscript><p title='</noscript><img src=x onerror=alert(1)>'>", "<template><script>alert(1)</script></template>",
        "<table background=//evil.example/x><tr><td>x", "<input autofocus onfocus=alert(1)>", "<a ping=//e.example href=x>y",
        "<style></style><img src=x onerror=alert(1)></style>", "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
        "<p style='background:url(//evil.example/x)' onclick=alert(1)>x", "<xss onpointerover=alert(1)>x</xss>",
    ],
)  # fmt: skip
def test_cleaned_markup_does_nothing(text):
    found = cleaned(text)
    assert not re.search(
        r"<script|\son\w+=|javascript:|\s(href|src|action|formaction|background|ping|srcdoc)=", found.lower()
    )
    assert "http-equiv" not in found


def test_a_damaged_place_in_the_archive_leads_nowhere(own):
    client, folder = own
    import sqlite3

    id = page_id(folder, "/bad")
    with sqlite3.connect(folder / "crawl.db") as db:
        db.execute("PRAGMA foreign_keys = OFF")
        db.execute(
            "UPDATE pages SET warc_file = '../../../../etc/passwd', warc_offset = 0 WHERE id = ?", (id,)
        )
    answer = client.get(f"{API}/pages/{id}/archived")
    assert answer.status_code in (400, 404)
    assert "root:" not in answer.text


# ---- other sites in the same browser ----------------------------------------------------------

CHANGES = [
    ("POST", "/stop"), ("POST", "/start"), ("POST", "/labels"), ("POST", "/rules"), ("PUT", "/settings"),
    ("POST", "/terms"), ("POST", "/sites"), ("POST", "/rows"), ("POST", "/forget"), ("POST", "/teacher/decide"),
]  # fmt: skip


@pytest.mark.parametrize(("method", "path"), CHANGES)
@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"}, {"Origin": "null"}, {"Origin": "http://localhost.evil.example"},
        {"Origin": "http://localhost:9"}, {"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"},
    ],
    ids=lambda headers: "-".join(headers.values()),
)  # fmt: skip
def test_changes_from_other_sites_are_refused(client, method, path, headers):
    answer = client.request(method, API + path, json={}, headers=headers)
    assert answer.status_code == 403


@pytest.mark.parametrize(
    "kind", ["application/x-www-form-urlencoded", "multipart/form-data", "text/plain", ""]
)
def test_forms_of_other_sites_cannot_send_what_we_read(client, kind):
    answer = client.post(f"{API}/stop", content=b"{}", headers={"Content-Type": kind})
    assert answer.status_code == 403


def test_other_sites_cannot_read_by_script_or_frame(client):
    for dest in ("empty", "script", "iframe", "image"):
        headers = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": dest}
        assert client.get(f"{API}/pages", headers=headers).status_code == 403
    headers = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"}
    assert client.get(BASE, headers=headers).status_code == 403
    headers["Sec-Fetch-Dest"] = "document"  # a link that the user follows
    assert client.get(BASE, headers=headers).status_code == 200


def test_no_answer_allows_other_origins(client):
    answer = client.get(f"{API}/pages", headers={"Origin": "http://evil.example"})
    assert "access-control-allow-origin" not in answer.headers
    assert client.options(API).status_code == 405


@pytest.mark.parametrize(
    "host",
    ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "evil.example:8400", "0.0.0.0", "localhost@evil.example",
     "localhost:80:80", "", "169.254.169.254", "[::1].evil.example"],
)  # fmt: skip
def test_names_that_were_pointed_here_are_refused(client, host):
    for path in ("/", API, "/static/app.js", "/metrics"):
        assert client.get(path, headers={"Host": host}).status_code == 421


@pytest.mark.parametrize(
    "path", ["/", BASE, "/static/app.js", "/nowhere", f"{API}/pages", "/metrics", "/api/v1/openapi.json"]
)
def test_every_answer_has_its_headers(client, path):
    headers = client.get(path).headers
    for name, value in HEADERS.items():
        if name != "Cache-Control":
            assert headers[name] == value
    policy = headers["content-security-policy"]
    assert "unsafe-inline" not in policy
    assert "frame-ancestors 'none'" in policy
    assert "default-src 'none'" in policy


# ---- paths -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path",
    [
        "/static/../guard.py", "/static/..%2fguard.py", "/static/%2e%2e/guard.py", "/static//etc/passwd", "/static/style.css%00",
        "/crawls/%2e%2e%2f", "/crawls/..%2flight", "/crawls/light%2f..%2flight", "/crawls/%2fetc", "/crawls/~root",
        "/lab/%2e%2e%2flight", "/api/v1/lab/..%2flight", "/api/v1/crawls/%2e%2e/pages",
        "/api/v1/crawls/light/pages/..%2f1", "/api/v1/crawls/light/pages/1e3", "/api/v1/crawls/light/pages/99999999999999999999",
        "/api/v1/crawls/light/pages/-1/archived", "/api/v1/crawls/light/pages/١",
    ],
)  # fmt: skip
def test_no_address_leaves_the_folder(client, path):
    answer = client.get(path)
    assert answer.status_code in (303, 307, 404)
    assert "def " not in answer.text
    assert "root:" not in answer.text


@pytest.mark.parametrize(
    "name",
    ["../evil", "/tmp/evil", "a/b", "..", ".hidden", "a\\b", "~root", "a\x00b", "con\nfig", " ", "x" * 90],
)
def test_a_new_crawl_stays_in_its_place(own, name):
    client, folder = own
    body = {
        "name": name,
        "about": "lighthouses",
        "seeds": ["https://a.org/"],
        "contact": "https://crawler.uni-x.org/bot",
    }
    before = sorted(folder.parent.rglob("clew.toml"))
    assert client.post("/api/v1/crawls", json=body).status_code in (400, 422)
    assert sorted(folder.parent.rglob("clew.toml")) == before


def test_an_existing_crawl_is_not_overwritten(own):
    client, folder = own
    text = (folder / "clew.toml").read_text()
    body = {
        "name": "light",
        "about": "x ray",
        "seeds": ["https://a.org/"],
        "contact": "https://crawler.uni-x.org/bot",
    }
    assert client.post("/api/v1/crawls", json=body).status_code == 400
    assert (folder / "clew.toml").read_text() == text


@pytest.mark.parametrize(
    "seed", ["/etc/passwd", "file:///etc/passwd", "../clew.toml", "~/.ssh/id_rsa", "ftp://a.org/"]
)
def test_no_file_is_read_as_seeds(own, seed):
    client, _ = own
    body = {
        "name": "new",
        "about": "lighthouses",
        "seeds": [seed],
        "contact": "https://crawler.uni-x.org/bot",
    }
    assert client.post("/api/v1/crawls", json=body).status_code == 400
    assert client.post("/api/v1/check", json={"seeds": [seed], "contact": body["contact"]}).status_code == 400


def test_a_name_like_a_file_is_taken_for_a_host(own, monkeypatch):
    client, folder = own
    monkeypatch.chdir(folder.parent)
    (folder.parent / "seeds.txt").write_text("https://secret.example/\n")
    body = {
        "name": "new",
        "about": "lighthouses",
        "seeds": ["seeds.txt"],
        "contact": "https://crawler.uni-x.org/bot",
    }
    assert client.post("/api/v1/crawls", json=body).status_code == 200
    text = (folder.parent / "new" / "clew.toml").read_text()
    assert "https://seeds.txt/" in text
    assert "secret" not in text


def test_names_of_uploaded_files_are_not_used(own):
    client, folder = own
    examples = [
        {"name": "../../evil.html", "html": "<p>lighthouse"},
        {"name": XSS, "html": "<p>lantern", "good": False},
    ]
    body = {"name": "new", "about": "lighthouses", "seeds": ["https://a.org/"], "contact": "https://crawler.uni-x.org/bot",
            "examples": examples}  # fmt: skip
    assert client.post("/api/v1/crawls", json=body).status_code == 200
    found = sorted(
        str(path.relative_to(folder.parent / "new")) for path in (folder.parent / "new").rglob("*.html")
    )
    assert found == ["examples/bad/001.html", "examples/good/001.html"]


# ---- settings that open doors, addresses that lead inside --------------------------------------


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("fetch.allow", ["10.0.0.0/8"]), ("fetch.proxy", "http://evil.example:1"), ("fetch.headers", ["Cookie: x"]),
        ("fetch.cookies", "/etc/passwd"), ("seek.search", ["local=/"]), ("seek.proxy", "http://evil.example:1"),
        ("teach.url", "https://evil.example/v1"), ("teach.key", "SOME_SECRET"), ("teach.proxy", "http://evil.example:1"),
        ("rank.policy", "os:system"), ("goal.judge", "os:system"), ("rank.within", "os:system"),
        ("goal.judge", "all:words,os:system"), ("goal.good", ["/etc/passwd"]), ("goal.records", "/etc/passwd"),
        ("crawl.seeds", ["/etc/passwd"]), ("crawl.seeds", ["../../x.txt"]), ("goal.good", ["~/secrets"]),
    ],
)  # fmt: skip
def test_settings_that_open_doors_need_trust(own, key, value):
    client, folder = own
    before = (folder / "clew.toml").read_text()
    answer = client.put(f"{API}/settings", json={"values": {key: value}})
    assert answer.status_code == 400, answer.text
    assert (folder / "clew.toml").read_text() == before
    body = {"name": "new", "about": "x ray", "seeds": ["https://a.org/"], "contact": "https://crawler.uni-x.org/bot",
            "settings": {key: value}}  # fmt: skip
    assert client.post("/api/v1/crawls", json=body).status_code == 400
    assert not (folder.parent / "new").exists()


def test_with_trust_they_can_be_changed(own):
    _, folder = own
    client = make_client(folder.parent, trust=True)
    answer = client.put(f"{API}/settings", json={"values": {"fetch.allow": ["10.0.0.0/8"]}})
    assert answer.status_code == 200
    assert "10.0.0.0/8" in (folder / "clew.toml").read_text()


@pytest.mark.parametrize(
    "seed",
    ["http://127.0.0.1:{port}/", "http://localhost:{port}/", "http://[::1]:{port}/", "http://0x7f.1:{port}/"],
)
def test_addresses_typed_here_do_not_reach_this_computer(own, finished, seed):
    client, _ = own
    web = finished[1]
    before = len(web.asked)
    port = web.origin.rpartition(":")[2]
    body = {"seeds": [seed.format(port=port)], "contact": "https://crawler.uni-x.org/bot"}
    answer = client.post("/api/v1/check", json=body)
    assert answer.status_code in (200, 400)
    assert not any(seed["usable"] for seed in answer.json().get("seeds", []))
    assert len(web.asked) == before


def test_toml_cannot_be_injected(own):
    client, folder = own
    from clew import config

    before = config.load(folder / "clew.toml").fetch.allow
    value = 'x"\n[fetch]\nallow = ["0.0.0.0/0"]\n#'
    assert client.put(f"{API}/settings", json={"values": {"goal.about": value}}).status_code in (200, 400)
    assert config.load(folder / "clew.toml").fetch.allow == before


# ---- the token ---------------------------------------------------------------------------------

TOKEN = "correct-horse-battery-staple"


@pytest.fixture
def locked(finished):
    return make_client(finished[0].parent, token=TOKEN)


@pytest.mark.parametrize(
    "path", ["/", BASE, f"{API}/pages", "/metrics", "/api/v1/openapi.json", f"{API}/events", f"{BASE}/export"]
)
def test_without_the_token_nothing_is_shown(locked, path):
    for headers in (
        {},
        {"Authorization": "Bearer wrong"},
        {"Cookie": "clew_token=wrong"},
        {"Cookie": "=;;\x01"},
    ):
        answer = locked.get(path, headers=headers)
        assert answer.status_code in (303, 401)
        assert "light" not in answer.text


def test_the_token_opens_and_becomes_a_cookie(locked):
    assert locked.get(f"{API}/pages", headers={"Authorization": f"Bearer {TOKEN}"}).status_code == 200
    answer = locked.get(f"{BASE}/pages?q=a&token={TOKEN}")
    assert answer.status_code == 303
    assert answer.headers["location"] == f"{BASE}/pages?q=a"
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert locked.get(BASE).status_code == 200


def test_a_wrong_token_in_the_address_sets_no_cookie(locked):
    answer = locked.get(f"{BASE}?token=wrong")
    assert answer.status_code == 303
    assert answer.headers["location"] == "/login"
    assert "set-cookie" not in answer.headers
    assert locked.post("/login", json={"token": "wrong"}).status_code == 401
    assert locked.post("/login", content=b"[]", headers=JSON).status_code == 400


def test_the_token_cannot_send_the_browser_elsewhere(locked):
    answer = locked.get(f"//evil.example/?token={TOKEN}")
    assert not answer.headers.get("location", "/").startswith("//")


def test_comparing_tokens_takes_the_same_time():
    def seconds(given):
        began = time.process_time_ns()
        for _ in range(4000):
            same_token(given, TOKEN)
        return time.process_time_ns() - began

    wrong, nearly = ("x" * len(TOKEN)), TOKEN[:-1] + "x"
    pairs = [(seconds(wrong), seconds(nearly)) for _ in range(7)]
    ratio = sorted(a / b for a, b in pairs)[3]
    assert 0.5 < ratio < 2.0  # a comparison letter by letter would stop at the first


def test_other_computers_need_a_token_and_a_known_name():
    everywhere = ServeOptions(host="0.0.0.0")
    assert len(chosen_token(everywhere)) >= 32
    assert chosen_token(everywhere) != chosen_token(everywhere)
    assert chosen_token(ServeOptions()) == ""
    assert "evil.example" not in allowed_names(everywhere)


# ---- size and shape ----------------------------------------------------------------------------


def test_a_body_that_is_too_large_is_refused_whatever_it_says(client):
    assert client.post(f"{API}/labels", content=b" " * (MAX_BODY + 1), headers=JSON).status_code == 413

    def chunks():
        for _ in range(MAX_BODY // (1 << 20) + 2):
            yield b" " * (1 << 20)

    assert client.post(f"{API}/labels", content=chunks(), headers=JSON).status_code == 413
    assert (
        client.post(f"{API}/labels", content=b"{}", headers={**JSON, "Content-Length": "x"}).status_code
        == 400
    )


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"[]", b"null", b"[" * 100_000, b'{"labels": "x"}', b'{"labels": [{"url": 1}]}', b"\xff\xfe", b'{"labels": []}',
     b'{"labels": [{"url": "http://a.org/", "good": true, "more": 1}]}', b'{"labels": [{"url": "javascript:alert(1)", "good": true}]}'],
    ids=lambda body: repr(body[:30]),
)  # fmt: skip
def test_malformed_bodies_are_refused_with_a_sentence(client, body):
    answer = client.post(f"{API}/labels", content=body, headers=JSON)
    assert answer.status_code in (400, 422)
    assert answer.json()["error"]


@pytest.mark.parametrize(
    "path",
    ["/pages?offset=-1", "/pages?limit=100000", "/pages?low=7", "/pages?offset=1e99", "/hosts?sort=evil"],
)
def test_parameters_out_of_bounds_are_refused(client, path):
    assert client.get(API + path).status_code == 422


@pytest.mark.parametrize("method", ["TRACE", "CONNECT", "PATCH", "OPTIONS", "PROPFIND"])
def test_other_methods_are_refused(client, method):
    assert client.request(method, API).status_code == 405


@pytest.mark.parametrize(
    "pattern", ["(a+)+$", "(a|a)*b", "(.*a){30}$", "(x+x+)+y", "(", "(" * 1500, "(a)\\1", "(?=a)b"]
)
def test_a_pattern_that_would_never_end_is_refused_or_bounded(own, pattern):
    client, folder = own
    with (
        closing(sqlite3.connect(folder / "crawl.db")) as db,
        db,
    ):  # no URL that Python's expressions can finish
        db.execute("UPDATE links SET url = url || ? WHERE id = 1", ("a" * 500 + "x" * 500 + "!",))
    began = time.process_time()
    answer = client.post(f"{API}/rules/count", json={"pattern": f"re:{pattern}"})
    assert time.process_time() - began < 5
    assert answer.status_code in (200, 400)
    if answer.status_code == 400:
        assert "cannot be used as a regular expression" in answer.json()["error"]


def test_hooks_do_not_follow_redirects_and_do_not_raise():
    from clew.web.hooks import send

    assert not send("http://127.0.0.1:9/", {"event": "end"})
    assert not send("http://[::bad/", {"event": "end"})
    assert HookWatcher.__doc__
