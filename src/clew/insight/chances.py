"""Chances: the verdicts of a crawl as probabilities, shifted to the labels that its pages got."""

from dataclasses import replace
from pathlib import Path

from clew.config import read_stored
from clew.domain.calibration import ChanceCurve
from clew.domain.labelled_verdicts import VERDICTS, LabelledVerdicts
from clew.errors import ClewError
from clew.judge.words import goal_terms
from clew.store.link_history import read_last_run
from clew.store.queries import read_facts

CALIBRATED = "auto"
"""The judge whose verdicts were measured; those of others are shown as they are."""


def read_curve(folder: Path) -> ChanceCurve | None:
    """Return the curve for the crawl in a folder; None if its judge has none, or before the first run."""
    run = read_last_run(folder)
    if run is None or run.judge != CALIBRATED:
        return None
    try:
        goal = read_stored(run.settings).goal
    except ClewError:
        return None
    labelled = list(LabelledVerdicts.of(read_facts(folder, [VERDICTS])).pairs.values())
    words = bool(goal_terms(goal.about))
    examples = bool(goal.good) or any(good for _, good in labelled)
    if not (words or examples):
        return None  # every page is relevant
    kind = "both" if words and examples else "words" if words else "examples"
    return replace(ChanceCurve(), goal=kind).shifted(labelled)
