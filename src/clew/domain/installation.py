"""What is installed: the version of this package, and the command that adds an extra."""

import json
import shlex
from functools import cache
from importlib.util import find_spec
from urllib.parse import unquote, urlsplit

__version__ = "0.1.0"


@cache
def install_command(extra: str) -> str:
    """Return the command that installs an extra here: by the name of the package, or from its folder.

    An installation records where it came from (`direct_url.json`); a folder is not known to any index.
    """
    from importlib.metadata import PackageNotFoundError, distribution  # noqa: PLC0415 - slow, rarely needed

    pip = "pip" if find_spec("pip") else "uv pip"
    try:
        recorded = json.loads(distribution("clew").read_text("direct_url.json") or "{}")
    except (PackageNotFoundError, ValueError):
        recorded = {}
    address = urlsplit(recorded.get("url", ""))
    if address.scheme != "file":
        return f"{pip} install 'clew[{extra}]'"
    editable = "-e " if recorded.get("dir_info", {}).get("editable") else ""
    return f"{pip} install {editable}{shlex.quote(f'{unquote(address.path)}[{extra}]')}"
