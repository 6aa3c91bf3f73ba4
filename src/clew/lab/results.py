"""From traces to results: every measure of every run, and the files that hold the raw numbers."""

import csv
import io
import json
import math
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from clew import urls
from clew.lab.measures import MEASURES, Columns, Ground, curve_of, figures
from clew.lab.race_runs import RaceRun
from clew.lab.race_summary import Course, RaceSummary
from clew.lab.standings import CEILING, Heat, PolicyStanding, RunResult
from clew.lab.trace import Trace

_KEYS = ("world", "task", "cap", "policy", "seed")


def result_of(entry: RaceRun, trace: Trace, course: Course) -> RunResult:
    """Measure one run."""
    gains = trace.relevant & ~trace.examples
    start = np.array([urls.fingerprint(url) for url in trace.facts.get("begun_with", ())], np.uint64)
    told = entry.terms.get("judge") == "labels"
    # A replay may find what no link leads to, by a sitemap: then that was within reach as well.
    reachable = max(course.reachable[entry.seed], int(gains.sum()))
    run = Columns(
        gains=gains,
        hosts=trace.hosts.astype(np.int64),
        bytes=trace.bytes.astype(np.int64),
        scores=trace.scores.astype(np.float64),
        taken=~np.isin(trace.hashes, start),
        cpu=float(trace.seconds[-1]) if len(trace) else 0.0,
        labels=int(np.isfinite(trace.verdicts).sum()) if told else course.examples,
    )
    ground = Ground(reachable=reachable, relevant=max(course.relevant, reachable), upto=course.upto)
    made = figures(run, ground)
    if entry.policy == CEILING:
        made |= dict.fromkeys(("auc", "cpu", "labels", "megabytes"), math.nan)
    return RunResult(
        heat=entry.heat,
        policy=entry.policy,
        seed=entry.seed,
        figures=made,
        curve=curve_of(gains),
        reachable=reachable,
        upto=course.upto,
        start=course.starts[entry.seed],
    )


def rows_of(heats: dict[Heat, list[PolicyStanding]]) -> Iterable[dict[str, Any]]:
    """Yield one row for each run: what it was, and every measure."""
    for heat, ranked in heats.items():
        for standing in ranked:
            for run in standing.results:
                keys = (heat.world, heat.task, heat.cap, standing.policy, run.seed)
                measured = {each.key: run.figures.get(each.key, math.nan) for each in MEASURES}
                yield dict(zip(_KEYS, keys, strict=True)) | measured


def curves_of(heats: dict[Heat, list[PolicyStanding]]) -> Iterable[dict[str, Any]]:
    """Yield the points of every mean curve, with their interval."""
    for heat, ranked in heats.items():
        for standing in ranked:
            band = standing.band
            for x, mean, low, high in zip(band.x, band.mean, band.low, band.high, strict=True):
                yield {
                    "world": heat.world, "task": heat.task, "cap": heat.cap, "policy": standing.policy,
                    "fetches": int(x), "recall": round(float(mean), 5),
                    "low": round(float(low), 5), "high": round(float(high), 5),
                }  # fmt: skip


def csv_text(rows: Iterable[dict[str, Any]]) -> str:
    """Write rows as CSV; unknown values are empty, those never reached `inf`."""
    every = list(rows)
    out = io.StringIO()
    if every:
        sheet = csv.DictWriter(out, list(every[0]), lineterminator="\n")
        sheet.writeheader()
        sheet.writerows({key: _cell(value) for key, value in row.items()} for row in every)
    return out.getvalue()


def _cell(value: object) -> object:
    if not isinstance(value, float):
        return value
    return "" if math.isnan(value) else f"{value:.6g}"


def write_parquet(rows: Iterable[dict[str, Any]], path: Path) -> bool:
    """Write rows as Parquet where pyarrow is installed; say whether it was."""
    try:
        arrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    except ImportError:
        return False
    parquet.write_table(arrow.Table.from_pylist(list(rows)), path)
    return True


def json_text(account: RaceSummary) -> str:
    """Write everything a program would want to know as one JSON object."""
    heats = [
        {
            "world": heat.world,
            "task": heat.task,
            "cap": heat.cap,
            "policies": [
                {
                    "policy": standing.policy,
                    "measures": {
                        key: {"mean": _plain(each.mean), "half": _plain(each.half), "runs": each.runs}
                        for key, each in standing.measures.items()
                    },
                }
                for standing in ranked
            ],
        }
        for heat, ranked in account.heats.items()
    ]
    content = {
        "settings": account.settings.as_dict(),
        "made_by": account.made_by,
        "missing": account.missing,
        "notes": account.notes,
        "heats": heats,
    }
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"


def _plain(value: float) -> float | str | None:
    """Return a number as JSON knows it: unknown is null, never reached is the word for it."""
    return None if math.isnan(value) else "never" if math.isinf(value) else value
