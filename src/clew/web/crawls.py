"""The crawls that are served: found in folders, named in addresses by the name of their folder."""

import re
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

from clew.config.folder_hints import crawls_in
from clew.errors import ConfigError
from clew.store.outbox import shard_folders

LOOK = 2.0
"""Seconds after which folders are searched again for crawls."""

_NAME = re.compile(r"[^\W_][\w .+-]{0,79}")


class UnknownCrawl(Exception):  # noqa: N818 - becomes a 404
    """No crawl of that name is served."""


@dataclass(slots=True)
class CrawlFolders:
    """Find crawls: each of `places` is one or a folder of some; new ones are made in the first folder."""

    places: list[Path]
    _found: dict[str, Path] = field(default_factory=dict)
    _looked: float = 0.0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def all(self) -> dict[str, Path]:
        """Return every crawl by name; a second one of a name is numbered."""
        with self._lock:
            if time.monotonic() - self._looked > LOOK or not self._looked:
                self._found = self._find()
                self._looked = time.monotonic()
            return dict(self._found)

    def refresh(self) -> None:
        """Search again at the next call."""
        self._looked = 0.0

    def folder(self, name: str) -> Path:
        """Return the folder of a crawl; names are looked up, never joined to a path."""
        found = self.all().get(name)
        if found is None:
            self.refresh()
            found = self.all().get(name)
        found = found or self._shard(name)
        if found is None:
            raise UnknownCrawl(name)
        return found

    def _shard(self, name: str) -> Path | None:
        """Return the folder of a shard: `wind:2` is number 2 of wind."""
        crawl, _, number = name.rpartition(":")
        whole = self.all().get(crawl)
        known = {path.name: path for path in shard_folders(whole)} if whole else {}
        return known.get(number)

    def new_folder(self, name: str) -> Path:
        """Return the folder for a new crawl; raise for a name that is taken or no plain name."""
        name = name.strip()
        if not _NAME.fullmatch(name) or name != name.rstrip("."):
            msg = "the name may contain letters, digits, blanks, - and +, and begins with a letter or digit"
            raise ConfigError(msg)
        home = self.home()
        folder = home / name
        if folder.exists() or folder.resolve().parent != home.resolve():
            msg = f"there is already something called {name}; choose another name"
            raise ConfigError(msg)
        return folder

    def home(self) -> Path:
        """Return the folder in which new crawls are made."""
        for place in self.places:
            if not (place / "clew.toml").exists():
                return place
        return self.places[0].absolute().parent

    def _find(self) -> dict[str, Path]:
        found: dict[str, Path] = {}
        for place in self.places:
            inside = {place.absolute().name: place} if (place / "clew.toml").exists() else crawls_in(place)
            for name, path in inside.items():
                if path in found.values():
                    continue
                free = name
                number = 2
                while free in found:
                    free, number = f"{name} ({number})", number + 1
                found[free] = path
        return found
