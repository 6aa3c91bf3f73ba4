"""Apply new labels and terms to a running crawl: its pages, judge, policy and links."""

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clew import urls
from clew.contracts import FolderStore, Judge, JudgedPage
from clew.domain.labelled_verdicts import VERDICTS, LabelledVerdicts
from clew.domain.model_files import model_name
from clew.engine.engine import Engine
from clew.engine.evaluation import LABELLED
from clew.engine.events import Events
from clew.errors import ConfigError, StoreError
from clew.frontier import count_moves
from clew.judge.term_list import read_terms
from clew.registry import capabilities
from clew.services.labels.learning import learn_pages, store_verdict, teach_ranker
from clew.services.labels.training_pages import MODELS, term_list_path
from clew.types import Outcome, PageResult

LISTEN = 0.2
"""Seconds between two checks for new labels: each applies within a second, and a check takes 20 µs."""

SLICE = 0.02
"""Seconds of judging again before other tasks get a turn."""

TERMS_CHANGED = "term list changed, stored pages judged again"
"""How the note begins that reports the effect of a changed term list."""

MAX_WAIT = 0.25
"""Seconds to wait for stored pages to be judged again, before the effect so far is published."""

LATE = 2.0
"""Seconds by which a label may be older than a model that has not learned it."""

_BATCH = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelEffect:
    """What labels have changed: links that rose and fell, stored pages with another verdict.

    `labels` are URLs with True, False, or None for a label that was removed; `read` is the number of stored
    pages among them. `judged` counts pages that changed between relevant and not relevant; it is None while
    stored pages are being judged again. `cause` describes a change other than labels.
    """

    labels: dict[str, bool | None] = field(default_factory=dict)
    cause: str = ""
    read: int = 0
    up: int = 0
    down: int = 0
    judged: int | None = 0

    def text(self) -> str:
        """Return the effect as one line."""
        words = {True: "yes", False: "no", None: "removed"}
        if not self.labels:
            judged = "judging stored pages again" if self.judged is None else self._changed()
            return f"{self.cause or 'stored pages judged again'}: {judged}"
        if len(self.labels) == 1:
            ((url, good),) = self.labels.items()
            what = f"label on {url.partition('://')[2]}: {words[good]}"
        else:
            counts = [
                (sum(good is key for good in self.labels.values()), word) for key, word in words.items()
            ]
            what = f"{len(self.labels):,} labels: {', '.join(f'{n:,} {word}' for n, word in counts if n)}"
        if not self.read:
            what += " — not fetched yet, applied when it is"
            return what if not self.up + self.down else f"{what}; {self._moved()}"
        if self.judged is None:
            return f"{what} — {self._moved()}; judging stored pages again"
        return f"{what} — {self._moved()}, {self._changed()}"

    def _changed(self) -> str:
        return f"{self.judged:,} stored page{'s' * (self.judged != 1)} judged differently"

    def _moved(self) -> str:
        links = "links" if self.up != 1 else "link"
        return f"{self.up:,} {links} up, {self.down:,} down"

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain values, for JSON."""
        return {"labels": self.labels, "up": self.up, "down": self.down, "judged": self.judged}


@dataclass(slots=True, kw_only=True)
class LabelListener:
    """Check for new labels five times a second, beside the crawl loop, and apply them at once.

    `goal_labels` are the examples of clew.toml by URL; `applied` are the labels that are applied already.
    `remake` makes an untrained judge, for a label that was removed or reversed, if the present one cannot
    forget; a user's own object is returned as it is. `events` publishes the effect to the user.
    """

    engine: Engine
    store: FolderStore
    events: Events
    goal_labels: dict[str, bool] = field(default_factory=dict)
    applied: dict[str, bool] = field(default_factory=dict)
    remake: Callable[[], Judge] | None = None
    _stamp: tuple[int, float] = (-1, -1.0)
    _list: int = 0
    _taught: Mapping[str, bool] = field(default_factory=dict)
    _rejudging: "asyncio.Task[int] | None" = None
    _listening: "asyncio.Task[None] | None" = None

    # ---- before a run ------------------------------------------------------------------------------

    def restore_labels(self, taught: Mapping[str, bool]) -> None:
        """Restore the labels that an earlier run has applied, and pass them to the engine.

        `taught` are those that judge and ranker know in any case.
        """
        self._taught = taught
        given = self._read_labels()
        verdicts = self.store.reader.labelled_verdicts(LABELLED)
        read = {page.url for page in self.store.reader.judged(list(given))}
        unread = {url: good for url, good in given.items() if url not in read}
        judged = {url: good for url, good in verdicts.items() if url in given or url not in self.goal_labels}
        self.applied = unread | judged
        self.engine.evaluation.set_labels(self.goal_labels | self.applied)

    def _teach_again(self) -> None:
        """Teach the ranker the labels of earlier runs again, except those in its saved model.

        A kill between storing a label and saving the model loses the training, but not the label.
        """
        since = 0.0
        if self.engine.scoring.abilities.persistent:
            models = (self.store.folder / MODELS).glob("*.tsv")
            saved = (path.stat().st_mtime for path in models if model_name(path))
            since = min(saved, default=0.0) - LATE
        labels, applied = self.store.reader.labels(since), self.applied
        late = {label.url for label in labels if label.url in applied}
        late = {url for url in late if self._taught.get(url) is not applied[url]}
        for each in self.store.reader.pages_by_url(sorted(late)):
            teach_ranker(self.engine, each.page, self.applied[each.page.url])
        if late:
            self.engine.scoring.refresh_weights()

    async def start(self) -> None:
        """Apply labels given while no crawl ran, finish interrupted rejudging, and start listening."""
        self._teach_again()
        facts = self.store.reader.facts("judging", "terms")
        await self._apply_labels(max_wait=None, again=bool(facts.get("judging")))
        self._list = int(facts.get("terms") or 0)
        await self._reload_terms(max_wait=None)
        self._listening = asyncio.create_task(self._listen())

    # ---- during a run ------------------------------------------------------------------------------

    async def _listen(self) -> None:
        """Apply labels until cancelled. The crawl loop reports errors of the store."""
        with suppress(StoreError):
            while True:
                await asyncio.sleep(LISTEN)
                if self.store.reader.label_stamp() != self._stamp:
                    await self._apply_labels()
                await self._reload_terms()

    def on_result(self, result: PageResult) -> None:
        """Do nothing: labels are read from the store."""

    async def close(self) -> None:
        """Stop listening; pages that are not judged again yet are judged when the crawl resumes."""
        for task in (self._listening, self._rejudging):
            if task:
                task.cancel()
                await asyncio.wait([task])

    async def _apply_labels(self, *, max_wait: float | None = MAX_WAIT, again: bool = False) -> None:
        """Apply every new label; `max_wait` None waits until all stored pages are judged again."""
        self._stamp, given = self.store.reader.label_stamp(), self._read_labels()
        known = given.keys() | self.applied.keys()
        fresh = {url: given.get(url) for url in known if given.get(url) != self.applied.get(url)}
        if not fresh and not again:
            return
        await self.engine.commit()  # the last pages are then among the stored ones
        stored = await asyncio.to_thread(self.store.reader.pages_by_url, list(fresh))
        proposal = self._compare_with_verdicts(stored, fresh)
        before = self.engine.frontier.rank_snapshot()
        reversed_labels = [url for url in fresh if url in self.applied]
        self.applied = given
        self.engine.evaluation.set_labels(self.goal_labels | given)
        if reversed_labels:
            self._forget(reversed_labels)
        learned = learn_pages(self.engine, self.store, stored) or bool(reversed_labels) or again
        self._rescore_labelled({url: good for url, good in fresh.items() if good is not None})
        if learned:
            self.store.set_fact("judging", "1")
        await self.engine.commit()
        up, down = await self._count_moves(before)
        effect = LabelEffect(labels=fresh, read=len(stored), up=up, down=down)
        if learned:
            effect = replace(effect, judged=await self._start_rejudging(max_wait))
        if fresh:
            self._publish(effect)
        if proposal:
            self.events.notify(proposal)

    def _compare_with_verdicts(self, stored: Sequence[JudgedPage], fresh: Mapping[str, bool | None]) -> str:
        """Store the verdicts that labelled pages had; return a proposal for `goal.keep`, if there is one."""
        if not stored:
            return ""
        known = LabelledVerdicts.of(self.store.reader.facts(VERDICTS))
        for each in stored:
            good = fresh[each.page.url]
            if each.why != LABELLED or good is None or each.page.url in known:
                known.add(each.page.url, each.verdict, good=good)
        proposal = known.news(self.engine.evaluation.relevance.keep, str(self.store.folder))
        self.store.set_fact(VERDICTS, known.packed())
        return proposal

    async def _reload_terms(self, *, max_wait: float | None = MAX_WAIT) -> None:
        """Apply a changed term list, if the judge uses it."""
        if not self.engine.evaluation.abilities.terms:
            return
        path = term_list_path(self.store.folder)
        changed = path.stat().st_mtime_ns if path.exists() else 0
        if changed == self._list:
            return
        self._list = changed
        self.store.set_fact("terms", str(changed))
        try:
            read_terms(path)
        except ConfigError as error:
            self._publish(LabelEffect(cause=str(error), judged=0))
            return
        self.store.set_fact("judging", "1")
        await self.engine.commit()
        judged = await self._start_rejudging(max_wait)
        self._publish(LabelEffect(cause=TERMS_CHANGED, judged=judged))

    def _read_labels(self) -> dict[str, bool]:
        """Return the latest label of each URL."""
        return {label.url: label.relevant for label in self.store.reader.labels(0.0)}

    # ---- effects of a label ------------------------------------------------------------------------

    def _forget(self, removed: Sequence[str]) -> None:
        """Let the judge forget labels that were removed; replace and retrain one that cannot forget."""
        evaluation = self.engine.evaluation
        known = evaluation.abilities
        if known.forgets:
            for url in removed:
                known.forgets.forget_label(url)
        elif self.remake and not known.persistent and (fresh := self.remake()) is not evaluation.judge:
            evaluation.replace_judge(fresh)
            for page in self.store.reader.judged(list(evaluation.labels)):
                evaluation.teach(page)

    async def _count_moves(self, before: NDArray[np.uint32]) -> tuple[int, int]:
        """Count the links that rose and fell, after re-ranking or `MAX_WAIT` seconds."""
        frontier, until = self.engine.frontier, time.monotonic() + MAX_WAIT
        while frontier.reranking.active and time.monotonic() < until:  # noqa: ASYNC110 - of another task
            await asyncio.sleep(SLICE)
        return count_moves(before, frontier.rank_snapshot())

    def _rescore_labelled(self, labels: dict[str, bool]) -> None:
        """Rank links to labelled pages that are not fetched yet first, or last."""
        names = np.array([urls.fingerprint(url) for url in labels], np.uint64)
        ids = self.engine.frontier.find_ids(names)
        known = ids > 0
        scores = np.array(list(labels.values()), np.float32)[known]
        self.engine.frontier.rescore(ids[known], scores)
        self.store.raise_scores(ids[known], scores)

    # ---- stored pages, judged again ----------------------------------------------------------------

    async def _start_rejudging(self, max_wait: float | None) -> int | None:
        """Judge all stored pages again, beside the crawl; return how many changed sides, None if not done."""
        if self._rejudging:
            self._rejudging.cancel()
        self._rejudging = asyncio.create_task(self._rejudge_all())
        done, _ = await asyncio.wait([self._rejudging], timeout=max_wait)
        if done:
            return self._rejudging.result()
        self._rejudging.add_done_callback(self._publish_late)
        return None

    def _publish(self, effect: LabelEffect) -> None:
        self.events.notify(effect.text(), **effect.as_dict())

    def _publish_late(self, judging: "asyncio.Task[int]") -> None:
        if not judging.cancelled() and not judging.exception():
            self._publish(LabelEffect(judged=judging.result()))

    async def _rejudge_all(self) -> int:
        last, changed, engine = 0, 0, self.engine
        skip = engine.evaluation.abilities.needs_whole_page  # only the text is stored
        while not skip and (pages := await asyncio.to_thread(self.store.reader.pages_after, last, _BATCH)):
            last, began, revised = pages[-1].page.link.id, time.perf_counter(), []
            for each in pages:
                verdict, relevant = engine.evaluation.rejudge(each.page)
                changed += relevant != each.relevant
                if store_verdict(engine, self.store, each, verdict, relevant):
                    revised.append(Outcome(each.page, verdict, relevant))
                if time.perf_counter() - began > SLICE:
                    await asyncio.sleep(0)
                    began = time.perf_counter()
            await self._revise_outcomes(revised)
            await engine.commit()
        self.store.set_fact("judging", "")
        await engine.commit()
        return changed

    async def _revise_outcomes(self, revised: Sequence[Outcome]) -> None:
        """Let the ranker learn other verdicts on pages, and score their open links again."""
        scoring, found = self.engine.scoring, [each.page.url for each in revised]
        if not found or capabilities.reviser(scoring.ranker) is None:
            return
        stored = await asyncio.to_thread(self.store.reader.pages_by_url, found)
        links = {each.page.url: each.link_ids for each in stored}
        for each in revised:
            if each.page.url in links:
                scoring.revise_outcome(each, links[each.page.url])
            await asyncio.sleep(0)
        scoring.refresh_weights()
