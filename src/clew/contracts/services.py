"""Services: work beside the engine."""

from typing import Protocol, runtime_checkable

from clew.types import PageResult


@runtime_checkable
class Service(Protocol):
    """Work beside the engine: labels, search, tables, re-ranking, checkpoints.

    `start` is awaited before the first fetch, in the order in which services are listed; `on_result` is
    called after each page, once it is in the store; `close` is awaited at the end, in reverse order.
    """

    async def start(self) -> None: ...

    def on_result(self, result: PageResult) -> None: ...

    async def close(self) -> None: ...


@runtime_checkable
class LinkSource(Service, Protocol):
    """A service that adds links.

    `before_fetch` is called before each fetch, `may_add_links` when no link is open. While `must_wait` is
    true, no link is taken: better ones are under way.
    """

    def before_fetch(self) -> None: ...

    def must_wait(self) -> bool: ...

    def may_add_links(self) -> bool: ...
