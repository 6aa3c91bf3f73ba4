"""Messages for usage errors: what is wrong, what was probably meant, where to read more."""

import re
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from clew.cli.app import full_app
from clew.config import KEYS
from clew.config.folder_hints import crawls_in

WELCOME = """\
clew is a focused web crawler: describe a topic, and it follows the links that lead to it.

  clew try         a demonstration on a synthetic web on this computer; needs no setup
  clew new DIR     create a crawl: topic, seeds, contact
  clew run DIR     start or resume it; Ctrl-C stops, the same command resumes

All commands: clew --help
"""

# Names of commands in other programs.
_SYNONYMS = {
    "crawl": "run", "start": "run", "resume": "run", "continue": "run", "go": "run", "init": "new",
    "create": "new", "make": "new", "demo": "try", "test": "try", "explain": "why", "show": "why",
    "block": "exclude", "ignore": "exclude", "include": "exclude", "delete": "forget", "remove": "forget",
    "dump": "export", "save": "export", "check": "doctor", "info": "status", "stats": "status",
    "progress": "status", "ls": "list", "crawls": "list", "preview": "plan", "help": "--help",
    "version": "--version", "race": "lab race",
}  # fmt: skip
# Names of options in other programs, and in other commands of this one.
_OPTION_SYNONYMS = {
    "budget": "pages", "limit": "pages", "max-pages": "pages", "count": "pages", "number": "pages",
    "topic": "about", "query": "about", "keywords": "about", "words": "about", "url": "seed", "start": "seed",
    "email": "contact", "mail": "contact", "output": "out", "relevant": "only", "columns": "fields",
    "policy": "policies", "run": "runs",
}  # fmt: skip
_NO_CRAWL = ("new", "lab show")  # commands whose DIR is not a crawl
_EXAMPLES = {
    "--pages": "500",
    "--set": "fetch.delay=2",
    "--seed": "https://…",
    "--contact": "https://…",
    "--add": "harbour",
    "--strike": "harbour",
    "--yes": "news.example",
    "--no": "news.example",
}


def explain_error(error: Any, args: list[str]) -> list[str]:  # noqa: ANN401
    """Return the lines of a message for a usage error of Typer.

    Errors are recognised by their attributes and text: some versions of Typer have their own classes.
    """
    command = _command(error, args)
    full_name = f"clew {command}".strip()
    message = str(error.format_message())
    if getattr(error, "option_name", None) and "No such option" in message:
        first = _no_option(str(error.option_name), full_name, command, args)
    elif args == [command] and (members := _members(_commands()[command])):
        first = f"{full_name} is a group of commands; write one of: {full_name} {', '.join(members)}"
    elif "No such command" in message:
        first = _no_command(command, args)
    elif "unexpected extra argument" in message:
        first = _too_many(message, command, args)
    elif "requires an argument" in message:
        option = str(error.option_name)
        first = f"{option} needs a value, e.g. {option} {_EXAMPLES.get(option, '…')}"
    elif "does not take a value" in message:
        first = f"{error.option_name} takes no value; write it alone"
    elif message.startswith("Missing"):
        first = _missing(error.param.metavar or error.param.opts[0], command)
    elif getattr(error, "param", None) is not None:
        first = _bad_value(error, args)
    else:
        first = message[:1].lower() + message[1:]
    return [first, f"more: {full_name} --help"]


def _commands() -> dict[str, Any]:
    """Return every command by its name, `lab race` for a command of a group."""
    import typer.main  # noqa: PLC0415 - only needed when something is wrong

    top_level = _members(typer.main.get_command(full_app()))
    commands = dict(top_level)
    for group, program in top_level.items():
        commands |= {f"{group} {name}": each for name, each in _members(program).items()}
    return commands


def _members(command: Any) -> dict[str, Any]:  # noqa: ANN401
    """Return the commands of a group by name; none for a plain command."""
    return dict(getattr(command, "commands", {}))


def _options(command: Any) -> list[str]:  # noqa: ANN401
    return [name for param in command.params for name in param.opts if name.startswith("--")]


def _command(error: Any, args: list[str]) -> str:  # noqa: ANN401
    """Return the name of the command with the error; empty for the program itself."""
    context = getattr(error, "ctx", None)
    if context is not None:
        names = []
        while context.parent is not None:
            names.append(str(context.info_name))
            context = context.parent
        return " ".join(reversed(names))
    known = _commands()
    return next((name for n in (2, 1) if (name := " ".join(args[:n])) in known), "")


def _syntax(command: str) -> str:
    """Return the syntax of a command, without options that may be left out."""
    params = _commands()[command].params
    arguments = [p.metavar for p in params if p.param_type_name == "argument"]
    options = [f"{p.opts[0]} {p.metavar}" for p in params if p.param_type_name == "option" and p.required]
    return " ".join(["clew", command, *filter(None, arguments), *options])


def _missing(name: str, command: str) -> str:
    here = ", ".join(list(crawls_in(Path()))[:3]) if name == "DIR" and command not in _NO_CRAWL else ""
    return f"{name} is missing; write: {_syntax(command)}" + (f" (crawls here: {here})" if here else "")


def _no_command(group: str, args: list[str]) -> str:
    """Guess the command that was meant, in the program or in a group of commands such as `lab`."""
    named = [arg for arg in args if not arg.startswith("-")]
    if group:
        arg, known = named[1], list(_members(_commands()[group]))
        near = get_close_matches(arg, known, n=1)
        hint = f"did you mean: clew {group} {near[0]}?" if near else f"known: {', '.join(known)}"
        return f"there is no command {group} {arg}; {hint}"
    arg, known = next(iter(named), ""), [name for name in _commands() if " " not in name]
    if arg in _SYNONYMS:
        return f"there is no command {arg}; did you mean: clew {_SYNONYMS[arg]}?"
    if Path(arg, "clew.toml").exists():
        return f"{arg} is a crawl, not a command; to run it: clew run {arg}"
    if near := get_close_matches(arg, known, n=1):
        return f"there is no command {arg}; did you mean: clew {near[0]}?"
    if "://" in arg or re.fullmatch(r"www\.\S+", arg):
        return f"{arg} is a URL, not a command; create a crawl that starts there: clew new DIR --seed {arg}"
    owners = _owners(f"--{arg}")
    hint = f"it is an option: {_syntax(owners[0])} --{arg}" if owners else f"known: {', '.join(known)}"
    return f"there is no command {arg}; {hint}"


def _owners(option: str) -> list[str]:
    """Return the commands that have an option."""
    return [name for name, command in _commands().items() if option in _options(command)]


def _similar_option(name: str, here: list[str], *, known: bool) -> str:
    """Return the option of a command that a name may mean; a name `known` elsewhere only by its synonym."""
    synonym = f"--{_OPTION_SYNONYMS.get(name, '')}"
    if synonym in here or known or any(key.endswith(f".{name.replace('-', '_')}") for key in KEYS):
        return synonym if synonym in here else ""
    return next(iter(get_close_matches(f"--{name}", here, n=1, cutoff=0.7)), "")


def _no_option(option: str, full_name: str, command: str, args: list[str]) -> str:
    """Guess the option that was meant: with two dashes, of another command, a key, or a similar name."""
    typed = next((arg for arg in args if arg.startswith(option)), option).partition("=")[0]
    commands = _commands()
    here = [*(_options(commands[command]) if command else ["--version"]), "--help"]
    name = typed.lstrip("-")
    problem = f"{full_name} has no option {typed}"
    if f"--{name}" in here:
        return f"{problem}; did you mean --{name} (two dashes)?"
    owners = _owners(f"--{name}")
    if meant := _similar_option(name, here, known=bool(owners)):
        return f"{problem}; did you mean {meant}?"
    if owners:
        if not command:
            owner = "run" if "run" in owners else owners[0]
            return f"{problem}; it comes after a command: {_syntax(owner)} --{name}"
        return f"{problem}; it belongs to: {', '.join(f'clew {each}' for each in owners[:3])}"
    if keys := [key for key in KEYS if key.partition(".")[2] == name.replace("-", "_")]:
        run = "" if "--set" in here else "clew run DIR "
        return f"{problem}; it is a key of clew.toml: {run}--set {keys[0]}=…"
    return f"{problem}; options: {', '.join(here)}"


def _too_many(message: str, command: str, args: list[str]) -> str:
    """Distinguish arguments that lack quotation marks or an equals sign from superfluous ones."""
    extra = message.partition("(s) (")[2].removesuffix(")") or message
    first = extra.split(" ")[0]
    position = len(args) - 1 - args[::-1].index(first) if first in args else 0
    option, value = args[position - 2 : position] if position > 1 else ("", "")
    if option == "--set":
        rest = extra.replace(" ", "").lstrip("=")
        return f"--set takes one word without blanks: --set {value.rstrip('=')}={rest}"
    if option.startswith("--"):
        quoted = f'{option} "{value} {extra}"'
        return f"{extra} is too much; text of several words needs quotation marks: {quoted}"
    return f"{extra} is too much; write: {_syntax(command)}"


_NO_LIMIT = {
    ("run", "--pages"): "crawl.pages", ("run", "--requests"): "crawl.requests",
    ("refresh", "--pages"): "refresh.pages", ("refresh", "--requests"): "refresh.requests",
}  # fmt: skip
"""The keys where 0 means no limit, by command and option."""


def _bad_value(error: Any, args: list[str]) -> str:  # noqa: ANN401
    """Name the option, its value and the kind of value it takes."""
    option = next((name for name in error.param.opts if name in args), error.param.opts[0])
    position = args.index(option) + 1 if option in args else -1
    value = next((arg.partition("=")[2] for arg in args if arg.startswith(f"{option}=")), "")
    value = value or (args[position] if 0 <= position < len(args) else "")
    message = str(error.message)
    if "integer" in message:
        expected = f"must be a whole number, e.g. {option} {_EXAMPLES.get(option, '100')}"
    elif "valid number" in message:
        expected = "must be a number"
    elif limit := re.search(r"(greater|less) than or equal to (\S+)", message):
        expected = f"must be {limit[2]} or {'more' if limit[1] == 'greater' else 'less'}"
        if value == "0" and (key := _NO_LIMIT.get((error.ctx.info_name, option))):
            expected += f"; for no limit: --set {key}=0"
    else:
        expected = message[:1].lower() + message[1:]
    return f"{option} {value}: {expected}".replace(" :", ":")
