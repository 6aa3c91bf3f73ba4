"""What a crawl of many shards cannot do, each with the reason in one sentence."""

from clew.config import Config
from clew.engine.parts import make_ranker
from clew.errors import ConfigError
from clew.registry import capabilities

_POLICIES = {
    "sites": "it compares all sites with each other",
    "thompson-hosts": "it compares all hosts with each other",
    "pagerank": "it ranks by the links between all pages",
    "reseed": "it searches by what all pages together have taught",
    "objectrank": "it ranks by the records of all pages",
    "records-text": "it ranks by the records of all pages",
    "records-jaccard": "it ranks by the records of all pages",
}


def check_shards(config: Config) -> None:
    """Refuse what needs the whole crawl in one engine."""
    if reason := _reason(config):
        msg = f"{reason}, and a shard sees only its own part: run it with crawl.shards = 1"
        raise ConfigError(msg)


def _reason(config: Config) -> str:
    policy, goal = config.rank.policy, config.goal
    reasons = {
        f"policy {policy} does not work in shards: {_POLICIES.get(policy)}": policy in _POLICIES,
        "goal.records does not work in shards: the table grows from the rows of all pages": goal.records,
        "seek.search does not work in shards: every shard would send the same queries": config.seek.search,
        "teach.url does not work in shards: every shard would ask the teacher, and pay": config.teach.url,
        "crawl.least does not work in shards: it looks at the last pages of the whole crawl": (
            config.crawl.least
        ),
        "example pages by URL do not work in shards (save them as files): one shard would read them": any(
            "://" in name for name in (*goal.good, *goal.bad)
        ),
    }
    if found := next((reason for reason, holds in reasons.items() if holds), ""):
        return found
    ranker, hosts = capabilities.split(make_ranker(config))
    if hosts or capabilities.of_ranker(ranker).requires:
        return f"policy {policy} does not work in shards: it decides by what is known of all hosts"
    return ""
