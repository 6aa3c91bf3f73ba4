"""Write docs/configuration.md from the code; `tests/test_docs.py` fails when the two differ.

Run:  python docs/generate.py
"""

from pathlib import Path

from clew.config import Config

HEAD = """\
# Configuration

<!-- made by docs/generate.py: do not edit by hand -->

One file, one crawl: `clew.toml`. `clew new` writes it with comments; every key has a default except
`crawl.contact` (and a crawl needs seeds). `clew run DIR --set table.key=value` changes any key for one run,
through the same checks. A key that does not exist is refused with the nearest one that does.
"""


def reference() -> str:
    """Return the reference of every key."""
    parts = [HEAD]
    for name, field in Config.model_fields.items():
        table = field.annotation
        parts.append(f"\n## `[{name}]`\n\n{table.__doc__}\n\n| key | default | |\n|---|---|---|")
        for key, inner in table.model_fields.items():
            default = "*required*" if inner.is_required() else f"`{_toml(inner.default)}`"
            parts.append(f"| `{key}` | {default} | {inner.description} |")
    return "\n".join(parts) + "\n"


def _toml(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return "[" + ", ".join(_toml(item) for item in value) + "]"
    return f'"{value}"' if isinstance(value, str) else str(value)


if __name__ == "__main__":
    (Path(__file__).parent / "configuration.md").write_text(reference(), "utf-8")
