"""`clew lab`: compare policies on recorded webs."""

from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Annotated

import typer

from clew import registry
from clew.cli.arguments import folders
from clew.cli.plain_help import PlainCommand
from clew.errors import ConfigError

DEFAULT_WORLDS = ("madeup:20000:1",)
DEFAULT_TASKS = ("lighthouses", "bees", "castles")
"""The default world and tasks, which need no download."""

_Search = Annotated[
    float, typer.Option(min=0, max=1, help="Share of a world that a search engine knows; 0 means none.")
]
_Labelled = Annotated[
    str, typer.Option(metavar="N,M", help="With --search: labelled pages the judge learns from.")
]
_Worlds = Annotated[
    list[str] | None, typer.Argument(metavar="WORLD", help="Folder, WARC file, crawl, or madeup:PAGES:SEED.")
]
_Json = Annotated[Path | None, typer.Option(metavar="FILE", help="Write all results as JSON; - prints them.")]
_DeadEnds = Annotated[bool, typer.Option("--dead-ends", help="Include links to pages outside the archive.")]
_Teacher = Annotated[
    str, typer.Option(metavar="SPEC", help="Label pages by the truth: labels=40,error=0.1,bias=0.")
]

lab = typer.Typer(
    name="lab",
    help="Compare policies on recorded webs, offline: curves with confidence intervals.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@lab.command("race", cls=PlainCommand)
def race_(
    worlds: _Worlds = None,
    task: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="A task, or a prefix of its name (default: all)."),
    ] = None,
    policies: Annotated[
        str, typer.Option(metavar="A,B,…", help="Policies, also as module:Class (default: all).")
    ] = "",
    pages: Annotated[int, typer.Option(min=10, help="Page budget of each run.")] = 1000,
    requests: Annotated[int, typer.Option(min=0, help="Request budget of each run; 0 means no limit.")] = 0,
    runs: Annotated[int, typer.Option(min=1, max=1000, help="Runs of each policy on each task.")] = 5,
    caps: Annotated[str, typer.Option(metavar="N,…", help="Maximum pages per host; 0 means no limit.")] = "0",
    judge: Annotated[str, typer.Option(help="auto, words, labels (perfect) or module:Class.")] = "auto",
    out: Annotated[Path, typer.Option(metavar="DIR", help="The results folder.")] = Path("race"),
    json: _Json = None,
    jobs: Annotated[int, typer.Option(min=0, help="Worker processes; 0 means all cores but one.")] = 0,
    png: Annotated[bool, typer.Option("--png", help="Write the plots as PNG too.")] = False,
    dead_ends: _DeadEnds = False,
    no_traps: Annotated[bool, typer.Option("--no-traps", help="Disable trap detection.")] = False,
    search: _Search = 0.0,
    labelled: _Labelled = "",
    teacher: _Teacher = "",
) -> None:
    """Compare policies by the relevant pages they find over time.

    Without a WORLD, a synthetic web is used. Breadth-first and an oracle that knows all links and labels are
    always included, as bounds. An existing results folder is continued: only missing runs are executed, so
    policies and runs can be added later. Ctrl-C stops; the same command resumes.

    With --search every run starts from the ten best results for the first word of the topic, by an engine
    that has indexed that share of the pages; the policy reseed searches again when it needs to. --labelled
    50,500 trains the judge on so many relevant and other pages.
    With --teacher pages get labels during each run, by the truth and with errors: labels=40, error=0.1,
    bias from -1 (a wrong no) to 1 (a wrong yes), order=helpful (as clew label --ask), random, surest, every.

    It writes report.html, results.csv, curves.csv and plots/*.svg to DIR.

    Example: clew lab race wind --policies clew,shark --runs 5
    """
    commands = _lab_commands()
    settings = commands.RaceSettings(
        worlds=tuple(dict.fromkeys(worlds or DEFAULT_WORLDS)),
        tasks=tuple(task or (() if worlds else DEFAULT_TASKS)),
        policies=tuple(_parts(policies)) or tuple(registry.names("ranker")),
        pages=pages,
        runs=runs,
        caps=_caps(caps),
        judge=judge,
        dead_ends=dead_ends,
        traps=not no_traps,
        requests=requests,
        search=search,
        labelled=_labelled(labelled, search),
        teacher=commands.checked_teacher(teacher),
    )
    commands.run(settings, out, json=json, jobs=jobs, png=png)


def _lab_commands() -> ModuleType:
    """Import the lab lazily: it adds 50 % to the start-up time."""
    return import_module("clew.cli.lab_commands")


def _parts(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def _labelled(text: str, search: float) -> tuple[int, int]:
    parts = _parts(text)
    if not parts:
        return 0, 0
    if len(parts) != 2 or not all(part.isdigit() for part in parts) or not search:  # noqa: PLR2004
        msg = f"--labelled {text!r}: write two numbers of pages, relevant and others, beside --search: 50,500"
        raise ConfigError(msg)
    return int(parts[0]), int(parts[1])


def _caps(text: str) -> tuple[int, ...]:
    parts = _parts(text)
    if not parts or not all(part.isdigit() or part == "none" for part in parts):
        msg = f"--caps {text!r}: write numbers of pages with commas, such as 0,100,10,5 (0 means no limit)"
        raise ConfigError(msg)
    return tuple(
        sorted({0 if part == "none" else int(part) for part in parts}, key=lambda cap: cap or 1e9)[::-1]
    )


@lab.command(cls=PlainCommand)
def show(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A results folder.", autocompletion=folders)],
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Show the results of a comparison, finished or not.

    Example: clew lab show race
    """
    _lab_commands().show(folder, json=json)


@lab.command(cls=PlainCommand)
def worlds(
    folder: Annotated[
        Path | None,
        typer.Argument(metavar="FOLDER", help="The folder of worlds (default: $CLEW_WORLDS)."),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object per world.")] = False,
) -> None:
    """List worlds with their pages and tasks.

    For each: pages, hosts, languages, tasks, and the share of relevant pages.

    Example: clew lab worlds ~/worlds
    """
    _lab_commands().worlds(folder, json=json)


@lab.command(cls=PlainCommand)
def record(
    crawl: Annotated[
        Path, typer.Argument(metavar="CRAWL", help="The folder of a crawl.", autocompletion=folders)
    ],
    world: Annotated[Path, typer.Argument(metavar="WORLD", help="A new folder for the world.")],
) -> None:
    """Convert a crawl to a world for clew lab race.

    The world has the responses and seeds of the crawl; its ground truth is your labels, else the verdicts.

    Example: clew lab record wind wind-world
    """
    _lab_commands().record(crawl, world)


@lab.command(cls=PlainCommand)
def layout(
    world: Annotated[
        str, typer.Argument(metavar="WORLD", help="Folder, WARC file, crawl, or madeup:PAGES:SEED.")
    ] = "madeup:20000:1",
    task: Annotated[str, typer.Option(metavar="NAME", help="A task (default: the first; addresses).")] = "",
    judge: Annotated[str, typer.Option(help="The judge (default: of postal addresses).")] = "",
    pages: Annotated[int, typer.Option(min=40, help="Page budget of each crawl.")] = 600,
    learn: Annotated[int, typer.Option(min=0, help="Pages to learn from; 0 means half the budget.")] = 0,
    out: Annotated[Path, typer.Option(metavar="DIR", help="The results folder.")] = Path("layout"),
) -> None:
    """Repeat the experiment of the paper behind the policy layout.

    From two starts, A and B, it crawls breadth-first, takes every link whose target was read, and grows four
    decision trees a start over the paper's sets of attributes, as J48 does. Then these run from either start:
    breadth-first, yokoji (by addresses as in the paper, by place names, by landmarks too), and the trees,
    which give priority 1 or 0. It prints the accuracy of the trees on their own links (Table 1.1), how
    counted positions correlate with shown ones (Figure 3), and the share of relevant pages (Tables 2.1 and
    2.2), and writes them to DIR with the curves (Figure 4).

    Starts A and B are those of the task, or its seeds in turn. Without a WORLD, a synthetic web is used.

    Example: clew lab layout ~/worlds/geo-ja --task geo-any-address
    """
    _experiments().layout(world, task, judge, pages, learn, out)


@lab.command(cls=PlainCommand)
def sites(
    world: Annotated[
        str, typer.Argument(metavar="WORLD", help="A world with a task about sites, or madeup:PAGES:SEED.")
    ] = "madeup:200000:1",
    sizes: Annotated[
        str, typer.Option(metavar="N,N,N", help="Sites to train on, to check and to explore.")
    ] = "800,200,1000",
    explorers: Annotated[
        str, typer.Option(metavar="A,B,…", help="Explorers, as in rank.explorer.")
    ] = "random,delta,delta-literal,gain",
    per_site: Annotated[int, typer.Option(min=2, max=100, help="Page budget, in pages per site.")] = 20,
    seed: Annotated[int, typer.Option(min=0, help="Random seed of the choice of sites.")] = 0,
    out: Annotated[Path, typer.Option(metavar="DIR", help="The results folder.")] = Path("sites"),
) -> None:
    """Repeat the simulation and the experiment of the paper behind the policy sites.

    The simulation has a thousand sites with random Beta distributions, ten times (Figures 1 to 3). Then a
    classifier is trained on labelled sites of the WORLD and checked on others, and the explorers read pages
    of the rest: accuracy, precision and recall of their verdicts on sites (Figures 4 to 6). On a synthetic
    web a site is positive if it offers data files. With fewer than 200 sites, each fifth is explored by a
    classifier that learned from the others.

    It prints the tables, and writes them to DIR with the curves.

    Example: clew lab sites ~/worlds/stat-sites
    """
    _experiments().sites(world, sizes, explorers, per_site, seed, out)


def _experiments() -> ModuleType:
    return import_module("clew.cli.lab_experiments")
