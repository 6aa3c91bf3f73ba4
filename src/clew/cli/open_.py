"""`clew open`: open one crawl in the browser."""

from clew.cli.arguments import Folder
from clew.cli.serve import Port, Trust, start_server
from clew.config.folder_hints import no_crawl


def open_(folder: Folder, port: Port = 0, trust: Trust = False) -> None:
    """Open a crawl in the browser: clew serve for one crawl.

    Example: clew open wind
    """
    if not (folder / "clew.toml").exists():
        raise no_crawl(folder)
    start_server([folder], port=port, trust=trust, browser=True, path=f"/crawls/{folder.absolute().name}")
