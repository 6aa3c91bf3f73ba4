"""Make a teacher from `[teach]`: the address, the model, and the key from the environment."""

import ipaddress
import os
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from clew.config import Config
from clew.engine.engine import Engine
from clew.engine.events import Events
from clew.errors import ConfigError
from clew.search.http import ClientKeys, HttpClient
from clew.services.teacher.chat import ChatClient
from clew.services.teacher.service import TeacherService
from clew.services.teacher.teacher import Teacher
from clew.store.teacher_log import TeacherLog

_PATH = "/chat/completions"


def make_teacher_service(
    folder: Path, config: Config, engine: Engine, events: Events
) -> TeacherService | None:
    """Return the service that asks the teacher about pages during a crawl; None if there is nothing to ask.

    Example rows alone do not say which pages are wanted: then only rows are checked, by clew teach --rows.
    """
    asks_pages = bool(config.goal.about or config.goal.criteria)
    if not config.teach.url or not config.teach.labels or not asks_pages:
        return None
    return TeacherService(folder=folder, teacher=make_teacher(folder, config), engine=engine, events=events)


def make_teacher(folder: Path, config: Config, environment: Mapping[str, str] = os.environ) -> Teacher:
    """Return the teacher that the configuration names; its key is read from the environment."""
    check_teacher(config, environment)
    table = config.teach
    chat = ChatClient(
        url=chat_url(table.url), model=table.model, key=environment.get(table.key, ""), key_name=table.key,
        client=HttpClient(
            proxy=table.proxy, timeout=table.timeout,
            keys=ClientKeys("teach.url", "teach.proxy", "teach.timeout"),
        ),
    )  # fmt: skip
    return Teacher(config=config, chat=chat, log=TeacherLog(folder))


def check_teacher(config: Config, environment: Mapping[str, str] = os.environ) -> None:
    """Raise if there is a teacher that cannot work."""
    table = config.teach
    if not table.url:
        return
    if not table.model:
        msg = "teach.url names a teacher, but no model; set teach.model, or run with --model NAME"
        raise ConfigError(msg)
    if not (config.goal.about or config.goal.criteria or config.goal.records):
        msg = "a teacher needs to know what you want: set goal.about or goal.criteria in clew.toml"
        raise ConfigError(msg)
    if environment.get(table.key) and table.url.startswith("http://") and not _is_near(table.url):
        msg = f"the key in {table.key} would travel unprotected to {table.url}; use https://"
        raise ConfigError(msg)


def chat_url(url: str) -> str:
    """Return the URL to ask, whether the server, its version or the whole address was named.

    >>> chat_url("http://127.0.0.1:11434"), chat_url("https://api.example/v1/")
    ('http://127.0.0.1:11434/v1/chat/completions', 'https://api.example/v1/chat/completions')
    """
    head, question, query = url.partition("?")
    head = head.rstrip("/")
    if not head.endswith(_PATH):
        head += _PATH if urlsplit(head).path else f"/v1{_PATH}"
    return head + question + query


def _is_near(url: str) -> bool:
    """Return whether a server is on this computer or in the local network."""
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_private
    except ValueError:
        return "." not in host or host.endswith((".local", ".localhost", ".internal", ".lan"))
