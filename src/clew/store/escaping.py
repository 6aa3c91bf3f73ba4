"""Texts from the web as cells: harmless for spreadsheets and terminals."""

import json
import re

# Spreadsheets run what begins like this, also behind blanks and quotation marks, also in full width.
_FORMULA = re.compile(r"[\s\"'`\u200b\ufeff]*[=+\-@＝＋－＠]|[\t\n]")
_CONTROLS = {c: " " for c in (*range(32), *range(127, 160)) if c not in (9, 10)}  # tab and line feed are text
_INVISIBLE = re.compile(r"[\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


def safe_json(value: object) -> str:
    """Write a value as one line of JSON; what a terminal would obey is escaped."""
    line = json.dumps(value, ensure_ascii=False)
    return _INVISIBLE.sub(lambda odd: f"\\u{ord(odd[0]):04x}", line)


def safe_cell(value: object) -> object:
    """Make a text harmless for spreadsheets and terminals.

    >>> safe_cell("=1+1")
    "'=1+1"
    """
    if not isinstance(value, str):
        return value
    text = value.replace("\r\n", "\n").translate(_CONTROLS)
    return f"'{text}" if _FORMULA.match(text) else text
