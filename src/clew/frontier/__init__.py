"""The frontier: everything that decides which link may be fetched next, and when.

It has no network access and no clock of its own. `Frontier` orders links and keeps the clocks of hosts,
`Robots` holds robots.txt rules, `Scope` and `Exclusions` the limits set by the user, `TrapGuard` detects
endless generated pages, `SitemapLimits` endless sitemaps, `FailureRates` learns where links are dead,
and `RetryPolicy` decides what a response means for its link and host.
"""

from clew.frontier.exclusions import Exclusions, host_matches, rule_matcher
from clew.frontier.failure_rates import FailureRates
from clew.frontier.frontier import Frontier
from clew.frontier.limit_rules import limit_verb, parse_limit
from clew.frontier.link_states import LinkStates
from clew.frontier.retry_policy import Decision, RetryPolicy
from clew.frontier.robots import Robots, RobotsRules
from clew.frontier.scope import Scope
from clew.frontier.stats import count_moves
from clew.frontier.traps.accounts import PROBES, SUSPECT, Account
from clew.frontier.traps.guard import Standing, TrapGuard
from clew.frontier.traps.places import places_around, same_host
from clew.frontier.traps.sitemap_limits import SitemapLimits
from clew.frontier.url_patterns import is_url_pattern, read_rule

__all__ = [
    "PROBES",
    "SUSPECT",
    "Account",
    "Decision",
    "Exclusions",
    "FailureRates",
    "Frontier",
    "LinkStates",
    "RetryPolicy",
    "Robots",
    "RobotsRules",
    "Scope",
    "SitemapLimits",
    "Standing",
    "TrapGuard",
    "count_moves",
    "host_matches",
    "is_url_pattern",
    "limit_verb",
    "parse_limit",
    "places_around",
    "read_rule",
    "rule_matcher",
    "same_host",
]
