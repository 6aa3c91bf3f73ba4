"""What can be set, named or relied on is written down, or the build fails."""

import importlib.util
import re
from pathlib import Path

import clew
from clew import errors, registry
from clew.cli.app import whole
from clew.config import KEYS

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"


def _generator():
    spec = importlib.util.spec_from_file_location("generate", DOCS / "generate.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_reference_of_keys_is_up_to_date():
    assert (DOCS / "configuration.md").read_text("utf-8") == _generator().reference(), (
        "run: python docs/generate.py"
    )


def test_keys_named_in_prose_exist():
    tables = {key.partition(".")[0] for key in KEYS}
    for page in [ROOT / "README.md", *DOCS.glob("*.md")]:
        for word in re.findall(r"`([a-z]+\.[a-z_]+)`", page.read_text("utf-8")):
            if word.partition(".")[0] in tables and not word.endswith(
                (".md", ".py", ".db", ".toml", ".lock")
            ):
                assert word in KEYS, f"{page.name} speaks of {word}"


def test_links_between_documents_lead_somewhere():
    for page in [*ROOT.glob("*.md"), *DOCS.rglob("*.md")]:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text("utf-8")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_every_command_and_part_is_documented():
    text = "".join(page.read_text("utf-8") for page in [ROOT / "README.md", *DOCS.rglob("*.md")])
    names = [command.name or command.callback.__name__ for command in whole().registered_commands]
    assert len(names) >= 4
    for name in names:
        assert f"clew {name}" in text, f"clew {name} is not documented"
    for kind in registry.GROUPS:
        for name in registry.names(kind):
            assert f"`{name}`" in text, f"{kind} {name} is not documented"


def test_exit_codes_agree_with_the_table():
    table = (DOCS / "commands.md").read_text("utf-8")
    for error in (errors.ClewError, errors.ConfigError, errors.NothingFetched, errors.StoreError):
        assert re.search(rf"^\| {error.exit_code} \|", table, re.MULTILINE), error


def test_the_outside_is_small_and_sorted():
    assert clew.__all__ == sorted(clew.__all__)
    assert all(getattr(clew, name) for name in clew.__all__)
