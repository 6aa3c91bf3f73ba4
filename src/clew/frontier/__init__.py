"""The frontier: everything that decides which link may be fetched next, and when.

It has no network access and no clock of its own. `Frontier` orders links and keeps the clocks of hosts,
`Robots` holds robots.txt rules, `Scope` and `Exclusions` the limits set by the user, `TrapGuard` detects
endless generated pages, `SitemapLimits` endless sitemaps, and `RetryPolicy` decides what a response means for
its link and host.
"""

from clew.frontier.exclusions import Exclusions, host_matches
from clew.frontier.frontier import Frontier
from clew.frontier.retry_policy import Decision, RetryPolicy
from clew.frontier.robots import Robots, RobotsRules
from clew.frontier.scope import Scope
from clew.frontier.stats import count_moves
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
    "count_moves",
    "host_matches",
]
