"""Wrong words on the command line, answered: what is wrong, what was meant, where to read on."""

import re
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from clew.cli.app import whole
from clew.config import KEYS
from clew.config.folder_hints import crawls_in

WELCOME = """\
clew is a focused web crawler: say what you are looking for, and it follows the links that lead there.

  clew try         see it work on a synthetic web in this computer; nothing to set up
  clew new DIR     make a crawl of your own: what you look for, where to begin, how to reach you
  clew run DIR     crawl; Ctrl-C stops, the same command goes on

All commands: clew --help
"""

# What other programs call it.
_SYNONYMS = {
    "crawl": "run", "start": "run", "resume": "run", "continue": "run", "go": "run", "init": "new",
    "create": "new", "make": "new", "demo": "try", "test": "try", "explain": "why", "show": "why",
    "block": "exclude", "ignore": "exclude", "delete": "forget", "remove": "forget", "dump": "export",
    "save": "export", "check": "doctor", "status": "doctor", "info": "doctor", "preview": "plan",
    "help": "--help", "version": "--version",
}  # fmt: skip
_EXAMPLES = {"--pages": "500", "--set": "fetch.delay=2", "--seed": "https://…", "--contact": "https://…"}


def explained(error: Any, words: list[str]) -> list[str]:  # noqa: ANN401
    """Return what to say about words that Typer could not read.

    Typer's errors are known by what they carry, not by their class: some versions bring their own.
    """
    command = _command(error, words)
    called = f"clew {command}".strip()
    said = str(error.format_message())
    if getattr(error, "option_name", None) and "No such option" in said:
        first = _no_option(str(error.option_name), called, command, words)
    elif "No such command" in said:
        first = _no_command(next((word for word in words if not word.startswith("-")), ""))
    elif "unexpected extra argument" in said:
        first = _too_many(said, command, words)
    elif "requires an argument" in said:
        option = str(error.option_name)
        first = f"{option} needs a value, e.g. {option} {_EXAMPLES.get(option, '…')}"
    elif "does not take a value" in said:
        first = f"{error.option_name} takes no value; write it alone"
    elif said.startswith("Missing"):
        first = _missing(error.param.metavar or error.param.opts[0], command)
    elif getattr(error, "param", None) is not None:
        first = _bad_value(error, words)
    else:
        first = said[:1].lower() + said[1:]
    return [first, f"more: {called} --help"]


def _commands() -> dict[str, Any]:
    """Return every command by its name, as Typer makes them."""
    import typer.main  # noqa: PLC0415 - only needed when something is wrong

    made: Any = typer.main.get_command(whole())
    return dict(made.commands)


def _options(command: Any) -> list[str]:  # noqa: ANN401
    return [name for param in command.params for name in param.opts if name.startswith("--")]


def _command(error: Any, words: list[str]) -> str:  # noqa: ANN401
    """Return the name of the command that was being read, empty for the program itself."""
    context = getattr(error, "ctx", None)
    if context is not None and context.parent is not None:
        return str(context.info_name)
    return next((word for word in words[:1] if context is None and word in _commands()), "")


def _pattern(command: str) -> str:
    """Return how a command is written, without its options."""
    arguments = [p.metavar for p in _commands()[command].params if p.param_type_name == "argument"]
    return " ".join(["clew", command, *filter(None, arguments)])


def _missing(name: str, command: str) -> str:
    here = ", ".join(list(crawls_in(Path()))[:3]) if name == "DIR" and command != "new" else ""
    return f"{name} is missing; write: {_pattern(command)}" + (f" (crawls here: {here})" if here else "")


def _no_command(word: str) -> str:
    known = list(_commands())
    if word in _SYNONYMS:
        return f"there is no command {word}; did you mean: clew {_SYNONYMS[word]}?"
    if near := get_close_matches(word, known, n=1):
        return f"there is no command {word}; did you mean: clew {near[0]}?"
    if Path(word, "clew.toml").exists():
        return f"{word} is a crawl; say what to do with it: clew run {word}"
    if "://" in word or re.fullmatch(r"www\.\S+", word):
        return f"{word} is an address; make a crawl that begins there: clew new DIR --seed {word}"
    return f"there is no command {word}; there are {', '.join(known)}"


def _no_option(option: str, called: str, command: str, words: list[str]) -> str:
    """Look for the option that was meant: here, with two dashes, at another command, or as a key."""
    typed = next((word for word in words if word.startswith(option)), option).partition("=")[0]
    commands = _commands()
    here = _options(commands[command]) if command else ["--version", "--help"]
    name = typed.lstrip("-")
    said = f"{called} has no option {typed}"
    if f"--{name}" in here:
        return f"{said}; did you mean --{name} (two dashes)?"
    if homes := [each for each, made in commands.items() if f"--{name}" in _options(made)]:
        return f"{said}; it belongs to: clew {homes[0]}"
    if keys := [key for key in KEYS if key.partition(".")[2] == name.replace("-", "_")]:
        run = "" if "--set" in here else "clew run DIR "
        return f"{said}; it is a key of clew.toml: {run}--set {keys[0]}=…"
    if near := get_close_matches(f"--{name}", here, n=1, cutoff=0.7):
        return f"{said}; did you mean {near[0]}?"
    return f"{said}; it has {', '.join(here)}"


def _too_many(said: str, command: str, words: list[str]) -> str:
    """Tell words that lack quotation marks, or an equals sign, from words that nobody asked for."""
    extra = said.partition("(s) (")[2].removesuffix(")") or said
    first = extra.split(" ")[0]
    place = len(words) - 1 - words[::-1].index(first) if first in words else 0
    option, value = words[place - 2 : place] if place > 1 else ("", "")
    if option == "--set":
        given = extra.replace(" ", "").lstrip("=")
        return f"--set takes one word without blanks: --set {value.rstrip('=')}={given}"
    if option.startswith("--"):
        return f'{extra} is too much; text of several words needs quotation marks: {option} "{value} {extra}"'
    return f"{extra} is too much; write: {_pattern(command)}"


def _bad_value(error: Any, words: list[str]) -> str:  # noqa: ANN401
    """Name the option with the value it got and the kind of value it wants."""
    option = next((name for name in error.param.opts if name in words), error.param.opts[0])
    place = words.index(option) + 1 if option in words else -1
    value = next((word.partition("=")[2] for word in words if word.startswith(f"{option}=")), "")
    value = value or (words[place] if 0 <= place < len(words) else "")
    said = str(error.message)
    if "integer" in said:
        wanted = f"a whole number is wanted, e.g. {option} {_EXAMPLES.get(option, '100')}"
    elif "valid number" in said:
        wanted = "a number is wanted"
    elif limit := re.search(r"(greater|less) than or equal to (\S+)", said):
        wanted = f"{limit[2]} or {'more' if limit[1] == 'greater' else 'less'} is wanted"
    else:
        wanted = said[:1].lower() + said[1:]
    return f"{option} {value}: {wanted}".replace(" :", ":")
