"""The values of `clew new --set table.key=value`, checked before any question is asked."""

import tempfile
from pathlib import Path
from typing import Any

from clew import config as configuration
from clew import registry
from clew.config import template
from clew.engine.parts import make_ranker
from clew.errors import ConfigError
from clew.frontier import Scope


def parse_settings(given: list[str]) -> dict[str, Any]:
    """Return the checked values of `--set table.key=value`, before any question is asked."""
    with tempfile.TemporaryDirectory(prefix="clew-new-") as folder:
        path = template.write_new(Path(folder), contact="mailto:nobody@clew-crawler.org", seeds=[])
        try:
            config = configuration.load(path, given)
        except ConfigError as error:
            raise ConfigError(str(error).replace(str(path), "--set")) from None
    for kind, name in (("ranker", config.rank.policy), ("judge", config.goal.judge)):
        if ":" not in name:
            registry.find(kind, name)
    if config.rank.options:
        make_ranker(config)
    Scope(hosts=config.scope.hosts)
    names = [setting.partition("=")[0].strip() for setting in given]
    keys = dict.fromkeys("rank.options" if name.startswith("rank.options.") else name for name in names)
    return {key: getattr(getattr(config, key.split(".")[0]), key.split(".")[1]) for key in keys}
