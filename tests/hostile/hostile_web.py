"""The whole hostile web: a hub that links to every case."""

from dataclasses import dataclass, field
from pathlib import Path

from . import (  # noqa: F401 - importing registers the cases
    sites_bombs,
    sites_busy,
    sites_framing,
    sites_honest,
    sites_internal,
    sites_large,
    sites_redirects,
    sites_robots,
    sites_slow,
    sites_text,
    sites_traps,
)
from .cases import CASES, Case
from .content import page
from .judge import Check
from .server import Answer, Web


@dataclass
class HostileWeb:
    """The sites, and what must be true of each."""

    web: Web
    hub: str
    checks: dict[str, list[Check]] = field(default_factory=dict)


def build(folder: Path, cases: list[Case] | None = None) -> HostileWeb:
    """Bind and fill every site; nothing is served before `web.start`."""
    web = Web(folder)
    hub = web.site("hub")
    made = HostileWeb(web, hub.url("/"))
    chosen = CASES if cases is None else cases
    fronts = []
    for case in chosen:
        site = web.site(case.id)
        made.checks[case.id] = case.build(site)
        fronts.append(site.url("/"))
    hub.on("/", Answer(page("the hub of all cases", *fronts)))
    return made
