"""The synthetic web over time: deterministic, with a truth that its pages agree with."""

import re

import pytest

from clew.lab.synthetic import Web
from clew.lab.synthetic.changing import ChangingWeb
from clew.lab.synthetic.url_schemes import PageKind, UrlTarget, path


@pytest.fixture(scope="module")
def web():
    return Web(2_000, seed=7)


def sites(web, count=30):
    return [site for number in range(count) if not (site := web.graph.site(number)).is_closed]


def test_the_same_day_gives_the_same_bytes(web):
    url = web.home_urls()[3]
    assert ChangingWeb(web, 20.0).respond(url) == ChangingWeb(web, 20.0).respond(url)


def test_pages_appear_are_listed_and_answer_only_then(web):
    late = ChangingWeb(web, 60.0)
    new = late.appeared(sites(web), 30.0)
    assert len(new) > 5
    for url, listed_on in new:
        early = ChangingWeb(web, 30.0)
        assert early.respond(url).status == 404
        assert late.respond(url).status in (200, 301)
        name = re.escape(url.split("/", 3)[3].replace("&", "&amp;"))
        assert re.search(name, late.respond(listed_on).body.decode("latin-1")), url
        if early.respond(listed_on).status == 200:
            assert not re.search(f'"[^"]*{name}"', early.respond(listed_on).body.decode("latin-1")), url


def test_pages_change_vanish_and_move_at_their_own_times(web):
    seen = {"changed": 0, "gone": 0, "moved": 0, "same": 0}
    for site in sites(web):
        for section in site.sections:
            for position in range(min(section.count // 2, 10)):
                url = f"http://{site.name}{path(site, UrlTarget(PageKind.CONTENT, section.number, position))}"
                then, now = ChangingWeb(web, 1.0), ChangingWeb(web, 200.0)
                reply, later = then.respond(url), now.respond(url)
                if reply.status != 200:
                    continue
                gone, moved = now.ends(section, position)
                if later.status == 404:
                    assert gone <= 200.0
                    seen["gone"] += 1
                elif later.status == 301:
                    assert moved <= 200.0
                    assert now.respond(dict(later.headers)["Location"]).status == 200
                    seen["moved"] += 1
                else:
                    changes = [web_.edits(section, position, web_.day) for web_ in (then, now)]
                    seen["changed" if changes[0] != changes[1] else "same"] += 1
                    if changes[0] != changes[1]:
                        assert reply.body != later.body
    assert all(count > 3 for count in seen.values()), seen
