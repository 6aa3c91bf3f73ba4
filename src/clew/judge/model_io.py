"""Read and write `models/judge.tsv` of the `examples` judge: term counts of pages, and learned weights."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from clew.domain.model_files import Model, ModelTable, damaged_model, model_name, read_model, write_model
from clew.judge.term_vectors import ScoredTerms, TermIndex, TermMatrix, TermVector
from clew.types import TermBag

MODEL_FILE, VERSION = "judge.tsv", 1
_TERMS = ("term", "weight", "rarity")
_UNKNOWN = 0.0, 0.0
_PAGES = ("page", "kind", "at", "lang", "terms")


class TermModel(Protocol):
    """A fitted model of a judge: a weight for each known term, and the calibration of their sum.

    `table` gives for each known term its rarity, and what one mention adds.
    """

    @property
    def table(self) -> Mapping[str, tuple[float, float]]: ...

    @property
    def baseline(self) -> float: ...

    @property
    def scale(self) -> float: ...

    def score(self, bag: TermBag) -> ScoredTerms: ...

    def probability(self, raw: float) -> float: ...


@dataclass(frozen=True, slots=True)
class LabelledPage:
    """A page that the user labelled: whether it is relevant, when it was labelled, and its terms.

    `local` marks a file on this computer, which is read again at every start.
    """

    relevant: bool
    at: float
    counts: TermVector
    local: bool = False


def write_judge(
    folder: Path,
    name: str,
    about: str,
    *,
    index: TermIndex,
    learned: TermModel,
    labelled: Mapping[str, LabelledPage],
    others: Mapping[str, TermVector],
    fitted: int,
) -> None:
    """Write the model of a judge; terms that occur on one page only are left out, unless it is an example.

    `fitted` is the number of background pages that the model was fitted to, the first ones.
    """
    examples = TermMatrix.of(page.counts for page in labelled.values())
    frequency = np.bincount(TermMatrix.of(others.values()).ids, minlength=len(index))
    frequency += 2 * np.bincount(examples.ids, minlength=len(index))
    frequency[[index.ids[term] for term in learned.table]] += 1
    used = np.flatnonzero(frequency > 1)
    places = np.full(len(index), "", object)
    places[used] = list(map(str, range(len(used))))
    known, terms = learned.table, []
    for term in map(index.names.__getitem__, used.tolist()):
        rarity, weight = known.get(term, _UNKNOWN)
        terms.append((term, f"{weight:.5g}" if weight else "0", f"{rarity:.4g}" if rarity else "0"))
    pages = [
        (url, f"{'good' if page.relevant else 'bad'}{' file' if page.local else ''}", page.at,
         page.counts.lang, _format_counts(page.counts, places))
        for url, page in labelled.items()
    ]  # fmt: skip
    pages += [
        (url, "other", 0.0, counts.lang, _format_counts(counts, places)) for url, counts in others.items()
    ]
    facts = {
        "about": about, "usual": f"{learned.baseline:.5g}", "reach": f"{learned.scale:.5g}",
        "fitted": str(fitted),
    }  # fmt: skip
    tables = {"terms": ModelTable(_TERMS, terms), "pages": ModelTable(_PAGES, pages)}
    write_model(folder / MODEL_FILE, Model(name=name, version=VERSION, facts=facts, tables=tables))


def read_judge(
    folder: Path, name: str, index: TermIndex
) -> tuple[dict[str, LabelledPage], dict[str, TermVector], int] | None:
    """Read labelled and background pages of a judge, and how many of these its model was fitted to.

    None if there is no model, or one of another judge.
    """
    path = folder / MODEL_FILE
    if model_name(path) not in {name, ""}:
        return None
    model = read_model(path, name, VERSION)
    if model is None:
        return None
    labelled: dict[str, LabelledPage] = {}
    others: dict[str, TermVector] = {}
    try:
        fitted = int(model.facts.get("fitted", len(model.tables["pages"].rows)))
        numbers = [index.id_of(str(row[0])) for row in model.tables["terms"].rows]
        for url, kind, at, lang, cells in model.tables["pages"].rows:
            counts = _parse_counts(str(cells), numbers, str(lang))
            if kind == "other":
                others[str(url)] = counts
            else:
                first, _, local = str(kind).partition(" ")
                labelled[str(url)] = LabelledPage(first == "good", float(at), counts, local == "file")
    except (KeyError, ValueError, IndexError) as error:
        raise damaged_model(path, f"it is not valid: {error}") from None
    return labelled, others, fitted


def _format_counts(counts: TermVector, places: NDArray[np.object_]) -> str:
    cells, numbers = places[counts.ids].tolist(), counts.counts
    repeated = np.flatnonzero(numbers > 1)
    for at, number in zip(repeated.tolist(), numbers[repeated].tolist(), strict=True):
        if cells[at]:
            cells[at] = f"{cells[at]}:{number:.0f}"
    return " ".join(filter(None, cells))


def _parse_counts(cells: str, numbers: list[int], lang: str) -> TermVector:
    pairs = [cell.partition(":") for cell in cells.split()]
    ids = np.array([numbers[int(place)] for place, _, _ in pairs], np.int32)
    return TermVector(ids, np.array([float(count or 1) for _, _, count in pairs], np.float32), lang)
