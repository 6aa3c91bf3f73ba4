"""Read and write learned patterns as readable text: `records.tsv` in the folder of models."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from clew.domain.model_files import Model, ModelTable, damaged_model, read_model, write_model
from clew.domain.records.confidence import LearnedPattern, Pattern
from clew.domain.records.dipre import TextPattern
from clew.domain.records.fields import Field
from clew.domain.records.record_table import RecordTable, Support
from clew.domain.records.tree_patterns import TreePattern
from clew.domain.records.value_patterns import ValuePattern

PatternMethod = Literal["trees", "dipre", "dipre-merged"]
"""How rows are extracted: by page structure, or by characters around values, groups split or kept whole."""

PATTERNS_FILE = "records.tsv"
_VERSION = 1
_PATTERNS = ("id", "kind", "where", "depth", "right", "wrong", "struck", "around")
_FIELDS = ("pattern", "columns", "steps", "places", "label", "ordinal", "cut")
_EVIDENCE = ("page", "count")
_BY_LOOK = "by look"
_STRUCK = ("pattern", "values", "page", "by", "position", "confidence", "at")


@dataclass(slots=True)
class SavedPatterns:
    """Patterns; `removed` are the rows and supports that rejected patterns took along.

    `evidence` are the pages they were learned from, each with how much of its site was known then.
    """

    patterns: list[LearnedPattern] = field(default_factory=list)
    removed: dict[int, list[tuple[int, Support]]] = field(default_factory=dict)
    evidence: Mapping[int, int] = field(default_factory=dict)


def write_patterns(folder: Path, method: str, table: RecordTable, saved: SavedPatterns) -> None:
    """Write patterns, their fields, and the rows that were removed with rejected patterns."""
    rows, fields = [], []
    for learned in saved.patterns:
        pattern = learned.pattern
        kind, depth, around = "text", 0, ""
        if isinstance(pattern, TextPattern):
            around = _json([pattern.order, pattern.before, pattern.between, pattern.after])
        else:
            kind, depth, around = pattern.kind, pattern.depth, _BY_LOOK if learned.by_look else ""
            fields += [(learned.id, *_field_cells(field)) for field in pattern.fields]
        confirmed, contradicted = _json(sorted(learned.confirmed)), _json(sorted(learned.contradicted))
        rejected = int(learned.rejected)
        rows.append((learned.id, kind, pattern.url_prefix, depth, confirmed, contradicted, rejected, around))
    removed_rows = [
        (
            number,
            _json(table.values(row)),
            support.page,
            support.pattern,
            support.position,
            support.confidence,
            support.at,
        )
        for number, supports in saved.removed.items()
        for row, support in supports
    ]
    tables = {
        "patterns": ModelTable(_PATTERNS, rows),
        "fields": ModelTable(_FIELDS, fields),
        "struck": ModelTable(_STRUCK, removed_rows),
        "evidence": ModelTable(_EVIDENCE, list(saved.evidence.items())),
    }
    facts = {"method": method, "columns": _json(table.columns)}
    write_model(folder / PATTERNS_FILE, Model(name="records", version=_VERSION, facts=facts, tables=tables))


def read_patterns(folder: Path, method: str, table: RecordTable) -> SavedPatterns:
    """Read patterns; return none where there is no file, or one of another method or table."""
    path = folder / PATTERNS_FILE
    model = read_model(path, "records", _VERSION)
    if (
        model is None
        or model.facts.get("method") != method
        or model.facts.get("columns") != _json(table.columns)
    ):
        return SavedPatterns()
    try:
        return _parse(model, table)
    except (KeyError, ValueError, TypeError, IndexError):
        raise damaged_model(path, "its cells cannot be parsed") from None


def _parse(model: Model, table: RecordTable) -> SavedPatterns:
    fields: dict[int, list[Field]] = {}
    for number, *cells in model.tables["fields"].rows:
        fields.setdefault(int(number), []).append(_parse_field([str(cell) for cell in cells]))
    saved = SavedPatterns()
    width = len(table.columns)
    for number, kind, url_prefix, depth, right, wrong, rejected, around in model.tables["patterns"].rows:
        pattern: Pattern
        if kind == "text":
            order, before, between, after = json.loads(str(around))
            pattern = TextPattern(str(url_prefix), tuple(order), before, tuple(between), after, width)
        elif kind in {"page", "node", "line", "run"}:
            pattern = TreePattern(kind, str(url_prefix), fields[int(number)], width, int(depth))  # type: ignore[arg-type]
        else:
            raise ValueError(kind)
        confirmed, contradicted = ({int(row) for row in json.loads(str(rows))} for rows in (right, wrong))
        saved.patterns.append(
            LearnedPattern(
                int(number),
                pattern,
                confirmed,
                contradicted,
                rejected=bool(int(rejected)),
                by_look=around == _BY_LOOK,
            )
        )
    for number, values, page, by, position, confidence, at in model.tables["struck"].rows:
        row = table.find(json.loads(str(values)))
        if row >= 0:
            support = Support(int(page), int(by), int(position), float(confidence), float(at))
            saved.removed.setdefault(int(number), []).append((row, support))
    if evidence := model.tables.get("evidence"):  # files of earlier versions have none
        saved.evidence = {int(page): int(count) for page, count in evidence.rows}
    return saved


def _field_cells(field: Field) -> tuple[str, str, str, str, int, str]:
    value = field.value_pattern
    return (
        _json(field.columns), "/".join(field.steps), _json(field.places), field.label, field.ordinal,
        _json([value.before, value.anchored, value.between, value.stops, value.tail]),
    )  # fmt: skip


def _parse_field(cells: Sequence[str]) -> Field:
    columns, steps, places, label, ordinal, value_pattern = cells
    before, anchored, between, stops, tail = json.loads(value_pattern)
    value = ValuePattern(before, anchored, tuple(between), tuple(stops), tail)
    return Field(
        tuple(json.loads(columns)), tuple(steps.split("/")), value, places=tuple(json.loads(places)),
        label=label, ordinal=int(ordinal),
    )  # fmt: skip


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
