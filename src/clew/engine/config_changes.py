"""Apply changes of clew.toml to what is stored: new verdicts for a new goal, new refusals for a new scope."""

import json
from collections.abc import Mapping
from typing import Any

from clew.config import Config
from clew.domain.extractor_history import EXTRACTORS, ExtractorHistory
from clew.engine.engine import Engine
from clew.parse.extractor import extractor_name


def apply_changes(engine: Engine, config: Config, taught: Mapping[str, bool]) -> list[str]:
    """Compare the configuration with that of the last run; judge and admit again where it differs.

    Labelled pages that were read before teach the judge again first, except those with the labels `taught`.
    Returns notices for the user; a crawl without a last run has nothing to look at again.
    """
    store, evaluation = engine.store, engine.evaluation
    _record_extractor(engine, config)
    new = [url for url, label in evaluation.labels.items() if taught.get(url) is not label]
    for page in store.reader.judged(new) if new else ():
        evaluation.teach(page)
    settings = store.reader.last_settings()
    if settings is None:
        return []
    last, now = json.loads(settings), config.model_dump(mode="json")
    changed = _without_criteria(last.get("goal", {})) != _without_criteria(now["goal"])
    notices = []
    if changed and evaluation.abilities.needs_whole_page:
        found = store.control.rekeep(evaluation.relevance.of)
        same = last.get("goal", {}).get("judge") == config.goal.judge
        cure = "" if same else f'; for the judge "{config.goal.judge}" to see them, begin a new crawl'
        notices.append(
            f"the goal has changed: {found.seen:,} stored pages keep their verdicts,"
            f" {found.after:,} are relevant now, {found.before:,} were before{cure}"
        )
    elif changed:
        found = store.control.rejudge(evaluation.rejudge)
        notices.append(
            f"the goal has changed: {found.seen:,} stored pages were judged again,"
            f" {found.after:,} are relevant now, {found.before:,} were before"
        )
    if last.get("scope") != now["scope"]:
        found = store.control.rescope(engine.intake.scope.refusal)
        notices.append(
            f"the scope has changed: {found.after:,} links it refused are open again,"
            f" {found.before:,} open ones are refused now"
        )
    if not engine.intake.deferred.reason and (opened := store.control.reopen_deferred()):
        notices.append(f"{opened:,} links that the last policy left closed are open now")
    return notices


def _record_extractor(engine: Engine, config: Config) -> None:
    """Store which extractor makes the texts of this run."""
    known = ExtractorHistory.of(engine.store.reader.facts(EXTRACTORS))
    now = known.with_run(extractor_name(config.parse.text), engine.clock.wall())
    if now != known:
        engine.store.set_fact(EXTRACTORS, now.packed())


def record_import(engine: Engine) -> None:
    """Store that this run reads pages of archives, which may be older than the crawl, with its extractor."""
    known = ExtractorHistory.of(engine.store.reader.facts(EXTRACTORS))
    _, name = known.since[-1]
    engine.store.set_fact(EXTRACTORS, known.with_import(name, engine.clock.wall()).packed())


def _without_criteria(goal: dict[str, Any]) -> dict[str, Any]:
    """Return the keys of a goal that verdicts depend on: criteria are for the teacher."""
    return {key: value for key, value in goal.items() if key != "criteria"}
