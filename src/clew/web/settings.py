"""Settings: clew.toml as a form with its comments and checks; those that open doors need `--trust`."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from annotated_types import Ge, Le
from pydantic import Field
from pydantic.fields import FieldInfo

from clew import config as configuration
from clew import registry
from clew.config import KEYS, Config
from clew.config.judge_spec import JudgeSpec
from clew.config.template import quoted, with_key
from clew.errors import ConfigError, StoreError
from clew.insight.live_state import add_note
from clew.insight.preflight.folder_check import lock_holder
from clew.web.operations import Call, Changes, Operation, WebPage

LOCKED = {
    "fetch.allow": "lets the crawler reach private addresses",
    "fetch.proxy": "sends every request to another server",
    "fetch.browsers": "lets other computers render pages, and say what is on them",
    "fetch.headers": "may hold secrets, which are sent to sites",
    "fetch.cookies": "reads a file of this computer",
    "seek.search": "may read files of this computer, or ask other servers",
    "seek.proxy": "sends every search to another server",
    "teach.url": "sends pages and a key to another server",
    "teach.key": "names a secret of this computer that is sent to the teacher",
    "teach.proxy": "sends pages and a key to another server",
}
"""Keys that only `--trust` lets change, with the reason."""

PATHS = ("crawl.seeds", "goal.good", "goal.bad", "goal.records")
"""Keys whose values may be paths: without `--trust` these must lie in the folder of the crawl."""


class SettingsBody(Changes):
    """New values by key, as in `{"fetch.delay": 2}`."""

    values: dict[str, Any] = Field(min_length=1, max_length=100)


def field_of(name: str) -> FieldInfo:
    """Return the description of a key."""
    table, _, key = name.partition(".")
    if name not in KEYS:
        msg = f"{name[:60]}: there is no such setting"
        raise ConfigError(msg)
    fields: dict[str, FieldInfo] = Config.model_fields[table].annotation.model_fields  # type: ignore[union-attr]
    return fields[key]


def read_settings(call: Call) -> dict[str, Any]:
    """Return every key with its value, default, kind and description, table by table."""
    config = configuration.load_folder(call.folder)
    tables: dict[str, list[dict[str, Any]]] = {}
    for name in KEYS:
        table, _, key = name.partition(".")
        value = config.model_dump()[table][key]
        tables.setdefault(table, []).append(_described(name, value, call.server.trust))
    docs = {name: (Config.model_fields[name].annotation.__doc__ or "") for name in tables}
    text = ((call.divided or call.folder) / "clew.toml").read_text("utf-8", "replace")
    return {"tables": tables, "docs": docs, "text": text, "running": bool(lock_holder(call.folder))}


def _described(name: str, value: object, trust: bool) -> dict[str, Any]:
    field = field_of(name)
    default = None if field.is_required() else field.get_default()
    choices = list(get_args(field.annotation)) if get_origin(field.annotation) is Literal else []
    if name == "rank.policy":
        choices = sorted({*registry.names("ranker"), str(value)})
    kind = "boolean" if isinstance(value, bool) else "number" if isinstance(value, int | float) else "text"
    kind = "lines" if isinstance(value, list) else "choice" if choices else kind
    low = next((each.ge for each in field.metadata if isinstance(each, Ge)), None)
    high = next((each.le for each in field.metadata if isinstance(each, Le)), None)
    return {
        "name": name,
        "key": name.partition(".")[2],
        "value": value,
        "default": default,
        "kind": kind,
        "choices": choices,
        "description": field.description or "",
        "locked": "" if trust else LOCKED.get(name, ""),
        "changed": value != default,
        "whole": isinstance(value, int),
        "low": low,
        "high": high,
    }


def change_settings(call: Call) -> dict[str, Any]:
    """Check new values and write them into clew.toml; comments stay."""
    folder = call.folder
    changed = apply_settings(folder, call.body.values, trust=call.server.trust)
    when = (
        "the next run uses them; this one goes on as before"
        if lock_holder(folder)
        else "the next run uses them"
    )
    return {
        "changed": changed,
        "message": f"{len(changed)} saved; {when}" if changed else "nothing has changed",
    }


def apply_settings(folder: Path, values: Mapping[str, Any], *, trust: bool) -> list[str]:
    """Write new values of settings; return the keys that changed. All are checked before any is written."""
    path = folder / "clew.toml"
    before = configuration.load(path)
    try:
        after = configuration.load(path, [as_setting(name, value) for name, value in values.items()])
    except ConfigError as error:
        raise ConfigError(str(error).removeprefix("--set ")) from None
    check_allowed(before, after, folder, trust=trust)
    changed = [name for name in values if value_of(before, name) != value_of(after, name)]
    text = path.read_text("utf-8-sig")
    for name in changed:
        text = with_key(text, name, quoted(value_of(after, name)))
    write_checked(path, text, after)
    if changed:
        shown = ", ".join(f"{name} = {quoted(value_of(after, name))[:80]}" for name in changed)
        add_note(folder, f"settings changed: {shown}", {"settings": changed})
    return changed


def as_setting(name: str, value: object) -> str:
    """Return a value as `--set` takes it."""
    field_of(name)
    return f"{name}={value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}"


def value_of(config: Config, name: str) -> Any:  # noqa: ANN401 - of any key
    """Return the value of a key."""
    table, _, key = name.partition(".")
    return config.model_dump()[table][key]


def write_checked(path: Path, text: str, wanted: Config) -> None:
    """Replace clew.toml if the new text says exactly what was wanted."""
    temporary = path.with_name(f".clew.toml.{os.getpid()}")
    try:
        temporary.write_text(text, "utf-8")
        try:
            same = configuration.load(temporary) == wanted
        except ConfigError:
            same = False
        if not same:
            temporary.unlink()
            msg = "clew.toml is written in a way that this form cannot change; edit the file itself"
            raise ConfigError(msg)
        temporary.replace(path)
    except OSError as error:
        msg = f"{path} cannot be written: {error.strerror}; give yourself access to it"
        raise StoreError(msg) from None


def check_allowed(before: Config | None, after: Config, folder: Path, *, trust: bool) -> None:
    """Refuse settings that open doors, unless `trust`; what the file says already may stay."""
    if trust:
        return
    for name, reason in LOCKED.items():
        new = value_of(after, name)
        if new != (value_of(before, name) if before else field_of(name).get_default()):
            msg = f"{name} {reason}; it can be changed here only with clew serve --trust"
            raise ConfigError(msg)
    for name in PATHS:
        value = value_of(after, name)
        known = value_of(before, name) if before else []
        for each in [value] if isinstance(value, str) else value:
            if each not in known and each and not _is_inside(each, folder):
                msg = f"{name}: {each[:80]} is outside the folder of the crawl; see clew serve --trust"
                raise ConfigError(msg)
    names = [("ranker", after.rank.policy), ("ranker", after.rank.within)]
    names += [("judge", each.name) for each in JudgeSpec.parse(after.goal.judge).judges]
    own = {before.rank.policy, before.rank.within} if before else set()
    if before:
        own |= {each.name for each in JudgeSpec.parse(before.goal.judge).judges}
    for kind, name in names:
        if name not in registry.names(kind) and name not in own:
            msg = f"{name[:60]} is not one of Clew's own; your own code needs clew serve --trust"
            raise ConfigError(msg)


def _is_inside(name: str, folder: Path) -> bool:
    """Return whether a name is a web address, or a file in the folder of the crawl."""
    if name.lower().startswith(("http://", "https://")):
        return True
    path = (folder / name).resolve()
    if "://" in name or name.startswith(("~", "/")):
        return False
    return path.is_relative_to(folder.resolve()) and (path.exists() or not Path(name).exists())


OPERATIONS = (
    Operation(
        method="GET",
        path="/crawls/{name}/settings",
        summary="All settings with descriptions.",
        run=read_settings,
    ),
    Operation(
        method="PUT",
        path="/crawls/{name}/settings",
        summary="Change settings in clew.toml.",
        run=change_settings,
        body=SettingsBody,
        whole=True,
    ),
)
PAGES = (
    WebPage(path="/crawls/{name}/settings", template="settings.html", title="Settings", run=read_settings),
)
