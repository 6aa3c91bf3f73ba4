"""The frontier: everything that decides which link may be fetched next, and when.

No network, no files, no clock of its own. `Frontier` orders links and keeps hosts' clocks, `Robots`
knows what sites forbid, `Scope` and `Exclusions` what the person forbids, `TrapGuard` where pages are made up
endlessly, `SitemapLimits` where lists are, and `RetryPolicy` what a response means for its link and its host.
"""

from clew.frontier.exclusions import Exclusions, names
from clew.frontier.frontier import Frontier
from clew.frontier.retry_policy import Decision, RetryPolicy
from clew.frontier.robots import Robots, RobotsRules
from clew.frontier.scope import Scope
from clew.frontier.stats import moved
from clew.frontier.traps.guard import TrapGuard
from clew.frontier.traps.sitemap_limits import SitemapLimits

__all__ = [
    "Decision",
    "Exclusions",
    "Frontier",
    "RetryPolicy",
    "Robots",
    "RobotsRules",
    "Scope",
    "SitemapLimits",
    "TrapGuard",
    "moved",
    "names",
]
