"""The tables of a coordinator: made, brought up to date, and checked when a crawl joins."""

import secrets
from collections.abc import Mapping

from clew.errors import ConfigError
from clew.scale.databases import Execute

VERSION = 3

_TABLES = """
CREATE TABLE IF NOT EXISTS crawl (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS shards (
    shard INTEGER PRIMARY KEY,
    owner TEXT NOT NULL DEFAULT '',
    epoch BIGINT NOT NULL DEFAULT 0,
    until DOUBLE NOT NULL DEFAULT 0,
    reported DOUBLE NOT NULL DEFAULT 0,
    pages BIGINT NOT NULL DEFAULT 0,
    requests BIGINT NOT NULL DEFAULT 0,
    relevant BIGINT NOT NULL DEFAULT 0,
    failed BIGINT NOT NULL DEFAULT 0,
    open BIGINT NOT NULL DEFAULT 0,
    granted_pages BIGINT NOT NULL DEFAULT 0,
    granted_requests BIGINT NOT NULL DEFAULT 0,
    best TEXT NOT NULL DEFAULT '[]',
    sent BIGINT NOT NULL DEFAULT 0,
    pulled TEXT NOT NULL DEFAULT '[]',
    idle INTEGER NOT NULL DEFAULT 0,
    stored BIGINT NOT NULL DEFAULT 0,
    learned BIGINT NOT NULL DEFAULT 0,
    address TEXT NOT NULL DEFAULT ''
);
CREATE TABLE IF NOT EXISTS labels (
    id SERIAL,
    url TEXT NOT NULL,
    good INTEGER,
    at DOUBLE NOT NULL
);
CREATE TABLE IF NOT EXISTS rules (
    id SERIAL,
    host TEXT NOT NULL,
    verb TEXT NOT NULL,
    at DOUBLE NOT NULL
);
CREATE TABLE IF NOT EXISTS outcomes (
    id SERIAL,
    shard INTEGER NOT NULL,
    packed BYTES NOT NULL,
    kind TEXT NOT NULL DEFAULT 'links'
);
CREATE TABLE IF NOT EXISTS texts (
    id SERIAL,
    url TEXT NOT NULL,
    title TEXT NOT NULL,
    body TEXT NOT NULL,
    lang TEXT NOT NULL
)"""
_UPGRADES = {
    "1": (
        "ALTER TABLE shards ADD COLUMN stored BIGINT NOT NULL DEFAULT 0",
        "ALTER TABLE shards ADD COLUMN learned BIGINT NOT NULL DEFAULT 0",
        "ALTER TABLE shards ADD COLUMN address TEXT NOT NULL DEFAULT ''",
    ),
    "2": ("ALTER TABLE outcomes ADD COLUMN kind TEXT NOT NULL DEFAULT 'links'",),
}
"""What brings the tables of an older version to the next one."""

_ADD_TOKEN = "INSERT INTO crawl (name, value) VALUES ('token', ?)"  # noqa: S105


def join_tables(execute: Execute, words: Mapping[str, str], crawl: str, shards: int) -> None:
    """Make the tables for a crawl with so many shards, or check that they belong to it; in a transaction.

    `words` are types as this database names them.
    """
    for statement in _TABLES.split(";"):
        execute(_in_words(statement, words))
    facts: dict[str, str] = dict(execute("SELECT name, value FROM crawl"))
    _upgrade(execute, words, facts)
    if facts:
        _check(facts, crawl, shards)
        return
    facts = {"version": str(VERSION), "crawl": crawl, "shards": str(shards)}
    for name, value in (*facts.items(), ("token", secrets.token_hex(16))):
        execute("INSERT INTO crawl (name, value) VALUES (?, ?)", name, value)
    for shard in range(shards):
        execute("INSERT INTO shards (shard) VALUES (?)", shard)


def _upgrade(execute: Execute, words: Mapping[str, str], facts: dict[str, str]) -> None:
    """Bring the tables of an older version to this one."""
    while (version := facts.get("version", "")) in _UPGRADES:
        for statement in _UPGRADES[version]:
            execute(_in_words(statement, words))
        if version == "1":
            execute(_ADD_TOKEN, secrets.token_hex(16))
        facts["version"] = str(int(version) + 1)
        execute("UPDATE crawl SET value = ? WHERE name = 'version'", facts["version"])


def _in_words(statement: str, words: Mapping[str, str]) -> str:
    """Name types as a database does."""
    for name, word in words.items():
        statement = statement.replace(f" {name}", f" {word}")
    return statement


def _check(facts: dict[str, str], crawl: str, shards: int) -> None:
    """Refuse a database of another version, of another crawl, or with another number of shards."""
    if int(facts.get("version", 0)) != VERSION:
        msg = (
            f"this coordinator was made by another clew (version {facts.get('version')}, this one needs "
            f"{VERSION}); use the same clew on all machines"
        )
        raise ConfigError(msg)
    if facts["crawl"] != crawl:
        msg = (
            f"this database coordinates another crawl ({facts['crawl']}, not {crawl}); "
            "name another database, or another schema of it"
        )
        raise ConfigError(msg)
    if int(facts["shards"]) != shards:
        msg = (
            f"this crawl has {facts['shards']} shards, and their number cannot change; "
            f"run it with --shards {facts['shards']}, or begin anew in another folder"
        )
        raise ConfigError(msg)
