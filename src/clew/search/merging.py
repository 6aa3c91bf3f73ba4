"""Query several engines and merge their results by reciprocal rank fusion."""

from collections.abc import Sequence
from dataclasses import replace

from clew import urls
from clew.contracts import SearchAnswer, SearchEngine, SearchQuery, SearchResult

_RANK_CONSTANT = 60
"""Constant of reciprocal rank fusion, with its customary value."""


async def query_engines(
    engines: Sequence[SearchEngine], query: SearchQuery | str, count: int, lang: str = ""
) -> SearchAnswer:
    """Query engines in their order, and merge their results."""
    answers = [await engine.search(query, count, lang) for engine in engines]
    return answers[0] if len(answers) == 1 else merge_results(answers, count)


def merge_results(answers: Sequence[SearchAnswer], count: int) -> SearchAnswer:
    """Merge answers: each URL once, ordered by the sum of 1 / (60 + rank); earlier engines win ties.

    It is an error only if every engine failed: otherwise errors become notes.
    """
    scores: dict[int, float] = {}
    first: dict[int, SearchResult] = {}
    for answer in answers:
        for result in answer.results:
            fingerprint = urls.fingerprint(result.url)
            scores[fingerprint] = scores.get(fingerprint, 0.0) + 1 / (_RANK_CONSTANT + result.rank)
            first.setdefault(fingerprint, result)
    order = sorted(first, key=lambda fingerprint: -scores[fingerprint])[:count]
    errors = [answer.error for answer in answers if answer.error]
    notes = [note for answer in answers for note in answer.notes]
    succeeded = any(not answer.error or answer.results for answer in answers)
    return SearchAnswer(
        results=tuple(replace(first[fingerprint], rank=rank) for rank, fingerprint in enumerate(order, 1)),
        error="" if succeeded or not answers else "\n".join(errors),
        notes=tuple(notes + (errors if succeeded else [])),
    )
