"""What the engine may cost: CPU time of a page as a ratio to a fixed pure-Python loop in the same process."""

from itertools import islice

import pytest

from bench import engine_stages

MOST = 12
"""Rounds of pages: a loaded machine needs more until one was as quiet as its loops."""


@pytest.mark.parametrize(("policy", "bound"), [("best-first", 1.4), ("clew", 2.9)])
def test_a_page_costs_the_engine_no_more_than_it_did(policy, bound):
    # Judge, ranker, trap guard and frontier, without parsing, network and disk. Bounds are a fifth above what was
    # measured. A change that needs more says in its commit what it is worth.
    for ratio in islice(engine_stages.ratios(policy), MOST):
        if ratio < bound:
            break
    assert ratio < bound


def test_the_gate_notices_more_work(monkeypatch):
    work = engine_stages.Engine.process_page

    def slower(engine, page):
        for _ in range(3):
            engine_stages.loop_seconds()
        return work(engine, page)

    usual = next(islice(engine_stages.ratios("best-first"), 1, None))
    monkeypatch.setattr(engine_stages.Engine, "process_page", slower)
    assert next(islice(engine_stages.ratios("best-first"), 1, None)) > usual + 1.5
