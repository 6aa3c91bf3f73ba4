"""Advice while a crawl runs: silence is a bug, and so is a false alarm.

Each hint is one string: what is wrong, with the numbers behind it, and one next step to type.

    tally     counts what a run brings, a step at a time
    nothing   says why nothing is relevant; goal tells the language of the person's words
    walls     notices hosts that shut us out, and a network that is gone
    outlook   looks ahead: dry spells, budgets, the disk
    cures     knows what helps when nothing could be fetched
"""

from clew.insight.diagnostics.advisor import Advisor
from clew.insight.diagnostics.cures import cures

__all__ = ["Advisor", "cures"]
