"""Tables of a race: the same cells for the terminal, the report and Markdown."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from clew.lab.measures import MEASURES, Measure
from clew.lab.standings import CEILING, FEW, FLOOR, Pair, PolicyStanding, Total
from clew.lab.statistics import Interval

SIGNIFICANT = 0.05

EXACT = 1e-9
"""Half-widths below this are shown as none: all runs had the same result."""


@dataclass(frozen=True, slots=True)
class Cell:
    """Text, sort key, and whether it is the best of its column."""

    text: str
    value: float = math.nan
    best: bool = False


@dataclass(frozen=True, slots=True)
class ReportTable:
    """Columns with what they mean, and rows of cells; the first cell of a row is its name."""

    columns: tuple[tuple[str, str], ...]
    rows: tuple[tuple[Cell, ...], ...]


def written(value: Interval, digits: int, budget: int = 0) -> str:
    """Write a mean with half its interval; what was never reached is marked by the budget.

    >>> written(Interval(0.71234, 0.0312, 5), 3), written(Interval(math.inf, math.nan, 5), 0, 3000)
    ('0.712 ± .031', '> 3,000')
    """
    if math.isnan(value.mean):
        return "–"
    if math.isinf(value.mean):
        return f"> {budget:,}"
    mean = f"{round(value.mean, digits) + 0.0:,.{digits}f}"  # + 0.0: there is no minus zero
    if math.isnan(value.half) or value.half < EXACT or value.runs <= FEW:
        return mean
    if value.mean >= 0 > value.mean - value.half:  # no measure of a crawl that found something is negative
        low, high = (f"{bound:,.{digits}f}" for bound in (0.0, value.mean + value.half))
        return f"{mean} ({low} to {high})"
    half = f"{value.half:,.{digits}f}"
    return f"{mean} ± {half.removeprefix('0') if digits else half}"


def measures_table(standings: Sequence[PolicyStanding], budget: int, keys: Sequence[str] = ()) -> ReportTable:
    """Return policies by measures; the best policy of each column is marked, limits are not."""
    chosen = [
        measure for measure in MEASURES
        if (not keys or measure.key in keys) and (measure.key != "wrong" or _counts_sites(standings))
    ]  # fmt: skip
    columns = (("policy", "how the next link is chosen"), *((each.label, each.meaning) for each in chosen))
    best = {each.key: _best(standings, each) for each in chosen}
    rows = []
    for standing in standings:
        cells = [Cell(standing.policy)]
        for measure in chosen:
            value = standing.measures.get(measure.key, Interval(math.nan, math.nan, 0))
            text = written(value, measure.digits, budget)
            is_best = standing.policy not in (CEILING, FLOOR) and text == best[measure.key]
            cells.append(Cell(text, value.mean, is_best))
        rows.append(tuple(cells))
    return ReportTable(columns, tuple(rows))


def _counts_sites(standings: Sequence[PolicyStanding]) -> bool:
    return any("wrong" in each.measures and math.isfinite(each.measures["wrong"].mean) for each in standings)


def _best(standings: Sequence[PolicyStanding], measure: Measure) -> str:
    """Return the text of the best value if its interval is clear of all others; else nobody is marked."""
    if not measure.better:
        return ""
    racing = [
        standing.measures[measure.key]
        for standing in standings
        if standing.policy not in (CEILING, FLOOR)
        and measure.key in standing.measures
        and not math.isnan(standing.measures[measure.key].mean)
    ]
    if len({value.mean for value in racing}) < 2:  # noqa: PLR2004 - all the same: nobody is best
        return ""
    known = [value for value in racing if math.isfinite(value.mean)]
    best = max(known, key=lambda value: measure.better * value.mean)
    others = [value for value in racing if value is not best]
    return written(best, measure.digits) if _is_clear(best, others, measure.better) else ""


def _is_clear(best: Interval, others: Sequence[Interval], better: int) -> bool:
    """Return whether the interval of the best value overlaps with no other one."""

    def half(value: Interval) -> float:
        return math.inf if math.isnan(value.half) else value.half

    low = better * best.mean - half(best)
    return all(low > better * each.mean + half(each) for each in others if math.isfinite(each.mean))


def totals_table(totals: Sequence[Total]) -> ReportTable:
    """Return policies over all tasks: mean normalised area, and how often they won."""
    columns = (
        ("policy", "how the next link is chosen"),
        ("normalised area", "mean over tasks, 0 = breadth-first, 1 = the oracle"),
        ("tasks", "tasks that could be measured"),
        ("best in", "tasks where it was the best policy"),
        ("duels won", "policy by policy, task by task"),
        ("duels lost", "likewise"),
    )
    racing = [total for total in totals if total.policy != CEILING]
    ranked = sorted((total.gain for total in racing if math.isfinite(total.gain.mean)), key=lambda g: -g.mean)
    clear = len(ranked) > 1 and _is_clear(ranked[0], ranked[1:], 1)
    top = ranked[0].mean if clear else math.nan
    rows = tuple(
        (
            Cell(total.policy),
            Cell(written(total.gain, 3), total.gain.mean, total.gain.mean == top and total.policy != CEILING),
            Cell(f"{total.gain.runs}", total.gain.runs),
            *(
                Cell("–" if total.policy == CEILING else f"{count}", count)
                for count in (total.best, total.better, total.worse)
            ),
        )
        for total in totals
    )
    return ReportTable(columns, rows)


def headline(pairs: Sequence[Pair], order: Sequence[str]) -> str:
    """Return one sentence about the two best policies; `order` names the policies, the best first."""
    racing = [name for name in order if name not in (CEILING, FLOOR)]
    if len(racing) < 2:  # noqa: PLR2004
        return ""
    first, second = racing[:2]
    pair = next((each for each in pairs if {each.first, each.second} == {first, second}), None)
    if pair is None or math.isnan(pair.difference):
        return f"{first} comes before {second}, and they cannot be compared run by run"
    lead = f"{first} leads {second} by {abs(pair.difference):.3f}"
    if pair.corrected < SIGNIFICANT:
        return f"{lead}, which is significant (p = {_chance(pair.corrected)})"
    return f"{lead}, which is within the noise (p = {_chance(pair.corrected)}, {pair.pairs} pairs)"


def pairs_table(pairs: Sequence[Pair]) -> ReportTable:
    """Return comparisons, the clearest first."""
    columns = (
        ("policies", "the better one first"),
        ("difference", "of the area, or over tasks of the normalised area"),
        ("better / worse", "pairs of runs, or tasks"),
        ("p", "sign-flip permutation test, two-sided"),
        ("p, corrected", "after Holm, over all pairs of this table"),
        ("", f"corrected p below {SIGNIFICANT}"),
    )
    rows = []
    for pair in sorted(pairs, key=lambda pair: (pair.corrected, pair.p, -abs(pair.difference))):
        ahead = not pair.difference < 0
        names = (pair.first, pair.second) if ahead else (pair.second, pair.first)
        counts = (pair.better, pair.worse) if ahead else (pair.worse, pair.better)
        rows.append(
            (
                Cell(f"{names[0]} over {names[1]}"),
                Cell(f"{abs(pair.difference):.3f}", abs(pair.difference)),
                Cell(f"{counts[0]} / {counts[1]} of {pair.pairs}", counts[0]),
                Cell(_chance(pair.p), pair.p),
                Cell(_chance(pair.corrected), pair.corrected),
                Cell("significant" if pair.corrected < SIGNIFICANT else "", pair.corrected),
            )
        )
    return ReportTable(columns, tuple(rows))


def _chance(p: float) -> str:
    return f"{p:.3f}" if p >= 0.001 else f"{p:.1e}"  # noqa: PLR2004


def markdown(table: ReportTable, *, right: bool = True) -> str:
    """Write a table as Markdown, the best cells in bold."""
    lines = [f"| {' | '.join(name for name, _ in table.columns)} |"]
    lines.append("|---" + ("|---:" if right else "|---") * (len(table.columns) - 1) + "|")
    for row in table.rows:
        texts = [cell.text.replace("|", "\\|") for cell in row]
        marked = [f"**{text}**" if cell.best else text for cell, text in zip(row, texts, strict=True)]
        lines.append(f"| {' | '.join(marked)} |")
    return "\n".join(lines) + "\n"
