"""Entrance examinations: does a part keep the promises of its contract?

    from clew.testing import check_ranker
    check_ranker(MyRanker())

Each check raises `AssertionError` with a sentence that says what was promised and what came
instead. The house's own parts sit the same examinations.
"""

import asyncio
import inspect
from collections.abc import Callable

import numpy as np

from clew import urls
from clew.contracts import ExplainedRanker, Extractor, Fetcher, Judge, LinearRanker, Ranker
from clew.store_contracts import Store, StoreControl, StoreReader, TableStore
from clew.types import (
    Kind,
    Label,
    Link,
    Links,
    NewLinks,
    Outcome,
    Page,
    PageResult,
    Response,
    State,
    Verdict,
    Weights,
)

KEEP = 0.5
"""Verdict from which a sample page is relevant: the default of `goal.keep`."""


def sample_link(url: str = "https://a.test/", **fields: object) -> Link:
    """Return a link for trying things out."""
    return Link(**{"id": 1, "url": url, "origin": urls.origin(url), **fields})  # type: ignore[arg-type]


def sample_page(
    url: str = "https://a.test/", *, title: str = "", text: str = "", links: Links | None = None
) -> Page:
    """Return a page as the parser would make it."""
    visit = Response(
        link=sample_link(url), started=0.0, ended=0.1, status=200, head=b"HTTP/1.1 200 OK\r\n", body=b"x"
    )
    return Page(response=visit, mime="text/html", title=title, text=text, links=links or Links())


def sample_links(number: int = 3, base: str = "https://a.test/") -> Links:
    """Return that many links of one page."""
    made = [f"{base}p{i}.html" for i in range(number)]
    return Links(
        urls=made,
        origins=[urls.origin(u) for u in made],
        hashes=np.array([urls.fingerprint(u) for u in made], np.uint64),
        anchors=[f"page {i}" for i in range(number)],
        contexts=[f"read page {i} here" for i in range(number)],
        paths=["body/main/p/a"] * number,
        rels=[""] * number,
        positions=np.linspace(0, 1, number, dtype=np.float32),
        kinds=[Kind.PAGE] * number,
        coordinates=np.linspace((0.5, 0, 0.5, 0), (0.5, 1, 0.5, 1), number, dtype=np.float32),
    )


def sample_outcome(value: float = 1.0) -> Outcome:
    """Return a page with a verdict."""
    page = sample_page(title="Lighthouses", text="A page about lighthouses.")
    return Outcome(page, Verdict(value, ("sample",)), relevant=value >= KEEP)


def check_ranker(ranker: Ranker) -> None:
    """Examine a ranker: one score per link, 0 to 1, finite, and learning never breaks it."""
    assert isinstance(ranker, Ranker), (
        f"{_name(ranker)} needs the verbs score(source, links) and learn(outcome)"
    )
    weights = ranker.weights() if isinstance(ranker, LinearRanker) else None
    for value in (0.0, 0.5, 1.0):
        for number in (0, 1, 50):
            outcome, links = sample_outcome(value), sample_links(number)
            scores = np.asarray(ranker.score(outcome, links))
            assert scores.shape == (number,), f"{_name(ranker)} gave {scores.shape} scores for {number} links"
            assert np.isfinite(scores).all(), f"{_name(ranker)} gave a score that is not a number"
            assert ((scores >= 0) & (scores <= 1)).all(), (
                f"{_name(ranker)} gave scores outside 0…1: higher is better"
            )
            if isinstance(ranker, LinearRanker):
                weights = _check_weighing(ranker, outcome, links, weights)
            elif isinstance(ranker, ExplainedRanker):
                _check_parts(ranker, outcome, links)
            ranker.learn(outcome)
    again = np.asarray(ranker.score(sample_outcome(0.5), sample_links(5)))
    assert again.shape == (5,), f"{_name(ranker)} lost its voice after learning"


def _check_weighing(ranker: LinearRanker, outcome: Outcome, links: Links, before: Weights | None) -> Weights:
    """Examine features and weights; return the weights that hold."""
    name, weights = _name(ranker), ranker.weights() or before
    assert weights is not None, f"{name}.weights() must answer when it is asked for the first time"
    table, families = np.asarray(weights.table), weights.groups
    assert table.ndim == 1, f"{name}.weights().table must have one dimension, it has {table.ndim}"
    assert table.dtype == np.float32, f"{name}.weights().table must be float32, it is {table.dtype}"
    assert np.isfinite(table).all(), f"{name}.weights().table holds a number that is none"
    assert table[:1].tolist() == [0], f"{name}.weights().table[0] must be 0: feature 0 says nothing"
    assert families, f"{name}.weights() names no families"
    named = [family.name for family in families]
    assert len(set(named)) == len(named), f"{name}.weights() has two families of one name: {named}"
    assert all(family.columns > 0 and family.weight >= 0 for family in families), (
        f"{name}: a family needs columns, and a weight of 0 or more"
    )
    most = sum(family.weight for family in families)
    assert most <= 1 + 1e-6, f"{name}: the weights of all families add up to {most:.3f}; at most 1"
    features = np.asarray(ranker.features(outcome, links))
    wanted = (len(links), sum(family.columns for family in families))
    assert features.shape == wanted, f"{name}.features gave {features.shape} instead of {wanted}"
    assert features.dtype == np.uint32, f"{name}.features must be uint32, they are {features.dtype}"
    again = np.asarray(ranker.features(outcome, links))
    assert (features == again).all(), f"{name}.features must be the same when asked twice"
    if len(links):
        one = np.asarray(ranker.features(outcome, links.take([len(links) - 1])))
        alone = f"{name}.features of a link must not depend on the links beside it"
        assert (one[0] == features[-1]).all(), alone
        assert int(features.max()) < len(table), f"{name}.features gave a number that its table does not hold"
    return weights


def _check_parts(ranker: ExplainedRanker, outcome: Outcome, links: Links) -> None:
    parts = ranker.parts(outcome, links)
    assert parts, f"{_name(ranker)}.parts named nothing; leave the verb out if there is nothing to say"
    total = np.sum([np.asarray(column, np.float64) for column in parts.values()], axis=0)
    scores = np.asarray(ranker.score(outcome, links), np.float64)
    assert total.shape == scores.shape, f"{_name(ranker)}.parts needs one number for each link and part"
    assert np.allclose(total, scores, atol=1e-4), f"{_name(ranker)}.parts do not add up to its scores"
    names = list(ranker.parts(outcome, sample_links(2)))
    assert names == list(parts), f"{_name(ranker)}.parts must always give the same names in the same order"


def check_judge(judge: Judge) -> None:
    """Examine a judge: a verdict 0 to 1 with reasons for any page, empty and huge ones too."""
    assert isinstance(judge, Judge), f"{_name(judge)} needs the verbs judge(page) and learn(label, page)"
    pages = [sample_page(), sample_page(title="x" * 10_000), sample_page(text="風力発電 wind\n" * 5_000)]
    for page in pages:
        verdict = judge.judge(page)
        assert isinstance(verdict, Verdict), (
            f"{_name(judge)} gave {type(verdict).__name__} instead of a Verdict"
        )
        assert 0 <= verdict.value <= 1, f"{_name(judge)} gave {verdict.value}: verdicts are 0…1"
        assert all(isinstance(word, str) for word in verdict.why), f"{_name(judge)}: reasons are strings"
        assert judge.judge(page) == verdict, f"{_name(judge)} judged the same page twice and differently"
        judge.learn(Label(page.url, relevant=True, at=0.0), page)


def check_extractor(extractor: Extractor) -> None:
    """Examine an extractor: rows whose values fit their columns, none from an empty page."""
    assert isinstance(extractor, Extractor), (
        f"{_name(extractor)} needs the verbs extract(page) and learn(label, page)"
    )
    for page in (sample_page(), sample_page(text="one two three " * 1_000)):
        for record in extractor.extract(page):
            assert len(record.columns) == len(record.values), (
                f"{_name(extractor)}: {record} does not fit its columns"
            )
            assert 0 <= record.confidence <= 1, (
                f"{_name(extractor)}: confidence {record.confidence} is outside 0…1"
            )
        extractor.learn(Label(page.url, relevant=False, at=0.0), page)


def check_fetcher(fetcher: Fetcher) -> None:
    """Examine a fetcher: a dead address is a value, not an exception, and closing is final."""
    assert isinstance(fetcher, Fetcher), f"{_name(fetcher)} needs the verbs fetch(link) and aclose()"
    assert inspect.iscoroutinefunction(fetcher.fetch), f"{_name(fetcher)}.fetch must be async"

    async def examine() -> None:
        visit = await fetcher.fetch(sample_link("http://nowhere.invalid/"))
        assert visit.error, f"{_name(fetcher)} must say in Visit.error why there was no answer"
        assert visit.status == 0, f"{_name(fetcher)} invented the status {visit.status}"
        assert visit.ended >= visit.started, f"{_name(fetcher)}: a visit cannot end before it started"
        await fetcher.aclose()

    asyncio.run(examine())


def check_store(make: Callable[[], Store]) -> None:
    """Examine a store: what was added is seen at once, what was committed is seen by the next one.

    `make` opens the same store each time it is called; the one before is closed first.
    """
    links = sample_links(3)
    found = NewLinks(
        first=1, links=links, scores=np.array([0.5, 0.25, 1], np.float32), refused=[""] * 3, depth=0
    )

    async def examine() -> None:
        store = make()
        _check_protocols(store)
        store.add_links(found)
        assert store.link(2).url == links.urls[1], f"{_name(store)} does not see what was just planted"
        await store.commit()
        step = PageResult(
            page=_answered(store.link(1)), state=State.DONE, verdict=Verdict(1.0), relevant=True
        )
        store.add(step)
        store.refuse(3, "scope")
        store.set_fact("answer", "42")
        await store.aclose()
        again = make()
        assert again.link(2).url == links.urls[1], f"{_name(store)} forgot a committed link"
        assert again.link(1).tries == 1, f"{_name(store)} forgot that a page was fetched"
        try:
            again.link(99)
        except KeyError:
            pass
        else:
            msg = f"{_name(store)} invented link 99: unknown ids raise KeyError"
            raise AssertionError(msg)
        _check_reader(again)
        await again.aclose()

    asyncio.run(examine())


def _check_protocols(store: Store) -> None:
    parts = (
        (store, Store),
        (store.reader, StoreReader),
        (store.control, StoreControl),
        (store.table, TableStore),
    )
    for part, contract in parts:
        assert isinstance(part, contract), (
            f"{_name(part)} lacks a method or attribute of clew.store_contracts.{contract.__name__}"
        )


def _check_reader(store: Store) -> None:
    """Examine what a store reads back of the crawl in `check_store`, which has no labels and no table."""
    name, reader = _name(store), store.reader
    assert list(reader.labels(0.0)) == [], f"{name} invented a label"
    assert list(reader.rules(0)) == [], f"{name} invented a rule"
    assert list(reader.deferred_ids()) == [], f"{name} invented a deferred link"
    assert list(store.table.rows()) == [], f"{name} invented a row"
    found = dict(reader.facts("answer", "question"))
    assert found == {"answer": "42"}, f"{name} should know one fact, it read {found}"
    assert reader.last_settings() is None, f"{name} invented an earlier run"
    state = store.control.load()
    columns = (state.hashes, state.scores, state.states, state.kinds, state.hosts)
    assert all(len(column) == len(state.ids) for column in columns), (
        f"{name}.control.load() gave columns of different lengths"
    )


def _answered(link: Link) -> Page:
    visit = Response(
        link=link, started=1.0, ended=1.5, status=200, head=b"HTTP/1.1 200 OK\r\n\r\n", body=b"hello",
        request=b"GET / HTTP/1.1\r\n\r\n", address="192.0.2.1:80",
    )  # fmt: skip
    return Page(response=visit, mime="text/plain", text="hello")


def _name(part: object) -> str:
    return type(part).__name__
