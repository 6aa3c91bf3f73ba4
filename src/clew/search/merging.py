"""Several engines asked the same: one answer, in which what more of them name stands higher."""

from collections.abc import Sequence
from dataclasses import replace

from clew import urls
from clew.contracts import SearchAnswer, SearchEngine, SearchQuery, SearchResult

_FLAT = 60
"""How little the first rank counts before the second: reciprocal rank fusion with the customary constant."""


async def query_engines(
    engines: Sequence[SearchEngine], query: SearchQuery | str, count: int, lang: str = ""
) -> SearchAnswer:
    """Ask engines in their order, and merge what they say."""
    answers = [await engine.search(query, count, lang) for engine in engines]
    return answers[0] if len(answers) == 1 else merge_results(answers, count)


def merge_results(answers: Sequence[SearchAnswer], count: int) -> SearchAnswer:
    """Merge answers: each address once, ordered by the sum of 1 / (60 + rank); earlier engines win ties.

    It is a fault only when nobody answered: else what went wrong is a note.
    """
    weights: dict[int, float] = {}
    first: dict[int, SearchResult] = {}
    for answer in answers:
        for result in answer.results:
            name = urls.fingerprint(result.url)
            weights[name] = weights.get(name, 0.0) + 1 / (_FLAT + result.rank)
            first.setdefault(name, result)
    order = sorted(first, key=lambda name: -weights[name])[:count]
    faults = [answer.error for answer in answers if answer.error]
    notes = [note for answer in answers for note in answer.notes]
    well = any(not answer.error or answer.results for answer in answers)
    return SearchAnswer(
        results=tuple(replace(first[name], rank=rank) for rank, name in enumerate(order, 1)),
        error="" if well or not answers else "\n".join(faults),
        notes=tuple(notes + (faults if well else [])),
    )
