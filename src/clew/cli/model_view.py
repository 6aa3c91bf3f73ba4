"""Print the model files of a crawl: facts, and the strongest rows of each table."""

import json as json_
import re
from collections.abc import Sequence
from pathlib import Path

from clew.cli import screen
from clew.cli.text_cells import cut, fit, tidy
from clew.config import Config
from clew.domain.model_files import Cell, Model, ModelTable, model_name, read_model
from clew.errors import ConfigError
from clew.rank.layout.anchor_signals import AnchorSignals
from clew.rank.layout.decision_tree import LEAF, Tree
from clew.rank.layout.link_attributes import ATTRIBUTES
from clew.rank.layout.tree_file import FILE as TREE
from clew.rank.layout.tree_file import SavedTree, format_tree, read_tree
from clew.rank.shared.token_model_file import DISPLAY_NAMES
from clew.services.labels.training_pages import words_of

_ANY_VERSION = 10**9
_TERM = "term"
_STRENGTHS = ("weight", "log-odds")
_WIDEST = 40
_LINE = 110
_LONG = re.compile(r"-?\d{1,3}\.\d{5,}")


def show_models(folder: Path, config: Config, *, most: int, json: bool) -> None:
    """Print every model in a crawl's folder; raise if there is none yet."""
    paths = _models(folder)
    tree = read_tree(folder / "models")
    if not paths and tree is None:
        msg = (
            f"{folder} has no models yet; run it with a judge or policy that learns: "
            f"clew run {folder} --policy clew"
        )
        raise ConfigError(msg)
    for path in paths:
        model = read_model(path, model_name(path), _ANY_VERSION)
        if model is None:  # deleted in the meantime
            continue
        if json:
            screen.echo(json_.dumps(_as_dict(path, model), ensure_ascii=False))
            continue
        screen.echo(f"{path.name}: model {tidy(model.name)} {model.version}")
        for key, value in model.facts.items():
            screen.echo(cut(f"  {fit(tidy(DISPLAY_NAMES.get(key, key)), 27)} {tidy(_rounded(value))}", _LINE))
        for name, table in model.tables.items():
            _print(folder, name, table, most)
    if tree is not None and json:
        screen.echo(json_.dumps({"file": TREE, "keep": tree.keep, "nodes": _nodes(tree.tree)}))
    elif tree is not None:
        _print_tree(tree, config)


def _print_tree(saved: SavedTree, config: Config) -> None:
    use = "fixed" if saved.keep else "updated during the crawl"
    screen.echo(f"{TREE}: positions of links, and the share that led to relevant pages ({use})")
    for line in format_tree(
        saved.tree, AnchorSignals(about=config.goal.about, judge=config.goal.judge).description
    ):
        screen.echo(cut(f"  {line}", _LINE))


def _nodes(tree: Tree) -> list[dict[str, object]]:
    nodes: list[dict[str, object]] = []
    for at in range(len(tree)):
        node: dict[str, object] = {"good": float(tree.relevant[at]), "links": float(tree.seen[at])}
        if tree.attribute[at] != LEAF:
            attribute = ATTRIBUTES[int(tree.attribute[at])].name
            children = {"then": int(tree.below[at]) + 1, "else": int(tree.above[at]) + 1}
            node |= {"asks": attribute, "at_most": float(tree.limit[at]), **children}
        nodes.append({"node": at + 1, **node})
    return nodes


def has_models(folder: Path) -> bool:
    """Return whether a judge or policy has saved a model."""
    return bool(_models(folder)) or (folder / "models" / TREE).exists()


def _models(folder: Path) -> list[Path]:
    return [path for path in sorted((folder / "models").glob("*.tsv")) if model_name(path)]


def _as_dict(path: Path, model: Model) -> dict[str, object]:
    tables = {
        name: [dict(zip(table.columns, row, strict=False)) for row in table.rows]
        for name, table in model.tables.items()
    }
    return {"file": path.name, "model": model.name, "version": model.version, "facts": dict(model.facts),
            "tables": tables}  # fmt: skip


def _print(folder: Path, name: str, table: ModelTable, most: int) -> None:
    rows = _strongest(table)[:most]
    if _TERM in table.columns:
        rows = _with_words(folder, rows, table.columns.index(_TERM))
    names = [DISPLAY_NAMES.get(column, column) for column in table.columns]
    cells = [names, *([tidy(str(cell), 200) for cell in row] for row in rows)]
    widths = [min(_WIDEST, max(len(row[at]) for row in cells)) for at in range(len(table.columns))]
    more = f", the strongest {len(rows)}" if len(rows) < len(table.rows) else ""
    screen.echo(f"  {tidy(name)}: {len(table.rows):,} rows{more}")
    for row in cells:
        line = "  ".join(fit(cell, width) for cell, width in zip(row, widths, strict=True))
        screen.echo(cut(f"    {line}".rstrip(), _LINE))


def _with_words(folder: Path, rows: Sequence[Sequence[Cell]], at: int) -> list[Sequence[Cell]]:
    """Replace terms, which are stems, by the words that the pages of the crawl have for them."""
    words = words_of(folder, (str(row[at]) for row in rows))
    return [[*row[:at], words.get(str(row[at]), row[at]), *row[at + 1 :]] for row in rows]


def _strongest(table: ModelTable) -> list[Sequence[Cell]]:
    """Return the rows sorted by weight, if there is a column of weights."""
    at = next((table.columns.index(name) for name in _STRENGTHS if name in table.columns), None)
    if at is None:
        return list(table.rows)
    return sorted(table.rows, key=lambda row: -abs(_number(row[at])))


def _rounded(fact: str) -> str:
    """Return a number with four significant digits; anything else unchanged.

    >>> _rounded("0.28263054040944996"), _rounded("0.1259"), _rounded("lighthouse 2.0")
    ('0.2826', '0.1259', 'lighthouse 2.0')
    """
    return f"{float(fact):.4g}" if _LONG.fullmatch(fact) else fact


def _number(cell: Cell) -> float:
    try:
        return float(cell)
    except ValueError:
        return 0.0
