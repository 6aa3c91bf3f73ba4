"""Explore simulated sites, as the paper of the policy sites does; write the first section of docs/lab/sites.md.

    python -m bench.sites_simulation [--repetitions 40] [--sites 1000] [--pages 20000]

Each site has a Beta distribution with α and β drawn evenly from a range (which the paper does not give: three are tried),
holds it with chance α / (α + β), and gives pages whose chances are drawn from the distribution, at most 1,000. All ways to
explore see the same sites and the same pages, all repetitions are simulated side by side. About four minutes of one core.
"""

import argparse
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from bench.sites_report import cell, picture, put
from clew.domain.sites.explorers import Delta, DeltaSample, Epsilon, Explorer, Gain, Random, Thompson, Ucb
from clew.domain.sites.information_value import bernoulli, delta
from clew.domain.sites.site_choice import SiteChoice
from clew.domain.sites.site_stats import Pool, SiteStats, pooled
from clew.lab.statistics import interval

RANGES = ((0.0, 1.0), (0.0, 5.0), (0.0, 20.0))
HELD = 1_000
"""Pages of a site, as in the paper."""

STRIDE = 10
"""Pages after which Thompson sampling draws for all sites anew; the ten highest draws are read."""

POOLED = 250
"""Pages after which what sites have in common is estimated anew."""

WAYS: dict[str, Explorer] = {
    "random": Random(), "delta": Delta(), "delta-sample": DeltaSample(), "epsilon": Epsilon(), "ucb": Ucb(),
    "thompson": Thompson(), "gain": Gain(finds=False),
}  # fmt: skip
TABLE = (1_000, 1_500, 2_000, 2_500, 3_000, 4_000, 6_000, 10_000, 20_000)
REMARKS = Path(__file__).parent / "sites_simulation_remarks.md"
"""What we make of the figures: kept beside the bench, so that measuring again does not lose it."""


class Heat:
    """All repetitions of one range: sites, their truth, and the chances of their pages."""

    def __init__(self, span: tuple[float, float], repetitions: int, sites: int, seed: int) -> None:
        dice = np.random.default_rng(seed)
        a, b = np.maximum(dice.uniform(*span, (2, repetitions, sites)), 1e-3)
        self.mean = a / (a + b)
        self.truth = dice.random((repetitions, sites)) < self.mean
        self.pages = np.empty((repetitions, sites, HELD), np.float32)
        for at in range(repetitions):  # one at a time: doubles of all would be a third of a gigabyte
            self.pages[at] = dice.beta(a[at, :, None], b[at, :, None], (sites, HELD))
        np.nan_to_num(self.pages, copy=False, nan=0.5)

    def measured(self, yes: np.ndarray) -> np.ndarray:
        """Return accuracy, precision and recall of verdicts, one row for each repetition."""
        right = (yes & self.truth).sum(axis=1)
        return np.column_stack((
            (yes == self.truth).mean(axis=1), right / np.maximum(yes.sum(axis=1), 1),
            right / np.maximum(self.truth.sum(axis=1), 1),
        ))  # fmt: skip


def explored(
    heat: Heat, how: Explorer, budget: int, looks: Sequence[int], seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return the measures at each look (looks, repetitions, measures), and the pages read by each repetition."""
    repetitions, sites, _ = heat.pages.shape
    dice, every = np.random.default_rng(seed), np.arange(repetitions)
    evidence = SiteStats.none(repetitions, sites)
    evidence.read(slice(None), heat.pages[:, :, 0].astype(float))
    pool = pooled(evidence)
    values, draws = how.values(evidence, pool, dice), np.zeros((repetitions, STRIDE), int)
    found, read = [heat.measured(how.estimate(evidence, pool) >= 0.5)], np.full(repetitions, sites)
    for page in range(sites + 1, budget + 1):
        row = values.argmax(axis=1)
        if how.restless:
            at = (page - sites - 1) % STRIDE
            if at == 0:
                values = how.values(evidence, pool, dice)
                draws = np.argpartition(-values, STRIDE, axis=1)[:, :STRIDE]
            row = draws[:, at]
        if how.lots:
            row = np.where(dice.random(repetitions) < how.lots, dice.integers(sites, size=repetitions), row)
        number = evidence.pages[every, row].astype(int)
        goes = number < HELD
        if how.worth >= 0:
            goes &= values[every, row] > how.worth
        some, where = every[goes], row[goes]
        evidence.read((some, where), heat.pages[some, where, number[goes]].astype(float))
        read[some] += 1
        if not how.restless:
            values[some, where] = how.values(evidence.at((some, where)), _flat(pool, some), dice)
            spent = number + 1 >= HELD
            values[every[spent], row[spent]] = -1.0
        if isinstance(how, Gain) and page % POOLED == 0:
            pool = pooled(evidence)
            values = np.where(values < 0, -1.0, how.values(evidence, pool, dice))
        if page in looks:
            found.append(heat.measured(how.estimate(evidence, pool) >= 0.5))
    return np.array(found), read


def _flat(pool: Pool, rows: np.ndarray) -> Pool:
    return Pool(*(getattr(pool, name)[rows, 0] for name in Pool.__slots__))


def section(span: tuple[float, float], options: argparse.Namespace) -> str:
    """Simulate one range; return its tables, and draw its curves unless `options.dry`."""
    heat = Heat(span, options.repetitions, options.sites, 7)
    share = options.pages / 20_000
    table = [max(int(at * share), options.sites) for at in TABLE]
    points = [int(at * share) for at in (*range(1_000, 6_001, 250), *range(7_000, 20_001, 1_000))]
    curve = [at for at in points if at >= options.sites]
    looks = sorted({*table, *curve})
    made, cpu = {}, {}
    for name, how in WAYS.items():
        began = time.process_time()
        made[name] = explored(heat, how, options.pages, looks, 11)
        cpu[name] = time.process_time() - began
        print(f"{span} {name}: {cpu[name]:.1f} CPU-s", flush=True)
    best = heat.measured(heat.mean >= 0.5)
    lines = [f"### α and β from 0 to {span[1]:g}", ""]
    lines.append(
        f"{int(heat.truth.sum(axis=1).min())} to {int(heat.truth.sum(axis=1).max())} of {options.sites:,} sites hold it; who knew every "
        f"distribution would reach accuracy {best[:, 0].mean():.3f}, precision {best[:, 1].mean():.3f}, recall {best[:, 2].mean():.3f}."
    )
    for number, measure in ((2, "recall"), (0, "accuracy"), (1, "precision")):
        lines += [
            "",
            f"| {measure} after | " + " | ".join(f"{at:,}" for at in table) + " |",
            "|---|" + "---|" * len(table),
        ]
        for name, (found, _) in made.items():
            cells = [cell(found[looks.index(at), :, number]) for at in table]
            lines.append(f"| `{name}` | " + " | ".join(cells) + " |")
    lines += ["", *_compared(made, looks, table, options.sites)]
    until = [at for at in curve if at <= 6_000 * share]
    for number, measure in ((2, "recall"), (0, "accuracy")):
        curves = {
            name: (best[:, number] - found[[looks.index(at) for at in until]][:, :, number]).T
            for name, (found, _) in made.items()
        }
        name = picture(
            f"sites-simulation-{span[1]:g}-{measure}.svg", xs=until, curves=curves,
            title=f"{measure} lacking to perfect knowledge, α and β from 0 to {span[1]:g}; lower is better",
            y_label=f"{measure} below that of perfect knowledge", x_label="pages read, of all sites together",
            dry=options.dry,
        )  # fmt: skip
        lines += ["", f"![{measure.capitalize()} against pages, α and β up to {span[1]:g}]({name})"]
    return "\n".join(lines)


def _compared(
    made: dict[str, tuple[np.ndarray, np.ndarray]], looks: list[int], table: list[int], sites: int
) -> list[str]:
    """Say for how long δ leads random choice, and ours leads δ, in recall and accuracy, with paired intervals."""
    said = []
    for first, second in (
        ("delta", "random"),
        ("delta-sample", "random"),
        ("gain", "delta"),
        ("gain", "random"),
    ):
        for number, measure in ((2, "recall"), (0, "accuracy")):
            parts = []
            for at in table[1:]:
                place = looks.index(at)
                gap = made[first][0][place, :, number] - made[second][0][place, :, number]
                found = interval(gap.tolist())
                sign = "**" if abs(found.mean) > found.half else ""
                parts.append(f"{at / sites:g}: {sign}{100 * found.mean:+.1f} ± {100 * found.half:.1f}{sign}")
            said.append(
                f"- `{first}` − `{second}`, {measure} in points, by pages a site: " + ", ".join(parts) + "."
            )
    ended = [
        f"`{name}` after {read.mean():,.0f}" for name, (_, read) in made.items() if read.max() < table[-1]
    ]
    return said + (
        [f"- Ended early, because nothing more was expected: {', '.join(ended)} pages on average."]
        if ended
        else []
    )


def scale() -> str:
    """Measure δ for a million sites, and what choosing the next one costs as sites grow."""
    dice = np.random.default_rng(3)
    mean, pages = dice.random(1_000_000), dice.integers(1, 9, 1_000_000).astype(float)
    delta(mean, bernoulli(mean), pages)
    began = time.process_time()
    delta(mean, bernoulli(mean), pages)
    once = time.process_time() - began
    evidence = SiteStats(pages, mean * pages, (mean * mean + 0.01) * pages, np.zeros(1_000_000))
    began = time.process_time()
    Gain().values(evidence, pooled(evidence), dice)
    ours = time.process_time() - began
    rows = []
    for many in (1_000, 10_000, 100_000, 1_000_000):
        costs = []
        for how in (Delta(), Gain()):
            known = SiteStats.none(many)
            known.read(slice(None), dice.random(many))
            choice = SiteChoice(how, sites=many, known=known)
            chances, began = dice.random(2_000).tolist(), time.process_time()
            for chance in chances:
                choice.tell(choice.take(), chance)
            costs.append((time.process_time() - began) / 2_000 * 1e6)
        rows.append(f"| {many:,} | {costs[0]:.0f} | {costs[1]:.0f} |")
    return (
        f"\n### Many sites\n\nδ of 1,000,000 sites takes {once:.2f} CPU-seconds, `gain` of as many {ours:.1f}. Choosing the next site and taking in its page is a heap's work:\n\n"
        "| sites | µs a page, `delta` | µs a page, `gain` |\n|---|---|---|\n" + "\n".join(rows)
    )


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repetitions", type=int, default=40)
    parser.add_argument("--sites", type=int, default=1_000)
    parser.add_argument("--pages", type=int, default=20_000)
    parser.add_argument("--dry", action="store_true", help="print the page and write no file")
    options = parser.parse_args(arguments)
    began = time.process_time()
    text = "\n\n".join(section(span, options) for span in RANGES) + "\n" + scale()
    head = f"""\
## The published simulation

`python -m bench.sites_simulation`: {options.repetitions} repetitions, {options.sites:,} sites, {HELD:,} pages each, up to {options.pages:,} pages in all; {time.process_time() - began:.0f} CPU-seconds. Means over repetitions with
95 % intervals. One page of every site first, so curves begin at {options.sites:,}. The paper says that α and β are drawn evenly and not from where to where; 0 to 1, to 5 and to 20 are tried. A chance
below 0.001 for α or β is raised to that. `epsilon` draws one site in ten by lot, `ucb` has the horizon of all pages, `thompson` draws for all sites anew every {STRIDE} pages. `gain` is ours, here without finds: the simulation has only chances.
"""
    remarks = (REMARKS.read_text("utf-8") if REMARKS.exists() else "").strip()
    page = "\n\n".join(part for part in (head, remarks, text) if part)
    print(page) if options.dry else put("simulation", page)


if __name__ == "__main__":
    main()
