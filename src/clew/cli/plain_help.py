"""Help texts in plain words: no types of Python, no braces, ranges in words."""

import re
from typing import Any

from typer.core import TyperCommand

_TYPE = re.compile(r" ?<([^<>]*)>$")
_VALUES = {"int": "N", "float": "N", "path": "PATH", "file": "FILE"}
_RANGE = re.compile(r"(\S+?)<=x(?:<=(\S+?))?(?=[\];])|x>=([^\s\];]+)|x<=([^\s\];]+)")


class PlainCommand(TyperCommand):
    """A command whose help names values as N, TEXT or PATH, and bounds as "at least 1"."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:  # noqa: ANN401 - a context of Typer
        """Return the words of the usage line; each argument as the user types it."""
        return [_piece(piece) for piece in super().collect_usage_pieces(ctx)]

    def format_options(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401 - of Typer
        """Write the arguments and the options, in two columns."""
        rows: dict[str, list[tuple[str, str]]] = {"argument": [], "option": []}
        for parameter in self.get_params(ctx):
            if record := parameter.get_help_record(ctx):
                named = parameter.param_type_name == "argument"
                rows[parameter.param_type_name].append((_name(record[0], named=named), _bounds(record[1])))
        for title, found in (("Arguments", rows["argument"]), ("Options", rows["option"])):
            if found:
                with formatter.section(title):
                    formatter.write_dl(found)


def _piece(text: str) -> str:
    """Return a word of the usage line without braces, and with one sign that it may be repeated.

    >>> _piece("{QUERY}..."), _piece("[DIR …]..."), _piece("[[URL]]"), _piece("DIR")
    ('QUERY …', '[DIR …]', '[URL]', 'DIR')
    """
    plain = text.removesuffix("...").replace("[[", "[").replace("]]", "]").strip("{}").replace("E…", "E …")
    if plain == text or not text.endswith("...") or "…" in plain:
        return plain
    return f"{plain[:-1]} …]" if plain.endswith("]") else f"{plain} …"


def _name(text: str, *, named: bool) -> str:
    """Return the name of a parameter without its type.

    >>> _name("DIR <path>", named=True), _name("--pages <int range>", named=False)
    ('DIR', '--pages N')
    """
    found = _TYPE.search(text)
    if found is None:
        return text
    kind = re.sub(r"^list\[|\]$| range$", "", found[1])
    return text[: found.start()] + ("" if named else f" {_VALUES.get(kind, 'TEXT')}")


def _bounds(text: str) -> str:
    """Return a help text with its range in words.

    >>> _bounds("Runs.  [default: 5; 1<=x<=1000]"), _bounds("Seed.  [default: 1; x>=1]")
    ('Runs.  [default: 5; 1 to 1000]', 'Seed.  [default: 1; at least 1]')
    """

    def words(found: re.Match[str]) -> str:
        low, high, least, most = found.groups()
        return (
            f"{low} to {high}" if high else f"at least {low or least}" if low or least else f"at most {most}"
        )

    return _RANGE.sub(words, text)
