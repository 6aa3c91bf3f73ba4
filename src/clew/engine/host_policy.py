"""A policy that decides between hosts: put beside the one that orders links, told what the store knows."""

from collections.abc import Callable, Iterable
from typing import Any

from clew.contracts import HostPolicy, Ranker
from clew.engine.scoring import Scoring
from clew.store_contracts import HostStats, StoreReader


def split(ranker: Ranker) -> tuple[Ranker, HostPolicy | None]:
    """Return the policy that orders links, and the one that decides between hosts, if there is one."""
    return (ranker.inner, ranker) if isinstance(ranker, HostPolicy) else (ranker, None)


def recall(guide: Any, stats: Iterable[HostStats]) -> None:  # noqa: ANN401 - verbs that a policy may have or not
    """Let a policy that decides between hosts know all that was read of them in earlier runs."""
    if hasattr(guide, "restore_hosts"):
        guide.restore_hosts(stats)


def resume(appraisal: Scoring, reader: StoreReader) -> None:
    """Go on where an earlier run has stopped: hosts compete, or are left alone, as they did."""
    if appraisal.guide:
        recall(appraisal.guide, reader.host_stats())
        appraisal.apply_host_priorities()


def introduce(appraisal: Scoring, say: Callable[..., None]) -> None:
    """Let a policy that decides between hosts tell where it stands, now and whenever that changes."""
    for text, facts in standing(appraisal):
        say(text, **facts)


def standing(appraisal: Scoring) -> list[tuple[str, dict[str, Any]]]:
    """Return in words and in numbers where a policy that decides between hosts stands, if there is one."""
    guide: Any = appraisal.guide
    return [(guide.status().text, guide.status().facts)] if hasattr(guide, "status") else []
