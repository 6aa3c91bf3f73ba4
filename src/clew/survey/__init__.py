"""Look before the walk: what seeds answer, what rules allow, what a run would cost, whether all is well."""

from clew.survey.computer import computer
from clew.survey.condition import condition
from clew.survey.examples import checked_example, own_addresses
from clew.survey.findings import Check, Finding, masked
from clew.survey.plan import HostPlan, Plan, Ruling, make_plan, rulings
from clew.survey.scout import Scout, scouting
from clew.survey.seeds import check_seeds

__all__ = [
    "Check",
    "Finding",
    "HostPlan",
    "Plan",
    "Ruling",
    "Scout",
    "check_seeds",
    "checked_example",
    "computer",
    "condition",
    "make_plan",
    "masked",
    "own_addresses",
    "rulings",
    "scouting",
]
