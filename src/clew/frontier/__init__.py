"""The frontier: everything that decides which link may be fetched next, and when.

No network, no files, no clock of its own. `Frontier` orders links and keeps hosts' clocks, `Robots`
knows what sites forbid, `Scope` and `Exclusions` what the person forbids, `Traps` where pages are made up
endlessly, `Listings` where lists are, and `Patience` what a finished visit means for its link and its host.
"""

from clew.frontier.census import moved
from clew.frontier.exclusions import Exclusions, names
from clew.frontier.frontier import Frontier
from clew.frontier.listings import Listings
from clew.frontier.patience import Decision, Patience
from clew.frontier.robots import Robots, RobotsRules
from clew.frontier.scope import Scope
from clew.frontier.traps import Traps

__all__ = [
    "Decision",
    "Exclusions",
    "Frontier",
    "Listings",
    "Patience",
    "Robots",
    "RobotsRules",
    "Scope",
    "Traps",
    "moved",
    "names",
]
