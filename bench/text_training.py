"""Train the model that tells main text from the rest, and measure it on domains that it has not seen.

    python -m bench.text_training WCXB ZYTE [--write]      # needs catboost

WCXB and ZYTE are folders of annotated pages (see bench/text_pages.py). Pages are divided into five folds by domain;
every page is measured with a model that has seen no page of its domain, which is published. `--write` then trains on all
pages and writes src/clew/parse/maintext/model.json. The parameters were set once, before anything was measured on other sets.
"""

import argparse
import json
import tempfile
import zlib
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from catboost import CatBoost, Pool

from bench.figures import publish
from bench.text_extractors import HEADER, SEGMENT_HEADER, row, segment_row
from bench.text_pages import AnnotatedPage, label_blocks, measure, read_pages
from clew.parse.extractor import VERSION
from clew.parse.maintext import facts_of, parsed
from clew.parse.maintext.blocks import Blocks, readable_blocks
from clew.parse.maintext.features import COLUMNS, features
from clew.parse.maintext.model import best_selection, keep_once
from clew.parse.maintext.rendering import plain_text
from docs.figures import Table

MODEL = Path(__file__).parents[1] / "src/clew/parse/maintext/model.json"
FOLDS = 5
SHAPE = {"iterations": 180, "depth": 5, "learning_rate": 0.1}
_NOTHING = (np.empty((len(COLUMNS), 0)), np.empty(0), np.empty(0), np.empty(0))
RARE = 0.02  # of a page: lighter blocks are sampled, and weigh this much


@dataclass
class TrainingPage:
    """A page as the model sees it: features, the share of each block that is main text, and its weight."""

    page: AnnotatedPage
    blocks: Blocks
    matrix: np.ndarray
    size: np.ndarray
    shares: np.ndarray
    weights: np.ndarray
    fold: int


def prepared(pages: Iterator[AnnotatedPage]) -> list[TrainingPage]:
    """Read the blocks and features of every page that has text."""
    made = []
    for page in pages:
        document = parsed(page.html)
        title = document.css_first("title")
        metas = (node.attributes for node in document.css("meta"))
        facts = facts_of(metas, title=title.text() if title else "", url=page.url)
        blocks = readable_blocks(document.body)
        if not blocks.texts:
            print(f"{page.name} has no text: not trained on, and measured as a failure")
            made.append(TrainingPage(page, blocks, *_NOTHING, -1))
            continue
        shares, counts = label_blocks(blocks.texts, page.truth)
        matrix, size = features(blocks, facts)
        weights = np.minimum(np.array(counts) / max(len(page.truth.split()), 40), 1.0)
        fold = zlib.crc32(page.domain.encode()) % FOLDS
        made.append(TrainingPage(page, blocks, matrix, size, np.clip(shares, 0, 1), weights, fold))
    return made


def trained(pages: list[TrainingPage]) -> CatBoost:
    """Train an ensemble on some pages; every page weighs about as much as any other."""

    pages = [page for page in pages if len(page.size)]
    matrix = np.concatenate([page.matrix for page in pages], 1).T
    shares = np.concatenate([page.shares for page in pages])
    weights = np.concatenate([page.weights for page in pages]) + 0.0005
    sampled = np.random.default_rng(7).random(len(weights)) < weights / RARE
    model = CatBoost({
        "loss_function": "CrossEntropy", "l2_leaf_reg": 5, "border_count": 32, "rsm": 0.5, "subsample": 0.7,
        "bootstrap_type": "Bernoulli", "leaf_estimation_iterations": 1, "random_seed": 1, "thread_count": 2,
        "verbose": 0, "allow_writing_files": False, **SHAPE,
    })  # fmt: skip
    model.fit(Pool(matrix[sampled], shares[sampled], weight=np.maximum(weights[sampled], RARE)))
    return model


def probabilities(model: CatBoost, rows: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-model.predict(rows.T, thread_count=2)))


def out_of_fold(pages: list[TrainingPage]) -> list[np.ndarray]:
    """Return the probabilities of every page by a model that has seen no page of its domain."""
    found = [np.empty(0)] * len(pages)
    for fold in range(FOLDS):
        model = trained([page for page in pages if page.fold != fold])
        for at, page in enumerate(pages):
            if page.fold == fold:
                found[at] = probabilities(model, page.matrix)
        print(f"fold {fold} of {FOLDS} done", flush=True)
    return found


def selected_text(page: TrainingPage, found: np.ndarray) -> str:
    chosen = np.flatnonzero(best_selection(found, page.size)).tolist() if len(found) else []
    return plain_text(page.blocks, keep_once(page.blocks.texts, chosen))


def report(pages: list[TrainingPage], found: list[np.ndarray], name: str) -> tuple[tuple[str, ...], ...]:
    """Return a row of the table of extractors, F1 by type of page, and one of the table of segments."""
    texts = [(page.page, selected_text(page, each)) for page, each in zip(pages, found, strict=True)]
    scores = defaultdict(list)
    for page, text in texts:
        scores[page.kind].append(measure(page, text))
    made = row(name, scores, "")[:-1], segment_row(name, texts)
    print(*(" ".join(each) for each in made), sep="\n", flush=True)
    return made


def stored(model: CatBoost) -> dict:
    """Return an ensemble as plain values: for each tree its questions and its leaves, in hundredths."""

    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        model.save_model(file.name, format="json")
        saved = json.loads(Path(file.name).read_text())
    by_index = [COLUMNS[feature["feature_index"]] for feature in saved["features_info"]["float_features"]]
    scale, bias = saved["scale_and_bias"]
    trees = [
        [
            [
                [by_index[split["float_feature_index"]], float(f"{split['border']:.5g}")]
                for split in tree["splits"]
            ],
            [round(value * scale * 100) for value in tree["leaf_values"]],
        ]
        for tree in saved["oblivious_trees"]
    ]
    return {"bias": round(float(bias[0]), 4), "trees": trees}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("wcxb", type=Path)
    parser.add_argument("zyte", type=Path)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    pages = prepared(read_pages(options.wcxb, options.zyte))
    scores, segments = report(pages, out_of_fold(pages), "clew")
    if options.write:
        facts = {
            "what": "symmetric trees: the questions of each (feature, threshold: is it more?) and its leaves, in hundredths",
            "version": VERSION,
            "trained on": "WCXB development split (M. Foley 2026, CC BY 4.0) and Zyte's article benchmark (MIT)",
        }
        text = json.dumps({**facts, **stored(trained(pages))}, separators=(",", ":"))
        MODEL.write_text(text.replace("[[[", "\n[[[") + "\n")
        print(f"{MODEL}: {MODEL.stat().st_size:,} bytes")
    tables = {
        "text-training": Table(HEADER[:-1], (scores,)),
        "text-training-segments": Table(SEGMENT_HEADER, (segments,)),
    }
    command = f"python -m bench.text_training WCXB ZYTE{' --write' if options.write else ''}"
    publish(tables, command, pages=len(pages), folds=FOLDS, bytes=MODEL.stat().st_size)


if __name__ == "__main__":
    main()
