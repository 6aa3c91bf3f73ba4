"""Why no page is relevant: the cause that explains the largest share of pages wins."""

from dataclasses import dataclass

from clew.config import Config
from clew.domain.text import printable
from clew.insight.diagnostics.counts import CrawlCounts
from clew.insight.diagnostics.goal_words import LANGUAGES, is_latin, language_of

MOST = 0.5
"""A cause is named when it explains at least half of the pages."""

FAINT = 0.2
"""Verdicts below this come from single words: a goal.keep as low would accept almost any page."""


@dataclass(frozen=True, slots=True)
class Cause:
    """One explanation: the share of pages it accounts for, the problem, and one next step."""

    weight: float
    what: str
    cure: str


def likeliest(
    counts: CrawlCounts, config: Config, run: str, anew: str, *, forbidden: int, open: int
) -> Cause:
    """Return the cause that explains most.

    `run` is the command that continues this crawl, `anew` the one that makes a new one; `forbidden` counts
    the links that robots.txt forbids, `open` those still in the frontier.
    """
    causes = [
        *_troubles(counts, run),
        *_contents(counts, config, run),
        *_words(counts, config, run),
        *_rules(counts, anew, forbidden, open),
    ]
    return max(
        (cause for cause in causes if cause.weight >= MOST),
        key=lambda cause: cause.weight,
        default=Cause(
            0.0,
            f"no single cause; the highest verdict is {counts.best:.2f}, goal.keep is {config.goal.keep:g}",
            f"give an example page: {run} --set goal.good=https://…",
        ),
    )


def _troubles(counts: CrawlCounts, run: str) -> list[Cause]:
    """Return the causes for pages that could not be fetched."""
    if counts.failures.seeds:
        gone, unreached = "check the seeds in a browser: they may have moved", "check the seeds and"
    elif counts.failures.failed:
        gone, unreached = f"the seeds answered; {leave_out(counts, run)}", "the seeds answered; check"
    else:
        gone = unreached = ""  # every trouble is a refusal
    texts = {
        "blocked": ("were refused", f"slow down: {run} --set fetch.delay=5"),
        "broken": ("ended in a server error", "run the same command again later"),
        "gone": ("were not found", gone),
        "unreached": ("could not be reached", f"{unreached} this computer's network: clew doctor"),
    }
    return [
        Cause(
            count / counts.pages,
            f"{count:,} of {counts.pages:,} links to pages {texts[kind][0]}"
            f" (mostly {printable(counts.commonest(kind), 60)})",
            texts[kind][1],
        )
        for kind, count in counts.troubles.items()
    ]


def leave_out(counts: CrawlCounts, run: str) -> str:
    """Name the folder with the most failures, and how to exclude it if nothing else comes from there."""
    folder, failed, read = counts.failures.worst()
    where = f"{failed:,} of them are under {printable(folder, 80)}"
    if read:
        return f"{where}, where {read:,} pages were read: add seeds that list pages which exist"
    return f"{where}; leave it out: {run} --set scope.exclude='*://{printable(folder, 80)}*'"


def _contents(counts: CrawlCounts, config: Config, run: str) -> list[Cause]:
    """Return the causes for pages that were fetched and have nothing to judge."""
    causes = []
    if others := counts.others.total():
        mime = printable(counts.others.most_common(1)[0][0], 40)
        causes.append(
            Cause(
                others / counts.pages,
                f"{others:,} of {counts.pages:,} URLs are not web pages (mostly {mime})",
                "clew judges only web pages and plain text: use seeds that link to those files",
            )
        )
    if counts.thin:
        elsewhere = "use the site's sitemap, a feed or another site as seed"
        here = (
            run if "clew run " in run else f"clew run {run.rpartition(' --like ')[2]}"
        )  # pages can be read again
        browser = f"render them in a browser: {here} --rerender"
        causes.append(
            Cause(
                counts.thin / counts.pages,
                f"{counts.thin:,} of {counts.pages:,} pages have almost no text (filled in by JavaScript?)",
                browser if config.fetch.browser == "never" else f"rendering did not help: {elsewhere}",
            )
        )
    if counts.unindexed:
        causes.append(
            Cause(
                0.85,
                f"{counts.unindexed:,} matching pages are left out because they are marked noindex",
                "ask their owners, or start from another site",
            )
        )
    return causes


def _words(counts: CrawlCounts, config: Config, run: str) -> list[Cause]:
    """Return the causes that lie in the words of the topic."""
    share = counts.with_text / counts.pages
    unseen = [word for term, word in counts.sample.wanted.items() if not counts.sample.pages_with[term]]
    causes = [_language(counts, config.goal.about, run, unseen)]
    if counts.sample.wanted and len(unseen) == len(counts.sample.wanted):
        # Below the language, which explains why they do not occur; above any verdict.
        causes.append(
            Cause(
                0.9 * share,
                f"none of your words ({_listed(unseen)}) occurs on any page",
                f"check the spelling, or give an example page: {run} --set goal.good=https://…",
            )
        )
    elif counts.best >= FAINT:
        missing = f" ({_listed(unseen)} never occur{'s' * (len(unseen) == 1)})" if unseen else ""
        lower = int(counts.best * 20) / 20
        causes.append(
            Cause(
                0.8 * share,
                f"the highest verdict is {counts.best:.2f} and goal.keep is {config.goal.keep:g}{missing}",
                f"lower the threshold: {run} --set goal.keep={lower:g}",
            )
        )
    elif share and config.goal.records and not counts.sample.wanted:
        causes.append(
            Cause(
                0.7 * share,
                "no page contains two values of one of your example rows as you wrote them",
                "compare a page with your table, or use a page with some of its rows as seed (crawl.seeds)",
            )
        )
    elif share and not counts.sample.wanted:
        causes.append(
            Cause(
                0.7 * share,
                f"no page matches the judge {printable(config.goal.judge, 30)}",
                "use a page that matches, or links to one that does, as seed (crawl.seeds)",
            )
        )
    elif share:
        causes.append(
            Cause(
                0.7 * share,
                f"pages barely mention your words: the highest verdict is {counts.best:.2f}",
                f"give an example page: {run} --set goal.good=https://…",
            )
        )
    return [cause for cause in causes if cause is not None]


def _language(counts: CrawlCounts, about: str, run: str, unseen: list[str]) -> Cause | None:
    """Return the cause that pages and topic are in different languages, if they are."""
    code, count = next(iter(counts.languages.most_common(1)), ("", 0))
    language, codes = language_of(about)
    if not code or not counts.sample.wanted or code in codes:
        return None
    if codes:
        yours = f"your words look {language}"
    elif not is_latin(code):
        yours = "your words are in Latin letters"
    elif len(unseen) == len(counts.sample.wanted) and code != "en":
        yours = f"your words ({_listed(unseen)}) never occur"
    else:
        return None
    name = LANGUAGES.get(code, f'"{code}"')
    return Cause(
        0.95 * count / counts.pages,
        f"{count:,} of {counts.pages:,} pages are in {name}, {yours}",
        f"describe the topic in {name}: {run} --set goal.about='…'",
    )


def _rules(counts: CrawlCounts, anew: str, forbidden: int, open: int) -> list[Cause]:
    """Return the causes that lie in robots.txt or in the scope."""
    causes = []
    if counts.outside and open < counts.pages:  # else there are enough links within the scope
        causes.append(
            Cause(
                counts.outside / counts.links,
                f"scope.hosts refused {counts.outside:,} of {counts.links:,} links",
                f"allow other hosts: {anew} --set scope.hosts=any",
            )
        )
    if forbidden:
        causes.append(
            Cause(
                forbidden / (forbidden + counts.pages),
                f"robots.txt forbids {forbidden:,} links; {counts.pages:,} pages could be fetched",
                "start from other sites, or ask the owners",
            )
        )
    return causes


def _listed(words: list[str]) -> str:
    """Return up to four words in quotation marks, and how many more there are."""
    some = ", ".join(f'"{printable(word, 24)}"' for word in words[:4])
    return f"{some} and {len(words) - 4} more" if len(words) > 4 else some  # noqa: PLR2004
