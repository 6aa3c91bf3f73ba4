"""A refresh: choose the known pages that are worth a visit, or go on with those that were chosen before."""

from dataclasses import dataclass

from clew.contracts import FolderStore, RefreshableStore, RevisitPlanner, Round
from clew.domain.link_worth import LinkWorth
from clew.engine.budget import Budget
from clew.engine.engine import Engine
from clew.engine.events import Events
from clew.engine.revisits import chosen
from clew.engine.run import CrawlRun
from clew.errors import ConfigError


@dataclass(frozen=True, slots=True, kw_only=True)
class RefreshOptions:
    """The budget of a refresh, 0 for no limit, and who says what is worth visiting again.

    With `worth`, new links are scored by what the links around them were worth, else by the policy.
    """

    planner: RevisitPlanner
    worth: LinkWorth | None = None
    pages: int = 0
    requests: int = 0


def begin_refresh(engine: Engine, store: FolderStore, options: RefreshOptions, events: Events) -> Round:
    """Begin a refresh, or continue the one that was interrupted, with the plan and the budget it has."""
    if not isinstance(store, RefreshableStore):
        msg = f"{type(store).__name__} cannot be refreshed; it needs `rounds` (contracts.RefreshableStore)"
        raise ConfigError(msg)
    round, history, now = store.rounds.unfinished(), store.rounds.history(), engine.clock.wall()
    if round is None:
        ids, scores = chosen(history.ids, options.planner(history, now), options.requests)
        round = store.rounds.begin(
            at=now, pages=options.pages, requests=options.requests, ids=ids, scores=scores
        )
    if options.worth is not None:
        options.worth.restore(history)
        engine.intake.value_by(options.worth)
    engine.choice.revisits.begin(store.rounds, round, options.worth)
    engine.totals.resume_refresh(round.read_again)
    events.notify(_described(round))
    return round


async def end_refresh(run: CrawlRun) -> None:
    """Record that the refresh under way came to its end, if there is one and it did."""
    rounds = run.engine.choice.revisits.store
    if rounds is not None and run.finished:
        await run.engine.store.commit()
        rounds.end(run.engine.clock.wall())


def budget_of(round: Round, hours: float = 0.0) -> Budget:
    """Return the budget of a refresh: what it may spend itself, whatever the crawl has spent before."""
    return Budget(
        round.pages, hours, round.requests,
        pages_before=round.pages_before, requests_before=round.requests_before,
    )  # fmt: skip


def _described(round: Round) -> str:
    """Say what a refresh is about to do."""
    limits = [
        f"{number:,} {word}"
        for number, word in ((round.pages, "pages"), (round.requests, "requests"))
        if number
    ]
    budget = f", at most {' and '.join(limits)}" if limits else ""
    again = " goes on" if round.read_again else ""
    return f"refresh {round.id}{again}: {len(round.ids):,} known pages are worth a visit{budget}"
