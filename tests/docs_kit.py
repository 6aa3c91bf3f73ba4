"""The documents of the house as texts, and the program's commands, for the tests that compare them."""

import re
from pathlib import Path

import typer.main

from clew.cli.app import full_app

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(DOCS.rglob("*.md"))]
TEXTS = {page: page.read_text("utf-8") for page in PAGES}
COMMANDS = TEXTS[DOCS / "commands.md"]
PARSER = typer.main.get_command(full_app())


def short(page):
    """Return the name of a page as a person would write it."""
    return str(page.relative_to(ROOT))


def blocks(text, *languages):
    """Return the fenced blocks in these languages, indented ones too."""
    found = re.findall(r"^( *)```([a-z]*)\n(.*?)^\1```$", text, re.MULTILINE | re.DOTALL)
    return [
        re.sub(rf"^{indent}", "", body, flags=re.MULTILINE)
        for indent, name, body in found
        if name in languages
    ]


def prose(text):
    """Return a page without its blocks."""
    return re.sub(r"^( *)```.*?^\1```$", "", text, flags=re.MULTILINE | re.DOTALL)


def all_commands(group=PARSER, called="clew"):
    """Return every command under the words it is called with."""
    found = {}
    for name, command in group.commands.items():
        found |= (
            all_commands(command, f"{called} {name}")
            if hasattr(command, "commands")
            else {f"{called} {name}": command}
        )
    return found


def section(text, title):
    """Return what stands below one heading of the reference."""
    return text.partition(f"\n## `{title}`\n")[2].partition("\n## ")[0]
