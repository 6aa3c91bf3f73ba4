"""Measure the shape of the source tree: entries, layers, class names, probes, late assignments, sizes.

    python -m bench.shape [--json]

Everything is read from the files under src/clew (with ast) and from pyproject.toml; nothing is imported.
`tests/test_shape.py` sets limits to these counts.
"""

import argparse
import ast
import json
import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "clew"

MAX_MODULE, MAX_FUNCTION = 400, 60
"""Lines of a module and of a function above which they are listed."""

LISTED_CLASSES = 15

_NOT_ENTRIES = {"__init__.py", "__main__.py", "py.typed", "__pycache__"}
_COMPONENTS = {"judge", "ranker", "extractor", "fetcher", "policy", "part", "guide"}
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True, slots=True)
class Finding:
    """Something in the tree, with where it is and, for sizes, how large."""

    where: str
    what: str
    size: int = 0

    def __str__(self) -> str:
        return f"{self.where}  {self.what}" + (f"  {self.size}" if self.size else "")


@dataclass(frozen=True)
class Module:
    """One file of the source tree."""

    path: Path

    @cached_property
    def text(self) -> str:
        return self.path.read_text("utf-8")

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text)

    @property
    def name(self) -> str:
        return self.path.relative_to(SOURCE).as_posix()

    @property
    def package(self) -> str:
        return self.name.partition("/")[0] if "/" in self.name else "(top level)"

    @property
    def lines(self) -> int:
        return len(self.text.splitlines())

    def at(self, node: ast.stmt | ast.expr) -> str:
        return f"src/clew/{self.name}:{node.lineno}"


@dataclass(slots=True)
class Shape:
    """The counts of a source tree."""

    entries: list[str]
    layers: list[str]
    lines: dict[str, int]
    classes: int = 0
    repeated_classes: list[Finding] = field(default_factory=list)
    probes: list[Finding] = field(default_factory=list)
    late_assignments: list[Finding] = field(default_factory=list)
    class_fields: list[Finding] = field(default_factory=list)
    long_functions: list[Finding] = field(default_factory=list)
    long_modules: list[Finding] = field(default_factory=list)


def measure(source: Path = SOURCE, project: Path = ROOT / "pyproject.toml") -> Shape:
    """Read the tree and count."""
    modules = [Module(path) for path in sorted(source.rglob("*.py"))]
    lines: Counter[str] = Counter()
    for module in modules:
        lines[module.package] += module.lines
    shape = Shape(_entries(source), _layers(project), dict(sorted(lines.items())))
    classes = [(module, node) for module in modules for node in _of_type(module.tree, ast.ClassDef)]
    names = Counter(node.name for _, node in classes)
    shape.classes = len(classes)
    shape.repeated_classes = [
        Finding(module.at(node), node.name) for module, node in classes if names[node.name] > 1
    ]
    shape.repeated_classes.sort(key=lambda finding: finding.what)
    shape.class_fields = [
        Finding(module.at(node), node.name, len(fields_of(node))) for module, node in classes
    ]
    shape.class_fields.sort(key=lambda finding: -finding.size)
    for module in modules:
        if module.name != "registry/capabilities.py":
            shape.probes += _probes(module)
        shape.late_assignments += late_assignments(module)
        shape.long_functions += _long_functions(module)
        if module.lines > MAX_MODULE:
            shape.long_modules.append(Finding(f"src/clew/{module.name}", "module", module.lines))
    return shape


def _entries(source: Path) -> list[str]:
    found = (path.name for path in source.iterdir() if path.is_file() or any(path.rglob("*.py")))
    return sorted(name for name in found if name not in _NOT_ENTRIES)


def _layers(project: Path) -> list[str]:
    contracts = tomllib.loads(project.read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    return [layer for contract in contracts if contract["type"] == "layers" for layer in contract["layers"]]


def _of_type(tree: ast.AST, *types: type[ast.AST]) -> Iterator:
    return (node for node in ast.walk(tree) if isinstance(node, types))


def _dotted(node: ast.expr) -> list[str]:
    """Return the names of an expression such as `self.engine.judge`; none for anything else."""
    if isinstance(node, ast.Name):
        return [node.id]
    return [*_dotted(node.value), node.attr] if isinstance(node, ast.Attribute) else []


def _line(finding: Finding) -> int:
    return int(finding.where.rpartition(":")[2])


# ---- classes ---------------------------------------------------------------------------------------------


def fields_of(node: ast.ClassDef) -> set[str]:
    """Return the fields of a class: of a dataclass or NamedTuple its own, and the attributes set on self."""
    found = set()
    if _is_record(node):
        found |= {
            item.target.id
            for item in node.body
            if isinstance(item, ast.AnnAssign)
            and isinstance(item.target, ast.Name)
            and "ClassVar" not in ast.unparse(item.annotation)
        }
    for method in node.body:
        if isinstance(method, _FUNCTIONS):
            found |= {attribute.attr for attribute in _targets(method) if _base(attribute) == "self"}
    return found


def _is_record(node: ast.ClassDef) -> bool:
    marks = [*node.decorator_list, *node.bases]
    return any(re.search(r"\b(dataclass|NamedTuple)\b", ast.unparse(mark)) for mark in marks)


def _targets(tree: ast.AST) -> Iterator[ast.Attribute]:
    """Yield the attributes that statements assign to."""
    for node in _of_type(tree, ast.Assign, ast.AnnAssign, ast.AugAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        for target in targets:
            yield from _attributes(target)


def _attributes(target: ast.expr) -> Iterator[ast.Attribute]:
    if isinstance(target, ast.Attribute):
        yield target
    elif isinstance(target, ast.Tuple | ast.List):
        for item in target.elts:
            yield from _attributes(item)
    elif isinstance(target, ast.Starred):
        yield from _attributes(target.value)


def _base(attribute: ast.Attribute) -> str:
    return attribute.value.id if isinstance(attribute.value, ast.Name) else ""


# ---- probes and late assignments -------------------------------------------------------------------------


def _probes(module: Module) -> list[Finding]:
    """Find hasattr and getattr on components: what they offer is to be a named capability."""
    found = []
    for call in _of_type(module.tree, ast.Call):
        if isinstance(call.func, ast.Name) and call.func.id in {"hasattr", "getattr"} and call.args:
            words = {word for name in _dotted(call.args[0]) for word in name.lower().split("_")}
            dunder = len(call.args) > 1 and ast.unparse(call.args[1]).startswith("'__")  # no capability
            if words & (_COMPONENTS | {f"{word}s" for word in _COMPONENTS}) and not dunder:
                found.append(Finding(module.at(call), ast.unparse(call)))
    return sorted(found, key=_line)


def late_assignments(module: Module) -> list[Finding]:
    """Find `x.y = …` where x is neither self nor cls nor an object made in the same function."""
    found = list(_late(module, module.tree, frozenset()))
    return sorted(found, key=_line)


def _late(module: Module, scope: ast.AST, outer: frozenset[str]) -> Iterator[Finding]:
    own, inner = [], []
    _split(scope, own, inner)
    local = outer | {name for node in own for name in _constructed(node)}
    for node in own:
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for attribute in (attribute for target in targets for attribute in _attributes(target)):
                if _base(attribute) not in {"self", "cls", *local}:
                    yield Finding(module.at(attribute), f"{ast.unparse(attribute)} = …")
    for function in inner:
        yield from _late(module, function, local)


def _split(scope: ast.AST, own: list[ast.AST], inner: list[ast.AST]) -> None:
    """Sort the nodes of a scope into its own and the functions inside it."""
    for node in ast.iter_child_nodes(scope):
        if isinstance(node, (*_FUNCTIONS, ast.Lambda)):
            inner.append(node)
        else:
            own.append(node)
            _split(node, own, inner)


def _constructed(node: ast.AST) -> Iterator[str]:
    """Yield the names that a statement binds to a new object: `x = Class(…)`, `with Class(…) as x`."""
    if isinstance(node, ast.Assign) and len(node.targets) == 1:
        pairs = [(node.targets[0], node.value)]
    elif isinstance(node, ast.AnnAssign | ast.NamedExpr) and node.value is not None:
        pairs = [(node.target, node.value)]
    elif isinstance(node, ast.withitem) and node.optional_vars is not None:
        pairs = [(node.optional_vars, node.context_expr)]
    else:
        return
    for target, value in pairs:
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            pairs += zip(target.elts, value.elts, strict=False)
        elif isinstance(target, ast.Name) and isinstance(value, ast.Call):
            names = _dotted(value.func)
            if names and (names[-1].lstrip("_")[:1].isupper() or names == ["cls"]):
                yield target.id


# ---- sizes -----------------------------------------------------------------------------------------------


def _long_functions(module: Module) -> list[Finding]:
    return [
        Finding(module.at(node), node.name, size)
        for node in _of_type(module.tree, *_FUNCTIONS)
        if (size := (node.end_lineno or node.lineno) - node.lineno + 1) > MAX_FUNCTION
    ]


def report(shape: Shape) -> Iterator[str]:
    """Yield the counts as lines of text."""
    yield f"{len(shape.entries)} entries under src/clew: {', '.join(shape.entries)}"
    yield f"{len(shape.layers)} import layers"
    for layer in shape.layers:
        yield f"    {layer}"
    names = {finding.what for finding in shape.repeated_classes}
    yield f"{shape.classes} classes, {len(names)} names used more than once"
    yield from (f"    {finding}" for finding in shape.repeated_classes)
    for title, findings in (
        ("hasattr/getattr probes of components outside registry/capabilities.py", shape.probes),
        ("late assignments", shape.late_assignments),
        (f"functions over {MAX_FUNCTION} lines", shape.long_functions),
        (f"modules over {MAX_MODULE} lines", shape.long_modules),
    ):
        yield f"{len(findings)} {title}"
        yield from (f"    {finding}" for finding in findings)
    yield "largest classes by fields"
    yield from (f"    {finding}" for finding in shape.class_fields[:LISTED_CLASSES])
    yield f"{sum(shape.lines.values()):,} lines"
    yield from (f"    {package:<14} {lines:>7,}" for package, lines in shape.lines.items())


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", action="store_true", help="print JSON instead of text")
    options = parser.parse_args()
    shape = measure()
    print(json.dumps(asdict(shape), indent=1) if options.json else "\n".join(report(shape)))


if __name__ == "__main__":
    main()
