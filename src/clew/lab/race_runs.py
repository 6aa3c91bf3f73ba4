"""The entries of a race: every run it consists of, and the name of the file that will hold it.

The name of a file tells task and policy, and ends with a digest of everything the run depends on:
settings, the task with its truth, the pages of the world, and the code. What is there need not be run
again; the result of other settings or code has another name and is left alone.
"""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from difflib import get_close_matches
from inspect import signature
from typing import Any

import xxhash

from clew import registry
from clew.errors import ConfigError
from clew.lab.measures import horizon
from clew.lab.race_summary import RaceSettings, TaskStats
from clew.lab.site_verdicts import wanted_rows
from clew.lab.standings import CEILING, FLOOR, RaceCase
from clew.lab.task import Graded, Task
from clew.lab.trial import TrialSettings, start_of
from clew.lab.versions import (
    CRAWLING,
    INVENTING,
    KNOWING,
    REPLAYING,
    judge_version,
    policy_version,
    version_of,
)
from clew.lab.world import World, open_world
from clew.lab.world_graph import WorldGraph, is_cached, world_graph_of


@dataclass(frozen=True, slots=True, kw_only=True)
class RaceRun:
    """One run. `where` opens the world, `case` names it; `file` holds its trace."""

    where: str
    case: RaceCase
    policy: str
    seed: int
    settings: dict[str, Any]
    file: str

    def as_dict(self) -> dict[str, Any]:
        """Return the run as JSON, under the keys of race.json."""
        return {
            "where": self.where, "heat": asdict(self.case), "policy": self.policy, "seed": self.seed,
            "terms": self.settings, "file": self.file,
        }  # fmt: skip

    @classmethod
    def of(cls, stored: dict[str, Any]) -> "RaceRun":
        """Read a run back."""
        fields = dict(stored)
        return cls(case=RaceCase(**fields.pop("heat")), settings=fields.pop("terms"), **fields)


@dataclass(frozen=True, slots=True)
class RacePlan:
    """Everything a race will do, and what was left out with the reasons."""

    settings: RaceSettings
    entries: list[RaceRun]
    stats_by_task: dict[tuple[str, str], TaskStats]
    notes: list[str]


def plan_race(settings: RaceSettings, say: Callable[[str], None] = lambda _: None) -> RacePlan:
    """Open the worlds, choose the tasks, list every run; what cannot be run is noted, the rest is used.

    `say` receives progress messages, because a world that is opened for the first time takes a while.
    """
    settings = replace(settings, policies=_with_limits(settings.policies))
    if settings.judge != "labels":
        _check_name("judge", settings.judge, ["labels"])
    plan = RacePlan(settings, [], {}, [])
    wanted = set(settings.tasks)
    seen: dict[str, str] = {}
    tasks_of: list[str] = []
    for where in settings.worlds:
        say(f"opening {where}")
        world = open_world(where)
        if world.name in seen:
            if seen[world.name] == where:
                continue
            msg = f"{where} and {seen[world.name]} are both called {world.name}; rename one of the folders"
            raise ConfigError(msg)
        seen[world.name] = where
        plan.notes.extend(world.notes)
        tasks_of += [task.name for task in world.tasks]
        if tasks := _chosen(world, settings.tasks, wanted):
            if not is_cached(world):
                say(f"exploring {world.name} for its link graph, once for all races")
            graph = world_graph_of(world)
            for task in tasks:
                _add_runs(plan, world, task, graph, where)
    if wanted:
        _raise_unknown_task(sorted(wanted), tasks_of)
    if not plan.entries:
        reasons = "".join(f"\n{note}" for note in plan.notes)
        names = ", ".join(settings.worlds)
        msg = f"there is nothing to race for in {names}; a world needs tasks with labels{reasons}"
        raise ConfigError(msg)
    return plan


def _with_limits(policies: Sequence[str]) -> tuple[str, ...]:
    """Return the policies with the limits, each once; raise an error for unknown names."""
    named = [name for name in dict.fromkeys(policies) if name not in (FLOOR, CEILING)]
    for name in named:
        _check_name("ranker", name)
    return (FLOOR, *named)


def _check_name(kind: str, name: str, more: Sequence[str] = ()) -> None:
    try:
        registry.find(kind, name)
    except ConfigError:
        similar = get_close_matches(name, [*registry.names(kind), *more], n=1)
        if ":" in name or not similar:
            raise
        label = "policy" if kind == "ranker" else kind
        msg = (
            f'there is no {label} "{name}"; did you mean "{similar[0]}"? (or write your own as module:Class)'
        )
        raise ConfigError(msg) from None


def _chosen(world: World, names: Sequence[str], unmatched: set[str]) -> list[Task]:
    """Return the selected tasks, by name or prefix; remove them from `unmatched`."""
    if not names:
        return world.tasks
    found: list[Task] = []
    for name in names:
        exact = [task for task in world.tasks if task.name.lower() == name.lower()]
        hits = exact or [task for task in world.tasks if task.name.lower().startswith(name.lower())]
        if hits:
            unmatched.discard(name)
        found += [task for task in hits if task not in found]
    return found


def _raise_unknown_task(missing: list[str], known: list[str]) -> None:
    similar = get_close_matches(missing[0], known, n=1)
    some = ", ".join(f'"{name}"' for name in known[:8]) + (" …" if len(known) > 8 else "")  # noqa: PLR2004
    hint = f'did you mean "{similar[0]}"?' if similar else f"there are: {some or 'none'}"
    msg = f'no world has a task "{missing[0]}"; {hint}'
    raise ConfigError(msg)


def _add_runs(plan: RacePlan, world: World, task: Task, graph: WorldGraph | None, where: str) -> None:
    """Add a run for every policy, cap and seed of one task."""
    settings = plan.settings
    try:
        starts = [start_of(world, task, TrialSettings(pages=1, seed=seed)) for seed in range(settings.runs)]
    except ConfigError as error:
        plan.notes.append(f"{world.name}: {task.name} is left out: {error}")
        return
    stats = _task_stats(settings, world, task, graph, starts)
    if not max(stats.reachable):
        plan.notes.append(
            f"{world.name}: {task.name} is left out: no relevant page can be reached from its start; look at"
            " its seeds and labels"
        )
        return
    if task.kind == "crawl":
        known = f"only the {stats.pages:,} pages it fetched are here, and its verdicts are the truth"
        plan.notes.append(f"{world.name} comes from a crawl: {known}")
    if settings.pages > stats.pages:
        wanted = f"the {settings.pages:,} asked for"
        plan.notes.append(f"{world.name} has {stats.pages:,} pages, so its runs end before {wanted}")
    plan.stats_by_task[world.name, task.name] = stats
    content = _content(world, task)
    for cap in settings.caps:
        case = RaceCase(world.name, task.name, cap)
        for seed in range(settings.runs):
            for policy in (CEILING, *settings.policies):
                first_seed = seed if _takes_seed(policy) else stats.starts[seed]
                plan.entries.append(_entry(settings, where, case, policy, (seed, first_seed), content))


def _task_stats(
    settings: RaceSettings, world: World, task: Task, graph: WorldGraph | None, starts: list[list[str]]
) -> TaskStats:
    """Return the statistics of a task."""
    pages = len(world.pages) if graph is None else graph.pages
    relevant, reachable, hosts = max(0, task.truth.relevant), [], 0
    if graph is not None:
        wanted = wanted_rows(graph, task)
        relevant = int(wanted.sum()) if task.kind == "sites" else relevant
        hosts = graph.hosts
        reachable = [int(wanted[graph.graph.reachable(graph.rows(start))].sum()) for start in starts]
        relevant = max(relevant, *reachable)
    budget = min(settings.pages, pages)
    return TaskStats(
        world=world.name,
        task=task.name,
        pages=pages,
        hosts=hosts,
        relevant=relevant,
        reachable=tuple(reachable or [relevant] * len(starts)),
        starts=tuple(starts.index(start) for start in starts),
        budget=budget,
        upto=horizon(pages, budget),
        examples=len(task.good) + len(task.bad),
        flags=task.flags,
        bounded=graph is None,
        sites=task.kind == "sites",
    )


def _content(world: World, task: Task) -> str:
    """Return a digest of the pages of a world and of the whole task."""
    grades = sorted(task.truth.grades.items()) if isinstance(task.truth, Graded) else []
    pages = (
        world.page_store.folder.name if world.page_store is not None else world.name + version_of(*INVENTING)
    )
    facts = (
        task.name,
        task.about,
        task.kind,
        sorted(task.starts.items()),
        task.good,
        task.bad,
        grades,
        pages,
    )
    return xxhash.xxh3_64_hexdigest(repr(facts).encode())


def _takes_seed(policy: str) -> bool:
    """Tell whether a policy takes a seed; all others repeat the same run from the same start."""
    part = None if policy == CEILING else registry.find("ranker", policy)
    return isinstance(part, type) and "seed" in signature(part).parameters


def _entry(  # noqa: PLR0917
    settings: RaceSettings, where: str, case: RaceCase, policy: str, seeds: tuple[int, int], content: str
) -> RaceRun:
    """Return one run; `seeds` are its own and the first one with the same result: equal runs share a file."""
    seed, first_seed = seeds
    trial = {
        "pages": settings.pages,
        "cap_per_host": case.cap,
        "judge": settings.judge,
        "dead_ends": settings.dead_ends,
        "traps": settings.traps,
        "requests": settings.requests,
    }
    if settings.search:
        trial["search"] = [settings.search, *settings.labelled]
        first_seed = seed  # another seed is another index
    if settings.teacher:
        trial["answers"] = settings.teacher
        first_seed = seed  # another seed is other errors
    if policy == CEILING:
        trial = {"pages": settings.pages, "cap_per_host": case.cap}
        code = version_of(*KNOWING)
    else:
        code = version_of(*CRAWLING, *REPLAYING) + policy_version(policy) + judge_version(settings.judge)
    digest = xxhash.xxh3_64_hexdigest(json.dumps([trial, first_seed, content, code], sort_keys=True).encode())
    name = "_".join(_plain(part) for part in (case.world, case.task, policy))
    file = f"{name}_cap{case.cap}_{first_seed}_{digest[:12]}.npz"
    return RaceRun(where=where, case=case, policy=policy, seed=seed, settings=trial, file=file)


def _plain(name: str) -> str:
    """Return a name that is safe in file systems; the digest after it keeps names distinct."""
    return re.sub(r"[^\w.-]+", "-", name)[:40].strip("-.") or "x"
