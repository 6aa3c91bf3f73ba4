"""Let an engine learn labels of stored pages: judge, policy, verdicts, and the links of these pages."""

from collections.abc import Sequence

from clew.contracts import JudgedPage, Store
from clew.engine.engine import Engine
from clew.engine.evaluation import LABELLED
from clew.types import Label, Outcome, Page, Verdict

MATERIAL = 0.02
"""Verdicts that differ by less teach the ranker the same."""

SAME = 1e-6
"""Verdicts that differ by less are the same."""


def learn_pages(engine: Engine, store: Store, stored: Sequence[JudgedPage]) -> bool:
    """Teach judge and ranker, store the new verdicts, rescore the links; return if the judge has changed.

    It has if its verdict on a labelled page is another now; that of a judge that does not learn is not.
    """
    evaluation, scoring, changed = engine.evaluation, engine.scoring, False
    for each in stored:
        page, good = each.page, evaluation.labels.get(each.page.url)
        if good is None:
            continue
        before = evaluation.judge.judge(page).value
        evaluation.teach(page)
        changed |= abs(evaluation.judge.judge(page).value - before) > SAME
        teach_ranker(engine, page, good)
    scoring.refresh_weights()
    for each in stored:
        verdict, relevant = evaluation.rejudge(each.page)
        engine.totals.relevant += relevant - each.relevant
        store.revise(each.page.link.id, verdict, relevant)
        if len(each.link_ids):
            scored = scoring.scores(Outcome(each.page, verdict), each.page.links)
            scoring.revise(each.link_ids, scored)
            store.raise_scores(each.link_ids, scored.scores, each.page.link.id, scored.parts)
    return changed


def store_verdict(engine: Engine, store: Store, each: JudgedPage, verdict: Verdict, relevant: bool) -> bool:
    """Store the verdict on a page that was judged again; return whether the ranker can learn from it."""
    change = abs(verdict.value - each.verdict)
    if change > SAME or relevant != each.relevant:
        store.revise(each.page.link.id, verdict, relevant)
        engine.totals.relevant += relevant - each.relevant
    return change > MATERIAL


def revise_page(engine: Engine, store: Store, each: JudgedPage) -> tuple[Verdict, bool]:
    """Judge a page again, store the verdict, let the ranker learn it, and score its open links again."""
    verdict, relevant = engine.evaluation.rejudge(each.page)
    if store_verdict(engine, store, each, verdict, relevant):
        engine.scoring.revise_outcome(Outcome(each.page, verdict, relevant), each.link_ids)
    return verdict, relevant


def teach_ranker(engine: Engine, page: Page, good: bool) -> None:
    """Pass a label to the ranker: as a label if it learns from labels, else as the outcome of its link."""
    ranker = engine.scoring.ranker
    if learner := engine.scoring.abilities.labels:
        learner.learn_label(Label(page.url, good, engine.clock.wall()), page)
    else:
        ranker.learn(Outcome(page, Verdict(float(good), (LABELLED,)), good))
