"""The papers' experiments; write the data of docs/papers.md from the folders that their commands have written.

    clew lab race WORLD --policies reseed,keyword --search 0.3 --judge bayes --labelled 50,500 --out race
    clew lab layout WORLDS/geo-ja --task geo-any-address --out layout
    clew lab sites --out sites
    clew lab sites WORLDS/stat-sites --out recorded
    python -m bench.papers --race race --layout layout --sites sites --recorded recorded

Folders that are not given are left as they were measured before.
"""

import argparse
import csv
from collections import defaultdict
from pathlib import Path
from statistics import mean

from bench.figures import publish
from docs.figures import Table

FOLDERS = {
    "layout": {"trees": "papers-layout-trees", "correlations": "papers-layout-positions",
               "efficiency": "papers-layout"},
    "sites": {"simulation": "papers-simulation", "classifiers": "papers-sites-classifiers",
              "sites": "papers-sites"},
    "recorded": {"classifiers": "papers-recorded-classifiers", "sites": "papers-recorded"},
}  # fmt: skip
"""The data file of each table of an experiment."""

COMMANDS = {
    "layout": "clew lab layout WORLDS/geo-ja --task geo-any-address",
    "sites": "clew lab sites",
    "recorded": "clew lab sites WORLDS/stat-sites",
}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name in ("race", *FOLDERS):
        parser.add_argument(f"--{name}", type=Path)
    options = parser.parse_args()
    if options.race:
        command = "clew lab race WORLD --policies reseed,keyword --search 0.3 --judge bayes --labelled 50,500"
        publish({"papers-search": figure_5(options.race)}, command)
    for name, tables in FOLDERS.items():
        folder = vars(options)[name]
        if folder:
            publish(
                {data: read_table(folder / f"{table}.csv") for table, data in tables.items()}, COMMANDS[name]
            )


def read_table(path):
    """Return a table of an experiment."""
    columns, *rows = csv.reader(path.read_text("utf-8").splitlines())
    return Table(tuple(columns), tuple(map(tuple, rows)))


def figure_5(race):
    """Return the mean number of correct pages of each policy, task by task."""
    found = defaultdict(list)
    with (race / "results.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            found[row["world"], row["task"], row["policy"]].append(float(row["found"]))
    rows = [(*key, f"{mean(values):.0f}") for key, values in found.items()]
    return Table(("world", "task", "policy", "correct pages"), tuple(rows))


if __name__ == "__main__":
    main()
