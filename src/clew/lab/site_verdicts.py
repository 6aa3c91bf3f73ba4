"""Races for sites: what counts is the verdict on a site, not the number of its pages."""

from dataclasses import replace

import numpy as np

from clew.lab.sparse import Flags
from clew.lab.task import RELEVANT, Task
from clew.lab.trace import Trace
from clew.lab.world_graph import WorldGraph


def score_sites(trace: Trace) -> Trace:
    """Return a trace in which a site is found once: with its first page that the judge calls relevant.

    In the trace of a task about sites every page of a good site is graded as relevant. A site whose pages are
    called relevant and which is none is counted in `facts["wrong_sites"]`. The oracle has no judge: it finds
    a site with its first page.
    """
    judged = np.isfinite(trace.verdicts).any()
    called = trace.verdicts >= RELEVANT if judged else trace.grades >= RELEVANT
    good = np.unique(trace.hosts[trace.grades >= RELEVANT])
    found = np.zeros(len(trace), bool)
    rows = np.flatnonzero(called)
    hosts, first = np.unique(trace.hosts[rows], return_index=True)
    right = np.isin(hosts, good)
    found[rows[first[right]]] = True
    wrong = {"wrong_sites": int((~right).sum())} if judged else {}
    return replace(trace, relevant=found, facts={**trace.facts, **wrong})


def wanted_sites(graph: WorldGraph, task: Task) -> Flags:
    """Mark one page of each good site: a start page, else the one with the shortest URL."""
    wanted = graph.wanted(task)
    starts = set(graph.rows(url for start in task.starts.values() for url in start).tolist())
    best: dict[int, tuple[bool, int, int]] = {}
    for row in np.flatnonzero(wanted).tolist():
        choice = (row not in starts, len(graph.page_urls[row]), row)
        host = int(graph.graph.hosts[row])
        best[host] = min(best.get(host, choice), choice)
    marked = np.zeros(len(wanted), bool)
    marked[[row for _, _, row in best.values()]] = True
    return marked


def wanted_rows(graph: WorldGraph, task: Task) -> Flags:
    """Mark what a race looks for: relevant pages, or one page of each relevant site."""
    return wanted_sites(graph, task) if task.kind == "sites" else graph.wanted(task)
