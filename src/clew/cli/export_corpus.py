"""`clew export --corpus`: a corpus of texts for training language models."""

from contextlib import ExitStack
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from clew.cli import screen
from clew.cli.shard_feedback import check_not_sharded
from clew.cli.terminal import can_paint
from clew.errors import ConfigError
from clew.insight.corpus import CorpusOptions, describe_goal, export_corpus
from clew.insight.corpus.shards import FORMATS
from clew.insight.page_text import check_form


def export_as_corpus(folder: Path, target: Path, options: CorpusOptions) -> None:
    """Write a corpus and report what was left out."""
    check_not_sharded(folder, "--corpus")
    check_form(options.text)
    if options.format not in FORMATS:
        msg = f"--format {options.format}: a corpus is written as {' or '.join(FORMATS)}"
        raise ConfigError(msg)
    with ExitStack() as stack:
        bar: Progress | None = None
        if can_paint():
            bar = stack.enter_context(
                Progress(
                    TextColumn("{task.description}"),
                    BarColumn(),
                    MofNCompleteColumn(),
                    TimeRemainingColumn(),
                    console=Console(stderr=True),
                    transient=True,
                )
            )
            bar.add_task("pages", total=None)

        def show(done: int, total: int) -> None:
            if bar is not None:
                bar.update(bar.task_ids[0], completed=done, total=total)

        made = export_corpus(folder, target, options, goal=describe_goal(folder), on_progress=show)
    screen.echo(
        f"wrote {screen.many(made.texts, 'text')} with {made.tokens:,} tokens in"
        f" {screen.many(made.shards, 'shard')} to {target}"
    )
    for reason, count in made.dropped.most_common():
        screen.echo(f"  left out: {count:,} {reason}")
