"""Escape texts from the web for spreadsheets and terminals."""

import json
import re

# Spreadsheets execute what begins like this, also behind blanks and quotation marks, also in full width.
_FORMULA = re.compile(r"[\s\"'`\u200b\ufeff]*[=+\-@＝＋－＠]|[\t\n]")
_CONTROLS = {c: " " for c in (*range(32), *range(127, 160)) if c not in (9, 10)}  # tab and line feed are text
_INVISIBLE = re.compile(r"[\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


def safe_json(value: object) -> str:
    """Return a value as one line of JSON; terminal control characters are escaped."""
    line = json.dumps(value, ensure_ascii=False)
    return _INVISIBLE.sub(lambda odd: f"\\u{ord(odd[0]):04x}", line)


def safe_cell(value: object) -> object:
    """Escape a text so that spreadsheets and terminals do not execute it.

    >>> safe_cell("=1+1")
    "'=1+1"
    """
    if not isinstance(value, str):
        return value
    text = value.replace("\r\n", "\n").translate(_CONTROLS)
    return f"'{text}" if _FORMULA.match(text) else text
