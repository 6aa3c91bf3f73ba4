"""Train and test the boosted trees that separate statistics from other files.

    python -m bench.data_classifier --packages FOLDER --world WORLD [--write]

FOLDER holds unpacked Python packages that ship tables (see SOURCES); WORLD is the archive stat-sites. Without
them only synthetic files are used. The model contains thresholds, no rows of either.
"""

import argparse
import csv
import io
import random
import sys
import time
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier

from bench import data_downloads, data_lookups, data_measured, data_tables
from clew.domain.datafiles.boosted_trees import FILE, BoostedTrees, Node, read_trees, write_trees
from clew.domain.datafiles.features import NAMES, features_of
from clew.domain.datafiles.kinds import kind_of
from clew.domain.datafiles.table import read_table
from clew.lab.world import open_world

SOURCES = {
    "statsmodels": (1, ("datasets/*/*.csv", "*/tests/**/*.csv", "tsa/**/*.csv"), ()),
    "arch": (1, ("data/**/*.csv.gz",), ()),
    "plotly": (1, ("package_data/datasets/*.csv.gz",), ()),
    "sklearn": (1, ("datasets/data/*.csv", "datasets/data/*.csv.gz"), ("digits",)),
    "vega_datasets": (1, ("_data/*.csv", "_data/*.json"), ("airports", "la-riots")),
    "matplotlib": (1, ("mpl-data/sample_data/*.csv",), ()),
    "pyogrio": (0, ("**/*.csv",), ()),
    "pypsa": (0, ("**/*.csv",), ()),
    "numpy": (0, ("_core/tests/datafiles/*.csv", "random/tests/datafiles/*.csv"), ()),
    "tzdata": (0, ("zoneinfo/*.tab",), ()),
    "music21": (0, ("**/*.tsv",), ()),
}
"""Tables inside packages: 1 for statistics; files whose name has one of the last words are left out."""

FAMILIES = (
    (1, data_tables.FAMILIES | data_measured.FAMILIES),
    (0, data_downloads.FAMILIES | data_lookups.FAMILIES),
)
"""Generators of synthetic files by label: 1 for statistics."""

EACH = 60
"""Synthetic files of each generator."""

HAND = {
    "country_code_lookup", "dose_freq_lookup", "queries", "queries_mh", "atoxgr_criteria_ctcv4",
    "atoxgr_criteria_ctcv4_uscv", "atoxgr_criteria_ctcv5", "atoxgr_criteria_ctcv5_uscv", "atoxgr_criteria_ctcv6",
    "atoxgr_criteria_ctcv6_uscv", "atoxgr_criteria_daids", "atoxgr_criteria_daids_uscv", "ACS_CodeBook",
    "Income_education_codebook", "Divisions", "network-triage.sample",
}  # fmt: skip
"""Files of the world that were labelled by hand as no statistics: look-up tables, code books, a log of checks."""


@dataclass(frozen=True, slots=True)
class File:
    """One file: where it comes from, what it is, and its features."""

    source: str
    name: str
    label: int
    row: np.ndarray


def read_features(source: str, name: str, label: int, body: bytes) -> File | None:
    sign = kind_of(f"http://x.org/{name}", first=body[:65_536])
    table = read_table(body[:65_536], sign.kind, cut=len(body) > 65_536) if sign.kind else None
    return File(source, name, label, features_of(table)) if table else None


def synthetic_files(seed: int, each: int = EACH) -> Iterator[File]:
    """Generate files of every family, with varying delimiters and quotes."""
    for label, families in FAMILIES:
        for name, family in families.items():
            rng = random.Random(f"{name}{seed}")
            for number in range(each):
                rows = family(rng)
                delimiter = ";" if name == "german" else rng.choice([",", ",", ";", "\t"])
                out = io.StringIO()
                csv.writer(out, delimiter=delimiter, quoting=rng.choice([0, 0, 0, 1])).writerows(rows)
                ending = "tsv" if delimiter == "\t" else "csv"
                if file := read_features(name, f"{number}.{ending}", label, out.getvalue().encode()):
                    yield file


def packaged_files(folder: Path) -> Iterator[File]:
    for source, (label, patterns, without) in SOURCES.items():
        paths = {path for pattern in patterns for path in (folder / source).glob(pattern)}
        for path in sorted(paths):
            unwanted = any(word in path.name for word in without)
            if not unwanted and (file := read_features(source, path.name, label, path.read_bytes())):
                yield file
    for path in sorted(folder.glob("*.dist-info/RECORD"))[:40]:
        if file := read_features("RECORD", f"{path.parent.name}.csv", 0, path.read_bytes()):
            yield file


def recorded_files(world: Path) -> Iterator[File]:
    """Yield the data files of real sites, labelled by hand: those in `HAND` are no statistics."""
    pages = open_world(world).pages
    for row in range(len(pages)):
        url, response = pages.url(row), pages.get(row)
        if kind_of(url).kind in ("csv", "tsv", "xlsx", "ods") and response.status == 200:
            name = url.rpartition("/")[2]
            body = response.body
            if file := read_features(
                url.split("/")[2], name, int(name.removesuffix(".csv") not in HAND), body
            ):
                yield file
            else:
                print("not read:", url, file=sys.stderr)


def fit_trees(files: list[File], seed: int = 0, count: int = 80) -> HistGradientBoostingClassifier:
    """Grow trees; every source has the same weight whatever its size, and so have both classes."""
    sizes: dict[str, int] = {}
    for file in files:
        sizes[file.source] = sizes.get(file.source, 0) + 1
    weights = np.array([1 / sizes[file.source] ** 0.5 for file in files])
    labels = np.array([file.label for file in files])
    for label in (0, 1):
        weights[labels == label] /= weights[labels == label].sum()
    forest = HistGradientBoostingClassifier(
        max_iter=count, learning_rate=0.12, max_leaf_nodes=8, min_samples_leaf=15, l2_regularization=3.0,
        max_features=0.4, random_state=seed, early_stopping=False,
    )  # fmt: skip
    return forest.fit(np.array([file.row for file in files]), labels, sample_weight=weights * len(files) / 2)


def as_trees(forest: HistGradientBoostingClassifier) -> BoostedTrees:
    """Convert the trees of scikit-learn."""
    trees = []
    for (tree,) in forest._predictors:  # noqa: SLF001 - scikit-learn has no public access to them
        nodes = [
            Node(adds=float(node["value"])) if node["is_leaf"]
            else Node(int(node["feature_idx"]), float(node["num_threshold"]), int(node["left"]), int(node["right"]))
            for node in tree.nodes
        ]  # fmt: skip
        trees.append(tuple(nodes))
    return BoostedTrees(NAMES, tuple(trees), float(forest._baseline_prediction.ravel()[0]))  # noqa: SLF001


def folds(files: list[File], number: int = 5) -> Iterator[tuple[list[File], list[File]]]:
    """Split by source: a family is in the test or in the training, never in both."""
    for fold in range(number):

        def in_fold(file: File, fold: int = fold) -> bool:
            return zlib.crc32(file.source.encode()) % number == fold

        yield [file for file in files if not in_fold(file)], [file for file in files if in_fold(file)]


def accuracy_text(files: list[File], chances: list[float]) -> str:
    right = [(chance >= 0.5) == file.label for file, chance in zip(files, chances, strict=True)]
    good = [ok for ok, file in zip(right, files, strict=True) if file.label]
    bad = [ok for ok, file in zip(right, files, strict=True) if not file.label]
    parts = [f"{sum(group)} of {len(group)}" if group else "none" for group in (good, bad)]
    return f"{100 * np.mean(right):.1f} % right; statistics {parts[0]}, others {parts[1]}"


def check_unseen_sources(files: list[File]) -> None:
    """Test each source by trees that never saw it."""
    by: dict[str, list[tuple[File, float]]] = {}
    for learn, test in folds(files):
        if not test or len({file.label for file in learn}) < 2:
            continue
        trees = as_trees(fit_trees(learn))
        for file in test:
            by.setdefault(file.source, []).append((file, trees.chance(file.row.tolist())))
    every = [pair for pairs in by.values() for pair in pairs]
    real = [pair for pair in every if pair[0].source in SOURCES or pair[0].source == "RECORD"]
    for name, pairs in (("all sources, each unseen in training", every), ("those from packages", real)):
        if pairs:
            print(
                f"| {name} | {accuracy_text([file for file, _ in pairs], [chance for _, chance in pairs])} |"
            )
    shares = [np.mean([(chance >= 0.5) == file.label for file, chance in pairs]) for pairs in by.values()]
    print(
        f"| mean over the {len(by)} sources | {100 * np.mean(shares):.1f} % right, worst {100 * min(shares):.0f} % |"
    )
    for source, pairs in sorted(
        by.items(), key=lambda item: np.mean([(c >= 0.5) == f.label for f, c in item[1]])
    )[:8]:
        wrong = [f"{file.name} {chance:.2f}" for file, chance in pairs if (chance >= 0.5) != file.label]
        if wrong:
            print(f"|   {source} | {len(wrong)} of {len(pairs)} wrong: {', '.join(wrong[:4])} |")


def check_mixed(files: list[File], number: int = 5) -> None:
    """Test a fifth of all files by trees grown on the rest: every family was seen, as in most published tests."""
    order = list(range(len(files)))
    random.Random(1).shuffle(order)
    chances: dict[int, float] = {}
    for fold in range(number):
        trees = as_trees(fit_trees([files[at] for at in order if at % number != fold]))
        chances |= {at: trees.chance(files[at].row.tolist()) for at in order if at % number == fold}
    print(
        f"| files of families seen in training (easy) | {accuracy_text(files, [chances[at] for at in range(len(files))])} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--packages", type=Path)
    parser.add_argument("--world", type=Path)
    parser.add_argument("--each", type=int, default=EACH)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    started = time.process_time()
    files = [
        *synthetic_files(1, options.each),
        *(packaged_files(options.packages) if options.packages else ()),
    ]
    print(
        f"{len(files)} files of {len({file.source for file in files})} sources, {sum(file.label for file in files)} of them statistics; features: {1000 * (time.process_time() - started) / len(files):.1f} ms a file"
    )
    print("| tested | result |\n|---|---|")
    check_mixed(files)
    check_unseen_sources(files)
    forest = fit_trees(files)
    trees = as_trees(forest)
    rows = np.array([file.row for file in files])
    difference = np.abs(forest.predict_proba(rows)[:, 1] - [trees.chance(row) for row in rows.tolist()]).max()
    print(f"| our implementation against scikit-learn, largest difference | {difference:.1e} |")
    if options.world:
        real = list(recorded_files(options.world))
        chances = [trees.chance(file.row.tolist()) for file in real]
        print(f"| files of real sites, never trained on | {accuracy_text(real, chances)} |")
        for file, chance in zip(real, chances, strict=True):
            if (chance >= 0.5) != file.label:
                print(f"|   {file.source} {file.name} | {chance:.2f}, labelled {file.label} |")
    if options.write:
        write_trees(
            FILE,
            trees,
            {
                "made_by": "python -m bench.data_classifier",
                "files": str(len(files)),
                "sources": str(len({file.source for file in files})),
            },
        )
        again = read_trees(FILE)
        assert again == trees, "what was written reads back the same"
        print(f"wrote {FILE.name}: {FILE.stat().st_size:,} bytes, {len(trees.trees)} trees")


if __name__ == "__main__":
    main()
