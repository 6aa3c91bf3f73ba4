"""Services that few crawls need: searching, a teacher, a growing table.

Their modules are imported where a crawl uses them; all together take a tenth of a second.
"""

from pathlib import Path
from typing import TYPE_CHECKING

from clew.config import Config
from clew.contracts import FolderStore, LinkSource, Service
from clew.domain.records.example_table import ExampleTable, read_table
from clew.engine.engine import Engine
from clew.engine.events import Events
from clew.engine.parts import Parts

if TYPE_CHECKING:
    from clew.services.tables import OpenedTable


def check_services(folder: Path, config: Config, parts: Parts) -> None:
    """Refuse a search or a teacher that cannot work."""
    if config.seek.search or config.seek.reseed or parts.abilities.ranker.topic_terms:
        from clew.services.search import check_search  # noqa: PLC0415

        check_search(folder, config, parts.abilities.ranker)
    if config.teach.url:
        from clew.services.teacher import check_teacher  # noqa: PLC0415

        check_teacher(config)


def search_service(
    folder: Path, config: Config, engine: Engine, events: Events, pages: int
) -> LinkSource | None:
    """Return the service that sends queries to search engines, if the crawl is to search."""
    if not config.seek.search and not engine.scoring.abilities.topic_terms:
        return None
    from clew.services.search import make_search_service  # noqa: PLC0415

    return make_search_service(folder, config, engine, events, pages)


def teacher_service(folder: Path, config: Config, engine: Engine, events: Events) -> Service | None:
    """Return the service that asks a language model for labels, if the crawl has one."""
    if not config.teach.url:
        return None
    from clew.services.teacher import make_teacher_service  # noqa: PLC0415

    return make_teacher_service(folder, config, engine, events)


def table_service(engine: Engine, store: FolderStore, events: Events, table: "OpenedTable") -> Service:
    """Return the service that lets an open table grow."""
    from clew.services.tables import TableService  # noqa: PLC0415

    return TableService(
        engine=engine, store=store, events=events, sync=table.sync,
        rescan_from=table.rescan_from, start_notice=table.notice,
    )  # fmt: skip


def opened_table(store: FolderStore, parts: Parts) -> "OpenedTable | None":
    """Open the growing table of a crawl that has example rows."""
    if not parts.abilities.extractor.provides_table:
        return None
    from clew.extract.records import RecordExtractor  # noqa: PLC0415
    from clew.services.tables import open_table  # noqa: PLC0415

    return open_table(store, parts.extractor) if isinstance(parts.extractor, RecordExtractor) else None


def example_table(folder: Path, config: Config) -> ExampleTable | None:
    """Read the user's example rows, if the goal names a table."""
    if not config.goal.records:
        return None
    from clew.services.tables import table_path  # noqa: PLC0415

    return read_table(table_path(folder, config.goal.records))
