"""Why nothing is relevant: causes compete by the share of what came that they explain."""

from dataclasses import dataclass

from clew.config import Config
from clew.domain.text import shown
from clew.insight.diagnostics.counts import CrawlCounts
from clew.insight.diagnostics.goal_words import LANGUAGES, is_latin, language_of

MOST = 0.5
"""A cause is named when it explains at least half of what came; below that it is one of many."""

FAINT = 0.2
"""Verdicts below this are single words in passing: a lower goal.keep would let anything in."""


@dataclass(frozen=True, slots=True)
class Cause:
    """One explanation: the share of pages it accounts for, what is wrong, and one next step."""

    weight: float
    what: str
    cure: str


def likeliest(tally: CrawlCounts, config: Config, run: str, anew: str, *, forbidden: int, open: int) -> Cause:
    """Return the cause that explains most.

    `run` is the command that goes on with this crawl, `anew` the one that makes another; `forbidden` are the
    links that robots.txt forbade, `open` those still waiting.
    """
    causes = [
        *_troubles(tally, run),
        *_contents(tally, config, run),
        *_words(tally, config, run),
        *_rules(tally, anew, forbidden, open),
    ]
    return max(
        (cause for cause in causes if cause.weight >= MOST),
        key=lambda cause: cause.weight,
        default=Cause(
            0.0,
            f"the best verdict is {tally.best:.2f}, goal.keep is {config.goal.keep:g}",
            f"show it a page that you want: {run} --set goal.good=https://…",
        ),
    )


def _troubles(tally: CrawlCounts, run: str) -> list[Cause]:
    """Name pages that were not read at all."""
    said = {
        "blocked": ("were refused", f"ask more slowly: {run} --set fetch.delay=5"),
        "broken": ("ended in an error of the server", "try again later, with the same command"),
        "gone": ("lead nowhere", "check the seeds in a browser: they may have moved"),
        "unreached": ("could not be reached", "check the seeds and this computer's network: clew doctor"),
    }
    return [
        Cause(
            count / tally.pages,
            f"{count:,} of {tally.pages:,} pages {said[kind][0]} (mostly {shown(tally.commonest(kind), 60)})",
            said[kind][1],
        )
        for kind, count in tally.troubles.items()
    ]


def _contents(tally: CrawlCounts, config: Config, run: str) -> list[Cause]:
    """Name pages that were read and hold nothing to judge."""
    found = []
    if others := tally.others.total():
        mime = shown(tally.others.most_common(1)[0][0], 40)
        found.append(
            Cause(
                others / tally.pages,
                f"{others:,} of {tally.pages:,} addresses are no web pages (mostly {mime})",
                "clew judges web pages and plain text: begin at pages that link to those files",
            )
        )
    if tally.thin:
        elsewhere = "begin at the site's sitemap, a feed, or another site"
        browser = f"let a browser run them: {run} --set fetch.browser=auto"
        found.append(
            Cause(
                tally.thin / tally.pages,
                f"{tally.thin:,} of {tally.pages:,} pages hold almost no text (made by scripts?)",
                browser if config.fetch.browser == "never" else f"no browser helped: {elsewhere}",
            )
        )
    if tally.unindexed:
        found.append(
            Cause(
                0.85,
                f"{tally.unindexed:,} fitting pages do not count, they ask not to be indexed (noindex)",
                "ask their owners, or begin at another site",
            )
        )
    return found


def _words(tally: CrawlCounts, config: Config, run: str) -> list[Cause]:
    """Name what stands between the goal's words and the pages' words."""
    share = tally.with_text / tally.pages
    unseen = [word for term, word in tally.wanted.items() if not tally.seen[term]]
    found = [_language(tally, config.goal.about, run, unseen)]
    if tally.wanted and len(unseen) == len(tally.wanted):
        # Less than the language, which explains why they do not occur; more than any verdict.
        found.append(
            Cause(
                0.9 * share,
                f"none of your words ({_listed(unseen)}) occurs",
                f"check their spelling, or show a page that you want: {run} --set goal.good=https://…",
            )
        )
    elif tally.best >= FAINT:
        missing = f" ({_listed(unseen)} never occur{'s' * (len(unseen) == 1)})" if unseen else ""
        lower = int(tally.best * 20) / 20
        found.append(
            Cause(
                0.8 * share,
                f"the best verdict is {tally.best:.2f} and goal.keep is {config.goal.keep:g}{missing}",
                f"be less strict: {run} --set goal.keep={lower:g}",
            )
        )
    elif share and config.goal.records and not tally.wanted:
        found.append(
            Cause(
                0.7 * share,
                "no page holds two values of one of your example rows as you wrote them",
                "compare a page with your table, or begin at one that holds some of its rows (crawl.seeds)",
            )
        )
    elif share and not tally.wanted:
        found.append(
            Cause(
                0.7 * share,
                f"no page has what the judge {shown(config.goal.judge, 30)} looks for",
                "begin at a page that has it, or links to one (crawl.seeds)",
            )
        )
    elif share:
        found.append(
            Cause(
                0.7 * share,
                f"pages hardly touch on your words: the best verdict is {tally.best:.2f}",
                f"show a page that you want: {run} --set goal.good=https://…",
            )
        )
    return [cause for cause in found if cause is not None]


def _language(tally: CrawlCounts, about: str, run: str, unseen: list[str]) -> Cause | None:
    """Say that pages and words are in different languages, if they are."""
    code, count = next(iter(tally.languages.most_common(1)), ("", 0))
    look, codes = language_of(about)
    if not code or not tally.wanted or code in codes:
        return None
    if codes:
        yours = f"your words look {look}"
    elif not is_latin(code):
        yours = "your words are in Latin letters"
    elif len(unseen) == len(tally.wanted) and code != "en":
        yours = f"your words ({_listed(unseen)}) never occur"
    else:
        return None
    name = LANGUAGES.get(code, f'"{code}"')
    return Cause(
        0.95 * count / tally.pages,
        f"{count:,} of {tally.pages:,} pages are in {name}, {yours}",
        f"say it in {name}: {run} --set goal.about='…'",
    )


def _rules(tally: CrawlCounts, anew: str, forbidden: int, open: int) -> list[Cause]:
    """Name the rules, of sites or of the person, that keep us from going on."""
    found = []
    if tally.outside and open < tally.pages:  # else there is enough to read within the scope
        found.append(
            Cause(
                tally.outside / tally.links,
                f"your scope.hosts refused {tally.outside:,} of {tally.links:,} links",
                f"let it leave: {anew} --set scope.hosts=any",
            )
        )
    if forbidden:
        found.append(
            Cause(
                forbidden / (forbidden + tally.pages),
                f"robots.txt forbids {forbidden:,} links, {tally.pages:,} pages could be read",
                "begin at other sites, or ask the owners",
            )
        )
    return found


def _listed(words: list[str]) -> str:
    """Return some words in quotation marks, the rest as a number."""
    some = ", ".join(f'"{shown(word, 24)}"' for word in words[:4])
    return f"{some} and {len(words) - 4} more" if len(words) > 4 else some  # noqa: PLR2004
