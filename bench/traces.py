"""Write what policies fetch on recorded webs as text, byte for byte: a refactoring must not change it.

    python -m bench.traces FOLDER --out DIR [--pages 400]

FOLDER holds worlds. Each line of a trace is one page in the order of fetching: the hash of its URL, the score its link
was taken with, and the verdict on it, exactly (as hexadecimal floats). Compare two versions with `diff -r`.
"""

import argparse
from pathlib import Path

from clew.lab import open_world, run_trial

RUNS = (
    ("webkb", 0, ("clew", "ariadne", "ache", "layout", "tagpath", "shark", "qlearn"), {"judge": "auto"}),
    ("lohelp-de", 0, ("clew", "ariadne", "ache", "layout", "keyword"), {"judge": "auto"}),
    ("cppja", 0, ("clew", "ariadne", "ache", "layout", "best-first"), {"judge": "auto"}),
    ("geo-ja", 0, ("clew", "yokoji"), {"judge": "place:jp"}),
    ("stat-sites", 0, ("clew", "files-first"), {"judge": "data"}),
    (
        "rec-ith",
        0,
        ("clew", "objectrank", "records-text"),
        {"judge": "records", "extractor": "records", "answers": 10},
    ),
)
"""World, number of the task, policies, and the settings of the trial."""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--pages", type=int, default=400)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    for name, number, policies, settings in RUNS:
        world = open_world(options.folder / name)
        for policy in policies:
            trace = run_trial(
                world, world.tasks[number], policy, pages=options.pages, concurrency=4, **settings
            )
            rows = zip(
                trace.hashes.tolist(),
                trace.scores.tolist(),
                trace.verdicts.tolist(),
                trace.gained.tolist(),
                strict=True,
            )
            lines = [
                f"{hash:016x} {float.hex(score)} {float.hex(verdict)} {gained}"
                for hash, score, verdict, gained in rows
            ]
            (options.out / f"{name}-{policy}.txt").write_text("\n".join(lines) + "\n", "utf-8")
            print(f"{name} {policy}: {len(lines)} pages, {int(trace.relevant.sum())} relevant", flush=True)


if __name__ == "__main__":
    main()
