"""Hear a person while a crawl runs: labels and terms count at once for pages, judge, policy and links."""

import asyncio
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clew import urls
from clew.contracts import Judge
from clew.domain.model_files import model_name
from clew.engine.engine import Engine
from clew.engine.evaluation import LABELLED
from clew.engine.events import Events
from clew.errors import ConfigError, StoreError
from clew.frontier import count_moves
from clew.judge.term_list import read_terms
from clew.services.labels.training_pages import MODELS, list_of
from clew.store_contracts import FolderStore, JudgedPage
from clew.types import Label, Outcome, Page, PageResult, Verdict

LISTEN = 0.2
"""Seconds between two looks for new labels: one is heard well within a second, and a look takes 20 µs."""

SLICE = 0.02
"""Seconds of judging again before the loop breathes."""

PATIENCE = 0.25
"""Seconds after which what is known is told, though stored pages are still being judged again."""

LATE = 2.0
"""Seconds by which a label may be older than a model that has not heard it."""

_BATCH = 200
_SAME = 1e-6


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelEffect:
    """What labels have changed: links that rose and fell, stored pages that count otherwise now.

    `labels` are addresses with yes, no, or None for a label that was taken back; `read` says how many of
    the pages are stored. `judged` is None as long as stored pages are being judged again. `cause` is what
    was changed instead of labels, in words.
    """

    labels: dict[str, bool | None] = field(default_factory=dict)
    cause: str = ""
    read: int = 0
    up: int = 0
    down: int = 0
    judged: int | None = 0

    def text(self) -> str:
        """Say it in one line."""
        said = {True: "yes", False: "no", None: "taken back"}
        if not self.labels:
            judged = (
                "they are being judged again" if self.judged is None else f"{self.judged:,} judged otherwise"
            )
            return f"{self.cause or 'stored pages were judged again'}: {judged}"
        if len(self.labels) == 1:
            ((url, good),) = self.labels.items()
            what = f"label on {url.partition('://')[2]}: {said[good]}"
        else:
            counts = [(sum(good is key for good in self.labels.values()), word) for key, word in said.items()]
            what = f"{len(self.labels):,} labels: {', '.join(f'{n:,} {word}' for n, word in counts if n)}"
        if not self.read:
            what += " — not read yet, it counts when it is"
            return what if not self.up + self.down else f"{what}; {self._moved()}"
        if self.judged is None:
            return f"{what} — {self._moved()}; stored pages are being judged again"
        pages = f"{self.judged:,} stored page{'s' * (self.judged != 1)} judged otherwise"
        return f"{what} — {self._moved()}, {pages}"

    def _moved(self) -> str:
        links = "links" if self.up != 1 else "link"
        return f"{self.up:,} {links} up, {self.down:,} down"

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain values, for JSON."""
        return {"labels": self.labels, "up": self.up, "down": self.down, "judged": self.judged}


@dataclass(slots=True, kw_only=True)
class LabelListener:
    """Look for new labels many times a second, beside the loop, and let each count at once.

    `goal` are the examples of clew.toml by address; `heard` are the labels that have counted already.
    `remake` gives a judge that has learned nothing, for a label that was taken back or turned round, if the
    present one cannot forget; an object of the person's own comes back as it is. `events`
    carries what changed to the user.
    """

    engine: Engine
    store: FolderStore
    events: Events
    goal_labels: dict[str, bool] = field(default_factory=dict)
    applied: dict[str, bool] = field(default_factory=dict)
    remake: Callable[[], Judge] | None = None
    _stamp: tuple[int, float] = (-1, -1.0)
    _list: int = 0
    _rejudging: "asyncio.Task[int] | None" = None
    _listening: "asyncio.Task[None] | None" = None

    # ---- before a run ------------------------------------------------------------------------------

    def restore_labels(self) -> None:
        """Find out which labels have counted in an earlier run; from now on they hold for the engine."""
        given = self._read_labels()
        said = self.store.reader.labelled_verdicts(LABELLED)
        read = {page.url for page in self.store.reader.judged(list(given))}
        unread = {url: good for url, good in given.items() if url not in read}
        own = {url: good for url, good in said.items() if url in given or url not in self.goal_labels}
        self.applied = unread | own
        self.engine.evaluation.set_labels(self.goal_labels | self.applied)

    def _teach_again(self) -> None:
        """Let the ranker know again what people said in earlier runs, but for what its own model remembers.

        A kill may come between a label and the model that has learned from it: the label is there.
        """
        since = 0.0
        if self.engine.scoring.abilities.persistent:
            models = (self.store.folder / MODELS).glob("*.tsv")
            saved = (path.stat().st_mtime for path in models if model_name(path))
            since = min(saved, default=0.0) - LATE
        late = {label.url for label in self.store.reader.labels(since)} & self.applied.keys()
        for each in self.store.reader.pages_by_url(sorted(late)):
            self._teach_ranker(each.page, self.applied[each.page.url])
        if late:
            self.engine.scoring.refresh_weights()

    async def start(self) -> None:
        """Apply labels given while no crawl ran, finish what a kill has interrupted, and go on listening."""
        self._teach_again()
        facts = self.store.reader.facts("judging", "terms")
        await self._apply_labels(patience=None, again=bool(facts.get("judging")))
        self._list = int(facts.get("terms") or 0)
        await self._reload_terms(patience=None)
        self._listening = asyncio.create_task(self._listen())

    # ---- while it runs -----------------------------------------------------------------------------

    async def _listen(self) -> None:
        """Hear labels until cancelled. Trouble with the store is the loop's own: it meets it, too."""
        with suppress(StoreError):
            while True:
                await asyncio.sleep(LISTEN)
                if self.store.reader.label_stamp() != self._stamp:
                    await self._apply_labels()
                await self._reload_terms()

    def on_result(self, result: PageResult) -> None:
        """Do nothing: labels are read from the store."""

    async def close(self) -> None:
        """Listen no longer; pages that are still to be judged again are judged when the crawl goes on."""
        for task in (self._listening, self._rejudging):
            if task:
                task.cancel()
                await asyncio.wait([task])

    async def _apply_labels(self, *, patience: float | None = PATIENCE, again: bool = False) -> None:
        """Let every label count that has not yet; `patience` None waits for the last stored page."""
        self._stamp, given = self.store.reader.label_stamp(), self._read_labels()
        known = given.keys() | self.applied.keys()
        fresh = {url: given.get(url) for url in known if given.get(url) != self.applied.get(url)}
        if not fresh and not again:
            return
        await self.engine.commit()  # a page that was read a moment ago is then among the stored ones
        standing = await asyncio.to_thread(self.store.reader.pages_by_url, list(fresh))
        before = self.engine.frontier.rank_snapshot()
        turned = [url for url in fresh if url in self.applied]
        self.applied = given
        self.engine.evaluation.set_labels(self.goal_labels | given)
        if turned:
            self._forget(turned)
        learned = self._learn(standing) or bool(turned) or again
        self._rescore_labelled({url: good for url, good in fresh.items() if good is not None})
        if learned:
            self.store.set_fact("judging", "1")
        await self.engine.commit()
        up, down = await self._count_moves(before)
        heard = LabelEffect(labels=fresh, read=len(standing), up=up, down=down)
        if learned:
            heard = replace(heard, judged=await self._start_rejudging(patience))
        if fresh:
            self._publish(heard)

    async def _reload_terms(self, *, patience: float | None = PATIENCE) -> None:
        """Let a list of terms count that was changed, if there is a judge who reads it."""
        if not self.engine.evaluation.abilities.terms:
            return
        path = list_of(self.store.folder)
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
        judged = await self._start_rejudging(patience)
        self._publish(
            LabelEffect(cause="your list of terms has changed, stored pages count by it", judged=judged)
        )

    def _read_labels(self) -> dict[str, bool]:
        """Return what people said, by address; the last word counts."""
        return {label.url: label.relevant for label in self.store.reader.labels(0.0)}

    # ---- what a label changes ----------------------------------------------------------------------

    def _forget(self, taken: Sequence[str]) -> None:
        """Let the judge forget what was taken back; for one that cannot, a new one takes its place."""
        evaluation = self.engine.evaluation
        known = evaluation.abilities
        if known.forgets:
            for url in taken:
                known.forgets.forget_label(url)
        elif self.remake and not known.persistent and (fresh := self.remake()) is not evaluation.judge:
            evaluation.replace_judge(fresh)
            for page in self.store.reader.judged(list(evaluation.labels)):
                evaluation.teach(page)

    async def _count_moves(self, before: NDArray[np.uint32]) -> tuple[int, int]:
        """Count the links that rose and fell, when all are in their new order or `PATIENCE` is over."""
        frontier, until = self.engine.frontier, time.monotonic() + PATIENCE
        while frontier.reranking.active and time.monotonic() < until:  # noqa: ASYNC110 - another's work
            await asyncio.sleep(SLICE)
        return count_moves(before, frontier.rank_snapshot())

    def _learn(self, standing: Sequence[JudgedPage]) -> bool:
        """Teach judge and ranker, write the new verdicts, score the links anew; say if the judge has changed.

        It has if it thinks otherwise now of a page that it was taught: a judge that learns nothing does not.
        """
        evaluation, scoring, changed = self.engine.evaluation, self.engine.scoring, False
        for each in standing:
            page, good = each.page, evaluation.labels.get(each.page.url)
            if good is None:
                continue
            before = evaluation.judge.judge(page).value
            evaluation.teach(page)
            changed |= abs(evaluation.judge.judge(page).value - before) > _SAME
            self._teach_ranker(page, good)
        scoring.refresh_weights()
        for each in standing:
            verdict, relevant = evaluation.rejudge(each.page)
            self.engine.totals.relevant += relevant - each.relevant
            self.store.revise(each.page.link.id, verdict, relevant)
            if len(each.link_ids):
                said = scoring.scores(Outcome(each.page, verdict), each.page.links)
                scoring.revise(each.link_ids, said)
                self.store.raise_scores(each.link_ids, said.scores, each.page.link.id, said.parts)
        return changed

    def _teach_ranker(self, page: Page, good: bool) -> None:
        ranker = self.engine.scoring.ranker
        if learner := self.engine.scoring.abilities.labels:
            learner.learn_label(Label(page.url, good, self.engine.clock.wall()), page)
        else:
            ranker.learn(Outcome(page, Verdict(float(good), (LABELLED,)), good))

    def _rescore_labelled(self, labels: dict[str, bool]) -> None:
        """Let links to pages that were named before they were read come first, or last."""
        names = np.array([urls.fingerprint(url) for url in labels], np.uint64)
        ids = self.engine.frontier.find_ids(names)
        met = ids > 0
        scores = np.array(list(labels.values()), np.float32)[met]
        self.engine.frontier.rescore(ids[met], scores)
        self.store.raise_scores(ids[met], scores)

    # ---- stored pages, judged again ----------------------------------------------------------------

    async def _start_rejudging(self, patience: float | None) -> int | None:
        """Judge all stored pages again, beside the crawl; return how many changed sides, None if not done."""
        if self._rejudging:
            self._rejudging.cancel()
        self._rejudging = asyncio.create_task(self._rejudge_all())
        done, _ = await asyncio.wait([self._rejudging], timeout=patience)
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
        last, otherwise, engine = 0, 0, self.engine
        blind = engine.evaluation.abilities.needs_whole_page  # by the text alone it would judge wrongly
        while not blind and (pages := await asyncio.to_thread(self.store.reader.pages_after, last, _BATCH)):
            last, began = pages[-1].page.link.id, time.perf_counter()
            for each in pages:
                verdict, relevant = engine.evaluation.rejudge(each.page)
                if abs(verdict.value - each.verdict) > _SAME or relevant != each.relevant:
                    self.store.revise(each.page.link.id, verdict, relevant)
                otherwise += relevant != each.relevant
                engine.totals.relevant += relevant - each.relevant
                if time.perf_counter() - began > SLICE:
                    await asyncio.sleep(0)
                    began = time.perf_counter()
            await engine.commit()
        self.store.set_fact("judging", "")
        await engine.commit()
        return otherwise
