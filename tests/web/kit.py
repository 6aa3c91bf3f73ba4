"""A crawl whose pages try to break out of the pages that show them, and a client for the application."""

import contextlib
import shutil

from starlette.testclient import TestClient

import clew
from clew.web.app import make_app
from clew.web.crawls import CrawlFolders
from clew.web.guard import LOOPBACK
from clew.web.server_state import ServerState
from tests.small_web import CONTACT, QUICK, serving

XSS = '"><script>window.hacked=1</script><img src=x onerror=window.hacked=1>'
ESCAPED = "&lt;script&gt;window.hacked=1"
RTL = "מגדלור על החוף"
TEXT = "The lighthouse keeper lights the lantern; the lighthouse stands at the harbour. "
PHONES_HOME = """<html><head><title>Calls home</title><meta http-equiv=refresh content="0;url=/beacon?refresh">
<link rel=dns-prefetch href=//evil.example><link rel=stylesheet href=/beacon?css><base href=/beacon/>
<style>@import url(/beacon?import); body{background:url(/beacon?bg)}</style></head>
<body onload="fetch('/beacon?load')"><p>lighthouse lantern keeper</p><img src=/beacon?img><iframe src=/beacon?frame></iframe>
<form action=/beacon?form><input autofocus onfocus="location='/beacon?focus'"></form><a href="javascript:top.hacked=1" id=bait>bait</a>
<script>top.hacked=1; new Image().src='/beacon?script'</script><object data=/beacon?object></object>
<svg><script>top.hacked=1</script></svg><video src=/beacon?video autoplay></video><a href=/beacon?click target=_top>leave</a></body></html>"""


def html(title, body, links=()):
    anchors = "".join(f'<p><a href="{path}">{text}</a></p>' for path, text in links)
    return f"<html lang=en><head><title>{title}</title></head><body><main><p>{body}</p>{anchors}</main></body></html>"


def quoted(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")


def web_pages():
    """Return the pages of the small web."""
    bad = quoted(XSS)
    names = [f"/p{n}" for n in range(12)]
    links = [
        ("/bad", bad),
        ("/home", "calls home lighthouse"),
        ("/rtl", RTL),
        ("/x%22%3E%3Cscript%3Ewindow.hacked=1%3C/script%3E", bad),
    ]
    links += [(name, f"lighthouse {name}") for name in names]
    made = {
        "/": html("Start of lighthouses", TEXT, links),
        "/bad": html(bad, f"lighthouse lantern {bad} keeper", [("/soup", "soup")]),
        "/home": PHONES_HOME,
        "/rtl": html(RTL, f"{RTL} lighthouse lantern"),
        "/x%22%3E%3Cscript%3Ewindow.hacked=1%3C/script%3E": html("odd URL", TEXT),
        "/soup": html("Onion soup", "onion soup with bread and salt, nothing else at all"),
    }
    made |= {name: html(f"Lighthouse {name}", TEXT * (1 + n % 3)) for n, name in enumerate(names)}
    return made


@contextlib.contextmanager
def hostile_crawl(place, name="light"):
    """Yield the folder of a finished crawl of the small web, and the web."""
    with serving(web_pages()) as web:
        folder = place / name
        clew.Crawl(folder, "lighthouse lantern keeper", [web.origin], CONTACT, settings=QUICK).run()
        yield folder, web


def make_client(*places, trust=False, token="", hosts=LOOPBACK, **more):
    """Return a client of the application; it is called localhost."""
    server = ServerState(crawls=CrawlFolders(list(places)), trust=trust, token=token)
    client = TestClient(make_app(server, hosts), base_url="http://localhost", follow_redirects=False, **more)
    client.server = server
    return client


def copy_of(folder, place):
    """Return a copy of a crawl that a test may change."""
    target = place / folder.name
    shutil.copytree(folder, target)
    return target
