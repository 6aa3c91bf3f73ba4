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
from clew.lab.measures import MEASURES, Columns, Reference, curve_of, figures
from clew.lab.race_runs import RaceRun
from clew.lab.race_summary import RaceSummary, TaskStats
from clew.lab.standings import CEILING, PolicyStanding, RaceCase, RunResult
from clew.lab.trace import Trace

_KEYS = ("world", "task", "cap", "policy", "seed")


def result_of(entry: RaceRun, trace: Trace, stats: TaskStats) -> RunResult:
    """Measure one run."""
    gains = trace.relevant & ~trace.examples
    start = np.array([urls.fingerprint(url) for url in trace.facts.get("begun_with", ())], np.uint64)
    perfect = entry.settings.get("judge") == "labels"
    # A replay may find what no link leads to, by a sitemap: then that was reachable as well.
    reachable = max(stats.reachable[entry.seed], int(gains.sum()))
    run = Columns(
        gains=gains,
        hosts=trace.hosts.astype(np.int64),
        bytes=trace.bytes.astype(np.int64),
        scores=trace.scores.astype(np.float64),
        taken=~np.isin(trace.hashes, start),
        cpu=float(trace.seconds[-1]) if len(trace) else 0.0,
        labels=int(np.isfinite(trace.verdicts).sum()) if perfect else stats.examples,
        failed=int(trace.facts.get("failed", 0)),
        wrong=float(trace.facts.get("wrong_sites", math.nan)),
    )
    reference = Reference(reachable=reachable, relevant=max(stats.relevant, reachable), upto=stats.upto)
    measured = figures(run, reference)
    if entry.policy == CEILING:
        measured |= dict.fromkeys(("auc", "cpu", "failed", "labels", "megabytes"), math.nan)
    return RunResult(
        case=entry.case,
        policy=entry.policy,
        seed=entry.seed,
        figures=measured,
        curve=curve_of(gains),
        reachable=reachable,
        upto=stats.upto,
        start=stats.starts[entry.seed],
    )


def rows_of(cases: dict[RaceCase, list[PolicyStanding]]) -> Iterable[dict[str, Any]]:
    """Yield one row for each run: what it was, and every measure."""
    for case, ranked in cases.items():
        for standing in ranked:
            for run in standing.results:
                keys = (case.world, case.task, case.cap, standing.policy, run.seed)
                measured = {each.key: run.figures.get(each.key, math.nan) for each in MEASURES}
                yield dict(zip(_KEYS, keys, strict=True)) | measured


def curves_of(cases: dict[RaceCase, list[PolicyStanding]]) -> Iterable[dict[str, Any]]:
    """Yield the points of every mean curve, with their interval."""
    for case, ranked in cases.items():
        for standing in ranked:
            band = standing.band
            for x, mean, low, high in zip(band.x, band.mean, band.low, band.high, strict=True):
                yield {
                    "world": case.world, "task": case.task, "cap": case.cap, "policy": standing.policy,
                    "fetches": int(x), "recall": round(float(mean), 5),
                    "low": round(float(low), 5), "high": round(float(high), 5),
                }  # fmt: skip


def csv_text(rows: Iterable[dict[str, Any]]) -> str:
    """Write rows as CSV; unknown values are empty, those never reached `inf`."""
    every = list(rows)
    out = io.StringIO()
    if every:
        writer = csv.DictWriter(out, list(every[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows({key: _cell(value) for key, value in row.items()} for row in every)
    return out.getvalue()


def _cell(value: object) -> object:
    if not isinstance(value, float):
        return value
    return "" if math.isnan(value) else f"{value:.6g}"


def write_parquet(rows: Iterable[dict[str, Any]], path: Path) -> bool:
    """Write rows as Parquet where pyarrow is installed; return whether it was."""
    try:
        arrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    except ImportError:
        return False
    parquet.write_table(arrow.Table.from_pylist(list(rows)), path)
    return True


def json_text(summary: RaceSummary) -> str:
    """Write the whole race as one JSON object, for programs."""
    cases = [
        {
            "world": case.world,
            "task": case.task,
            "cap": case.cap,
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
        for case, ranked in summary.cases.items()
    ]
    content = {
        "settings": summary.settings.as_dict(),
        "made_by": summary.made_by,
        "missing": summary.missing,
        "notes": summary.notes,
        "heats": cases,
    }
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"


def _plain(value: float) -> float | str | None:
    """Return a number as JSON has it: unknown is null, never reached is the word "inf"."""
    return None if math.isnan(value) else "never" if math.isinf(value) else value
