"""The gate: no policy may find less than its floor on small synthetic webs.

The floors are about three quarters of what each policy found when they were set, summed over two webs, with
a perfect judge, so that only ranking counts. They are no measure of merit (races are),
but a policy that falls below its floor has been broken. **Lowering a floor needs a reason in the message of
the commit**; raising one when a policy got better needs none. A new policy gets a floor with its first
commit. `sites` (few sites) finds 1 page at the worst of five seeds.
When the synthetic web itself changes, all of them are measured anew:  python tests/lab/test_gate.py
"""

import pytest

from clew import registry
from clew.errors import ConfigError
from clew.lab import open_world, run_trial

COURSES = {"madeup:2000:5": ("birds",), "madeup:6000:9": ("wine",)}
PAGES = 180

NEEDS_TABLE = ("objectrank", "records-jaccard", "records-text")
"""They run on another task, with its example rows, 400 pages and the judge of rows."""

NEEDS_ENGINE = ("reseed",)
"""Refused without a search engine; bench/reseed.py measures them with one."""

FLOORS = {
    "ache": 11,
    "ariadne": 18,
    "best-first": 11,
    "breadth": 2,
    "clew": 18,
    "ext-first": 2,
    "files-first": 5,
    "keyword": 9,
    "layout": 3,
    "objectrank": 6,
    "pagerank": 1,
    "qlearn": 7,
    "random": 4,
    "records-jaccard": 3,
    "records-text": 7,
    "shark": 10,
    "sites": 1,
    "tagpath": 3,
    "thompson-hosts": 2,
    "yokoji": 4,
}


@pytest.fixture(scope="module")
def courses():
    """The worlds, opened once: a page that one policy has read need not be made for the next."""
    return _courses()


def _courses():
    worlds = {name: open_world(name) for name in COURSES}
    return [(world, world.task(task)) for name, world in worlds.items() for task in COURSES[name]]


def _found(courses, policy):
    if policy in NEEDS_TABLE:
        world = courses[0][0]
        trace = run_trial(
            world, world.task("coasts"), policy, pages=400, judge="records", extractor="records"
        )
        return int(trace.relevant.sum())
    runs = [run_trial(world, task, policy, pages=PAGES, judge="labels") for world, task in courses]
    return sum(int(run.relevant.sum()) for run in runs)


def test_every_policy_has_a_floor():
    assert set(registry.names("ranker")) == {*FLOORS, *NEEDS_ENGINE}, (
        "a new policy needs a floor: measure it, see above"
    )


@pytest.mark.parametrize("policy", FLOORS)
def test_no_policy_falls_below_its_floor(courses, policy):
    found = _found(courses, policy)
    assert found >= FLOORS[policy], (
        f"{policy} found {found} pages, its floor is {FLOORS[policy]}: what broke it?"
    )


@pytest.mark.parametrize("policy", [*NEEDS_TABLE, *NEEDS_ENGINE])
def test_a_policy_that_lacks_what_it_needs_is_refused(courses, policy):
    with pytest.raises(ConfigError, match=r"there is none; name one|this trial has none; pass engines"):
        run_trial(*courses[0], policy, pages=5)


if __name__ == "__main__":
    opened = _courses()
    for each in registry.names("ranker"):
        print(f'    "{each}": {int(0.75 * _found(opened, each))},')
