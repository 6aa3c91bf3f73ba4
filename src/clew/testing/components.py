"""Conformance tests of rankers, judges, extractors and fetchers."""

import asyncio
import inspect
import math

from clew.contracts import Extractor, Fetcher, Judge, Persistent, Ranker, Resumable
from clew.domain.records import RecordTable
from clew.errors import ConfigError
from clew.registry import capabilities
from clew.testing.abilities import (
    check_linear,
    check_parts,
    check_persistent,
    check_ranker_abilities,
    check_resumable,
    check_scores,
    copied,
)
from clew.testing.samples import name_of, sample_link, sample_links, sample_outcome, sample_page, sample_table
from clew.types import Label, Page, Verdict


def _check_contract(kind: str, component: object) -> None:
    """Check that a component is an object, not its class, with the methods of its contract."""
    assert not isinstance(component, type), (
        f"check_{kind} takes an object, not its class: check_{kind}({name_of(component)}())"
    )
    try:
        capabilities.check_contract(kind, component)
    except ConfigError as error:
        raise AssertionError(str(error).partition("; see clew")[0]) from error


def check_ranker(ranker: Ranker) -> None:
    """Check a ranker: one finite score per link, 0 to 1, also after learning; and its optional abilities."""
    name = name_of(ranker)
    _check_contract("ranker", ranker)
    trial, untrained = copied(ranker), copied(ranker)
    abilities = capabilities.of_ranker(ranker)
    weights = abilities.linear.weights() if abilities.linear else None
    for value in (0.0, 0.5, 1.0):
        for number in (0, 1, 50):
            outcome, links = sample_outcome(value), sample_links(number)
            check_scores(name, ranker.score(outcome, links), number)
            if abilities.linear:
                weights = check_linear(abilities.linear, outcome, links, weights)
            elif abilities.explained:
                check_parts(abilities.explained, outcome, links)
            ranker.learn(outcome)
    check_scores(f"after learning, {name}", ranker.score(sample_outcome(0.5), sample_links(5)), 5)
    check_ranker_abilities(trial)
    if isinstance(trial, Persistent) and isinstance(untrained, Persistent):
        check_persistent(trial, untrained)
    if isinstance(trial, Resumable) and isinstance(untrained, Resumable):
        check_resumable(trial, untrained)


def check_judge(judge: Judge) -> None:
    """Check a judge: a verdict 0 to 1 with reasons for any page; and its optional abilities."""
    name = name_of(judge)
    _check_contract("judge", judge)
    abilities = capabilities.of_judge(judge)
    untrained = copied(judge)
    if abilities.table:
        abilities.table.use_table(sample_table())
    capabilities.prepare(judge)
    pages = [sample_page(), sample_page(title="x" * 10_000), sample_page(text="風力発電 wind\n" * 5_000)]
    for page in pages:
        _check_verdict(judge, page)
        revised = abilities.revises.take_revisions().values() if abilities.revises else ()
        assert all(0 <= value <= 1 for value in revised), f"{name}.take_revisions: verdicts are 0…1"
        judge.learn(Label(page.url, relevant=True, at=0.0), page)
    if abilities.terms:
        for term in abilities.terms.propose_terms():
            assert isinstance(term.term, str) and term.term, f"{name}.propose_terms gave an empty term"  # noqa: PT018
            assert math.isfinite(term.weight), f"{name}.propose_terms gave {term.term} no finite weight"
    if abilities.trainable:
        abilities.trainable.train([sample_page(text="lighthouse")], [sample_page(text="soup")])
        _check_verdict(judge, pages[0])
    if abilities.persistent and isinstance(untrained, Persistent):
        capabilities.prepare(untrained)
        check_persistent(abilities.persistent, untrained)
    if isinstance(judge, Resumable) and isinstance(untrained, Resumable):
        capabilities.prepare(untrained)
        check_resumable(judge, untrained)
    if abilities.forgets:
        for url in (pages[0].url, "https://never.test/labelled"):
            abilities.forgets.forget_label(url)
        _check_verdict(judge, pages[0])


def _check_verdict(judge: Judge, page: Page) -> None:
    name, verdict = name_of(judge), judge.judge(page)
    assert isinstance(verdict, Verdict), f"{name} gave {type(verdict).__name__} instead of a Verdict"
    assert 0 <= verdict.value <= 1, f"{name} gave {verdict.value}: verdicts are 0…1"
    assert all(isinstance(reason, str) for reason in verdict.why), f"{name}: reasons are strings"
    assert judge.judge(page) == verdict, f"{name} judged the same page twice and differently"


def check_extractor(extractor: Extractor) -> None:
    """Check an extractor: rows whose values fit their columns; and its optional abilities."""
    name = name_of(extractor)
    _check_contract("extractor", extractor)
    capabilities.prepare(extractor)
    provides = capabilities.of_extractor(extractor).provides_table
    for page in (sample_page(), sample_page(text="one two three " * 1_000)):
        for record in extractor.extract(page):
            assert len(record.columns) == len(record.values), f"{name}: {record} does not fit its columns"
            assert 0 <= record.confidence <= 1, f"{name}: confidence {record.confidence} is outside 0…1"
        extractor.learn(Label(page.url, relevant=False, at=0.0), page)
    assert provides is None or isinstance(provides.record_table, RecordTable), (
        f"{name}.record_table must be a clew.domain.records.RecordTable"
    )


def check_fetcher(fetcher: Fetcher) -> None:
    """Check a fetcher: a host that does not exist is a value, not an exception."""
    _check_contract("fetcher", fetcher)
    assert inspect.iscoroutinefunction(fetcher.fetch), f"{name_of(fetcher)}.fetch must be async"

    async def check() -> None:
        response = await fetcher.fetch(sample_link("http://nowhere.invalid/"))
        assert response.error, f"{name_of(fetcher)} must say in Response.error why there is no response"
        assert response.status == 0, f"{name_of(fetcher)} invented the status {response.status}"
        assert response.ended >= response.started, (
            f"{name_of(fetcher)}: a response cannot end before it started"
        )
        await fetcher.aclose()

    asyncio.run(check())
