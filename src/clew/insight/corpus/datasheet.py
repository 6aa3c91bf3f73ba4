"""The README.md of a corpus: where it comes from, what was left out and why, and how to open it."""

from collections import Counter
from pathlib import Path

from clew import config as configuration
from clew.domain.installation import __version__
from clew.insight.corpus.options import CorpusOptions, DropReason
from clew.insight.corpus.progress_file import ProgressFile
from clew.insight.corpus.quality import TOKENS_ARE
from clew.insight.corpus.shards import FORMATS

_LISTED = 30
_EXAMPLE = """```python
from datasets import load_dataset

corpus = load_dataset("{loader}", data_files="{files}", split="train")
```"""
_LOADERS = {"jsonl": "json", "parquet": "parquet"}


def describe_goal(folder: Path) -> dict[str, str]:
    """Return what a reader of the corpus wants to know about the crawl: its topic, judge and seeds."""
    config = configuration.load_folder(folder)
    return {
        "topic": config.goal.about,
        "judge": config.goal.judge,
        "seeds": ", ".join(config.crawl.seeds),
    }


def datasheet(progress: ProgressFile, options: CorpusOptions, goal: dict[str, str]) -> str:
    """Return the datasheet as Markdown, with the front matter that `datasets` reads."""
    totals, dropped = progress.counts.get("totals", Counter()), progress.counts.get("dropped", Counter())
    files = f"data/*{FORMATS[options.format]}"
    front = f"---\nconfigs:\n- config_name: default\n  data_files:\n  - split: train\n    path: {files}\n---"
    dates = progress.counts.get("dates", Counter())
    facts = {
        **goal,
        "first page fetched": min(dates, default=""),
        "last page fetched": max(dates, default=""),
        "texts": f"{totals['texts']:,}",
        "tokens": f"{totals['tokens']:,} ({TOKENS_ARE})",
        "characters": f"{totals['characters']:,}",
        "shards": f"{len(progress.shards):,} ({files})",
        "made by": f"clew {__version__}",
    }
    parts = [
        front,
        "# Corpus",
        _table(("", ""), [(name, value) for name, value in facts.items() if value]),
        "## What was left out",
        "Every page is counted under the first reason that holds.",
        _table(("reason", "pages"), [(name, f"{dropped[name]:,}") for name in DropReason.ALL]),
        f"Lines that many pages of a host share were removed: {totals['lines removed']:,}.",
        "## Filters",
        _table(("filter", "value"), _filters(options)),
        *_tops(progress, "languages", "Languages"),
        *_tops(progress, "hosts", "Hosts"),
        *_tops(progress, "licences", "Licences that pages state"),
        "## Open it",
        _EXAMPLE.format(loader=_LOADERS[options.format], files=files),
        "The texts belong to their authors. That a page states no licence does not mean that it is free.",
    ]
    return "\n\n".join(parts) + "\n"


def _filters(options: CorpusOptions) -> list[tuple[str, str]]:
    return [
        ("form of the texts", options.text),
        ("languages", ", ".join(options.languages) or "all"),
        ("relevant pages only", "yes" if options.only_relevant else "no"),
        ("verdict at least", f"{options.min_verdict:g}"),
        ("words at least", f"{options.min_words:,}"),
        ("reservations honoured", "yes" if options.honour_reservations else "no"),
        ("near-duplicate from", f"{options.similar:.0%} of common letter runs"),
    ]


def _tops(progress: ProgressFile, name: str, title: str) -> list[str]:
    counts = progress.counts.get(name, Counter())
    if not counts:
        return []
    rows = [(key, f"{count:,}") for key, count in counts.most_common(_LISTED)]
    if (others := len(counts) - _LISTED) > 0:
        rest = counts.total() - sum(count for _, count in counts.most_common(_LISTED))
        rows.append((f"{others:,} others", f"{rest:,}"))
    return [f"## {title}", _table((name, "texts"), rows)]


def _table(header: tuple[str, str], rows: list[tuple[str, str]]) -> str:
    lines = [f"| {header[0]} | {header[1]} |", "|---|---|"]
    for row in rows:
        one, other = (cell.replace("|", "\\|").replace("\n", " ") for cell in row)
        lines.append(f"| {one} | {other} |")
    return "\n".join(lines)
