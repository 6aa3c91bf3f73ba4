"""New: a crawl from a form. Every goal, seeds checked live, and the plan before it starts."""

import asyncio
import tempfile
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from clew import config as configuration
from clew.config import Config, template
from clew.config.seeds import read_seeds
from clew.domain.places import COUNTRIES
from clew.domain.records.example_table import EXAMPLES_FILE, parse_table, write_table
from clew.domain.sites.site_list import read_site_list
from clew.errors import ConfigError
from clew.insight.preflight import check_seeds, make_plan
from clew.insight.preflight.goal_choice import judge_of
from clew.insight.preflight.planned_seeds import planned_seeds
from clew.urls import Canon
from clew.web.operations import Call, Changes, Nothing, Operation, WebPage
from clew.web.settings import as_setting, check_allowed, value_of

MAX_EXAMPLES = 200
EXAMPLES = "examples"
SITES_FILE = "sites.txt"
NEEDS_TRUST = "start the server with --trust, then allow it under More settings: fetch.allow = 127.0.0.0/8"
GOALS = {
    "topic": ("A topic", "pages about something, in your own words"),
    "examples": ("Pages like these", "you have some pages of the kind you look for"),
    "rows": ("Rows of a table", "you have a few rows, and want the rest of the table"),
    "place": ("Places", "pages with a postal address, each as a row on a map"),
    "data": ("Data files", "links to statistical data: CSV, XLSX and others"),
    "files": ("Files of a kind", "links to PDF, or any other kind of file"),
    "schema": ("Things with markup", "pages that state a schema.org type, such as Recipe"),
    "sites": ("Sites of a list", "which of many sites are relevant, and their pages"),
}


class UploadedPage(Changes):
    """An example page that was pasted or uploaded."""

    name: str = Field(default="page", max_length=200)
    html: str = Field(max_length=2_000_000)
    good: bool = True

    model_config = Changes.model_config | {"str_max_length": 2_000_000}


class NewBody(Changes):
    """A new crawl."""

    name: str = Field(min_length=1, max_length=80, description="The name of its folder.")
    goal: Literal["topic", "examples", "rows", "place", "data", "files", "schema", "sites"] = "topic"
    about: str = Field(default="", max_length=2_000, description="The topic in words.")
    value: str = Field(
        default="",
        max_length=100,
        description="Country, kind of file, schema.org type; of sites: data or nothing.",
    )
    seeds: list[str] = Field(default=[], max_length=10_000, description="Where to begin: URLs.")
    contact: str = Field(max_length=300, description="How site owners reach you.")
    good: list[str] = Field(default=[], max_length=1_000, description="URLs of relevant example pages.")
    bad: list[str] = Field(default=[], max_length=1_000, description="URLs of irrelevant example pages.")
    examples: list[UploadedPage] = Field(
        default=[], max_length=MAX_EXAMPLES, description="Example pages themselves."
    )
    rows: str = Field(default="", description="Example rows: CSV with the names of the columns first.")
    sites: str = Field(default="", description="Sites, one per line.")
    pages: int = Field(default=0, ge=0, le=10**9, description="Page budget; 0 for none.")
    stay: bool = Field(default=False, description="Stay on the hosts of the seeds.")
    settings: dict[str, Any] = Field(default={}, max_length=50, description="More keys of clew.toml.")


class SeedsBody(Changes):
    """Seeds to check."""

    seeds: list[str] = Field(min_length=1, max_length=10_000)
    contact: str = Field(max_length=300)
    settings: dict[str, Any] = Field(default={}, max_length=50)


class PlanQuery(Nothing):
    """How to plan."""

    offline: bool = Field(default=False, description="Send no requests; use stored data.")


def create(call: Call) -> dict[str, Any]:
    """Check everything, then write the folder of a new crawl."""
    body: NewBody = call.body
    folder = call.server.crawls.new_folder(body.name)
    more, seeds, table = dict(body.settings), list(body.seeds), None
    if body.pages:
        more["crawl.pages"] = body.pages
    if body.stay:
        more["scope.hosts"] = ["seeds"]
    if body.goal in ("place", "data", "files", "schema"):
        more["goal.judge"] = _judge(body)
    if body.goal == "sites" and body.value:
        more["goal.judge"] = _judge(body)
    if body.goal == "rows":
        table = parse_table(body.rows.encode(), "the example rows")
        more["goal.records"] = EXAMPLES_FILE
    listing = _sites(body.sites) if body.goal == "sites" else None
    if listing is not None:
        more = {"rank.policy": "sites", "scope.hosts": ["seeds"], **more}
    good = list(body.good)
    _check_complete(body, listing)
    config = checked_config(folder, body, more, trust=call.server.trust)
    seeds = read_seeds(folder, web_addresses(seeds), Canon(config.scope.drop_params))
    names = {name: [f"{EXAMPLES}/{name}"] if _of(body, name) else [] for name in ("good", "bad")}
    template.write_new(
        folder,
        contact=config.crawl.contact,
        seeds=[*([SITES_FILE] if listing else []), *seeds],
        about=body.about.strip(),
        good=[*good, *names["good"]],
        bad=[*body.bad, *names["bad"]],
        settings={name: value_of(config, name) for name in more},
    )
    if table is not None:
        write_table(folder / EXAMPLES_FILE, table)
    if listing is not None:
        (folder / SITES_FILE).write_text("".join(f"{url}\n" for url in listing), "utf-8")
    _write_examples(folder, body)
    call.server.crawls.refresh()
    return {"name": folder.name, "folder": str(folder), "url": f"/crawls/{folder.name}/plan"}


def _check_complete(body: NewBody, listing: list[str] | None) -> None:
    """Raise if the form says too little."""
    if body.goal == "examples" and not (body.good or any(page.good for page in body.examples)):
        msg = "give at least one example of a relevant page: its URL, or the page itself"
        raise ConfigError(msg)
    if body.goal == "topic" and not body.about.strip():
        msg = "say in a few words what you are looking for"
        raise ConfigError(msg)
    if body.goal == "sites" and not (body.about.strip() or body.value or "goal.judge" in body.settings):
        msg = "say in a few words what makes a site relevant, or choose data files"
        raise ConfigError(msg)
    if not body.seeds and listing is None and not body.good:
        msg = "give at least one URL to begin with"
        raise ConfigError(msg)


def checked_config(folder: Path, body: NewBody, more: dict[str, Any], *, trust: bool) -> Config:
    """Return the configuration of a new crawl; raise for values that are wrong or not allowed."""
    text = template.written(contact=body.contact, seeds=[], about=body.about.strip())
    with tempfile.TemporaryDirectory(prefix="clew-new-") as place:
        path = Path(place) / "clew.toml"
        path.write_text(text, "utf-8")
        try:
            config = configuration.load(path, [as_setting(name, value) for name, value in more.items()])
        except ConfigError as error:
            raise ConfigError(str(error).replace(f"{path}: ", "").replace(str(path), "the form")) from None
    for each in [*body.good, *body.bad]:
        web_addresses([each])
    if not trust:
        web_addresses(body.seeds)
        plain = configuration.build(
            tomllib.loads(template.written(contact=body.contact, seeds=[])), "the form"
        )
        given = body.settings.get("goal.records", "")  # else the file is the one written here
        asked = config.model_copy(update={"goal": config.goal.model_copy(update={"records": str(given)})})
        check_allowed(plain, asked, folder, trust=False)
    return config


def web_addresses(entries: list[str]) -> list[str]:
    """Return entries if all are web addresses; no file of this computer is read from the web."""
    entries = [entry.strip() for entry in entries]
    for entry in entries:
        scheme = entry.partition("://")[0].lower() if "://" in entry else ""
        plain = not scheme and "." in entry.partition("/")[0] and not entry.startswith(("/", ".", "~"))
        if scheme not in ("http", "https") and not plain:
            msg = f"{entry[:80]} is not a web address; write it as https://…"
            raise ConfigError(msg)
    return [entry if "://" in entry else f"https://{entry}" for entry in entries]


def _judge(body: NewBody) -> str:
    goal = body.goal if body.goal == "data" or not body.value else f"{body.goal}={body.value.strip()}"
    goal = body.value if body.goal == "sites" else goal
    try:
        return judge_of(goal, body.about.strip())
    except ConfigError as error:
        raise ConfigError(str(error).removeprefix(f"--goal {goal}: ")) from None


def _sites(text: str) -> list[str]:
    with tempfile.NamedTemporaryFile("w", suffix=".txt", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        return list(read_site_list(Path(file.name)).urls)


def _of(body: NewBody, kind: str) -> list[UploadedPage]:
    return [page for page in body.examples if page.good == (kind == "good")]


def _write_examples(folder: Path, body: NewBody) -> None:
    """Write uploaded pages; their own names are not used as names of files."""
    for kind in ("good", "bad"):
        for number, page in enumerate(_of(body, kind), 1):
            path = folder / EXAMPLES / kind / f"{number:03}.html"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(page.html, "utf-8")


def check(call: Call) -> dict[str, Any]:
    """Request robots.txt and each seed, and say which can be used."""
    body: SeedsBody = call.body
    home = call.server.crawls.home()
    made = NewBody(name="x", contact=body.contact, seeds=[], about="x")
    config = checked_config(home, made, dict(body.settings), trust=call.server.trust)
    urls, wrong = _read_typed(home, body.seeds, Canon(config.scope.drop_params))
    findings = asyncio.run(check_seeds(config, urls))
    return {
        "seeds": [
            {
                "url": each.url,
                "state": each.state,
                "usable": each.usable,
                "words": each.words,
                "cure": NEEDS_TRUST if "fetch.allow" in each.cure and not call.server.trust else each.cure,
            }
            for each in findings
        ]
        + [
            {"url": url[:200], "state": "wrong", "usable": False, "words": words, "cure": ""}
            for url, words in wrong.items()
        ]
    }


def _read_typed(home: Path, typed: Sequence[str], canon: Canon) -> tuple[list[str], dict[str, str]]:
    """Return the URLs among what was typed, and what is wrong with the rest; raise if nothing is left."""
    urls: list[str] = []
    wrong: dict[str, str] = {}
    for each in typed:
        try:
            urls += read_seeds(home, web_addresses([each]), canon)
        except ConfigError as error:
            wrong[each] = str(error)
    if wrong and not urls:
        raise ConfigError(next(iter(wrong.values())))
    return list(dict.fromkeys(urls)), wrong


def plan(call: Call) -> dict[str, Any]:
    """Return what a run would do: hosts, rules, time, disk."""
    folder = call.folder
    config = configuration.load_folder(folder)
    seeds = planned_seeds(folder, config, Canon(config.scope.drop_params))
    return asyncio.run(make_plan(folder, config, seeds, offline=call.query.offline)).as_dict()


def new_page(call: Call) -> dict[str, Any]:
    """Return what the form offers."""
    return {
        "goals": GOALS,
        "countries": list(COUNTRIES),
        "home": str(call.server.crawls.home().absolute()),
    }


OPERATIONS = (
    Operation(method="POST", path="/crawls", summary="Create a crawl.", run=create, body=NewBody),
    Operation(
        method="POST", path="/check", summary="Check seeds: which of them answer.", run=check, body=SeedsBody
    ),
    Operation(
        method="GET", path="/crawls/{name}/plan", summary="What a run would do.", run=plan, query=PlanQuery
    ),
)
PAGES = (
    WebPage(path="/new", template="new.html", title="New crawl", run=new_page),
    WebPage(
        path="/crawls/{name}/plan",
        template="plan.html",
        title="Plan",
        run=lambda call: {"folder": str(call.folder)},
    ),
)
