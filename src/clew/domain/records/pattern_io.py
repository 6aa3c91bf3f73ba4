"""Patterns kept in a file that people can read: `records.tsv` in the folder of models."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from clew.domain.model_files import Model, ModelTable, damaged, read_model, write_model
from clew.domain.records.confidence import LearnedPattern, Pattern
from clew.domain.records.dipre import TextPattern
from clew.domain.records.fields import Field
from clew.domain.records.record_table import RecordTable, Support
from clew.domain.records.tree_patterns import TreePattern
from clew.domain.records.value_patterns import ValuePattern

FILE = "records.tsv"
_VERSION = 1
_PATTERNS = ("id", "kind", "where", "depth", "right", "wrong", "struck", "around")
_FIELDS = ("pattern", "columns", "steps", "places", "label", "ordinal", "cut")
_STRUCK = ("pattern", "values", "page", "by", "position", "confidence", "at")


@dataclass(slots=True)
class SavedPatterns:
    """What was read from a file."""

    patterns: list[LearnedPattern] = field(default_factory=list)
    struck: dict[int, list[tuple[int, Support]]] = field(default_factory=dict)


def write_patterns(
    folder: Path,
    method: str,
    book: RecordTable,
    patterns: Iterable[LearnedPattern],
    struck: Mapping[int, Sequence[tuple[int, Support]]],
) -> None:
    """Write patterns, their fields, and the rows that left with those that a person struck out."""
    rows, fields = [], []
    for learned in patterns:
        pattern = learned.pattern
        kind, depth, around = "text", 0, ""
        if isinstance(pattern, TextPattern):
            around = _json([pattern.order, pattern.before, pattern.between, pattern.after])
        else:
            kind, depth = pattern.kind, pattern.depth
            fields += [(learned.id, *_said(each)) for each in pattern.fields]
        proved, failed = _json(sorted(learned.right)), _json(sorted(learned.wrong))
        struck_out = int(learned.struck)
        rows.append((learned.id, kind, pattern.where, depth, proved, failed, struck_out, around))
    gone = [
        (number, _json(book.values(row)), one.page, one.pattern, one.position, one.confidence, one.at)
        for number, supports in struck.items()
        for row, one in supports
    ]
    tables = {
        "patterns": ModelTable(_PATTERNS, rows),
        "fields": ModelTable(_FIELDS, fields),
        "struck": ModelTable(_STRUCK, gone),
    }
    facts = {"method": method, "columns": _json(book.columns)}
    write_model(folder / FILE, Model(name="records", version=_VERSION, facts=facts, tables=tables))


def read_patterns(folder: Path, method: str, book: RecordTable) -> SavedPatterns:
    """Read patterns; none where there is no file, or one of another method or table."""
    path = folder / FILE
    model = read_model(path, "records", _VERSION)
    if (
        model is None
        or model.facts.get("method") != method
        or model.facts.get("columns") != _json(book.columns)
    ):
        return SavedPatterns()
    try:
        return _kept(model, book)
    except (KeyError, ValueError, TypeError, IndexError):
        raise damaged(path, "its cells make no sense") from None


def _kept(model: Model, book: RecordTable) -> SavedPatterns:
    fields: dict[int, list[Field]] = {}
    for number, *said in model.tables["fields"].rows:
        fields.setdefault(int(number), []).append(_field([str(cell) for cell in said]))
    kept = SavedPatterns()
    width = len(book.columns)
    for number, kind, where, depth, right, wrong, struck, around in model.tables["patterns"].rows:
        pattern: Pattern
        if kind == "text":
            order, before, between, after = json.loads(str(around))
            pattern = TextPattern(str(where), tuple(order), before, tuple(between), after, width)
        elif kind in {"page", "node", "line", "run"}:
            pattern = TreePattern(kind, str(where), fields[int(number)], width, int(depth))  # type: ignore[arg-type]
        else:
            raise ValueError(kind)
        proved, failed = ({int(row) for row in json.loads(str(rows))} for rows in (right, wrong))
        kept.patterns.append(LearnedPattern(int(number), pattern, proved, failed, struck=bool(int(struck))))
    for number, values, page, by, position, confidence, at in model.tables["struck"].rows:
        row = book.find(json.loads(str(values)))
        if row >= 0:
            support = Support(int(page), int(by), int(position), float(confidence), float(at))
            kept.struck.setdefault(int(number), []).append((row, support))
    return kept


def _said(each: Field) -> tuple[str, str, str, str, int, str]:
    cut = each.cut
    return (
        _json(each.columns), "/".join(each.steps), _json(each.places), each.label, each.ordinal,
        _json([cut.before, cut.anchored, cut.between, cut.stops, cut.tail]),
    )  # fmt: skip


def _field(said: Sequence[str]) -> Field:
    columns, steps, places, label, ordinal, cut = said
    before, anchored, between, stops, tail = json.loads(cut)
    made = ValuePattern(before, anchored, tuple(between), tuple(stops), tail)
    return Field(
        tuple(json.loads(columns)), tuple(steps.split("/")), made, places=tuple(json.loads(places)),
        label=label, ordinal=int(ordinal),
    )  # fmt: skip


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
