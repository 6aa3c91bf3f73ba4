"""Limits of the source tree: entries, layers, class names, probes, fields, sizes."""

import ast
from types import SimpleNamespace

import pytest

from bench.shape import fields_of, late_assignments, measure

MAX_ENTRIES, MAX_LAYERS, MAX_FIELDS, MAX_ENGINE_FIELDS = 26, 8, 16, 14
WIRED_ONCE = ("src/clew/engine/", "src/clew/services/", "src/clew/builder.py:")
"""Where objects get all they need when they are made: no attribute is assigned to them later."""


@pytest.fixture(scope="module")
def shape():
    return measure()


def listed(findings):
    return "\n" + "\n".join(map(str, findings))


def test_the_top_level_is_small(shape):
    assert len(shape.entries) <= MAX_ENTRIES, shape.entries
    assert len(shape.layers) <= MAX_LAYERS, shape.layers


def test_no_class_name_occurs_twice(shape):
    assert not shape.repeated_classes, listed(shape.repeated_classes)


def test_components_are_not_probed_outside_capabilities(shape):
    assert not shape.probes, listed(shape.probes)


def test_engine_and_services_are_wired_when_they_are_made(shape):
    late = [finding for finding in shape.late_assignments if finding.where.startswith(WIRED_ONCE)]
    assert not late, listed(late)


def test_no_class_has_too_many_fields(shape):
    assert any(finding.what == "Engine" for finding in shape.class_fields)
    large = [
        finding
        for finding in shape.class_fields
        if finding.size > (MAX_ENGINE_FIELDS if finding.what == "Engine" else MAX_FIELDS)
    ]
    assert not large, listed(large)


def test_modules_and_functions_are_short(shape):
    long = shape.long_modules + shape.long_functions
    assert not long, listed(long)


SAMPLE = """
@dataclass
class Part:
    name: str
    kinds: ClassVar[int] = 3

    def fill(self):
        self.text, (self.size, _) = "", (1, 2)
        self.size += 1


def build(given):
    made = Part("a")
    made.text = "b"
    given.text = "c"
    given.size += 1
    made.owner.name = "d"

    def later():
        made.size = 2
        given.name: str = "e"
"""


def test_fields_and_late_assignments_are_recognised():
    tree = ast.parse(SAMPLE)
    assert fields_of(tree.body[0]) == {"name", "text", "size"}
    module = SimpleNamespace(tree=tree, at=lambda node: f"sample:{node.lineno}")
    late = [finding.what for finding in late_assignments(module)]
    assert late == ["given.text = …", "made.owner.name = …", "given.name = …"]
