"""A person changed clew.toml: what was stored is looked at again, so that old pages and links obey it too."""

import json

from clew import capabilities
from clew.config import Config
from clew.engine.engine import Engine
from clew.store_contracts import Store


def obey_changes(mind: Engine, store: Store, config: Config) -> list[str]:
    """Compare the configuration with that of the last run; judge and admit again where it differs.

    Examples that were read before teach the judge again first. Returns what a person should know; a crawl
    without a last run has nothing to look at again.
    """
    if mind.labels:
        for page in store.reader.judged(list(mind.labels)):
            mind.teach(page)
    settings = store.reader.last_settings()
    if settings is None:
        return []
    last, now = json.loads(settings), config.model_dump(mode="json")
    notes = []
    if last.get("goal") != now["goal"] and capabilities.of_judge(mind.judge).needs_whole_page:
        found = store.control.rekeep(config.goal.keep)
        same = last.get("goal", {}).get("judge") == config.goal.judge
        cure = "" if same else f'; for the judge "{config.goal.judge}" to see them, begin a new crawl'
        notes.append(
            f"the goal has changed: {found.seen:,} stored pages keep their verdicts,"
            f" {found.after:,} are relevant now, {found.before:,} were before{cure}"
        )
    elif last.get("goal") != now["goal"]:
        found = store.control.rejudge(mind.verdict_on, config.goal.keep)
        notes.append(
            f"the goal has changed: {found.seen:,} stored pages were judged again,"
            f" {found.after:,} are relevant now, {found.before:,} were before"
        )
    if last.get("scope") != now["scope"]:
        found = store.control.rescope(mind.scope.refusal)
        notes.append(
            f"the scope has changed: {found.after:,} links it refused are open again,"
            f" {found.before:,} open ones are refused now"
        )
    if not mind.intake.deferred.reason and (opened := store.control.reopen_deferred()):
        notes.append(f"{opened:,} links that the last policy left closed are open now")
    return notes
