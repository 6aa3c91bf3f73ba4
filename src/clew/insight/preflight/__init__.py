"""Checks before a crawl: seeds, examples, rules, cost of a run, the computer and the folder."""

from clew.insight.preflight.crawl_plan import CrawlPlan, HostPlan, Ruling
from clew.insight.preflight.example_check import check_example, saved_page_urls
from clew.insight.preflight.findings import Check, Finding, mask_passwords
from clew.insight.preflight.folder_check import check_folder
from clew.insight.preflight.machine_check import check_machine
from clew.insight.preflight.plan import make_plan, rulings
from clew.insight.preflight.probe import Probe, open_probe
from clew.insight.preflight.seed_check import check_seeds

__all__ = [
    "Check",
    "CrawlPlan",
    "Finding",
    "HostPlan",
    "Probe",
    "Ruling",
    "check_example",
    "check_folder",
    "check_machine",
    "check_seeds",
    "make_plan",
    "mask_passwords",
    "open_probe",
    "rulings",
    "saved_page_urls",
]
