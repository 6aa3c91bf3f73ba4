"""`clew doctor`: check the computer and a crawl, and print a report."""

import json as jsons
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from clew import config as configuration
from clew import registry
from clew.cli import screen
from clew.cli.arguments import folders
from clew.config import Config
from clew.config.seeds import read_seeds
from clew.domain.text import printable
from clew.errors import ClewError, ConfigError
from clew.insight.preflight import Check, check_folder, check_machine, mask_passwords
from clew.urls import Canon


def doctor(
    folder: Annotated[
        Path | None, typer.Argument(metavar="DIR", help="A crawl to check too.", autocompletion=folders)
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Check this computer and a crawl for problems.

    Checks versions, limits, disk, clock and proxies; with DIR also clew.toml, the lock, the database, the
    archive and the last run. Each line is marked ✓ fine, ! warning or ✗ error, with what to do about it.
    It changes nothing and shows no passwords: paste the output into a bug report.

    Exit code 0 if there is no error, else 2 for the configuration, 5 for the store, 1 for the rest.

    Example: clew doctor wind
    """
    checks: list[Check] = []
    config = None
    if folder is not None:
        config, checks = check_configuration(folder)
        if folder.is_dir():
            checks += check_folder(folder)
    concurrency = {} if config is None else {"concurrency": config.fetch.concurrency}
    checks = [*check_machine(folder or Path(), **concurrency), *checks]
    bad = [check for check in checks if check.mark == "✗"]
    if json:
        rows = [asdict(check) | {"words": mask_passwords(check.words)} for check in checks]
        screen.echo(jsons.dumps({"well": not bad, "checks": rows}, ensure_ascii=False))
    else:
        _show(folder, checks)
    raise typer.Exit(bad[0].code if bad else 0)


def check_configuration(folder: Path) -> tuple[Config | None, list[Check]]:
    """Check clew.toml, the seeds and the names of components."""
    if not folder.is_dir():
        return None, [
            Check("✗", "folder", f"{folder} is not a folder", f"create a crawl: clew new {folder}", 2)
        ]
    try:
        config = configuration.load(folder / "clew.toml")
    except ConfigError as error:
        return None, [_wrong("config", line) for line in str(error).splitlines()]
    keys = sum(len(table) for table in config.model_dump(exclude_unset=True).values())
    checks = [
        Check("✓", "config", f"clew.toml is valid, {keys} keys set"),
        Check("✓", "contact", config.crawl.contact),
    ]
    try:
        seeds = read_seeds(folder, config.crawl.seeds, Canon(config.scope.drop_params))
        good = [name for name in config.goal.good if "://" in name]
        if seeds or good:
            checks.append(Check("✓", "seeds", f"{len(seeds) + len(good):,}"))
        else:
            checks.append(Check("✗", "seeds", "none", "name one under crawl.seeds in clew.toml", 2))
    except (ClewError, OSError) as error:
        checks.append(_wrong("seeds", str(error)))
    for kind, name in (("ranker", config.rank.policy), ("judge", config.goal.judge)):
        label = "policy" if kind == "ranker" else kind
        try:
            registry.find(kind, name)
            checks.append(Check("✓", label, name))
        except ClewError as error:
            checks.append(_wrong(label, str(error)))
    if config.fetch.proxy:
        checks.append(Check("✓", "proxy", f"fetch.proxy = {config.fetch.proxy}"))
    return config, checks


def _wrong(name: str, message: str) -> Check:
    words, _, cure = message.partition("; ")
    return Check("✗", name, words, cure, 2)


def _show(folder: Path | None, checks: list[Check]) -> None:
    screen.echo(f"clew doctor{f' {printable(str(folder))}' if folder else ''}")
    for check in checks:
        cure = f"; {check.cure}" if check.cure else ""
        screen.echo(f"{check.mark} {check.name:<9} {printable(mask_passwords(check.words + cure))}")
    bad, known = (sum(check.mark == mark for check in checks) for mark in "✗!")
    if bad:
        screen.echo(f"{bad} error{'s' * (bad != 1)} (✗)")
    else:
        warnings = f", {known} warning{'s' * (known != 1)} (!)" if known else ""
        screen.echo(f"no errors{warnings}")
