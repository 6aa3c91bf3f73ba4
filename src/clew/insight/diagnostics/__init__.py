"""Hints about problems while a crawl runs; a missed problem is a bug, and so is a false alarm.

Each hint is one string: the problem, the numbers behind it, and one command to type next.

    counts            counts the results of a run
    nothing_relevant  finds out why no page is relevant; goal_words detects the language of the topic
    blocked_hosts     detects hosts that refuse requests, and a network failure
    outlook           forecasts: falling yield, budgets, disk space
    cures             names a remedy when nothing could be fetched
"""

from clew.insight.diagnostics.advisor import Advisor
from clew.insight.diagnostics.cures import cures

__all__ = ["Advisor", "cures"]
