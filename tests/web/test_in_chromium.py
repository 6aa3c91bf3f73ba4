"""The pages in a real Chromium: every page, a whole crawl, teaching with keys, live updates, a killed server."""

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import urllib.request

import pytest

import clew
from clew import config
from clew.fetch.browser_pool import find_chromium
from clew.insight.live_state import add_note
from clew.insight.preflight.folder_check import lock_holder
from clew.store import read_sql
from tests.small_web import CONTACT, QUICK, linked, serving
from tests.web.kit import (
    RTL,
    TEXT,
    add_teacher,
    copy_of,
    crawl_books,
    crawl_places,
    divided,
    html,
    refresh_changed,
)

playwright = pytest.importorskip("playwright.sync_api")
CHROMIUM = find_chromium()
pytestmark = pytest.mark.skipif(
    CHROMIUM is None,
    reason="NO CHROMIUM: the pages are not tested in a browser; apt-get install chromium, then again",
)
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]
PATIENCE = 30_000
WORDS = "lighthouse keeper lantern harbour beacon foghorn reef "


@contextlib.contextmanager
def serve(*places, port=0, trust=False):
    """Run `clew serve`; yield its process and address."""
    command = [
        sys.executable,
        "-m",
        "clew",
        "serve",
        *map(str, places),
        "--port",
        str(port),
        *(["--trust"] if trust else []),
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            line = process.stdout.readline()
            yield process, re.search(r"http://[^/\s]+", line)[0]
        finally:
            process.kill()


@pytest.fixture(scope="module")
def chromium():
    with playwright.sync_playwright() as library:
        browser = library.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def tab(chromium):
    """A new tab that collects what goes wrong in it."""
    context = chromium.new_context(viewport={"width": 1280, "height": 900}, accept_downloads=True)
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    page.problems = []
    page.on("pageerror", lambda error: page.problems.append(str(error)))
    page.on(
        "console", lambda message: page.problems.append(message.text) if message.type == "error" else None
    )
    yield page
    context.close()


@pytest.fixture(scope="module")
def server(finished, tmp_path_factory):
    """A server of a copy of the hostile crawl."""
    place = tmp_path_factory.mktemp("served")
    folder = copy_of(finished[0], place)
    living = shutil.copytree(finished[0], place / "living")
    refresh_changed(living, finished[1])
    add_teacher(living)
    divided(finished[0], place / "shards of light")
    crawl_books(place / "books", pages=40)
    crawl_places(place / "places")
    with serve(place) as (_, url):
        yield url, folder


PAGES = ["/", "/new", "/lab", "/crawls/light", "/crawls/light/pages?q=lighthouse", "/crawls/light/teach", "/crawls/light/changes?since=60d", "/crawls/light/links",
         "/crawls/light/why?url=bad", "/crawls/light/why?url=/p", "/crawls/light/pages/2", "/crawls/light/table", "/crawls/light/map", "/crawls/light/sites", "/crawls/light/searches",
         "/crawls/light/export", "/crawls/light/settings", "/crawls/light/plan", "/crawls/living/changes", "/crawls/living/teach",
         "/crawls/shards of light", "/crawls/shards of light/pages", "/crawls/books", "/crawls/books/table", "/crawls/places/map"]  # fmt: skip


@pytest.fixture(scope="module")
def phone(chromium):
    """A dark tab as narrow as a phone, with the policy of the pages in force."""
    context = chromium.new_context(viewport={"width": 390, "height": 800}, color_scheme="dark")
    page = context.new_page()
    page.problems = []
    page.on("pageerror", lambda error: page.problems.append(str(error)))
    page.on(
        "console", lambda message: page.problems.append(message.text) if message.type == "error" else None
    )
    yield page
    context.close()


@pytest.fixture(scope="module")
def inspected(chromium):
    """Tabs of both themes and widths into which the checker of accessibility may be put, which the pages forbid."""
    pairs = [(theme, width) for theme in ("light", "dark") for width in (1280, 390)]
    tabs = [
        chromium.new_context(
            bypass_csp=True, viewport={"width": width, "height": 900}, color_scheme=theme
        ).new_page()
        for theme, width in pairs
    ]
    yield tabs
    for page in tabs:
        page.context.close()


@pytest.mark.parametrize("path", PAGES)
def test_every_page_in_both_themes_and_widths(server, phone, inspected, path):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    url, _ = server
    assert phone.goto(url + path, wait_until="load").status == 200
    phone.wait_for_timeout(100)
    assert not phone.problems
    assert phone.evaluate("window.hacked") is None
    if "/crawls/light" in path and not path.endswith("/plan"):
        current = phone.locator(".side nav [aria-current]").bounding_box()
        assert current["x"] >= 0
        assert current["x"] + current["width"] <= 391
    for page in inspected:
        page.goto(url + path, wait_until="load")
        page.wait_for_timeout(100)
        assert page.evaluate("document.documentElement.scrollWidth") <= page.viewport_size["width"]
        found = [
            each for each in axe.run(page).response["violations"] if each["impact"] in ("serious", "critical")
        ]
        assert not found, [(each["id"], [node["html"][:120] for node in each["nodes"]][:3]) for each in found]


def test_tables_fit_a_phone(phone, tmp_path):
    paths = [f"/a-folder-with-a-rather-long-name/and-an-article-about-lighthouses-{n}.html" for n in range(9)]
    front = html(
        "Lighthouses", TEXT, [(path, "a link text of many words, all of them plain") for path in paths]
    )
    with serving({"/": front, **dict.fromkeys(paths, html("Lighthouse", TEXT))}) as web:
        clew.Crawl(tmp_path / "light", "lighthouse", [web.origin], CONTACT, settings=QUICK).run(pages=2)
    with serve(tmp_path) as (_, url):
        for page in ("links", "sites"):
            phone.goto(f"{url}/crawls/light/{page}", wait_until="load")
            cells = phone.locator(".stack td")
            assert cells.count()
            hidden = cells.evaluate_all(
                "cells => cells.filter(cell => cell.scrollWidth > cell.clientWidth + 1"
                " || cell.getBoundingClientRect().right > innerWidth).map(cell => cell.textContent)"
            )
            assert not hidden


def test_archived_pages_do_not_phone_home(server, finished, tab):
    url, folder = server
    asked = []
    tab.on("request", lambda request: asked.append(request.url))
    before = len(finished[1].asked)
    (row,) = read_sql(folder, "SELECT id FROM links WHERE url LIKE '%/home'")
    tab.goto(f"{url}/crawls/light/pages/{row[0]}")
    frame = tab.frame_locator("iframe.replay")
    frame.get_by_text("lighthouse lantern keeper").wait_for()
    frame.locator("#bait").click(timeout=2000)
    tab.wait_for_timeout(300)
    assert tab.evaluate("window.hacked") is None
    assert tab.url.endswith(f"/pages/{row[0]}")
    assert all(each.startswith(url) for each in asked)
    assert len(finished[1].asked) == before


def test_titles_from_right_to_left_and_hostile_titles_are_text(server, tab):
    url, _ = server
    tab.goto(f"{url}/crawls/light/pages?sort=oldest")
    title = tab.get_by_role("link", name=RTL)
    assert title.evaluate("(node) => getComputedStyle(node).direction") == "rtl"
    assert tab.get_by_role("heading", name="<script>window.hacked=1</script>").count() == 1
    tab.get_by_role("heading", name="<script>").get_by_role("link").click()
    assert tab.locator("dialog[open] #preview-title").inner_text().startswith('"><script>')
    tab.keyboard.press("Escape")
    assert tab.locator("dialog[open]").count() == 0
    assert tab.evaluate("window.hacked") is None


def test_everything_can_be_reached_by_keyboard(server, tab):
    url, _ = server
    tab.goto(f"{url}/crawls/light/pages")
    tab.keyboard.press("Tab")
    assert tab.evaluate("document.activeElement.className") == "skip"
    seen = set()
    for _ in range(60):
        tab.keyboard.press("Tab")
        seen.add(tab.evaluate("document.activeElement.id || document.activeElement.textContent.trim()"))
    assert {"q", "sort", "line", "show-above", "Teach", "Why"} <= seen
    tab.locator("#line").focus()
    before = tab.locator("#above").inner_text()
    for _ in range(40):
        tab.keyboard.press("ArrowRight")
    assert tab.locator("#above").inner_text() != before


def test_teaching_with_keys(server, tab):
    url, folder = server
    tab.goto(f"{url}/crawls/light/teach")
    tab.locator("#question:not([hidden])").wait_for()
    assert tab.locator("#question-text mark").count() > 0
    first = tab.locator("#question-url").inner_text()
    tab.keyboard.press("y")
    tab.get_by_text("the next run applies it").first.wait_for()
    assert tab.locator("#question-url").inner_text() != first
    tab.keyboard.press("n")
    tab.locator("#bad", has_text="1").wait_for()
    tab.locator("#terms li.fresh").first.wait_for()  # what it has learned shows the answer
    tab.keyboard.press("s")
    tab.keyboard.press("u")  # takes the skipped one back
    tab.keyboard.press("u")  # takes the no back
    tab.locator("#bad", has_text="0").wait_for()
    assert [good for (good,) in read_sql(folder, "SELECT good FROM labels")] == [1]


def test_the_last_pages_are_labelled_on_the_overview(finished, tab, tmp_path):
    folder = copy_of(finished[0], tmp_path)
    with serve(tmp_path) as (_, url):
        tab.goto(f"{url}/crawls/light")
        first = tab.locator("#feed [data-url]").first
        address = first.get_attribute("data-url")
        for pressed in ("true", "false"):  # the second time takes it back
            first.locator('[data-label="no"]').click()
            first.locator(f'[data-label="no"][aria-pressed="{pressed}"]').wait_for()
            assert len(read_sql(folder, "SELECT good FROM labels")) == (pressed == "true")
        first.get_by_role("link").click()
        tab.wait_for_url("**/links?pattern=*")
        assert tab.locator("#pattern").input_value() == address
        assert tab.problems == []


def test_a_hint_comes_live_with_its_cure(finished, tab, tmp_path):
    folder = copy_of(finished[0], tmp_path)
    with serve(tmp_path) as (_, url):
        tab.goto(f"{url}/crawls/light")
        tab.locator("body[data-live=yes]").wait_for()
        add_note(folder, "it brings nothing; exclude it: clew exclude light news.example", {})
        add_note(folder, "slow down: clew run light --set fetch.delay=7", {})
        tab.get_by_role("button", name="Set fetch.delay = 7").click()
        tab.locator(".toast", has_text="saved").wait_for()
        assert config.load_folder(folder).fetch.delay == 7
        tab.get_by_role("link", name="Exclude news.example").click()
        tab.get_by_text("No URL of this crawl matches news.example yet").wait_for()
        assert tab.problems == []


def test_labels_are_applied_now_without_fetching_a_page(finished, tab, tmp_path):
    folder = copy_of(finished[0], tmp_path)
    (url_of_soup,) = read_sql(folder, "SELECT url FROM links WHERE url LIKE '%/soup'")[0]
    before = len(read_sql(folder, "SELECT id FROM pages"))
    asked = len(finished[1].asked)
    with serve(tmp_path) as (_, url):
        tab.goto(f"{url}/crawls/light/pages?q=soup")
        tab.locator(f'li[data-url="{url_of_soup}"] button[data-label="yes"]').click()
        tab.get_by_text("the next run applies it").first.wait_for()
        tab.goto(f"{url}/crawls/light/teach")
        tab.get_by_role("button", name="Apply the labels now").click()
        tab.locator("#effect", has_text=re.compile(r"label|learn|link|page")).wait_for()
        query = "SELECT relevant FROM pages JOIN links USING (id) WHERE url LIKE '%/soup'"
        wait_until(
            lambda: read_sql(folder, query) == [(1,)]
        )  # the process that does it starts in its own time
        wait_until(lambda: not lock_holder(folder))
    assert len(read_sql(folder, "SELECT id FROM pages")) == before
    assert len(finished[1].asked) == asked


def many_pages(count=400):
    names = [f"/n{n}" for n in range(count)]
    made = {
        name: linked(text=f"{WORDS if n % 3 else 'onion soup bread '} {n} " * 6, title=f"Page {n}")
        for n, name in enumerate(names)
    }
    return made | {"/": linked(*names, text=WORDS)}


def wait_until(condition, seconds=30):
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if found := condition():
            return found
        time.sleep(0.05)
    raise AssertionError(condition)


def test_a_whole_crawl_from_new_to_export(tab, tmp_path):
    with serving(many_pages(40)) as web, serve(tmp_path, trust=True) as (_, url):
        tab.goto(f"{url}/")
        tab.get_by_role("link", name="New crawl").first.click()
        tab.get_by_role("textbox", name="Topic").fill("lighthouse keeper lantern")
        tab.get_by_text("More settings").click()
        tab.locator("#more").fill("fetch.allow = 127.0.0.0/8\nfetch.delay = 0\nstore.min_free = 0")
        tab.get_by_label("Contact").fill("example.com")
        tab.get_by_label("Start URLs").fill(f"{web.origin}/")
        tab.locator("#contact-problem", has_text="give a URL").wait_for()
        tab.get_by_label("Page budget").fill("30")
        tab.get_by_role("button", name="Create").click()
        tab.locator("#problem.bad").wait_for()  # example.com is no contact
        tab.get_by_label("Contact").fill(CONTACT)
        tab.get_by_label("Page budget").click()
        tab.get_by_text("✓ usable").wait_for()
        tab.get_by_role("button", name="Create").click()
        tab.wait_for_url("**/plan")
        tab.get_by_text("1 of 1 seeds can be fetched").wait_for()
        tab.get_by_role("button", name="Start the crawl").click()
        tab.wait_for_url(re.compile(r"/crawls/[\w-]+$"))
        tab.locator('[data-live="pages"]', has_text="30").wait_for()
        folder = next(tmp_path.glob("*/clew.toml")).parent
        wait_until(lambda: not lock_holder(folder))
        tab.get_by_role("link", name="Export", exact=True).click()
        tab.locator("#preview tbody tr").first.wait_for()
        with tab.expect_download() as download:
            tab.get_by_role("button", name="Download").click()
        lines = download.value.path().read_text("utf-8-sig").splitlines()
        assert lines[0].startswith("url,")
        assert len(lines) > 5
        assert [each for each in tab.problems if "400" not in each] == []


@pytest.fixture
def slow_crawl(tmp_path):
    """The folder of a new crawl that takes minutes, and a server of it."""
    with serving(many_pages()) as web:
        folder = tmp_path / "slow"
        settings = ["fetch.allow=127.0.0.0/8", "fetch.delay=0.1", "store.min_free=0"]
        more = [part for each in settings for part in ("--set", each)]
        subprocess.run(
            [sys.executable, "-m", "clew", "new", str(folder), "--about", "lighthouse keeper", "--seed", f"{web.origin}/",
             "--contact", CONTACT, "--no-check", *more], check=True, stdout=subprocess.DEVNULL,
        )  # fmt: skip
        try:
            yield folder
        finally:
            if pid := lock_holder(folder):
                os.kill(int(pid), signal.SIGKILL)


def pages_shown(tab):
    return int(tab.locator('[data-live="pages"]').inner_text().replace(",", ""))


def test_live_in_two_tabs_with_pause_and_effect_and_a_killed_server(slow_crawl, tab):
    with serve(slow_crawl.parent) as (process, url):
        other = tab.context.new_page()
        for page in (tab, other):
            page.goto(f"{url}/crawls/slow")
        tab.get_by_role("button", name="Start").click()
        for page in (tab, other):
            page.locator("#state", has_text="running").wait_for()
        wait_until(lambda: pages_shown(other) >= 3)
        assert other.locator("#feed li .verdict").count() >= 1

        other.goto(f"{url}/crawls/slow/teach")  # a label moves links at once, and says how many
        other.locator("#question:not([hidden])").wait_for()
        other.keyboard.press("y")
        other.locator("#effect", has_text=re.compile(r"\d+ links? up, \d+ down")).wait_for()
        other.goto(f"{url}/crawls/slow")

        tab.get_by_role("button", name="Pause").click()
        other.locator("#state", has_text="paused").wait_for()
        count = wait_until(
            lambda: (
                json.loads((slow_crawl / "derived/live.json").read_text())["in_flight"] == 0
                and pages_shown(tab)
            )
        )
        other.get_by_role("button", name="Go on").click()
        wait_until(lambda: pages_shown(tab) > count)

        pid, port = lock_holder(slow_crawl), int(url.rpartition(":")[2])
        process.kill()
        process.wait()
        wait_until(lambda: tab.locator("body[data-live=no]").count() == 1)
    assert lock_holder(slow_crawl) == pid  # a crash of the server costs nothing
    before = pages_shown(tab)
    with serve(slow_crawl.parent, port=port):
        wait_until(lambda: pages_shown(tab) > before)
        tab.get_by_role("button", name="Stop").click()
        wait_until(lambda: not lock_holder(slow_crawl))
        wait_until(lambda: tab.get_by_role("button", name="Go on").is_visible())


def rests(folder, seconds):
    """Return whether no page is read for some seconds while the process goes on."""
    before = json.loads((folder / "derived/live.json").read_text())
    time.sleep(seconds)
    after = json.loads((folder / "derived/live.json").read_text())
    return after["at"] > before["at"] and after["pages"] == before["pages"]


def test_rules_are_counted_first_and_applied_while_it_runs(slow_crawl, tab):
    with serve(slow_crawl.parent) as (_, url):
        address = f"{url}/api/v1/crawls/slow/start"
        request = urllib.request.Request(address, b"{}", {"Content-Type": "application/json"}, method="POST")
        urllib.request.urlopen(request).close()
        wait_until((slow_crawl / "derived/live.json").exists)
        wait_until(lambda: json.loads((slow_crawl / "derived/live.json").read_text())["open"] > 100)
        tab.goto(f"{url}/crawls/slow/links")
        tab.get_by_label("Host or URL pattern").fill("*/n3*")
        tab.get_by_role("button", name="How many links?").click()
        tab.get_by_text(re.compile(r"concerns \d+ queued links")).wait_for()
        tab.get_by_role("button", name="Apply").click()
        tab.locator("#rules code", has_text="*/n3*").wait_for()
        tab.goto(f"{url}/crawls/slow/links")
        tab.get_by_role("button", name="Rule …").first.click()
        tab.get_by_label("Do").select_option("delay")
        tab.get_by_label("Value").fill("30")
        tab.get_by_role("button", name="Apply").click()
        tab.locator("#rules", has_text="30 s delay").wait_for()
        wait_until(lambda: rests(slow_crawl, 2.0))


def test_a_changed_term_says_its_effect_and_a_host_is_forgotten(slow_crawl, tab):
    with serve(slow_crawl.parent) as (_, url):
        tab.goto(f"{url}/crawls/slow")
        tab.locator("#fresh", has_text="Ready to start").wait_for()
        assert not tab.locator("#curve").count()  # an empty chart says nothing
        tab.get_by_role("button", name="Start").click()
        tab.locator("#curve svg").wait_for()
        wait_until(lambda: pages_shown(tab) >= 10)
        tab.goto(f"{url}/crawls/slow/teach")
        tab.locator("#terms li button").first.click()
        tab.locator("#history li", has_text=re.compile(r"struck .*pages? (changed|are being)")).wait_for()

        tab.goto(f"{url}/crawls/slow")
        tab.get_by_role("button", name="Stop").click()
        wait_until(lambda: not lock_holder(slow_crawl))
        tab.locator("#state", has_text="stopped").wait_for()
        tab.goto(f"{url}/crawls/slow/links?pattern=127.0.0.1")
        tab.get_by_label("Do", exact=True).select_option("forget")
        tab.get_by_text("Forgetting deletes them permanently").wait_for()
        assert read_sql(slow_crawl, "SELECT count(*) FROM pages") != [(0,)]
        tab.once("dialog", lambda dialog: dialog.accept())
        tab.get_by_role("button", name="Delete permanently").click()
        tab.locator(".toast", has_text="deleted:").wait_for()
        assert read_sql(slow_crawl, "SELECT count(*) FROM pages") == [(0,)]
        assert tab.problems == []
