"""Look before the walk: what seeds answer, what rules allow, what a run would cost, whether all is well."""

from clew.insight.preflight.example_check import checked_example, own_addresses
from clew.insight.preflight.findings import Check, Finding, masked
from clew.insight.preflight.folder_check import check_folder
from clew.insight.preflight.machine_check import check_machine
from clew.insight.preflight.plan import CrawlPlan, HostPlan, Ruling, make_plan, rulings
from clew.insight.preflight.probe import Probe, scouting
from clew.insight.preflight.seed_check import check_seeds

__all__ = [
    "Check",
    "CrawlPlan",
    "Finding",
    "HostPlan",
    "Probe",
    "Ruling",
    "check_folder",
    "check_machine",
    "check_seeds",
    "checked_example",
    "make_plan",
    "masked",
    "own_addresses",
    "rulings",
    "scouting",
]
