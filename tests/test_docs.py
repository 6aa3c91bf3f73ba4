"""What can be set, named, typed or relied on is written down, or the build fails."""

import ast
import importlib.util
import inspect
import json
import re
import sqlite3
import subprocess
import sys
from typing import Annotated, get_args, get_type_hints

import pytest
import typer.main

import clew
from clew import contracts, errors, registry, testing
from clew.config import Config
from clew.insight.diagnostics.cures import CURES
from clew.registry import capabilities
from clew.store import schema
from clew.store.export import _OTHERS
from clew.store.reading import FIELDS
from clew.store.table_formats import TABLE_FORMATS
from tests.docs_kit import COMMANDS, DOCS, PARSER, ROOT, TEXTS, all_commands, section
from tests.small_web import CONTACT, linked, serving

# ---- the reference ------------------------------------------------------------------------------


def _generator():
    spec = importlib.util.spec_from_file_location("generate", DOCS / "generate.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


GENERATOR = _generator()


@pytest.mark.parametrize("page", GENERATOR.PAGES)
def test_the_reference_is_up_to_date(page):
    assert TEXTS[(DOCS / page).resolve()] == GENERATOR.PAGES[page](), "run: python docs/generate.py"


def _unexplained(parser):
    """Return the options and arguments of all commands that say nothing about themselves."""
    return [
        f"{called} {parameter.name}"
        for called, command in all_commands(parser).items()
        for parameter in command.params
        if parameter.name != "help" and not parameter.help
    ]


def test_every_option_has_a_help_text():
    assert _unexplained(PARSER) == []


def test_an_option_without_help_is_noticed():
    silent = typer.Typer()
    silent.callback()(lambda: None)

    @silent.command()
    def run(quiet: bool = False, told: Annotated[bool, typer.Option(help="Why.")] = False): ...

    assert _unexplained(typer.main.get_command(silent)) == ["clew run quiet"]


@pytest.mark.parametrize("called", all_commands())
def test_every_command_and_option_is_documented(called):
    documented = section(COMMANDS, called)
    assert documented, f"{called} is not documented"
    for parameter in all_commands()[called].params:
        if parameter.name != "help":
            assert any(f"`{word}`" in documented for word in (*parameter.opts, parameter.metavar)), (
                parameter.name
            )


def test_every_key_is_documented_and_described():
    text = TEXTS[DOCS / "configuration.md"]
    for table, field in Config.model_fields.items():
        documented = section(text, f"[{table}]")
        for key, inner in field.annotation.model_fields.items():
            assert f"| `{key}` |" in documented
            assert inner.description, f"{table}.{key} says nothing about itself"


def test_every_part_is_documented():
    for kind in registry.GROUPS:
        for name in registry.names(kind):
            assert f"| {kind} | `{name}` |" in COMMANDS
    for name in registry.names("ranker"):
        assert f"## `{name}`" in TEXTS[DOCS / "policies.md"], f"docs/policies.md lacks {name}"


def test_every_public_name_is_documented():
    text = TEXTS[DOCS / "python.md"]
    for module in (contracts, testing, errors):
        own = [
            name
            for name, thing in inspect.getmembers(
                module, lambda t: inspect.isclass(t) or inspect.isfunction(t)
            )
            if thing.__module__.startswith(module.__name__) and not name.startswith("_")
        ]
        assert own
        for name in own:
            assert re.search(rf"^### `{name}\b", text, re.MULTILINE), f"{module.__name__}.{name}"
    for name in clew.__all__:
        assert name.startswith("__") or re.search(rf"^##+ `(clew\.)?{name}\b", text, re.MULTILINE), name
    for name in vars(testing):
        if name.startswith("check_"):
            assert f"`{name}`" in TEXTS[DOCS / "extending.md"]


def test_contracts_exports_every_name_of_its_modules():
    modules = [thing for thing in vars(contracts).values() if inspect.ismodule(thing)]
    own = {
        name
        for module in modules
        for name, thing in vars(module).items()
        if getattr(thing, "__module__", "") == module.__name__
    }
    assert own >= {"Ranker", "Store", "Service", "SearchEngine", "JudgedPage", "Persistent"}
    assert own <= set(contracts.__all__)


def test_every_protocol_is_in_the_guide_to_extending():
    protocols = [
        thing
        for name in contracts.__all__
        if getattr(thing := getattr(contracts, name), "_is_protocol", False)
    ]
    assert len(protocols) >= 30
    guide = TEXTS[DOCS / "extending.md"]
    for protocol in protocols:
        assert f"`{protocol.__name__}`" in guide, f"docs/extending.md lacks {protocol.__name__}"


def _abilities():
    """Return the Protocols of optional methods: what the fields of the capabilities may hold."""
    holders = [thing for thing in vars(capabilities).values() if inspect.isclass(thing)]
    held = [
        hint
        for holder in holders
        if holder.__module__ == capabilities.__name__
        for hints in get_type_hints(holder).values()
        for hint in get_args(hints)
    ]
    return sorted({each for each in held if each.__module__.startswith(contracts.__name__)}, key=str)


@pytest.mark.parametrize("ability", _abilities(), ids=lambda ability: ability.__name__)
def test_every_optional_method_has_a_row(ability):
    lines = TEXTS[DOCS / "extending.md"].splitlines()
    (row,) = (line for line in lines if line.startswith(f"| `{ability.__name__}` |"))
    for name in vars(ability):
        if not name.startswith("_"):
            assert re.search(rf"`{name}\b", row), f"{ability.__name__}.{name}"


def test_the_outside_is_small_and_sorted():
    assert clew.__all__ == sorted(clew.__all__)
    assert all(getattr(clew, name) for name in clew.__all__)


def test_exit_codes_agree_everywhere():
    codes = {error.exit_code for error in vars(errors).values() if inspect.isclass(error)} | {0, 3}
    for page in ("commands.md", "guides/troubleshooting.md"):
        table = TEXTS[DOCS / page].partition("## Exit codes")[2].partition("\n## ")[0]
        assert {int(code) for code in re.findall(r"^\| (\d) \|", table, re.MULTILINE)} == codes


def test_every_field_of_json_is_documented(tmp_path):
    """Look at what a real run prints, not at the code that prints it."""
    about = section(COMMANDS, "clew run")
    folder = tmp_path / "wind"
    with serving({"/": linked("/b", text="some text"), "/b": linked(text="more")}) as web:
        clew.Crawl(folder, seeds=[f"{web.origin}/"], contact=CONTACT).save()
        command = [sys.executable, "-m", "clew", "run", folder, "--json"]
        for setting in ("fetch.allow=127.0.0.0/8", "fetch.delay=0", "store.min_free=0"):
            command += ["--set", setting]
        run = subprocess.run(command, capture_output=True, text=True, timeout=250, check=False)
    events = [json.loads(line) for line in run.stdout.splitlines()]
    assert run.returncode == 0, run.stderr
    assert {"ended", "note", "url"} <= {next(iter(one)) for one in events}
    for one in events:
        for field in one:
            assert re.search(rf"\b{field}\b", about), f"clew run --json has {field}, docs/commands.md has not"


def test_every_field_and_format_of_an_export_is_documented():
    about, results = section(COMMANDS, "clew export"), TEXTS[DOCS / "guides" / "results.md"]
    for field in FIELDS:
        assert re.search(rf"\b{field}\b", about), field
        assert f"`{field}`" in TEXTS[DOCS / "schema.md"], field
    for suffix in (*TABLE_FORMATS, *_OTHERS):
        assert suffix in about
        assert f"`{suffix}`" in results


def test_every_table_view_and_column_is_documented():
    text = TEXTS[DOCS / "schema.md"]
    made = next(
        value for value in vars(schema).values() if isinstance(value, str) and "CREATE TABLE" in value
    )
    with sqlite3.connect(":memory:") as db:
        db.executescript(made)
        things = db.execute("SELECT type, name FROM sqlite_master WHERE type IN ('table', 'view')").fetchall()
        assert len(things) > 10
        for kind, name in things:
            assert f"`{name}`" in text, f"{kind} {name}"
            columns = db.execute(f"PRAGMA table_info({name})").fetchall() if kind == "table" else []
            for _, column, *_ in columns:
                assert f"`{column}`" in text, f"{name}.{column}"


# ---- hints --------------------------------------------------------------------------------------


def _pieces():
    """Return the fixed words of each hint in clew.insight.diagnostics, as lists of pieces between its numbers."""
    for path in sorted((ROOT / "src" / "clew" / "insight" / "diagnostics").glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.JoinedStr):
                words = [part.value.strip(" ;:,(") for part in node.values if isinstance(part, ast.Constant)]
                if long := [word for word in words if len(word) >= 12]:
                    yield f"{path.name}:{node.lineno}", long


def _hinted(pieces, text):
    """Say whether a guide has one of the pieces, or at least the beginning of one."""
    return any(piece in text or piece[:24].rstrip() in text for piece in pieces)


def test_every_hint_and_cure_is_in_the_guide():
    text = TEXTS[DOCS / "guides" / "troubleshooting.md"]
    plain = text.replace("`", "")
    hints = list(_pieces())
    assert len(hints) > 30
    assert not _hinted(["a hint that nobody wrote down"], plain)
    missing = [f"{place}: {pieces[0]}" for place, pieces in hints if not _hinted(pieces, plain)]
    assert not missing, "docs/guides/troubleshooting.md does not know\n" + "\n".join(missing)
    for sign in CURES:
        assert f"`{sign}`" in text, sign
