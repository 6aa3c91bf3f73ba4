"""What the `examples` judge keeps in `models/judge.tsv`: pages as counted terms, and what they taught."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np

from clew.domain.model_files import Model, ModelTable, damaged_model, model_name, read_model, write_model
from clew.judge.term_bags import Bag, Stack, TermIndex

FILE, VERSION = "judge.tsv", 1
_TERMS = ("term", "weight", "rarity")
_PAGES = ("page", "kind", "at", "lang", "terms")


class SavedJudge(Protocol):
    """What a judge has learned from pages: a weight for each known term, and what their sum is worth.

    `table` gives for each known term how rare it is, and what one mention adds.
    """

    @property
    def table(self) -> Mapping[str, tuple[float, float]]: ...

    @property
    def usual(self) -> float: ...

    @property
    def reach(self) -> float: ...

    def weigh(self, counts: Mapping[str, int]) -> tuple[float, list[tuple[float, str]]]: ...

    def probability(self, raw: float) -> float: ...


@dataclass(frozen=True, slots=True)
class Taught:
    """A page that a person spoke of: whether it is on topic, when they said so, what it says.

    `here` marks a file on this computer, which is read again at every start.
    """

    good: bool
    at: float
    bag: Bag
    here: bool = False


def write_kept(
    folder: Path,
    name: str,
    about: str,
    *,
    book: TermIndex,
    learned: SavedJudge,
    taught: Mapping[str, Taught],
    others: Mapping[str, Bag],
) -> None:
    """Write what a judge knows; terms that stand in one page alone are left out, they never count."""
    bags = [*(word.bag for word in taught.values()), *others.values()]
    met = np.bincount(Stack.of(bags).ids, minlength=len(book))
    used = [book.names[id] for id in np.flatnonzero(met > 1).tolist()]
    places = {book.numbers[term]: place for place, term in enumerate(used)}
    terms = []
    for term in used:
        rarity, weight = learned.table.get(term, (0.0, 0.0))
        terms.append((term, f"{weight:.5g}", f"{rarity:.4g}"))
    pages = [
        (url, f"{'good' if word.good else 'bad'}{' file' if word.here else ''}", word.at, word.bag.lang,
         _written(word.bag, places))
        for url, word in taught.items()
    ]  # fmt: skip
    pages += [(url, "other", 0.0, bag.lang, _written(bag, places)) for url, bag in others.items()]
    facts = {"about": about, "usual": f"{learned.usual:.5g}", "reach": f"{learned.reach:.5g}"}
    tables = {"terms": ModelTable(_TERMS, terms), "pages": ModelTable(_PAGES, pages)}
    write_model(folder / FILE, Model(name=name, version=VERSION, facts=facts, tables=tables))


def read_kept(folder: Path, name: str, book: TermIndex) -> tuple[dict[str, Taught], dict[str, Bag]] | None:
    """Read what a judge knew; None when there is nothing, or what another judge has learned."""
    path = folder / FILE
    if model_name(path) not in {name, ""}:
        return None
    model = read_model(path, name, VERSION)
    if model is None:
        return None
    taught: dict[str, Taught] = {}
    others: dict[str, Bag] = {}
    try:
        numbers = [book.number(str(row[0])) for row in model.tables["terms"].rows]
        for url, kind, at, lang, cells in model.tables["pages"].rows:
            bag = _bag(str(cells), numbers, str(lang))
            if kind == "other":
                others[str(url)] = bag
            else:
                first, _, here = str(kind).partition(" ")
                taught[str(url)] = Taught(first == "good", float(at), bag, here == "file")
    except (KeyError, ValueError, IndexError) as error:
        raise damaged_model(path, f"it makes no sense: {error}") from None
    return taught, others


def _written(bag: Bag, places: Mapping[int, int]) -> str:
    pairs = zip(bag.ids.tolist(), bag.counts.tolist(), strict=True)
    return " ".join(
        f"{places[id]}:{count:.0f}" if count > 1 else str(places[id]) for id, count in pairs if id in places
    )


def _bag(cells: str, numbers: list[int], lang: str) -> Bag:
    pairs = [cell.partition(":") for cell in cells.split()]
    ids = np.array([numbers[int(place)] for place, _, _ in pairs], np.int32)
    return Bag(ids, np.array([float(count or 1) for _, _, count in pairs], np.float32), lang)
