"""The schema and its description say the same."""

import asyncio
import re
from pathlib import Path

from store_kit import rows

from clew.store.reading import FIELDS, read_sql
from clew.store.result_rows import COLUMNS
from clew.store.schema import APPLICATION_ID, VERSION
from clew.store.sqlite import SqliteStore

DOCUMENT = Path(__file__).parents[2] / "docs" / "schema.md"


def test_every_table_view_and_column_is_described(tmp_path):
    store = SqliteStore(tmp_path, min_free=0)
    store.open()
    asyncio.run(store.aclose())
    described = set(re.findall(r"`([a-z_]+)`", DOCUMENT.read_text("utf-8")))
    names = rows(tmp_path, "SELECT name, type FROM sqlite_schema WHERE type IN ('table', 'view')")
    assert len(names) == 33
    for name, kind in names:
        columns = (
            {row[1] for row in rows(tmp_path, f"PRAGMA table_info({name})")} if kind == "table" else set()
        )
        assert {name, *columns} <= described, name
    assert set(FIELDS) <= described


def test_versions_are_the_described_ones(tmp_path):
    text = DOCUMENT.read_text("utf-8")
    assert f"`{APPLICATION_ID:#010X}`".replace("0X", "0x") in text
    assert f"now {VERSION}." in text


def test_the_page_insert_names_columns_in_their_order(tmp_path):
    store = SqliteStore(tmp_path, min_free=0)
    store.open()
    asyncio.run(store.aclose())
    columns = [row[1] for row in rows(tmp_path, "PRAGMA table_info(pages)")]
    assert tuple(columns) == COLUMNS


def test_every_view_answers_through_our_own_reader(tmp_path):
    store = SqliteStore(tmp_path, min_free=0)
    store.open()
    asyncio.run(store.aclose())
    for (name,) in rows(tmp_path, "SELECT name FROM sqlite_schema WHERE type = 'view'"):
        assert read_sql(tmp_path, f"SELECT * FROM {name}") == []
