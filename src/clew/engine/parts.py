"""The replaceable components of an engine: ranker, judge, extractor. One function makes them, everywhere."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from clew import registry
from clew.config import Config
from clew.config.judge_spec import JudgeSpec
from clew.contracts import Extractor, Judge, Ranker, UsesTable
from clew.domain.records.example_table import ExampleTable
from clew.errors import ConfigError
from clew.parse.options import ParseOptions
from clew.registry import capabilities
from clew.registry.capabilities import Capabilities

_KEYS = {
    **{name: f"goal.{name}" for name in ("about", "good", "bad", "judge", "keep")},
    **{name: f"rank.{name}" for name in ("seed", "diversity", "explore", "explorer", "classifier", "within")},
    "site": "scope.site",
}
"""Parameters of policies that have a key of clew.toml."""

PRIORS = 50
"""Terms of a judge that a ranker gets as priors before the crawl: the strongest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """Ranker, judge and extractor of a crawl, their names, and what they can do."""

    ranker: Ranker
    judge: Judge
    extractor: Extractor
    policy: str
    judge_name: str
    abilities: Capabilities

    @property
    def link_ranker(self) -> Ranker:
        """The ranker of links: the one within a host policy, if the ranker is one."""
        return capabilities.split(self.ranker)[0]

    @property
    def parse_options(self) -> ParseOptions:
        """What the parser has to compute of every page for these parts."""
        abilities = self.abilities
        return ParseOptions(
            layout=abilities.ranker.needs_layout, markup=abilities.extractor.needs_markup,
            terms=abilities.judge.needs_terms, tokens=abilities.ranker.needs_tokens,
        )  # fmt: skip

    @property
    def needs_layout(self) -> bool:
        """Whether the ranker needs the positions of links on their pages."""
        return self.abilities.ranker.needs_layout

    def share_table(self) -> None:
        """Give the extractor's table of records to a judge or ranker that uses one."""
        if provider := self.abilities.extractor.provides_table:
            for user in (self.abilities.judge.table, self.abilities.ranker.table):
                if user is not None:
                    user.use_table(provider.record_table)


def make_ranker(config: Config, given: object = None, judge: str = "") -> Ranker:
    """Make the ranker of a configuration, or the one that is given by name, class or object.

    `judge` is the name of the judge, if it is not the one of the configuration.
    """
    goal, rank = config.goal, config.rank
    _check_options(rank.options)
    ranker: Ranker = registry.make(
        "ranker", given or rank.policy, rank.options, **_goal(config), judge=judge or goal.judge,
        keep=goal.keep, seed=rank.seed, diversity=rank.diversity, explore=rank.explore,
        explorer=rank.explorer, classifier=rank.classifier, within=rank.within, site=config.scope.site,
    )  # fmt: skip
    return ranker


def _check_options(options: Mapping[str, object]) -> None:
    """Refuse options of a policy that are keys of their own."""
    for name in options:
        if key := _KEYS.get(name):
            msg = f"rank.options.{name}: this is a key of its own; write {key}"
            raise ConfigError(msg)


def make_judge(config: Config, given: object = None, table_from: object = None) -> Judge:
    """Make the judge of a configuration, or the one that is given; `table_from` is the extractor."""
    judge: Judge = registry.make("judge", given or config.goal.judge, **_goal(config))
    provider = capabilities.of_extractor(table_from).provides_table
    if provider and isinstance(judge, UsesTable):
        judge.use_table(provider.record_table)
    return judge


def make_parts(
    config: Config, given: Mapping[str, Any] | None = None, table: ExampleTable | None = None
) -> Parts:
    """Make the parts that a configuration names and let them prepare.

    `given` may hold a `ranker`, `judge` or `extractor` (a name, a class or an object) instead of the named
    one, `table` the user's example rows.
    """
    given = given or {}
    judge_name = name_of(given.get("judge"), config.goal.judge)
    named = f"records:{config.goal.patterns}" if table else JudgeSpec.parse(judge_name).extractor
    rows = {"columns": table.columns, "rows": table.rows} if table else {}
    ranker = make_ranker(config, given.get("ranker"), judge_name)
    extractor: Extractor = registry.make("extractor", given.get("extractor") or named, **rows)
    judge = make_judge(config, given.get("judge"), extractor)
    capabilities.prepare(judge)
    capabilities.prepare(extractor)
    return Parts(
        ranker=ranker, judge=judge, extractor=extractor, judge_name=judge_name,
        policy=name_of(given.get("ranker"), config.rank.policy),
        abilities=capabilities.resolve(ranker, judge, extractor),
    )  # fmt: skip


def check_table(parts: Parts) -> None:
    """Refuse a policy that works on a table of records when there is none."""
    abilities = parts.abilities
    if abilities.ranker.requires == "table" and not abilities.extractor.provides_table:
        msg = (
            f"policy {parts.policy} ranks links by a table of example records, and there is none; "
            "name one under goal.records (clew new DIR --records FILE), or choose another policy"
        )
        raise ConfigError(msg)


def set_priors(parts: Parts, judge: Judge) -> None:
    """Give the judge's strongest terms to a ranker that takes priors."""
    terms, priors = capabilities.of_judge(judge).terms, parts.abilities.ranker.priors
    if terms and priors:
        priors.set_priors({term.term: term.weight for term in terms.propose_terms()[:PRIORS]})


def name_of(part: object, default: str) -> str:
    """Return the name of a part: as it was given, or of its class.

    >>> name_of(None, "clew"), name_of("keyword", "clew"), name_of({}, "clew")
    ('clew', 'keyword', 'dict')
    """
    if part is None or isinstance(part, str):
        return part or default
    return part.__name__ if isinstance(part, type) else type(part).__name__


def _goal(config: Config) -> dict[str, object]:
    goal = config.goal
    return {"about": goal.about, "good": tuple(goal.good), "bad": tuple(goal.bad)}
