"""The search service: search at the start, and again when few pages are relevant or no link is open."""

import asyncio
from collections.abc import Coroutine, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from clew.config.tables import SeekTable
from clew.contracts import LoggedSearch, SearchAnswer, SearchEngine, SearchQuery
from clew.domain.text import printable
from clew.engine.engine import Engine
from clew.engine.events import Events
from clew.search import merge_results
from clew.services.search.add_results import add_results
from clew.services.search.initial_queries import LEARNING, InitialQuery, initial_queries
from clew.services.search.judge_training import OTHERS, JudgeTraining, train_judge
from clew.services.search.progress import RECENT, Backoff, LearningProgress, RecentPages
from clew.services.search.query_choice import DEEP, MAX_FRUITLESS, PAYS, AskedQuery, Queries
from clew.services.search.query_yield import QueryYield
from clew.services.search.search_log import SearchLog
from clew.services.search.settings import SearchSettings
from clew.services.search.vocabulary import TopicVocabulary
from clew.types import Kind, Page, PageResult, State

DRIED_UP = "nothing is open"

MAX_FAILURES = 3
"""Failed queries in a row after which a crawl without open links ends; one if it has read no page."""

LISTEN = 1.0
"""Seconds between two checks whether the file of topic terms was edited."""


@dataclass(slots=True, kw_only=True)
class SearchService:
    """Search when too few of the last pages are relevant, or when no link is open.

    One search at a time runs beside the crawl; errors of an engine never stop the crawl. `start` loads the
    queries of earlier runs. `events` carries notices, and wakes the loop.
    """

    engine: Engine
    settings: SearchSettings
    log: SearchLog
    events: Events
    vocabulary: TopicVocabulary
    engines: Sequence[SearchEngine] = ()
    training: JudgeTraining = field(init=False)
    queries: Queries = field(init=False)
    stopped: str = ""
    _yield: QueryYield = field(default_factory=QueryYield)
    _initial: list[InitialQuery] = field(default_factory=list)
    _task: "asyncio.Task[None] | None" = None
    _recent: RecentPages = field(init=False)
    _learning: LearningProgress = field(default_factory=LearningProgress)
    _backoff: Backoff = field(default_factory=Backoff)
    _terms_checked_at: float = 0.0

    def __post_init__(self) -> None:
        seek = self.settings.seek
        self.training = JudgeTraining(
            judge=self.engine.evaluation.judge, has_examples=self.settings.has_examples
        )
        self._recent = RecentPages(seek.window)
        self.queries = Queries(
            topic=self.topic, results=seek.results, by_yield=seek.next == "yield",
            languages=tuple(seek.languages), seed=self.settings.seed,
        )  # fmt: skip

    @property
    def seek(self) -> SeekTable:
        """The table `[seek]` of the configuration."""
        return self.settings.seek

    @property
    def topic(self) -> str:
        """What is searched for."""
        return self.settings.topic

    async def start(self) -> None:
        """Load the queries of earlier runs, and plan the first ones."""
        self.vocabulary.load()
        self._recent.restore(self.engine.store.reader.facts(RECENT).get(RECENT, ""))
        known = self.log.searches()
        for each in known:
            links = await self._restore_query(each)
            if each.why == LEARNING:
                self._learning.pending.update(links.values())
            if each.why in (LEARNING, OTHERS):
                self.training.expect(set(links.values()), each.why == LEARNING)
                self._learn_stored(self.engine.store.reader.judged(list(links)), each.why == LEARNING)
        for link, relevant in self.log.fetched_results().items():
            self._yield.read(link, relevant)
            self._learning.pending.discard(link)
        self._yield.news()
        self._learning.expect(())
        if self.training.wanted:
            self.training.teach()
        asked = {(each.query, each.lang) for each in known if each.results or not each.error}
        if self.engines and self.topic:
            learns, trains = self.vocabulary.required, self.training.wanted
            first = initial_queries(self.topic, self.seek, self.settings.pages, learns=learns, trains=trains)
            self._initial = [each for each in first if (each.text, each.lang) not in asked]
        if self.vocabulary.required and self.engine.intake.next_id > 1:
            await self._rescore_links("")

    def _learn_stored(self, pages: Sequence[Page], good: bool) -> None:
        """Learn once more from pages of an earlier run."""
        for page in pages:
            self.training.see(page.link.id, 0, page, good)
            if good and self.vocabulary.required and not self.vocabulary.terms.edited:
                self.vocabulary.learn(page)

    async def _restore_query(self, known: LoggedSearch) -> dict[str, int]:
        """Restore one query of an earlier run; return its URLs with the ids of their links."""
        links = dict(known.results)
        new = known.new or 0
        if known.new is None and links:  # killed before the results became links
            links, fresh = add_results(
                self.engine, [url for each in links if (url := self.settings.canon(each))]
            )
            new = len(fresh)
            await self.engine.commit()
            await self.log.record_links(known.id, new=new, links=links)
        head = f"{self._query()} AND "
        if known.query == str(self._query()) or known.query.startswith(head):
            word = known.query[len(head) :].strip('"')
            asked = AskedQuery(word, known.lang, len(links), new)
            if links or not known.error:
                self.queries.asked.append(asked)
            found = {link for link in links.values() if link and link not in self._yield.owners}
            self._yield.enter([known.id], asked, found, set(links.values()) - found)
        return links

    def _query(self, word: str = "") -> SearchQuery:
        return SearchQuery(text=self.topic, also=(word,) if word else ())

    def before_fetch(self) -> None:
        """Start a search if one is due."""
        if self._task is not None:
            return
        now = self.engine.clock.monotonic()
        if now - self._terms_checked_at >= LISTEN:
            self._terms_checked_at = now
            if self.vocabulary.reload(self.events.notify):
                self._start_task(
                    self._rescore_links(f"the words were edited: {len(self.vocabulary.terms):,} count now")
                )
        if self.training.wanted and self.training.due and not self._initial:
            for notice in train_judge(self.training, self.engine):
                self.events.notify(notice)
        if self._task is not None or self._publish_terms():
            return
        if now >= self._backoff.not_before:
            if self._initial:
                self._start_task(self._ask_initial())
            elif why := self._search_reason():
                self._start_task(self._ask_next(why))
                self._recent.search(under_way=True)

    def must_wait(self) -> bool:
        """Return whether a search is under way because the links are poor: its results come first."""
        return self._recent.searching

    def may_add_links(self) -> bool:
        """Return, when no link is open, whether a search may still add some."""
        if self._task is not None:
            return True
        self._learning.finish(self.vocabulary.fresh)
        if self._publish_terms():
            return True
        may = self._initial or (self._may_search and not self.stopped)
        if not may or self._backoff.failures >= (MAX_FAILURES if self.engine.totals.pages else 1):
            return False
        if self.engine.clock.monotonic() >= self._backoff.not_before:
            self._start_task(self._ask_initial() if self._initial else self._ask_next(DRIED_UP))
        return True

    @property
    def pending_pages(self) -> int:
        """How many pages to learn from are still to come, at most; 0 when nearly all have."""
        asked = sum(each.count for each in self._initial)
        return asked + (
            len(self._learning.pending | self.training.bad)
            if self._learning.size or not self.training.home
            else 0
        )

    def ask_control_topics(self) -> None:
        """Search for other subjects too, though no judge needs them."""
        first = initial_queries(self.topic, self.seek, self.settings.pages, learns=True, trains=True)
        known = {each.query for each in self.log.searches()}
        self._initial += [each for each in first if each.why == OTHERS and each.text not in known]

    @property
    def _may_search(self) -> bool:
        return bool(self.seek.reseed and self.engines and self.topic)

    def on_result(self, step: PageResult) -> None:
        """Count a page, and learn from it."""
        page, link = step.page, step.page.link
        if link.kind is not Kind.PAGE or step.state is State.OPEN:
            return
        self._recent.awaited.discard(link.id)
        lesson = link.id in self._learning.pending
        self._learning.pending.discard(link.id)
        target = step.new_links.first if page.redirect and step.new_links else 0
        self.training.see(link.id, target, page, step.relevant)
        if page.redirect:
            self._yield.move(link.id, target)
            self._learning.pending.update([target] if target and lesson else [])
            return
        self._recent.add(step.relevant)
        self.engine.store.set_fact(RECENT, self._recent.pack())
        self._yield.read(link.id, step.relevant)
        if page.text:
            self._learn_page(page, step.relevant, lesson)
        if lesson:
            self._learning.check()

    def _learn_page(self, page: Page, relevant: bool, lesson: bool) -> None:
        """Learn from a page: of the topic are those an engine found for it, or else those judged so."""
        if lesson or (relevant and not (self.vocabulary.required and self.engines)):
            self._learning.count(self.vocabulary.learn(page))
        elif not relevant:
            self._learning.count(self.vocabulary.learn_irrelevant(page))

    def _publish_terms(self) -> bool:
        """Give the policy the learned terms, if that is due; return whether links are rescored."""
        if not (self._learning.ripe or self._learning.complete) or not self.vocabulary.useful:
            return False
        answers = self.vocabulary.publish()
        if self.vocabulary.required and (answers or self._learning.complete):
            self._start_task(
                self._rescore_links(self.vocabulary.terms.summary() if self._learning.complete else "")
            )
        self._learning.published()
        return self._task is not None

    def _search_reason(self) -> str:
        """Return why to search again: too few of the last pages were relevant; empty if there is no need."""
        share, recent = self._recent.share, self._recent
        may = self._may_search and not self.stopped and not (self.training.wanted and self.training.size)
        if not may or not recent.full or share >= self.seek.threshold:
            return ""
        if recent.awaited and recent.since < recent.size:
            return ""  # results of the last query are still to be read
        if self.queries.by_yield and self.queries.share <= share:
            return ""  # search results are no better than links
        return f"share {share:.2f} of the last {self.seek.window}"

    # ---- tasks: one at a time, beside the crawl ------------------------------------------------

    def _start_task(self, work: Coroutine[Any, Any, None]) -> None:
        self._task = asyncio.create_task(work)
        self._task.add_done_callback(self._ended)

    def _ended(self, task: "asyncio.Task[None]") -> None:
        self._task = None
        self._recent.search(under_way=False)
        if not task.cancelled() and (fault := task.exception()) is not None:
            self.stopped = "a fault of ours"
            self._initial.clear()
            self.events.notify(f"the search service stopped ({fault!r}); the crawl continues without it")
        self.events.wake()

    async def _ask_initial(self) -> None:
        initial = self._initial[0]
        is_control = initial.why == OTHERS
        ask = (
            self._ask_control_topic(initial)
            if is_control
            else self._search("", initial.lang, initial.count, initial.why)
        )
        if await ask:
            self._initial.pop(0)

    async def _ask_control_topic(self, initial: InitialQuery) -> bool:
        """Search for another topic; its results are fetched like any page, and labelled irrelevant."""
        query = SearchQuery(text=initial.text)
        answers = [
            await self.log.ask(each, query, initial.count, initial.lang, OTHERS) for each in self.engines
        ]
        answer = merge_results([answer for _, answer in answers], initial.count)
        if answer.error and not answer.results:
            self._fail(query, answer.error)
            return False
        links, fresh = add_results(self.engine, self._canonical(answer))
        self.training.expect({links[url] for url in fresh}, good=False)
        await self.engine.commit()
        await self.log.record_links(answers[0][0], new=len(fresh), links=links)
        return True

    async def _ask_next(self, why: str) -> None:
        """Search for the topic with one more word; or stop, if that no longer pays."""
        if not self.queries.asked:
            tongues = self.seek.languages or [""]
            self._initial = [InitialQuery(self.topic, lang, self.seek.results, why) for lang in tongues]
            await self._ask_initial()
            return
        if self.vocabulary.fresh:
            self.vocabulary.publish()
        choice = self.queries.next(self.vocabulary.terms)
        if self.queries.used >= self.seek.queries:
            self._stop(f"{self.queries.used} queries were sent in this run (seek.queries)")
        elif choice is None and len(self.vocabulary.terms):
            self._stop("every word was searched for")
        elif choice is None:
            self._stop("no relevant page has taught a word yet")
        elif self.queries.by_yield and self.queries.fruitless:
            self._stop(f"the last {MAX_FRUITLESS} queries found no new URL")
        elif self.queries.by_yield and choice.promise < PAYS:
            self._stop(f"the next query promises {choice.promise:.2f} new relevant pages")
        else:
            lang = choice.lang if self.seek.languages else ""
            deep = DEEP if self.queries.by_yield else 1
            await self._search(choice.word, lang, deep * self.seek.results, why)

    def _stop(self, why: str) -> None:
        self.stopped = why
        found = self.queries.describe_finds(self.engine.totals.relevant)
        self.events.notify(f"searching again no longer pays: {why}; {found}")

    async def _search(self, word: str, lang: str, count: int, why: str) -> bool:
        """Query all engines, add their merged results as links, and report the counts."""
        query = self._query(word)
        answers = [await self.log.ask(engine, query, count, lang, why) for engine in self.engines]
        answer = merge_results([answer for _, answer in answers], count)
        if answer.error and not answer.results:
            self._fail(query, answer.error)
            return False
        links, fresh = add_results(self.engine, self._canonical(answer), self.seek.results if word else 0)
        asked = AskedQuery(word, lang, len(links), len(fresh))
        self.queries.asked.append(asked)
        new = {links[url] for url in fresh}
        self._yield.enter([id for id, _ in answers], asked, new, set(links.values()) - new)
        if why == LEARNING:
            self._learning.expect(links.values())
            self.training.expect(set(links.values()), good=True)
        self._backoff.reset()
        self._recent.expect(links.values())
        self.queries.count_used(bool(word))
        await self.engine.commit()
        for id, one in answers:
            own = {url: links[url] for url in self._canonical(one) if url in links}
            await self.log.record_links(id, new=len(fresh & own.keys()), links=own)
            fresh -= own.keys()
        await self.log.record_relevant(self._yield.news())
        names = ", ".join(engine.name for engine in self.engines)
        came = f"{asked.results} result{'s' * (asked.results != 1)}, {asked.new} new"
        self.events.notify(
            f"searched «{printable(str(query), 60)}» on {names} ({why}): {came}",
            query=str(query), engine=names, why=why, results=asked.results, new=asked.new,
        )  # fmt: skip
        return True

    def _canonical(self, answer: SearchAnswer) -> list[str]:
        return [url for each in answer.results if (url := self.settings.canon(each.url))]

    def _fail(self, query: SearchQuery, error: str) -> None:
        """Wait longer after each failure; report the first."""
        self._backoff.fail(self.engine.clock.monotonic())
        if self._backoff.failures == 1:
            self.events.notify(f"searching «{printable(str(query), 60)}» failed: {printable(error)}")

    async def _rescore_links(self, why: str) -> None:
        """Rescore links with the current terms."""
        opened = closed = 0
        await self.engine.commit()
        async for more, fewer in self.engine.intake.deferred.rescore():
            opened, closed = opened + more, closed + fewer
            await asyncio.sleep(0)
        if why:
            moved = f"; {opened:,} closed links are open now, {closed:,} open ones are closed"
            self.events.notify(why + moved * bool(opened or closed))

    async def close(self) -> None:
        """Stop searching, and close the engines."""
        await self.cancel()
        for engine in self.engines:
            await engine.aclose()

    async def cancel(self) -> None:
        """Cancel a running search; finished queries and learned terms stay."""
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError, Exception):
                await self._task
        if self.vocabulary.useful and self.vocabulary.fresh:
            self.vocabulary.publish()
        await self.log.record_relevant(self._yield.news())
