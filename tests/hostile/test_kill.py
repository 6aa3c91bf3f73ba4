"""Twenty deaths at random moments, judged by the server's log and the export."""

import os

import pytest

from . import judge, kill, program
from .kill import KillRun

pytestmark = pytest.mark.timeout(240)

KILLS = 20
SEED = int(os.environ.get("CLEW_KILL_SEED", "20261115"))
"""Fixed, so that a failure can be repeated; vary it from outside to look further."""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> KillRun:
    made = kill.kill_loop(tmp_path_factory.mktemp("kill"), kills=KILLS, seed=SEED, pages=180)
    print(
        f"\n{len(made.kills)} kills, {len(made.evidence.asked)} requests, {len(made.expected)} pages, {made.took:.0f} s, lives {made.lives}"
    )
    return made


def test_every_death_happened_and_the_last_run_ended_well(run: KillRun) -> None:
    kill.ended_well(run, KILLS)


@pytest.mark.parametrize("check", kill.CHECKS, ids=lambda check: check.__name__)
def test_after_twenty_deaths(run: KillRun, check) -> None:
    check(run)


def test_the_rules_of_every_run_hold(run: KillRun) -> None:
    judge.robots_first(run.evidence)
    judge.only_reading(run.evidence)
    judge.one_agent(run.evidence, program.CONTACT)
