"""What can be asked of the server: one `Operation` for each, used by the pages and by /api/v1."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, Field

from clew.config.folder_hints import crawl_of_shard

if TYPE_CHECKING:
    from clew.web.server_state import ServerState

MAX_TEXT = 100_000
"""Characters of a text field of a request."""


class Nothing(BaseModel):
    """No parameters."""

    model_config = ConfigDict(extra="ignore")


class Changes(BaseModel):
    """The body of a request that changes something: unknown fields are refused."""

    model_config = ConfigDict(extra="forbid", str_max_length=MAX_TEXT)


class Paging(BaseModel):
    """Which part of a list is asked for."""

    model_config = ConfigDict(extra="ignore", str_max_length=2_000)

    offset: int = Field(default=0, ge=0, le=10_000_000, description="Rows to leave out at the beginning.")
    limit: int = Field(default=50, ge=1, le=500, description="Rows at most.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One request: the server, the crawl it is about, and the checked parameters."""

    server: "ServerState"
    name: str = ""
    ids: Mapping[str, str] = field(default_factory=dict)
    query: Any = None
    body: Any = None

    @property
    def folder(self) -> Path:
        """The folder of the crawl."""
        return self.server.crawls.folder(self.name)

    @property
    def divided(self) -> Path | None:
        """The folder of the crawl that this one is a shard of."""
        return crawl_of_shard(self.folder)

    def number(self, name: str) -> int:
        """Return a number of the address; raise `MissingThing` if it is none."""
        text = self.ids.get(name, "")
        if not (text.isascii() and text.isdecimal() and len(text) <= 15):  # noqa: PLR2004
            raise MissingThing(text[:40])
        return int(text)


class MissingThing(Exception):  # noqa: N818 - becomes a 404
    """What an address names does not exist."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One thing to ask for. `path` is relative to /api/v1; `{name}` in it is the crawl.

    `run` is called in a thread with a checked `Call`, and returns plain values, or a response of its own.
    What is `whole` concerns a crawl, and not one of its shards.
    """

    method: str
    path: str
    summary: str
    run: Callable[[Call], Any]
    query: type[BaseModel] = Nothing
    body: type[BaseModel] | None = None
    returns: str = "application/json"
    whole: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class WebPage:
    """A page: a template, filled with what a function returns.

    Of a divided crawl, a page that is `of_shards` shows one shard at a time.
    """

    path: str
    template: str
    title: str
    run: Callable[[Call], Any]
    query: type[BaseModel] = Nothing
    of_shards: bool = False
